// Reads of a module what LLVM's C API does not offer: facts about functions, instructions and
// blocks, estimates, texts, and positions in the source. Nothing is changed.
//
// Decided here, since only LLVM's classes show it: behind which instruction control goes on, which
// call returns twice, never, or in the place of its caller, what only describes a coroutine, and
// which code may give a thread another thread pointer. What follows from a fact is decided in Rust.
// The declarations in src/ffi.rs must match.
#include "text.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

// Whether a function is a coroutine that is not split yet and that the compiler of another language
// made: C++ has `llvm.coro.id`.
static bool isForeignCoroutine(const Function &F) {
  auto IsForeign = [](const Instruction &I) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    auto ID = Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic;
    return ID == Intrinsic::coro_id_retcon || ID == Intrinsic::coro_id_retcon_once ||
           ID == Intrinsic::coro_id_async;
  };
  return F.isPresplitCoroutine() && any_of(instructions(F), IsForeign);
}

// Whether a function is a member that no source declares, or a thunk.
static bool isImplicit(const Function &F) {
  auto *Declared = F.getSubprogram();
  return Declared && Declared->isArtificial() &&
         (Declared->isThunk() || isa_and_nonnull<DIType>(Declared->getScope()));
}

// Facts about a function; must match `FunctionFacts` in src/ffi.rs.
extern "C" uint32_t pathpass_function_facts(LLVMValueRef Value) {
  auto &F = *unwrap<Function>(Value);
  bool Funclets =
      F.hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(F.getPersonalityFn()));
  bool Sanitized = any_of(
      ArrayRef({Attribute::SanitizeAddress, Attribute::SanitizeHWAddress, Attribute::SanitizeMemory,
                Attribute::SanitizeThread, Attribute::SanitizeMemTag, Attribute::SanitizeType}),
      [&](Attribute::AttrKind Kind) { return F.hasFnAttribute(Kind); });
  return F.hasFnAttribute(Attribute::Naked) << 0 | isForeignCoroutine(F) << 1 |
         (F.hasFnAttribute(Attribute::NoProfile) || F.hasFnAttribute(Attribute::SkipProfile)) << 2 |
         Funclets << 3 | F.hasComdat() << 4 | Sanitized << 5 | F.hasOptNone() << 6 |
         F.isPresplitCoroutine() << 7 | isImplicit(F) << 8;
}

// The annotation of a function (`__attribute__((annotate("…")))`) of this number, or null.
extern "C" const char *pathpass_annotation(LLVMValueRef Value, size_t Number) {
  auto &F = *unwrap<Function>(Value);
  auto *All = F.getParent()->getNamedGlobal("llvm.global.annotations");
  auto *List =
      All && All->hasInitializer() ? dyn_cast<ConstantArray>(All->getInitializer()) : nullptr;
  if (!List)
    return nullptr;
  for (const Use &Entry : List->operands()) {
    auto *Annotation = dyn_cast<ConstantStruct>(Entry);
    if (!Annotation || Annotation->getNumOperands() < 2 ||
        Annotation->getOperand(0)->stripPointerCasts() != &F)
      continue;
    auto *Text = dyn_cast<GlobalVariable>(Annotation->getOperand(1)->stripPointerCasts());
    auto *Bytes = Text && Text->hasInitializer()
                      ? dyn_cast<ConstantDataSequential>(Text->getInitializer())
                      : nullptr;
    if (Bytes && Bytes->isCString() && Number-- == 0)
      return Bytes->getRawDataValues().data();
  }
  return nullptr;
}

// The return of a block that does nothing else, or null.
static ReturnInst *onlyReturn(BasicBlock &BB) {
  auto *Return = dyn_cast<ReturnInst>(&*BB.getFirstNonPHIOrDbgOrLifetime());
  auto *Phi = Return ? dyn_cast_or_null<PHINode>(Return->getReturnValue()) : nullptr;
  bool Others = any_of(BB.phis(), [&](PHINode &Other) { return &Other != Phi; });
  return Others ? nullptr : Return;
}

// Whether a call ends a coroutine in the usual way. In the part that is entered by the caller,
// control goes on behind it. In the parts in which the coroutine is resumed or destroyed, it
// returns, and what stands behind it is dropped.
static bool endsCoroutine(const CallBase &Call) {
  auto *End = dyn_cast<IntrinsicInst>(&Call);
  return End && End->getIntrinsicID() == Intrinsic::coro_end &&
         cast<Constant>(End->getArgOperand(1))->isNullValue();
}

