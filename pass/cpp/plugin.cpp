// What LLVM's C API cannot say: registering a pass, its options, block frequencies, splitting edges, SSA promotion.
//
// Every function converts and calls; decisions are made in Rust. The declarations in src/ffi.rs must match.
#include "llvm-c/Core.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

// Must match `Options` in src/ffi.rs.
struct PathpassOptions {
  const char *Mode, *Stage, *Threads, *Filter, *Skip, *Base, *Placement, *Without, *Use;
  uint64_t Limit;
  uint32_t Callees, Table, Hot;
  bool InFlight, Promotion, Last, Verify;
};

extern "C" bool pathpass_run(LLVMModuleRef Module, const PathpassOptions *Options, FunctionAnalysisManager *Analyses);

static cl::OptionCategory Category("pathcc: exact path profiles");
static cl::opt<std::string> Mode("pathcc-mode", cl::desc("what is counted: paths, blocks, edges, calls, or log for a block log"),
                                 cl::init("paths"), cl::cat(Category));
static cl::opt<std::string> Stage("pathcc-stage", cl::desc("where in the pipeline: late or early"), cl::init("late"),
                                  cl::cat(Category));
static cl::opt<std::string> Threads("pathcc-threads", cl::desc("how threads count: exact, single or atomic"),
                                    cl::init("exact"), cl::cat(Category));
static cl::opt<uint64_t> Limit("pathcc-limit", cl::desc("most paths of a function before edges are cut"),
                               cl::init(4096), cl::cat(Category));
static cl::opt<uint32_t> Callees("pathcc-callees", cl::desc("callees of a call through a pointer that are told apart"),
                                 cl::init(0), cl::cat(Category));
static cl::opt<uint32_t> Table("pathcc-table", cl::desc("paths of a function that are counted whole beyond the limit"),
                               cl::init(0), cl::cat(Category));
static cl::opt<uint32_t> Hot("pathcc-hot", cl::desc("count the hottest functions, up to this percentage of all instructions"),
                             cl::init(0), cl::cat(Category));
static cl::opt<std::string> Filter("pathcc-filter", cl::desc("functions and files to count, as globs"), cl::init(""),
                                   cl::cat(Category));
static cl::opt<std::string> Skip("pathcc-skip", cl::desc("count nothing, and record this reason"), cl::init(""),
                                 cl::cat(Category));
static cl::opt<std::string> Base("pathcc-base", cl::desc("how code finds its thread's counters: word, delta or site"),
                                 cl::init("word"), cl::Hidden, cl::cat(Category));
static cl::opt<std::string> Placement("pathcc-placement", cl::desc("blocks with counters: spanning-tree, patterns or every-block"),
                                      cl::init("spanning-tree"), cl::cat(Category));
static cl::opt<std::string> Without("pathcc-without", cl::desc("techniques that are left out, to measure them"),
                                    cl::init(""), cl::Hidden, cl::cat(Category));
static cl::opt<std::string> UseFile("pathcc-use", cl::desc("HASH:FILE, how often edges are taken"), cl::init(""),
                                cl::cat(Category));
static cl::opt<std::string> InFlight("pathcc-in-flight", cl::desc("count paths that never end as far as they came"),
                                     cl::init("no"), cl::cat(Category));
static cl::opt<std::string> Promotion("pathcc-promotion", cl::desc("early: counters may be in registers in loops"),
                                      cl::init("yes"), cl::cat(Category));
static cl::opt<bool> Verify("pathcc-verify", cl::desc("verify every instrumented function"), cl::init(false),
                            cl::Hidden, cl::cat(Category));

namespace {
struct PathPass : PassInfoMixin<PathPass> {
  // Whether all that follows is code generation that optimises.
  bool Last;
  explicit PathPass(bool Last) : Last(Last) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    auto &Functions = Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    PathpassOptions Options = {Mode.c_str(),    Stage.c_str(),   Threads.c_str(),  Filter.c_str(),
                               Skip.c_str(),    Base.c_str(),    Placement.c_str(), Without.c_str(),
                               UseFile.c_str(), Limit,           Callees,          Table,
                               Hot,              InFlight == "yes", Promotion == "yes",
                               Last,            Verify};
    return pathpass_run(wrap(&M), &Options, &Functions) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
} // namespace

extern "C" void pathpass_register(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    if (Stage == "early")
      MPM.addPass(PathPass(false));
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Stage != "early")
      MPM.addPass(PathPass(Level != OptimizationLevel::O0 && Phase == ThinOrFullLTOPhase::None));
  });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "pathcc" && Name != "pathcc-last")
          return false;
        MPM.addPass(PathPass(Name == "pathcc-last"));
        return true;
      });
}

