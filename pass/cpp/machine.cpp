// Machine code behind register allocation: what stands in it, which registers are free where, and
// our instructions put into it. Runs in clang's code generator, and in a linker's.
//
// Decided here, since only LLVM's classes show it: where in the code generator the pass stands,
// which registers an instruction touches, which call may not come back, and which edges can hold
// code. What is counted where is decided in Rust. The declarations in src/ffi/machine.rs must
// match.
//
// LLVM's headers do not have the numbers of x86's instructions and registers. Their names are
// looked up instead.
#include "code_map.h"

#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/LiveRegUnits.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

#include <map>

using namespace llvm;

namespace {
// The registers that our code may use. A set of them is a mask of these bits; `Flags` is the bit of
// the flags. `Register` in src/machine/code.rs is their number.
constexpr const char *RegisterNames[] = {"RAX", "RCX", "RDX", "RSI", "RDI", "R8",  "R9", "R10",
                                         "R11", "RBX", "RBP", "R12", "R13", "R14", "R15"};
constexpr unsigned NumRegisters = std::size(RegisterNames);
constexpr uint16_t Flags = 1 << 15;

// The names of the instructions that our code consists of, and of those that are taken apart.
constexpr const char *OpcodeNames[] = {
    "MOV64rm",      "LEA64r",        "INC64m",        "DEC64m",    "LOCK_INC64m", "JMP_1",
    "LOCK_DEC64m",  "PUSHF64",       "POPF64",        "PUSH64r",   "POP64r",      "JCC_1",
    "TAILJMPd64",   "TAILJMPd64_CC", "CALL64pcrel32", "PUSH64i32", "PUSH64rmm",   "MOV64toPQIrr",
    "MOVPQIto64rr", "VMOV64toPQIrr", "VMOVPQIto64rr", "MOV64ri32", "ADD64mr",     "RET64",
    "SETCCr",       "ADD8ri"};
enum OpcodeAt : unsigned {
  Load,
  Lea,
  Inc,
  Dec,
  LockInc,
  Jump,
  LockDec,
  PushFlags,
  PopFlags,
  Push,
  Pop,
  JumpIf,
  TailJump,
  TailJumpIf,
  Call,
  PushNumber,
  PushWord,
  ToVector,
  FromVector,
  ToVectorAvx,
  FromVectorAvx,
  Set,
  AddTo,
  Return,
  SetIf,
  AddByte
};

// What names of x86 mean in this target.
struct Machine {
  const TargetInstrInfo *TII;
  unsigned Registers[NumRegisters] = {};
  // The lowest byte of each of them.
  unsigned Bytes[NumRegisters] = {};
  // The vector registers XMM0 to XMM15.
  unsigned Vectors[16] = {};
  unsigned Flags = 0, Fs = 0, Gs = 0, Rip = 0, Stack = 0;
  unsigned Opcodes[std::size(OpcodeNames)] = {};
  unsigned GotTpOff = 0;
  // The type of the operands that name a condition.
  unsigned ConditionType = 0;
  // Which of our registers overlap each register of the machine, and each unit of them: their bits.
  std::vector<uint16_t> OfRegister, OfUnit;

  explicit Machine(const TargetSubtargetInfo &ST) : TII(ST.getInstrInfo()) {
    auto *TRI = ST.getRegisterInfo();
    for (unsigned R = 1; R < TRI->getNumRegs(); ++R) {
      StringRef Name = TRI->getName(R);
      for (unsigned At = 0; At < NumRegisters; ++At)
        if (Name == RegisterNames[At])
          Registers[At] = R;
      unsigned Number;
      if (Name.consume_front("XMM") && !Name.getAsInteger(10, Number) && Number < 16)
        Vectors[Number] = R;
      Name = TRI->getName(R);
      if (Name == "EFLAGS")
        Flags = R;
      if (Name == "FS")
        Fs = R;
      if (Name == "GS")
        Gs = R;
      if (Name == "RIP")
        Rip = R;
      if (Name == "RSP")
        Stack = R;
    }
    for (unsigned Index = 1; Index < TRI->getNumSubRegIndices(); ++Index)
      if (StringRef(TRI->getSubRegIndexName(Index)) == "sub_8bit")
        for (unsigned At = 0; At < NumRegisters; ++At)
          Bytes[At] = Registers[At] ? unsigned(TRI->getSubReg(Registers[At], Index)) : 0;
    OfRegister.resize(TRI->getNumRegs());
    OfUnit.resize(TRI->getNumRegUnits());
    auto Note = [&](MCRegister R, uint16_t Bit) {
      if (!R)
        return;
      for (MCRegUnit Unit : TRI->regunits(R))
        OfUnit[static_cast<unsigned>(Unit)] |= Bit;
      for (MCRegAliasIterator Alias(R, TRI, true); Alias.isValid(); ++Alias)
        OfRegister[static_cast<unsigned>((*Alias).id())] |= Bit;
    };
    for (unsigned At = 0; At < NumRegisters; ++At)
      Note(Registers[At], 1 << At);
    Note(Flags, ::Flags);
    StringMap<unsigned> At;
    for (unsigned I = 0; I < std::size(OpcodeNames); ++I)
      At[OpcodeNames[I]] = I;
    for (unsigned Opcode = 0; Opcode < TII->getNumOpcodes(); ++Opcode)
      if (auto Found = At.find(TII->getName(Opcode)); Found != At.end())
        Opcodes[Found->second] = Opcode;
    if (Opcodes[JumpIf])
      ConditionType = TII->get(Opcodes[JumpIf]).operands()[1].OperandType;
    for (auto [Flag, Name] : TII->getSerializableDirectMachineOperandTargetFlags())
      if (StringRef(Name) == "x86-gottpoff")
        GotTpOff = Flag;
  }