// Whether nothing follows an instruction in its block but the return of the function, and what
// that loads.
static bool standsBeforeReturn(const Instruction &I) {
  auto *BB = I.getParent();
  auto Calls = [](const Instruction &Other) {
    return isa<CallBase>(Other) && !isa<IntrinsicInst>(Other);
  };
  return isa<ReturnInst>(BB->getTerminator()) &&
         none_of(make_range(std::next(I.getIterator()), BB->end()), Calls);
}

// Whether control may come back to a call out of a later one, or goes on behind it only in some
// parts of a coroutine. `__builtin_setjmp` is an intrinsic without the attribute. So is the
// suspension of a coroutine: control goes on behind it to the caller, and once more when the
// coroutine is resumed. Where a coroutine hands over to another one, the jump there takes the place
// of all that stands up to the suspension.
static bool returnsTwice(const CallBase &Call) {
  auto ID = Call.getIntrinsicID();
  return Call.hasFnAttr(Attribute::ReturnsTwice) || ID == Intrinsic::eh_sjlj_setjmp ||
         ID == Intrinsic::coro_suspend || ID == Intrinsic::coro_await_suspend_handle ||
         (endsCoroutine(Call) && !standsBeforeReturn(Call));
}

// Whether a call never comes back. `__builtin_eh_return` is an intrinsic without the attribute:
// nothing may stand behind it.
static bool doesNotReturn(const CallBase &Call) {
  auto ID = Call.getIntrinsicID();
  return Call.doesNotReturn() || ID == Intrinsic::eh_return_i32 || ID == Intrinsic::eh_return_i64;
}

// Whether a call only marks a part of a coroutine or asks for a fact about it.
static bool describesCoroutine(const CallBase &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::coro_id:
  case Intrinsic::coro_alloc:
  case Intrinsic::coro_begin:
  case Intrinsic::coro_size:
  case Intrinsic::coro_align:
  case Intrinsic::coro_frame:
  case Intrinsic::coro_promise:
  case Intrinsic::coro_noop:
  case Intrinsic::coro_save:
  case Intrinsic::coro_free:
    return true;
  default:
    return false;
  }
}

// Whether control goes on behind an instruction. It may stay in a call, in a volatile store, which
// is how programs trap on purpose, and in assembly, unless that is empty. The end of a coroutine
// returns where it was resumed.
static bool goesOn(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (Call && Call->isInlineAsm() &&
      cast<InlineAsm>(Call->getCalledOperand())->getAsmString().empty())
    return true;
  if (Call && Call->getIntrinsicID() == Intrinsic::coro_end)
    return false;
  return (Call && describesCoroutine(*Call)) || isGuaranteedToTransferExecutionToSuccessor(&I);
}

// The last call of a block if the function does nothing behind it but return what it gave, perhaps
// in a block that does only that; else null. Code generation makes such calls jumps
// (CodeGenPrepare, dupRetToEnableTailCallOpts).
static CallInst *tailCall(BasicBlock &BB) {
  auto *Terminator = BB.getTerminator();
  auto *Call = dyn_cast_or_null<CallInst>(Terminator->getPrevNode());
  if (!Call || !Call->isTailCall() || Call->isInlineAsm() || isa<IntrinsicInst>(Call) ||
      returnsTwice(*Call))
    return nullptr;
  if (auto *Return = dyn_cast<ReturnInst>(Terminator))
    return !Return->getReturnValue() || Return->getReturnValue() == Call ? Call : nullptr;
  auto *Next = BB.getSingleSuccessor();
  auto *Return = Next && isa<BranchInst>(Terminator) ? onlyReturn(*Next) : nullptr;
  if (!Return)
    return nullptr;
  auto *Value = Return->getReturnValue();
  if (auto *Phi = dyn_cast_or_null<PHINode>(Value); Phi && Phi->getParent() == Next)
    Value = Phi->getIncomingValueForBlock(&BB);
  return !Value || Value == Call ? Call : nullptr;
}

