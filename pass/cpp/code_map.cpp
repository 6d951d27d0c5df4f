// The map of the code: at which addresses a function has the code of each node, and which of it is
// ours. It is written when nothing else changes instructions any more.
//
// Until then marks stand among the instructions. They are debug instructions, which no pass of
// LLVM's lets change the code. `DBG_PHI` is the one without debug information: it has a number,
// here one that no real one has.
#include "code_map.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace llvm;

extern "C" bool pathpass_is_machine_stage();
extern "C" const char *pathpass_code_section(size_t *Length);

namespace {
constexpr uint64_t IsMark = 1u << 31;
constexpr unsigned NumberBits = 29;
constexpr const char *Word = "pathcc-code-word";
} // namespace

void code_map::mark(MachineBasicBlock &MBB, MachineBasicBlock::iterator At, Mark Which,
                    uint32_t Number) {
  if (Number >> NumberBits)
    return;
  auto &TII = *MBB.getParent()->getSubtarget().getInstrInfo();
  BuildMI(MBB, At, DebugLoc(), TII.get(TargetOpcode::DBG_PHI))
      .addReg(0)
      .addImm(IsMark | uint64_t(Which) << NumberBits | Number);
}

void code_map::name(MachineFunction &MF, uint64_t Of) {
  MF.getFunction().addFnAttr(Word, utostr(Of));
}

namespace {
struct CodeMapPass : MachineFunctionPass {
  static char ID;
  CodeMapPass() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "pathcc: map of the code"; }
  void getAnalysisUsage(AnalysisUsage &Usage) const override {
    Usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(Usage);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

// A mark with the label of its place.
struct Placed {
  MCSymbol *At;
  uint32_t Mark;
};

// The marks of one section, in order.
using Run = SmallVector<Placed, 32>;
} // namespace

static bool isMark(const MachineInstr &MI) {
  return MI.isDebugPHI() && MI.getOperand(1).isImm() &&
         uint64_t(MI.getOperand(1).getImm()) >= IsMark;
}

// As the map has it: the number, then two bits for what begins.
static uint32_t encode(uint64_t Value) {
  uint32_t Which = Value >> NumberBits & 3;
  return (Value & ((1u << NumberBits) - 1)) << 2 | Which;
}

// A new label. Assembly names it, so it must be in the table of symbols.
static MCSymbol *label(MachineFunction &MF, unsigned &Labels) {
  return MF.getContext().getOrCreateSymbol(MF.getDataLayout().getPrivateGlobalPrefix() +
                                           Twine("pathcc_code") + Twine(MF.getFunctionNumber()) +
                                           "_" + Twine(Labels++));
}

// Takes the marks out of a block and gives their places labels. Returns the last instruction if
// there is any mark: something ends behind it.
static MachineInstr *place(MachineBasicBlock &MBB, Run &Marks, unsigned &Labels) {
  auto &MF = *MBB.getParent();
  auto Label = [&](MCSymbol *Known) { return Known ? Known : label(MF, Labels); };
  auto Before = [&](MachineInstr &MI) {
    auto *At = Label(MI.getPreInstrSymbol());
    MI.setPreInstrSymbol(MF, At);
    return At;
  };
  MachineInstr *First = nullptr, *Last = nullptr;
  SmallVector<uint32_t, 4> Pending;
  bool IsFirst = true;
  for (auto &MI : make_early_inc_range(MBB)) {
    if (isMark(MI)) {
      Pending.push_back(encode(MI.getOperand(1).getImm()));
      MI.eraseFromParent();
      // What the code generator put before the first one belongs to it.
      if (IsFirst && First) {
        Marks.push_back({Before(*First), Pending.pop_back_val()});
        IsFirst = false;
      }
      continue;
    }
    if (MI.isMetaInstruction())
      continue;
    First = First ? First : &MI;
    Last = &MI;
    if (Pending.empty())
      continue;
    auto *At = Before(MI);
    for (uint32_t Mark : Pending)
      Marks.push_back({At, Mark});
    Pending.clear();
    IsFirst = false;
  }
  return IsFirst ? nullptr : Last;
}

bool CodeMapPass::runOnMachineFunction(MachineFunction &MF) {
  bool IsChanged = false, HasNames = true;
  unsigned Labels = 0;
  SmallVector<Run, 1> Runs;
  const MachineBasicBlock *Previous = nullptr;
  MachineInstr *Open = nullptr;
  auto Close = [&] {
    if (!Open)
      return;
    auto *End = Open->getPostInstrSymbol() ? Open->getPostInstrSymbol() : label(MF, Labels);
    Open->setPostInstrSymbol(MF, End);
    Runs.back().push_back({End, code_map::Ends});
    Open = nullptr;
  };
  for (auto &MBB : MF) {
    bool IsMarked = any_of(MBB, isMark);
    IsChanged |= IsMarked;
    bool IsNew = !Previous || !MBB.sameSection(Previous);
    // What follows at once ends it.
    if (IsNew || !IsMarked || MBB.getAlignment() > 1)
      Close();
    if (IsNew)
      Runs.emplace_back();
    // A block without instructions ends nothing.
    if (auto *Last = place(MBB, Runs.back(), Labels))
      Open = Last;
    Previous = &MBB;
  }
  Close();
  for (auto &Marks : Runs)
    for (auto &Mark : Marks)
      HasNames &= !Mark.At->getName().empty();
  Attribute Named = MF.getFunction().getFnAttribute(Word);
  if (!IsChanged || !HasNames || !Named.isStringAttribute())
    return IsChanged;
  size_t Length;
  const char *Section = pathpass_code_section(&Length);
  std::string Text;
  raw_string_ostream To(Text);
  // As the markers of functions (src/write/markers.rs): the section is linked to that of the
  // function, in its group, and kept where that is kept.
  To << ".Lpathcc_code${:uid}:\n"
        "\t.reloc .Lpathcc_code${:uid}, R_X86_64_NONE, .Lpathcc_code${:uid}.kept\n"
        "\t.pushsection "
     << StringRef(Section, Length)
     << ",\"ao?\",@progbits,.Lpathcc_code${:uid}\n.Lpathcc_code${:uid}.kept:\n";
  for (auto &Marks : Runs) {
    if (Marks.empty())
      continue;
    To << "\t.quad " << Named.getValueAsString() << "\n\t.quad " << Marks[0].At->getName() << "-.\n"
       << "\t.uleb128 " << Marks.size() << ", " << Marks[0].Mark << '\n';
    for (size_t At = 1; At < Marks.size(); ++At)
      To << "\t.uleb128 " << Marks[At].At->getName() << '-' << Marks[At - 1].At->getName() << ", "
         << Marks[At].Mark << '\n';
  }
  To << "\t.popsection";
  auto &Entry = MF.front();
  BuildMI(Entry, Entry.begin(), DebugLoc(),
          MF.getSubtarget().getInstrInfo()->get(TargetOpcode::INLINEASM))
      .addExternalSymbol(MF.createExternalSymbolName(Text))
      .addImm(InlineAsm::Extra_HasSideEffects);
  return true;
}

char CodeMapPass::ID = 0;
static RegisterPass<CodeMapPass> KnownMap("pathcc-code-map", "pathcc: map of the code");

// Behind the last pass that changes instructions.
static RegisterTargetPassConfigCallback MapStands([](TargetMachine &, PassManagerBase &,
                                                     TargetPassConfig *Config) {
  if (pathpass_is_machine_stage())
    Config->insertPass(&UnpackMachineBundlesID, &CodeMapPass::ID);
});