  bool isComplete() const {
    return all_of(Registers, [](unsigned R) { return R != 0; }) &&
           all_of(Bytes, [](unsigned R) { return R != 0; }) && Flags && Fs && Gs && Rip && Stack &&
           all_of(Opcodes, [](unsigned O) { return O != 0; }) && GotTpOff;
  }
};

// Facts about an instruction; must match `Instruction` in src/machine/code.rs.
enum Fact : uint32_t {
  IsCall = 1 << 0,
  // Control may not come to the next instruction.
  MayStay = 1 << 1,
  IsTerminator = 1 << 2,
  // It leaves the function: a return, or a call in tail position.
  Leaves = 1 << 3,
  // It makes no code: a label, or what describes the frame.
  IsMeta = 1 << 4,
  // An exception goes on from here to the caller.
  Unwinds = 1 << 5,
  IsIndirect = 1 << 6,
  IsLabel = 1 << 7,
  // It ends the program.
  IsTrap = 1 << 8,
  // It looks at what others change.
  Waits = 1 << 9,
  // A conditional jump stands for it, too, where we do not count.
  IsSplitOff = 1 << 10,
};
} // namespace

// Must match `Instruction` in src/ffi/machine.rs.
struct PathpassMachineInstruction {
  const DILocation *Location;
  // The function that a call names, or null.
  LLVMValueRef Callee;
  // The name of a callee that is no function of the module, or null.
  const char *Symbol;
  // LLVM's name for what it does.
  const char *Name;
  uint32_t Facts;
  // Registers that are live before it, and those that it reads or writes.
  uint16_t Live, Touched;
  // The condition that it reads from the flags; `NoCondition` if it does not read them, and
  // `AnyCondition` if it reads more.
  uint32_t Condition;
  // The block that an exception of this call leads to, or all ones.
  uint32_t LandingPad;
};

// `NoCondition` must match `NO_CONDITION` in src/ffi/machine.rs.
constexpr uint32_t NoCondition = 16, AnyCondition = 17;

// Must match `EdgeForm` in src/ffi/machine.rs.
enum class EdgeForm : uint32_t { FallsThrough, Jumps, Fixed, Unwinds };

// Must match `MachineEdge` in src/ffi/machine.rs.
struct PathpassMachineEdge {
  uint32_t To;
  EdgeForm Form;
  uint64_t Frequency;
  // The last instruction of its source that leads there; all ones if control also comes there
  // behind all of them.
  uint32_t Last;
};

// Must match `MachineBlock` in src/ffi/machine.rs.
struct PathpassMachineBlock {
  const PathpassMachineInstruction *Instructions;
  const PathpassMachineEdge *Edges;
  const char *Name;
  size_t NumInstructions, NumEdges, NameLength;
  uint64_t Frequency;
  // Registers that are live behind its last instruction.
  uint16_t LiveOut;
};

// Must match `CodeKind` in src/ffi/machine.rs.
enum class CodeKind : uint32_t {
  // Register = the thread's word, whose distance the linker knows.
  ReadWord,
  // Register = the thread's word, whose distance a variable has.
  ReadDelta,
  // Register = address of the array, or of what else is given.
  LoadAddress,
  // Register = Register + Index + Value.
  AddUp,
  // Register = Index + Value.
  Copy,
  Clear,
  // Adds Index to the counter at Register + Value, or to that at the array + Value.
  AddTo,
  Add,
  // The counter at Register + Value, or that at the array + Value.
  Increment,
  Decrement,
  LockedIncrement,
  LockedDecrement,
  SaveFlags,
  RestoreFlags,
  Save,
  Restore,
  // Register = 1 if condition Value holds, else 0.
  SaveCondition,
  // Adds Value to the lowest byte of Register, so that the flags tell what that was.
  RestoreCondition,
  MoveStack,
  // Index is the number of a vector register.
  SaveInVector,
  RestoreFromVector,
  Assembly,
  PushNumber,
  // Pushes what stands at a distance from a variable.
  PushWord,
  CallSymbol,
};

// Must match `Code` in src/ffi/machine.rs.
struct PathpassMachineCode {
  CodeKind Kind;
  // Numbers of registers; all ones for none.
  uint32_t Register, Index;
  int64_t Value;
  // What is addressed, or null.
  LLVMValueRef Global;
  // Assembly, or the name of a function.
  const char *Text;
  // Whether the base of segment %gs is added to the address of a counter.
  bool Segment;
};

// Must match `Position` in src/ffi/machine.rs.
struct PathpassMachinePosition {
  // Before the instruction of this number of a block; behind all of them if there is none. On the
  // edge to block `To`, if that is not all ones.
  uint32_t Block, Instruction, To;
  const PathpassMachineCode *Code;
  size_t Length;
};

// Must match `Mark` in src/ffi/machine.rs.
struct PathpassMachineMark {
  // As of a position.
  uint32_t Block, Instruction, To;
  // The number of the node that begins there, or of the edge.
  uint32_t Number;
};

extern "C" void pathpass_machine_run(LLVMModuleRef Module, void *Context);
extern "C" bool pathpass_is_machine_stage();

namespace {
// A function as it was read.
struct ReadFunction {
  MachineFunction *MF;
  std::vector<MachineBasicBlock *> Blocks;
  // Of each block, its place among them.
  DenseMap<const MachineBasicBlock *, unsigned> Number;
  std::vector<std::vector<MachineInstr *>> Instructions;
  std::vector<std::vector<PathpassMachineInstruction>> Facts;
  std::vector<std::vector<PathpassMachineEdge>> Edges;
  std::vector<std::string> Names;
  std::vector<PathpassMachineBlock> Read;
  // The marks of edges, by the blocks of their positions.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> EdgeMarks;
};

struct Context {
  MachineModuleInfo *MMI;
  std::unique_ptr<Machine> Known;
  std::vector<std::unique_ptr<ReadFunction>> Functions;
};
} // namespace