// Whether a call executes a part of a coroutine, or asks it what it waits for. It is no intrinsic
// any more once coroutines are split.
static bool runsCoroutine(const CallBase &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::coro_resume:
  case Intrinsic::coro_destroy:
  case Intrinsic::coro_await_suspend_void:
  case Intrinsic::coro_await_suspend_bool:
    return true;
  default:
    return false;
  }
}

// Facts about an instruction; must match `InstructionFacts` in src/ffi.rs.
extern "C" uint32_t pathpass_instruction_facts(LLVMValueRef Value) {
  auto &I = *unwrap<Instruction>(Value);
  uint32_t Facts = goesOn(I) << 0;
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    bool Intrinsic = isa<IntrinsicInst>(Call);
    bool Deoptimizes = Intrinsic && cast<IntrinsicInst>(Call)->getIntrinsicID() ==
                                        Intrinsic::experimental_deoptimize;
    bool IsLast = Call->isMustTailCall() || Deoptimizes ||
                  (endsCoroutine(*Call) && standsBeforeReturn(*Call));
    Facts |= 1u << 1 | Intrinsic << 2 | Call->isInlineAsm() << 3 | doesNotReturn(*Call) << 4 |
             returnsTwice(*Call) << 5 | IsLast << 6 | runsCoroutine(*Call) << 11;
  }
  auto *Location = I.getDebugLoc().get();
  bool OfFunction =
      Location && !Location->getInlinedAt() && isa<DISubprogram>(Location->getScope());
  auto IsVector = [](auto *Operand) { return Operand->getType()->isVectorTy(); };
  return Facts | uint32_t(IsVector(&I) || any_of(I.operand_values(), IsVector)) << 7 |
         uint32_t(I.isDebugOrPseudoInst() || I.isLifetimeStartOrEnd()) << 8 |
         uint32_t(I.hasMetadata(LLVMContext::MD_nosanitize)) << 9 | uint32_t(OfFunction) << 10;
}

// The name of an instruction's effect: its opcode, or the intrinsic that it calls without the types
// (`llvm.fmuladd`).
extern "C" const char *pathpass_opcode_name(LLVMValueRef Value) {
  auto &I = *unwrap<Instruction>(Value);
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (Call->isInlineAsm())
      return "asm";
    if (Intrinsic::ID ID = Call->getIntrinsicID())
      return Intrinsic::getBaseName(ID).data();
  }
  return I.getOpcodeName();
}

// The call in tail position that ends a block, or null.
extern "C" LLVMValueRef pathpass_tail_call(LLVMBasicBlockRef Block) {
  return wrap(tailCall(*unwrap(Block)));
}

// Whether a block only returns.
extern "C" bool pathpass_only_returns(LLVMBasicBlockRef Block) {
  return onlyReturn(*unwrap(Block));
}

// The function that a call names, or null for an indirect call.
extern "C" LLVMValueRef pathpass_callee(LLVMValueRef Value) {
  return wrap(dyn_cast<Function>(
      cast<CallBase>(unwrap(Value))->getCalledOperand()->stripPointerCastsAndAliases()));
}

// Whether a call hands over from a coroutine to another one, before the suspension.
extern "C" bool pathpass_hands_over(LLVMValueRef Value) {
  auto *Call = dyn_cast<CallBase>(unwrap(Value));
  return Call && Call->getIntrinsicID() == Intrinsic::coro_await_suspend_handle;
}

// Whether a block does nothing but suspend a coroutine, and leads to one other block.
extern "C" bool pathpass_only_suspends(LLVMBasicBlockRef Block) {
  auto &BB = *unwrap(Block);
  auto *Call = dyn_cast<IntrinsicInst>(&*BB.getFirstNonPHIOrDbgOrLifetime());
  return Call && Call->getIntrinsicID() == Intrinsic::coro_suspend && BB.getSingleSuccessor() &&
         BB.getSinglePredecessor() && Call->getNextNode() == BB.getTerminator();
}

// Whether a switch asks what becomes of a coroutine that was just suspended.
extern "C" bool pathpass_is_on_suspension(LLVMValueRef Value) {
  auto *Call = dyn_cast<CallBase>(unwrap<SwitchInst>(Value)->getCondition());
  return Call && Call->getIntrinsicID() == Intrinsic::coro_suspend;
}