// Facts about a function; must match `FunctionFacts` in src/ffi.rs.
extern "C" uint32_t pathpass_function_facts(LLVMValueRef Value) {
  auto &F = *unwrap<Function>(Value);
  bool Funclets = F.hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(F.getPersonalityFn()));
  bool Sanitized = any_of(ArrayRef({Attribute::SanitizeAddress, Attribute::SanitizeHWAddress, Attribute::SanitizeMemory,
                                    Attribute::SanitizeThread, Attribute::SanitizeMemTag, Attribute::SanitizeType}),
                          [&](Attribute::AttrKind Kind) { return F.hasFnAttribute(Kind); });
  return F.hasFnAttribute(Attribute::Naked) << 0 | F.isPresplitCoroutine() << 1 |
         (F.hasFnAttribute(Attribute::NoProfile) || F.hasFnAttribute(Attribute::SkipProfile)) << 2 | Funclets << 3 |
         F.hasComdat() << 4 | Sanitized << 5 | F.hasOptNone() << 6 | F.hasOptSize() << 7;
}

// The annotation of a function (`__attribute__((annotate("…")))`) of this number, or null.
extern "C" const char *pathpass_annotation(LLVMValueRef Value, size_t Number) {
  auto &F = *unwrap<Function>(Value);
  auto *All = F.getParent()->getNamedGlobal("llvm.global.annotations");
  auto *List = All && All->hasInitializer() ? dyn_cast<ConstantArray>(All->getInitializer()) : nullptr;
  if (!List)
    return nullptr;
  for (const Use &Entry : List->operands()) {
    auto *Annotation = dyn_cast<ConstantStruct>(Entry);
    if (!Annotation || Annotation->getNumOperands() < 2 || Annotation->getOperand(0)->stripPointerCasts() != &F)
      continue;
    auto *Text = dyn_cast<GlobalVariable>(Annotation->getOperand(1)->stripPointerCasts());
    auto *Bytes = Text && Text->hasInitializer() ? dyn_cast<ConstantDataSequential>(Text->getInitializer()) : nullptr;
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

// The last call of a block if the function does nothing behind it but return what it gave, perhaps in a block that does only
// that; else null. Code generation makes such calls jumps (CodeGenPrepare, dupRetToEnableTailCallOpts).
static CallInst *tailCall(BasicBlock &BB) {
  auto *Terminator = BB.getTerminator();
  auto *Call = dyn_cast_or_null<CallInst>(Terminator->getPrevNode());
  if (!Call || !Call->isTailCall() || Call->isInlineAsm() || isa<IntrinsicInst>(Call) ||
      Call->hasFnAttr(Attribute::ReturnsTwice))
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

// Facts about an instruction; must match `InstructionFacts` in src/ffi.rs.
extern "C" uint32_t pathpass_instruction_facts(LLVMValueRef Value) {
  auto &I = *unwrap<Instruction>(Value);
  uint32_t Facts = isGuaranteedToTransferExecutionToSuccessor(&I) << 0;
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    bool Intrinsic = isa<IntrinsicInst>(Call);
    bool Deoptimizes = Intrinsic && cast<IntrinsicInst>(Call)->getIntrinsicID() == Intrinsic::experimental_deoptimize;
    Facts |= 1u << 1 | Intrinsic << 2 | Call->isInlineAsm() << 3 | Call->doesNotReturn() << 4 |
             Call->hasFnAttr(Attribute::ReturnsTwice) << 5 |
             (Call->isMustTailCall() || Deoptimizes) << 6;
  }
  auto IsVector = [](auto *Operand) { return Operand->getType()->isVectorTy(); };
  return Facts | uint32_t(IsVector(&I) || any_of(I.operand_values(), IsVector)) << 7;
}

// What an instruction does: its opcode, or the intrinsic that it calls without the types (`llvm.fmuladd`).
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
extern "C" LLVMValueRef pathpass_tail_call(LLVMBasicBlockRef Block) { return wrap(tailCall(*unwrap(Block))); }

// Whether a block only returns.
extern "C" bool pathpass_only_returns(LLVMBasicBlockRef Block) { return onlyReturn(*unwrap(Block)); }

// The function that a call names, or null for an indirect call.
extern "C" LLVMValueRef pathpass_callee(LLVMValueRef Value) {
  return wrap(dyn_cast<Function>(cast<CallBase>(unwrap(Value))->getCalledOperand()->stripPointerCastsAndAliases()));
}

// The value of the case that takes successor `Index` of a switch; false for the default and for values over 64 bits.
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
extern "C" uint64_t pathpass_block_frequency(FunctionAnalysisManager *Analyses, LLVMBasicBlockRef Block) {
  auto *BB = unwrap(Block);
  return Analyses->getResult<BlockFrequencyAnalysis>(*BB->getParent()).getBlockFreq(BB).getFrequency();
}

// Probability of a successor, scaled to 2^31.
extern "C" uint32_t pathpass_edge_probability(FunctionAnalysisManager *Analyses, LLVMBasicBlockRef Block,
                                              unsigned Index) {
  auto *BB = unwrap(Block);
  auto Probability = Analyses->getResult<BranchProbabilityAnalysis>(*BB->getParent()).getEdgeProbability(BB, Index);
  return Probability.isUnknown() ? 0 : Probability.getNumerator();
}

// The first place in a block where an ordinary instruction may stand, or null if there is none.
extern "C" LLVMValueRef pathpass_first_insertion(LLVMBasicBlockRef Block) {
  auto At = unwrap(Block)->getFirstInsertionPt();
  return At == unwrap(Block)->end() ? nullptr : wrap(&*At);
}

// A new block on all edges from `From` to `To`, or null if they cannot be split.
extern "C" LLVMBasicBlockRef pathpass_split_edge(LLVMBasicBlockRef From, LLVMBasicBlockRef To) {
  auto Options = CriticalEdgeSplittingOptions().setMergeIdenticalEdges();
  return wrap(SplitCriticalEdge(unwrap(From), unwrap(To), Options));
}

// Moves everything after an instruction into a new block.
extern "C" void pathpass_split_after(LLVMValueRef Value) {
  auto *At = unwrap<Instruction>(Value);
  SplitBlock(At->getParent(), std::next(At->getIterator()));
}

// Turns a stack slot that is only loaded and stored into SSA values.
extern "C" void pathpass_promote(LLVMValueRef Slot) {
  auto *Alloca = unwrap<AllocaInst>(Slot);
  DominatorTree Dominators(*Alloca->getFunction());
  PromoteMemToReg({Alloca}, Dominators);
}

// A function that counts writes memory, whatever was known of it before, and so do the functions that it calls: what is
// still to be optimised must not move counts across such calls.
extern "C" void pathpass_forget_purity(LLVMValueRef Value) {
  auto &F = *unwrap<Function>(Value);
  F.removeFnAttr(Attribute::Memory);
  F.removeFnAttr(Attribute::Speculatable);
  for (auto &BB : F)
    for (auto &I : BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call))
        Call->removeFnAttr(Attribute::Memory);
}

// Keeps a definition that only inline assembly names.
extern "C" void pathpass_keep(LLVMValueRef Value) {
  auto *Global = unwrap<GlobalValue>(Value);
  appendToCompilerUsed(*Global->getParent(), {Global});
}

// A hash of all code and constants of a module.
extern "C" uint64_t pathpass_module_hash(LLVMModuleRef Module) { return StructuralHash(*unwrap(Module), true); }

// Whether a function is sound; if not, says on standard error why.
// Adds what a text in LLVM's own language defines. The names in it are needed to read it, also where a compiler drops names.
extern "C" bool pathpass_link(LLVMModuleRef Module, const char *Text) {
  auto &M = *unwrap(Module);
  auto &Context = M.getContext();
  bool Discards = Context.shouldDiscardValueNames();
  Context.setDiscardValueNames(false);
  SMDiagnostic Error;
  auto Parsed = parseAssembly(MemoryBufferRef(Text, "pathcc"), Error, Context);
  Context.setDiscardValueNames(Discards);
  if (!Parsed)
    return false;
  Parsed->setDataLayout(M.getDataLayout());
  Parsed->setTargetTriple(M.getTargetTriple());
  return !Linker::linkModules(M, std::move(Parsed));
}

extern "C" bool pathpass_verify(LLVMValueRef Function) { return !verifyFunction(*unwrap<class Function>(Function), &errs()); }

// The position of an instruction or of a location's call, as parts of debug metadata. Must match `ffi.rs`.
struct PathpassLocation {
  const DILocation *InlinedAt;
  const char *File, *Directory, *Function;
  size_t FileLength, DirectoryLength, FunctionLength;
  unsigned Line, Column;
};

extern "C" const DILocation *pathpass_debug_location(LLVMValueRef Value) {
  return unwrap<Instruction>(Value)->getDebugLoc().get();
}

extern "C" void pathpass_read_location(const DILocation *Location, PathpassLocation *Out) {
  auto *Subprogram = Location->getScope()->getSubprogram();
  auto Name = Subprogram ? Subprogram->getName() : "";
  auto File = Location->getFilename(), Directory = Location->getDirectory();
  *Out = {Location->getInlinedAt(), File.data(), Directory.data(), Name.data(),      File.size(),
          Directory.size(),         Name.size(), Location->getLine(), Location->getColumn()};
}

// Where a function is declared; false without debug information.
extern "C" bool pathpass_read_declaration(LLVMValueRef Value, PathpassLocation *Out) {
  auto *Subprogram = unwrap<Function>(Value)->getSubprogram();
  if (!Subprogram)
    return false;
  auto Name = Subprogram->getName(), File = Subprogram->getFilename(), Directory = Subprogram->getDirectory();
  *Out = {nullptr,          File.data(),  Directory.data(),      Name.data(), File.size(),
          Directory.size(), Name.size(), Subprogram->getLine(), 0};
  return true;
}