// Turns each conditional jump that leaves the function into one to a block that leaves it, so
// that code can stand before that. Returns the jumps of these blocks.
static SmallPtrSet<const MachineInstr *, 4> splitConditionalTailCalls(MachineFunction &MF,
                                                                      const Machine &T) {
  SmallPtrSet<const MachineInstr *, 4> Made;
  SmallVector<MachineInstr *, 4> Found;
  for (auto &MBB : MF)
    for (auto &MI : MBB.terminators())
      if (MI.getOpcode() == T.Opcodes[TailJumpIf])
        Found.push_back(&MI);
  for (MachineInstr *MI : Found) {
    auto *MBB = MI->getParent();
    auto *Leave = MF.CreateMachineBasicBlock(MBB->getBasicBlock());
    MF.push_back(Leave);
    Leave->setSectionID(MBB->getSectionID());
    // Its operands are the function and the condition, then what it implies.
    auto Tail = BuildMI(Leave, MI->getDebugLoc(), T.TII->get(T.Opcodes[TailJump]));
    Made.insert(Tail);
    Tail.add(MI->getOperand(0));
    for (const MachineOperand &Implied : drop_begin(MI->operands(), 2))
      if (Implied.isRegMask() || (Implied.isReg() && Implied.getReg() != T.Flags &&
                                  !Tail->hasRegisterImplicitUseOperand(Implied.getReg())))
        Tail.add(Implied);
    if (MF.getTarget().Options.EmitCallSiteInfo)
      MF.moveAdditionalCallInfo(MI, Tail);
    BuildMI(*MBB, *MI, MI->getDebugLoc(), T.TII->get(T.Opcodes[JumpIf]))
        .addMBB(Leave)
        .add(MI->getOperand(1));
    MI->eraseFromParent();
    MBB->addSuccessor(Leave, BranchProbability(1, 2));
    MBB->normalizeSuccProbs();
    LivePhysRegs Live;
    computeAndAddLiveIns(Live, *Leave);
  }
  return Made;
}

// The jump table, if it is the only one, whose entries are the successors of a block that ends in
// an indirect jump, and if no other such block has the same successors.
static int jumpTableOf(MachineBasicBlock &MBB) {
  auto &MF = *MBB.getParent();
  auto *Tables = MF.getJumpTableInfo();
  if (!Tables)
    return -1;
  SmallPtrSet<const MachineBasicBlock *, 16> Out(MBB.succ_begin(), MBB.succ_end());
  auto IsSame = [&](const auto &Other) {
    SmallPtrSet<const MachineBasicBlock *, 16> All(Other.begin(), Other.end());
    return All == Out;
  };
  int Found = -1;
  for (auto [At, Table] : enumerate(Tables->getJumpTables()))
    if (!Table.MBBs.empty() && IsSame(Table.MBBs)) {
      if (Found >= 0)
        return -1;
      Found = At;
    }
  for (auto &Other : MF)
    if (&Other != &MBB &&
        any_of(Other.terminators(), [](auto &MI) { return MI.isIndirectBranch(); })) {
      // Sets that overlap may share a table from which some targets were removed.
      if (any_of(Other.successors(), [&](auto *To) { return Out.contains(To); }))
        return -1;
    }
  return Found;
}

static bool isIndirect(const MachineBasicBlock &MBB) {
  return any_of(MBB.terminators(), [](auto &MI) { return MI.isIndirectBranch(); });
}

static EdgeForm formOf(MachineBasicBlock &MBB, MachineBasicBlock &To, int Table) {
  if (To.isEHPad())
    return EdgeForm::Unwinds;
  // Control comes there out of `__builtin_longjmp`.
  if (To.isMachineBlockAddressTaken())
    return EdgeForm::Fixed;
  bool Jumps = false, Ends = false;
  for (auto &MI : MBB.terminators()) {
    if (MI.getOpcode() == TargetOpcode::INLINEASM_BR)
      return EdgeForm::Fixed;
    Jumps |= any_of(MI.operands(), [&](auto &Op) { return Op.isMBB() && Op.getMBB() == &To; });
    Ends |= MI.isBarrier();
  }
  for (auto &MI : MBB)
    if (MI.getOpcode() == TargetOpcode::INLINEASM_BR)
      return EdgeForm::Fixed;
  if (isIndirect(MBB))
    return Table >= 0 ? EdgeForm::Jumps : EdgeForm::Fixed;
  // Control may fall through and jump to the same block: then both ways are moved.
  if (Jumps)
    return !Ends && MBB.isLayoutSuccessor(&To) ? EdgeForm::Fixed : EdgeForm::Jumps;
  return !Ends && MBB.isLayoutSuccessor(&To) ? EdgeForm::FallsThrough : EdgeForm::Fixed;
}

// The number of the last instruction of a block that leads to `To`; all ones if control may also
// come there behind all of them.
static uint32_t lastTo(const MachineBasicBlock &MBB, ArrayRef<MachineInstr *> Instructions,
                       const MachineBasicBlock &To) {
  uint32_t Last = UINT32_MAX;
  bool Ends = false;
  for (auto [At, MI] : enumerate(Instructions)) {
    if (!MI->isTerminator())
      continue;
    if (MI->isIndirectBranch())
      return UINT32_MAX;
    Ends |= MI->isBarrier();
    if (any_of(MI->operands(), [&](auto &Op) { return Op.isMBB() && Op.getMBB() == &To; }))
      Last = At;
  }
  return !Ends && MBB.isLayoutSuccessor(&To) ? UINT32_MAX : Last;
}

static uint16_t touched(const MachineInstr &MI, const Machine &T) {
  uint16_t Mask = 0;
  for (ConstMIBundleOperands Op(MI); Op.isValid(); ++Op) {
    if (Op->isRegMask()) {
      for (unsigned At = 0; At < NumRegisters; ++At)
        if (Op->clobbersPhysReg(T.Registers[At]))
          Mask |= 1 << At;
      Mask |= Flags;
    }
    if (Op->isReg() && Op->getReg() && !Op->isDebug())
      Mask |= T.OfRegister[Op->getReg().id()];
  }
  return Mask;
}

// The condition that an instruction reads from the flags.
static uint32_t conditionOf(const MachineInstr &MI, const Machine &T) {
  auto *TRI = MI.getMF()->getSubtarget().getRegisterInfo();
  if (!MI.readsRegister(T.Flags, TRI))
    return NoCondition;
  auto Types = MI.getDesc().operands();
  for (auto [Type, Operand] : zip(Types, MI.operands()))
    if (Type.OperandType == T.ConditionType && Operand.isImm() && Operand.getImm() < NoCondition)
      return Operand.getImm();
  return AnyCondition;
}