// The value of the case that takes successor `Index` of a switch; false for the default and for
// values over 64 bits.
extern "C" bool pathpass_case_value(LLVMValueRef Value, unsigned Index, int64_t *Case) {
  auto *Switch = unwrap<SwitchInst>(Value);
  if (Index == 0)
    return false;
  auto *Constant = SwitchInst::CaseIt::fromSuccessorIndex(Switch, Index)->getCaseValue();
  if (!Constant || Constant->getValue().getSignificantBits() > 64)
    return false;
  *Case = Constant->getSExtValue();
  return true;
}

// Estimated executions of a block, in units of which the entry block has at least one.
extern "C" uint64_t pathpass_block_frequency(FunctionAnalysisManager *Analyses,
                                             LLVMBasicBlockRef Block) {
  auto *BB = unwrap(Block);
  return Analyses->getResult<BlockFrequencyAnalysis>(*BB->getParent())
      .getBlockFreq(BB)
      .getFrequency();
}

// Probability of a successor, scaled to 2^31.
extern "C" uint32_t pathpass_edge_probability(FunctionAnalysisManager *Analyses,
                                              LLVMBasicBlockRef Block, unsigned Index) {
  auto *BB = unwrap(Block);
  auto Probability = Analyses->getResult<BranchProbabilityAnalysis>(*BB->getParent())
                         .getEdgeProbability(BB, Index);
  return Probability.isUnknown() ? 0 : Probability.getNumerator();
}

// Visits the text of each block of a function in LLVM's own language. Values are numbered once: a
// block that is printed by itself would have those of the whole function counted.
extern "C" void pathpass_texts(LLVMValueRef Value, void *Visitor,
                               void (*Visit)(void *, LLVMBasicBlockRef, const PathpassText *)) {
  auto &F = *unwrap<Function>(Value);
  ModuleSlotTracker Slots(F.getParent(), /*ShouldInitializeAllMetadata=*/false);
  Slots.incorporateFunction(F);
  for (auto &BB : F) {
    SmallString<1024> Text;
    raw_svector_ostream Out(Text);
    BB.printAsOperand(Out, /*PrintType=*/false, Slots);
    Out << ":";
    for (auto &I : BB) {
      Out << '\n';
      I.print(Out, Slots);
    }
    // A label is written like a value where control goes to it, and without `%` where it stands.
    PathpassText WithoutPercent = {Text.data() + 1, Text.size() - 1};
    Visit(Visitor, wrap(&BB), &WithoutPercent);
  }
}

// Whether a system call gives a thread another thread pointer, or may do so as far as can be seen.
static bool movesThreadPointer(const Value *Number, const Value *First) {
  constexpr uint64_t Clone = 56, ArchPrctl = 158, Clone3 = 435, CloneSetTls = 0x80000,
                     ArchSetFs = 0x1002;
  auto *Known = dyn_cast_or_null<ConstantInt>(Number);
  auto *Argument = dyn_cast_or_null<ConstantInt>(First);
  if (!Known || Known->getZExtValue() == Clone3)
    return true;
  if (Known->getZExtValue() == Clone)
    return !Argument || Argument->getZExtValue() & CloneSetTls;
  return Known->getZExtValue() == ArchPrctl && (!Argument || Argument->getZExtValue() == ArchSetFs);
}

// The value that inline assembly gets in a register, or null.
static const Value *inRegister(const CallBase &Call, const InlineAsm &Assembly,
                               StringRef Register) {
  auto Constraints = Assembly.ParseConstraints();
  unsigned Argument = 0;
  for (auto &Constraint : Constraints) {
    bool Takes = Constraint.Type == InlineAsm::isInput ||
                 (Constraint.Type == InlineAsm::isOutput && Constraint.isIndirect);
    if (!Takes)
      continue;
    unsigned Same = 0;
    auto *Codes = &Constraint.Codes;
    if (Codes->size() == 1 && !StringRef(Codes->front()).getAsInteger(10, Same) &&
        Same < Constraints.size())
      Codes = &Constraints[Same].Codes;
    if (Constraint.Type == InlineAsm::isInput && is_contained(*Codes, Register))
      return Call.getArgOperand(Argument);
    ++Argument;
  }
  return nullptr;
}