static void describeCall(const MachineInstr &MI, PathpassMachineInstruction &Known) {
  // Calls of a bundle stand inside of it.
  const MachineInstr *Call = &MI;
  if (MI.isBundle())
    for (auto I = std::next(MI.getIterator()), E = getBundleEnd(MI.getIterator()); I != E; ++I)
      if (I->isCall())
        Call = &*I;
  for (const MachineOperand &Op : Call->operands()) {
    if (Op.isGlobal()) {
      if (auto *F = dyn_cast<Function>(Op.getGlobal()->stripPointerCasts())) {
        Known.Callee = wrap(F);
        bool GoesOn =
            F->hasFnAttribute(Attribute::NoUnwind) && F->hasFnAttribute(Attribute::WillReturn);
        Known.Facts |= GoesOn ? 0 : uint32_t(MayStay);
        if (F->getName() == "_Unwind_Resume")
          Known.Facts |= Unwinds;
        return;
      }
      Known.Symbol = Op.getGlobal()->getName().data();
      break;
    }
    if (Op.isSymbol()) {
      Known.Symbol = Op.getSymbolName();
      StringRef Name = Known.Symbol;
      if (Name == "_Unwind_Resume")
        Known.Facts |= Unwinds;
      // What the code generator calls in place of instructions always comes back.
      else if (Name != "abort" && Name != "__stack_chk_fail")
        return;
      break;
    }
  }
  Known.Facts |= MayStay;
}

static uint32_t factsOf(const MachineInstr &MI) {
  uint32_t Known = 0;
  auto Is = [&](Fact Which, bool Holds) { Known |= Holds ? uint32_t(Which) : 0; };
  Is(IsCall, MI.isCall(MachineInstr::AnyInBundle));
  Is(IsTerminator, MI.isTerminator());
  Is(Leaves, MI.isReturn(MachineInstr::AnyInBundle));
  Is(IsMeta, MI.isMetaInstruction());
  Is(IsLabel, MI.isLabel());
  Is(Waits, MI.hasOrderedMemoryRef());
  Is(IsTrap, MI.getDesc().isTrap());
  Is(IsIndirect, MI.isIndirectBranch());
  bool Assembly = MI.isInlineAsm();
  bool Stores = any_of(MI.memoperands(),
                       [](auto *Access) { return Access->isStore() && Access->isVolatile(); });
  bool IsText = Assembly && *MI.getOperand(InlineAsm::MIOp_AsmString).getSymbolName();
  Is(MayStay, Stores || IsText);
  return Known;
}

static PathpassMachineInstruction describe(const MachineInstr &MI, const Machine &T) {
  PathpassMachineInstruction Known = {};
  Known.Location = MI.getDebugLoc().get();
  Known.Name = T.TII->getName(MI.getOpcode()).data();
  Known.Facts = factsOf(MI);
  Known.Touched = touched(MI, T);
  Known.Condition = conditionOf(MI, T);
  Known.LandingPad = UINT32_MAX;
  if (MI.isCall(MachineInstr::AnyInBundle))
    describeCall(MI, Known);
  return Known;
}

// The landing pad that the labels around calls lead to.
static void findLandingPads(ReadFunction &F,
                            const DenseMap<const MachineBasicBlock *, unsigned> &Number) {
  DenseMap<const MCSymbol *, const MachineBasicBlock *> Begins;
  for (const LandingPadInfo &Pad : F.MF->getLandingPads())
    for (const MCSymbol *Label : Pad.BeginLabels)
      Begins[Label] = Pad.LandingPadBlock;
  for (auto [Instructions, Facts] : zip(F.Instructions, F.Facts)) {
    const MachineBasicBlock *Pad = nullptr;
    for (auto [MI, Known] : zip(Instructions, Facts)) {
      if (MI->isEHLabel()) {
        auto Found = Begins.find(MI->getOperand(0).getMCSymbol());
        Pad = Found == Begins.end() ? nullptr : Found->second;
      } else if ((Known.Facts & IsCall || MI->isInlineAsm()) && Pad) {
        if (auto At = Number.find(Pad); At != Number.end())
          Known.LandingPad = At->second;
      }
    }
  }
}

// Whether callers expect to find in a register what they left there.
static bool isCallers(const MachineRegisterInfo &MRI, const TargetRegisterInfo &TRI, MCRegister R) {
  for (const MCPhysReg *Saved = MRI.getCalleeSavedRegs(); Saved && *Saved; ++Saved)
    if (TRI.regsOverlap(*Saved, R))
      return true;
  return false;
}

// Whether an instruction says something about registers: labels do not.
static bool isRead(const MachineInstr &MI) {
  return !MI.isMetaInstruction() || MI.isBundle() || MI.isKill() || MI.isImplicitDef();
}

// Reads a function. The result lives as long as the context.
extern "C" const ReadFunction *pathpass_machine_read(Context *C, LLVMValueRef Value,
                                                     const PathpassMachineBlock **Blocks,
                                                     size_t *Length) {
  auto &F = *unwrap<Function>(Value);
  MachineFunction *MF = C->MMI->getMachineFunction(F);
  if (!MF || MF->empty())
    return nullptr;
  auto &ST = MF->getSubtarget();
  if (!C->Known)
    C->Known = std::make_unique<Machine>(ST);
  auto &T = *C->Known;
  auto &MRI = MF->getRegInfo();
  if (!T.isComplete() || !MRI.tracksLiveness() ||
      MF->getTarget().getTargetTriple().getArch() != Triple::x86_64)
    return nullptr;
  T.TII = ST.getInstrInfo();
  auto &TRI = *ST.getRegisterInfo();
  auto SplitOff = splitConditionalTailCalls(*MF, T);
  auto Function = std::make_unique<ReadFunction>();
  Function->MF = MF;
  MachineDominatorTree Dominators(*MF);
  MachineLoopInfo Loops(Dominators);
  MachineBranchProbabilityInfo Probabilities;
  MachineBlockFrequencyInfo Frequencies(*MF, Probabilities, Loops);
  auto &Number = Function->Number;
  // Registers that nobody may use, or in which the caller of this function keeps something that is
  // not saved here.
  uint16_t Kept = 0;
  auto &Frame = MF->getFrameInfo();
  auto IsSavedHere = [&](MCRegister R) {
    return Frame.isCalleeSavedInfoValid() && any_of(Frame.getCalleeSavedInfo(), [&](auto &Info) {
             return Info.getReg() == R && Info.isRestored();
           });
  };
  for (unsigned At = 0; At < NumRegisters; ++At) {
    MCRegister R = T.Registers[At];
    // Callers may know which registers the function touches.
    bool IsSecret = MF->getTarget().Options.EnableIPRA;
    if (MRI.isReserved(R) || (isCallers(MRI, TRI, R) && !IsSavedHere(R)) || IsSecret)
      Kept |= 1 << At;
  }
  for (auto &MBB : *MF) {
    Number[&MBB] = Function->Blocks.size();
    Function->Blocks.push_back(&MBB);
  }
  LiveRegUnits Live(TRI);
  auto Mask = [&] {
    uint16_t Set = Kept;
    for (unsigned Unit : Live.getBitVector().set_bits())
      Set |= T.OfUnit[Unit];
    return Set;
  };
  for (auto &MBB : *MF) {
    std::vector<MachineInstr *> Instructions;
    for (auto &MI : MBB)
      if (!MI.isDebugInstr())
        Instructions.push_back(&MI);
    std::vector<PathpassMachineInstruction> Facts;
    Facts.reserve(Instructions.size());
    for (auto *MI : Instructions) {
      Facts.push_back(describe(*MI, T));
      Facts.back().Facts |= SplitOff.contains(MI) ? uint32_t(IsSplitOff) : 0;
    }
    Live.clear();
    Live.addLiveOuts(MBB);
    PathpassMachineBlock Block = {};
    Block.LiveOut = Mask();
    for (auto [MI, Known] : zip(reverse(Instructions), reverse(Facts))) {
      if (isRead(*MI))
        Live.stepBackward(*MI);
      Known.Live = Mask();
      Known.Touched |= Kept;
    }
    std::vector<PathpassMachineEdge> Edges;
    int Table = isIndirect(MBB) ? jumpTableOf(MBB) : -1;
    uint64_t Frequency = Frequencies.getBlockFreq(&MBB).getFrequency();
    for (auto To = MBB.succ_begin(); To != MBB.succ_end(); ++To) {
      auto Share = Probabilities.getEdgeProbability(&MBB, To);
      Edges.push_back({Number[*To], formOf(MBB, **To, Table), Share.scale(Frequency),
                       lastTo(MBB, Instructions, **To)});
    }
    Block.Frequency = Frequency;
    Function->Names.push_back(MBB.getBasicBlock() ? MBB.getBasicBlock()->getName().str() : "");
    Function->Instructions.push_back(std::move(Instructions));
    Function->Facts.push_back(std::move(Facts));
    Function->Edges.push_back(std::move(Edges));
    Function->Read.push_back(Block);
  }
  findLandingPads(*Function, Number);
  for (auto [At, Block] : enumerate(Function->Read)) {
    Block.Instructions = Function->Facts[At].data();
    Block.NumInstructions = Function->Facts[At].size();
    Block.Edges = Function->Edges[At].data();
    Block.NumEdges = Function->Edges[At].size();
    Block.Name = Function->Names[At].data();
    Block.NameLength = Function->Names[At].size();
  }
  *Blocks = Function->Read.data();
  *Length = Function->Read.size();
  C->Functions.push_back(std::move(Function));
  return C->Functions.back().get();
}

// Whether a call in the function may return twice.
extern "C" bool pathpass_machine_returns_twice(const ReadFunction *F) {
  return F->MF->exposesReturnsTwice();
}

// The vector registers that code of ours may use in a function, as a mask.
static uint16_t ourVectors(const MachineFunction &MF, const Machine &T) {
  auto &MRI = MF.getRegInfo();
  auto &TRI = *MF.getSubtarget().getRegisterInfo();
  if (MF.getFunction().hasFnAttribute(Attribute::NoImplicitFloat) ||
      !MF.getSubtarget().checkFeatures("+sse2") || MF.getTarget().Options.EnableIPRA)
    return 0;
  uint16_t Ours = 0;
  for (unsigned At = 0; At < std::size(T.Vectors); ++At) {
    MCRegister R = T.Vectors[At];
    if (R && !MRI.isReserved(R) && !isCallers(MRI, TRI, R))
      Ours |= 1 << At;
  }
  return Ours;
}

// Those of `Among` that are not in `Units`.
static uint16_t without(uint16_t Among, const LiveRegUnits &Units, const Machine &T) {
  for (unsigned At = 0; At < std::size(T.Vectors); ++At)
    if (Among & 1 << At && !Units.available(T.Vectors[At]))
      Among &= ~(1 << At);
  return Among;
}

// The number of a vector register that is free before an instruction of a block; all ones for none.
extern "C" uint32_t pathpass_machine_free_vector(Context *C, const ReadFunction *F, uint32_t Block,
                                                 uint32_t Instruction) {
  auto &T = *C->Known;
  uint16_t Ours = ourVectors(*F->MF, T);
  if (!Ours)
    return UINT32_MAX;
  LiveRegUnits Live(*F->MF->getSubtarget().getRegisterInfo());
  Live.addLiveOuts(*F->Blocks[Block]);
  auto &All = F->Instructions[Block];
  for (auto *MI : reverse(drop_begin(All, Instruction)))
    if (isRead(*MI))
      Live.stepBackward(*MI);
  uint16_t Free = without(Ours, Live, T);
  return Free ? Log2_32(Free) : UINT32_MAX;
}