// Whether a call may give a thread another thread pointer.
static bool movesThreadPointer(const CallBase &Call) {
  if (auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    StringRef Text = Assembly->getAsmString();
    if (Text.contains("wrfsbase") || (Text.contains("%fs") && !Text.contains("%fs:")))
      return true;
    return Text.contains("syscall") && movesThreadPointer(inRegister(Call, *Assembly, "{ax}"),
                                                          inRegister(Call, *Assembly, "{di}"));
  }
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!Callee)
    return false;
  auto Argument = [&](unsigned Index) {
    return Index < Call.arg_size() ? Call.getArgOperand(Index) : nullptr;
  };
  auto *Word = Type::getInt64Ty(Call.getContext());
  StringRef Name = Callee->getName();
  if (Name == "syscall")
    return movesThreadPointer(Argument(0), Argument(1));
  if (Name == "arch_prctl")
    return movesThreadPointer(ConstantInt::get(Word, 158), Argument(0));
  if (Name == "clone" || Name == "__clone")
    return movesThreadPointer(ConstantInt::get(Word, 56), Argument(2));
  return Name == "clone3" || Name.starts_with("llvm.x86.wrfsbase");
}

// Whether code of a module may give threads another thread pointer.
extern "C" bool pathpass_moves_thread_pointer(LLVMModuleRef Module) {
  return any_of(*unwrap(Module), [](Function &F) {
    return any_of(instructions(F), [](Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && movesThreadPointer(*Call);
    });
  });
}

// Whether a system call sets the base of segment %gs. What may do so is said to move the thread
// pointer.
static bool setsSegment(const Value *Number, const Value *First) {
  constexpr uint64_t ArchPrctl = 158, ArchSetGs = 0x1001;
  auto *Known = dyn_cast_or_null<ConstantInt>(Number);
  auto *Argument = dyn_cast_or_null<ConstantInt>(First);
  return Known && Known->getZExtValue() == ArchPrctl && Argument &&
         Argument->getZExtValue() == ArchSetGs;
}

// Whether an instruction sets the base of segment %gs or goes through it: LLVM has an address space
// for that.
static bool usesSegment(const Instruction &I) {
  constexpr unsigned Gs = 256;
  if (any_of(I.operand_values(), [](const Value *Operand) {
        auto *Kind = dyn_cast<PointerType>(Operand->getType());
        return Kind && Kind->getAddressSpace() == Gs;
      }))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (auto *Assembly = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    StringRef Text = Assembly->getAsmString();
    return Text.contains("%gs") || Text.contains("wrgsbase") ||
           (Text.contains("syscall") && setsSegment(inRegister(*Call, *Assembly, "{ax}"),
                                                    inRegister(*Call, *Assembly, "{di}")));
  }
  auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
  if (!Callee || Call->arg_size() < 2)
    return Callee && Callee->getName().starts_with("llvm.x86.wrgsbase");
  auto *Word = Type::getInt64Ty(Call->getContext());
  if (Callee->getName() == "syscall")
    return setsSegment(Call->getArgOperand(0), Call->getArgOperand(1));
  return Callee->getName() == "arch_prctl" &&
         setsSegment(ConstantInt::get(Word, 158), Call->getArgOperand(0));
}

// Whether code of a module has segment %gs for itself.
extern "C" bool pathpass_uses_segment(LLVMModuleRef Module) {
  return any_of(*unwrap(Module), [](Function &F) { return any_of(instructions(F), usesSegment); });
}

// Whether data of a module may be out of reach of its code.
extern "C" bool pathpass_is_large(LLVMModuleRef Module) {
  auto Model = unwrap(Module)->getCodeModel();
  return Model && *Model >= CodeModel::Medium;
}

// A hash of all code and constants of a module.
extern "C" uint64_t pathpass_module_hash(LLVMModuleRef Module) {
  return StructuralHash(*unwrap(Module), true);
}

// Whether the compiler may call a function of this name where the source has no call: code
// generation calls `memcpy`, and clang's own coverage its callbacks.
static bool isCalledByCompiler(StringRef Name) {
  static const RTLIB::RuntimeLibcallsInfo Known(Triple("x86_64-unknown-linux-gnu"));
  return Name.starts_with("__sanitizer_cov_") ||
         Known.getSupportedLibcallImpl(Name) != RTLIB::Unsupported;
}

extern "C" bool pathpass_is_called_by_compiler(const char *Name, size_t Length) {
  return isCalledByCompiler(StringRef(Name, Length));
}