// The vector registers that a block neither uses nor passes on.
extern "C" uint16_t pathpass_machine_free_vectors(Context *C, const ReadFunction *F,
                                                  uint32_t Block) {
  auto &T = *C->Known;
  uint16_t Ours = ourVectors(*F->MF, T);
  LiveRegUnits Used(*F->MF->getSubtarget().getRegisterInfo());
  Used.addLiveOuts(*F->Blocks[Block]);
  Used.addLiveIns(*F->Blocks[Block]);
  for (auto *MI : F->Instructions[Block])
    if (isRead(*MI))
      Used.accumulate(*MI);
  return without(Ours, Used, T);
}

namespace {
// Writes our instructions at one place.
struct Writer {
  MachineFunction &MF;
  const Machine &T;
  MachineBasicBlock &MBB;
  MachineBasicBlock::iterator At;
  DebugLoc Where;
  bool HasAvx = MF.getSubtarget().checkFeatures("+avx");

  MachineInstrBuilder build(OpcodeAt Which) {
    return BuildMI(MBB, At, Where, T.TII->get(T.Opcodes[Which]));
  }
  MachineInstrBuilder build(OpcodeAt Which, unsigned Into) {
    return BuildMI(MBB, At, Where, T.TII->get(T.Opcodes[Which]), Into);
  }
  unsigned reg(uint32_t Number) const { return Number < NumRegisters ? T.Registers[Number] : 0; }
  // Base, scale, index, displacement, segment.
  static void address(MachineInstrBuilder &To, unsigned Base, unsigned Index, unsigned Scale,
                      int64_t Value, unsigned Segment) {
    To.addReg(Base).addImm(Scale).addReg(Index).addImm(Value).addReg(Segment);
  }
  void relative(MachineInstrBuilder &To, const GlobalValue *Global, int64_t Value, unsigned Flag,
                unsigned Segment = 0) const {
    To.addReg(T.Rip).addImm(1).addReg(0).addGlobalAddress(Global, Value, Flag).addReg(Segment);
  }
  void adjustFrame(int Bytes) {
    auto &Frame = *MF.getSubtarget().getFrameLowering();
    if (Frame.hasFP(MF) || !MF.needsFrameMoves())
      return;
    unsigned Known = MF.addFrameInst(MCCFIInstruction::createAdjustCfaOffset(nullptr, Bytes));
    BuildMI(MBB, At, Where, T.TII->get(TargetOpcode::CFI_INSTRUCTION)).addCFIIndex(Known);
  }
  MachineInstrBuilder count(OpcodeAt Which, const PathpassMachineCode &Code) {
    auto To = build(Which);
    unsigned Segment = Code.Segment ? T.Gs : 0;
    if (Code.Global)
      relative(To, unwrap<GlobalValue>(Code.Global), Code.Value, 0, Segment);
    else
      address(To, reg(Code.Register), 0, 1, Code.Value, Segment);
    return To;
  }
  void write(const PathpassMachineCode &Code) {
    unsigned R = reg(Code.Register);
    switch (Code.Kind) {
    case CodeKind::ReadWord:
    case CodeKind::ReadDelta: {
      auto First = build(Load, R);
      relative(First, unwrap<GlobalValue>(Code.Global), 0,
               Code.Kind == CodeKind::ReadWord ? T.GotTpOff : 0);
      auto Second = build(Load, R);
      address(Second, R, 0, 1, 0, T.Fs);
      break;
    }
    case CodeKind::LoadAddress: {
      auto To = build(Lea, R);
      relative(To, unwrap<GlobalValue>(Code.Global), Code.Value, 0);
      break;
    }
    case CodeKind::AddUp: {
      auto To = build(Lea, R);
      address(To, R, reg(Code.Index), 1, Code.Value, 0);
      break;
    }
    case CodeKind::Copy: {
      auto To = build(Lea, R);
      address(To, reg(Code.Index), 0, 1, Code.Value, 0);
      break;
    }
    case CodeKind::Clear:
      build(Set, R).addImm(0);
      break;
    case CodeKind::AddTo:
      count(AddTo, Code).addReg(reg(Code.Index));
      break;
    case CodeKind::Add: {
      auto To = build(Lea, R);
      address(To, R, 0, 1, Code.Value, 0);
      break;
    }
    case CodeKind::Increment:
      count(Inc, Code);
      break;
    case CodeKind::Decrement:
      count(Dec, Code);
      break;
    case CodeKind::LockedIncrement:
      count(LockInc, Code);
      break;
    case CodeKind::LockedDecrement:
      count(LockDec, Code);
      break;
    case CodeKind::SaveFlags:
      build(PushFlags);
      adjustFrame(8);
      break;
    case CodeKind::RestoreFlags:
      build(PopFlags);
      adjustFrame(-8);
      break;
    case CodeKind::Save:
      build(Push).addReg(R);
      adjustFrame(8);
      break;
    case CodeKind::Restore:
      build(Pop, R);
      adjustFrame(-8);
      break;
    case CodeKind::SaveCondition:
      build(SetIf, T.Bytes[Code.Register]).addImm(Code.Value);
      break;
    case CodeKind::RestoreCondition: {
      unsigned Byte = T.Bytes[Code.Register];
      build(AddByte, Byte).addReg(Byte).addImm(Code.Value);
      break;
    }
    case CodeKind::SaveInVector:
      build(HasAvx ? ToVectorAvx : ToVector, T.Vectors[Code.Index]).addReg(R);
      break;
    case CodeKind::RestoreFromVector:
      build(HasAvx ? FromVectorAvx : FromVector, R).addReg(T.Vectors[Code.Index]);
      break;
    case CodeKind::MoveStack: {
      auto To = build(Lea, T.Stack);
      address(To, T.Stack, 0, 1, Code.Value, 0);
      adjustFrame(-int(Code.Value));
      break;
    }
    case CodeKind::Assembly:
      BuildMI(MBB, At, Where, T.TII->get(TargetOpcode::INLINEASM))
          .addExternalSymbol(MF.createExternalSymbolName(Code.Text))
          .addImm(InlineAsm::Extra_HasSideEffects);
      break;
    case CodeKind::PushNumber:
      build(PushNumber).addImm(Code.Value);
      adjustFrame(8);
      break;
    case CodeKind::PushWord: {
      auto To = build(PushWord);
      relative(To, unwrap<GlobalValue>(Code.Global), Code.Value, 0);
      adjustFrame(8);
      break;
    }
    case CodeKind::CallSymbol:
      build(Call).addExternalSymbol(MF.createExternalSymbolName(Code.Text));
      break;
    }
  }
};
} // namespace

// Unless a branch rarely jumps to a block, lets it jump where it fell through, so that what is put
// behind it comes first.
static bool invertBranch(MachineBasicBlock &From, MachineBasicBlock &To, const Machine &T) {
  auto Share = BranchProbability::getUnknown();
  for (auto I = From.succ_begin(); I != From.succ_end(); ++I)
    if (*I == &To)
      Share = From.getSuccProbability(I);
  if (Share.isUnknown() || Share < BranchProbability(1, 20))
    return false;
  MachineBasicBlock *Jumps = nullptr, *Otherwise = nullptr;
  SmallVector<MachineOperand, 4> Condition;
  if (T.TII->analyzeBranch(From, Jumps, Otherwise, Condition) || Jumps != &To || Condition.empty())
    return false;
  if (!Otherwise)
    Otherwise = &*std::next(From.getIterator());
  if (Otherwise == &To || T.TII->reverseBranchCondition(Condition))
    return false;
  auto Where = From.findBranchDebugLoc();
  T.TII->removeBranch(From);
  T.TII->insertBranch(From, Otherwise, nullptr, Condition, Where);
  return true;
}

// How often an edge of a function that was read is taken; 0 if it was made later.
static uint64_t frequencyOf(const ReadFunction &F, const MachineBasicBlock &From,
                            const MachineBasicBlock &To) {
  auto At = F.Number.find(&From), Target = F.Number.find(&To);
  if (At == F.Number.end() || Target == F.Number.end())
    return 0;
  for (auto &Edge : F.Edges[At->second])
    if (Edge.To == Target->second)
      return Edge.Frequency;
  return 0;
}

// Makes room for code before a block, on an edge that jumps to it. If control also falls through to
// it, and does so far less often than it takes the edge, it jumps there from now on. Where both are
// about as frequent, estimates are not to be trusted.
static bool makeRoomBefore(const ReadFunction &F, const MachineBasicBlock &From,
                           MachineBasicBlock &To, const Machine &T) {
  if (To.getIterator() == To.getParent()->begin() || To.isEHPad())
    return false;
  auto &Before = *std::prev(To.getIterator());
  // Of branches that are not understood the answer is that control may fall through.
  if (!Before.getFallThrough(/*JumpToFallThrough=*/false))
    return true;
  bool IsOurs = !F.Number.contains(&Before);
  if (IsOurs || frequencyOf(F, Before, To) >= frequencyOf(F, From, To) / 8)
    return false;
  BuildMI(&Before, To.findDebugLoc(To.begin()), T.TII->get(T.Opcodes[Jump])).addMBB(&To);
  return true;
}

// Takes away the jump to a block with which another one ends, if it does, so that control falls
// through.
static bool removeJump(MachineBasicBlock &From, const MachineBasicBlock &To, const Machine &T) {
  auto Last = From.getLastNonDebugInstr();
  if (Last == From.end() || Last->getOpcode() != T.Opcodes[Jump] || !Last->getOperand(0).isMBB() ||
      Last->getOperand(0).getMBB() != &To)
    return false;
  Last->eraseFromParent();
  return true;
}

// A new block on the edge between two blocks, which stands where control jumps least; so the
// hottest of the edges to a block is to be split first.
static MachineBasicBlock *splitEdge(ReadFunction &F, MachineBasicBlock &From, MachineBasicBlock &To,
                                    const Machine &T) {
  auto &MF = *F.MF;
  bool FallsThrough = true;
  for (auto &MI : From.terminators())
    for (auto &Op : MI.operands())
      FallsThrough &= !(Op.isMBB() && Op.getMBB() == &To);
  int Table = isIndirect(From) ? jumpTableOf(From) : -1;
  FallsThrough &= Table < 0;
  auto *Between = MF.CreateMachineBasicBlock(To.getBasicBlock());
  bool StandsBefore = !FallsThrough && makeRoomBefore(F, From, To, T);
  bool Follows = FallsThrough;
  if (!FallsThrough && !StandsBefore && Table < 0)
    Follows = removeJump(From, To, T) || invertBranch(From, To, T);
  if (StandsBefore)
    MF.insert(To.getIterator(), Between);
  else if (Follows)
    MF.insert(std::next(From.getIterator()), Between);
  else
    MF.push_back(Between);
  if (Table >= 0)
    MF.getJumpTableInfo()->ReplaceMBBInJumpTable(Table, &To, Between);
  for (auto &MI : From.terminators())
    for (auto &Op : MI.operands())
      if (Op.isMBB() && Op.getMBB() == &To)
        Op.setMBB(Between);
  Between->setSectionID(From.getSectionID());
  From.replaceSuccessor(&To, Between);
  Between->addSuccessor(&To, BranchProbability::getOne());
  if (!FallsThrough && !StandsBefore)
    BuildMI(Between, To.findDebugLoc(To.begin()), T.TII->get(T.Opcodes[Jump])).addMBB(&To);
  return Between;
}

// A new first block of a function, which falls through to the one that was the first.
static MachineBasicBlock *addEntry(ReadFunction &F) {
  auto &MF = *F.MF;
  auto &First = MF.front();
  auto *Entry = MF.CreateMachineBasicBlock(First.getBasicBlock());
  MF.insert(MF.begin(), Entry);
  Entry->addSuccessor(&First, BranchProbability::getOne());
  Entry->setSectionID(First.getSectionID());
  return Entry;
}

// Marks where the nodes of a function begin, and says how edges are numbered. `Word` names the
// function. To be called before code is put in.
extern "C" void pathpass_machine_mark(ReadFunction *F, uint64_t Word,
                                      const PathpassMachineMark *Marks, size_t Length) {
  code_map::name(*F->MF, Word);
  for (auto &Mark : ArrayRef(Marks, Length)) {
    if (Mark.To != UINT32_MAX) {
      F->EdgeMarks[{Mark.Block, Mark.To}] = Mark.Number;
      continue;
    }
    auto *MBB = F->Blocks[Mark.Block];
    auto &All = F->Instructions[Mark.Block];
    // A node without instructions may get code of ours.
    auto At = Mark.Instruction < All.size() ? All[Mark.Instruction]->getIterator() : MBB->end();
    code_map::mark(*MBB, At, code_map::Begins, Mark.Number);
  }
}

// Puts code into a function that was read. Code at the same place stands in the order given.
extern "C" void pathpass_machine_write(Context *C, ReadFunction *F,
                                       const PathpassMachinePosition *Positions, size_t Length) {
  auto &T = *C->Known;
  T.TII = F->MF->getSubtarget().getInstrInfo();
  SmallVector<MachineBasicBlock *, 16> Added;
  MachineBasicBlock *Entry = nullptr;
  for (auto &Position : ArrayRef(Positions, Length)) {
    MachineBasicBlock *MBB;
    MachineBasicBlock::iterator At;
    if (Position.To != UINT32_MAX) {
      auto *To = F->Blocks[Position.To];
      if (Position.Block != UINT32_MAX)
        MBB = splitEdge(*F, *F->Blocks[Position.Block], *To, T);
      else
        MBB = Entry = Entry ? Entry : addEntry(*F);
      auto Edge = F->EdgeMarks.find({Position.Block, Position.To});
      if (Edge != F->EdgeMarks.end()) {
        code_map::mark(*MBB, MBB->begin(), code_map::Ours, 0);
        code_map::mark(*MBB, MBB->begin(), code_map::Begins, Edge->second);
      }
      At = MBB->getFirstTerminator();
      Added.push_back(MBB);
    } else {
      MBB = F->Blocks[Position.Block];
      auto &All = F->Instructions[Position.Block];
      At =
          Position.Instruction < All.size() ? All[Position.Instruction]->getIterator() : MBB->end();
    }
    auto &Source = Position.To != UINT32_MAX ? *F->Blocks[Position.To] : *MBB;
    auto From = Position.To != UINT32_MAX ? Source.begin() : At;
    Writer Writes{*F->MF, T, *MBB, At, Source.findDebugLoc(From)};
    if (Position.To == UINT32_MAX)
      code_map::mark(*MBB, At, code_map::Ours, 0);
    for (auto &Code : ArrayRef(Position.Code, Position.Length))
      Writes.write(Code);
    if (Position.To == UINT32_MAX)
      code_map::mark(*MBB, At, code_map::Program, 0);
  }
  for (auto *MBB : reverse(Added)) {
    LivePhysRegs Live;
    computeAndAddLiveIns(Live, *MBB);
  }
  if (Length)
    F->MF->RenumberBlocks();
}

// Puts assembly at the entry of a function.
extern "C" void pathpass_machine_assembly(Context *C, LLVMValueRef Value, const char *Text) {
  MachineFunction *MF = C->MMI->getMachineFunction(*unwrap<Function>(Value));
  if (!MF || MF->empty())
    return;
  auto &Entry = MF->front();
  BuildMI(Entry, Entry.begin(), DebugLoc(),
          MF->getSubtarget().getInstrInfo()->get(TargetOpcode::INLINEASM))
      .addExternalSymbol(MF->createExternalSymbolName(Text))
      .addImm(InlineAsm::Extra_HasSideEffects);
}

namespace {
struct MachinePass : ModulePass {
  static char ID;
  MachinePass() : ModulePass(ID) {}
  StringRef getPassName() const override { return "pathcc: exact path profiles"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.addRequired<MachineModuleInfoWrapperPass>();
    Usage.addPreserved<MachineModuleInfoWrapperPass>();
    Usage.setPreservesAll();
    ModulePass::getAnalysisUsage(Usage);
  }
  bool runOnModule(Module &M) override {
    Context C{&getAnalysis<MachineModuleInfoWrapperPass>().getMMI(), nullptr, {}};
    pathpass_machine_run(wrap(&M), &C);
    return true;
  }
};
} // namespace

namespace {
// Functions that the code generator makes behind our pass, such as those for indirect calls that
// are hardened, have seen no selection of instructions: since our pass takes the whole module,
// those that follow begin anew. They are filled in later, and until then have the code of what they
// are in LLVM's intermediate code: a return.
struct LateFunctionPass : MachineFunctionPass {
  static char ID;
  LateFunctionPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "pathcc: functions of the code generator"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(Usage);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    if (!MF.empty())
      return false;
    Machine T(MF.getSubtarget());
    auto *Entry = MF.CreateMachineBasicBlock(&MF.getFunction().getEntryBlock());
    MF.push_back(Entry);
    if (T.Opcodes[Return])
      BuildMI(Entry, DebugLoc(), T.TII->get(T.Opcodes[Return]));
    MF.getProperties().setNoVRegs().setNoPHIs().setTracksLiveness();
    MF.getRegInfo().freezeReservedRegs();
    return true;
  }
};
} // namespace

char LateFunctionPass::ID = 0;
static RegisterPass<LateFunctionPass> KnownLate("pathcc-late-functions",
                                                "pathcc: functions of the code generator");
char MachinePass::ID = 0;
static RegisterPass<MachinePass> Known("pathcc-machine", "pathcc: exact path profiles");

// Called for every code generator. Behind this point no pass changes the graph of a function, but
// for the machine outliner, and passes that only move blocks.
static RegisterTargetPassConfigCallback Stands([](TargetMachine &, PassManagerBase &,
                                                  TargetPassConfig *Config) {
  if (!pathpass_is_machine_stage())
    return;
  Config->insertPass(&FEntryInserterID, &MachinePass::ID);
  Config->insertPass(&FEntryInserterID, &LateFunctionPass::ID);
});
