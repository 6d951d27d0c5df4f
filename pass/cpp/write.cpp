// Changes a module where LLVM's C API has no function for it: splitting and joining blocks,
// SSA promotion, attributes, linking in what a text defines; and how the result is checked.
//
// Decided here: that stack slots stay in an entry block that is split, which analyses survive that,
// and which attributes a function that counts, and each call in it, must lose. Where code goes is
// decided in Rust. The declarations in src/ffi.rs must match.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

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

// Moves everything after an instruction into a new block; null if something behind it must stay
// where it is. Stack slots of an entry block stay in it: elsewhere they would be made anew each
// time.
extern "C" LLVMBasicBlockRef pathpass_split_after(LLVMValueRef Value,
                                                  FunctionAnalysisManager *Analyses) {
  auto *At = unwrap<Instruction>(Value);
  auto *BB = At->getParent();
  auto &F = *BB->getParent();
  auto Behind = std::next(At->getIterator());
  if (BB->isEntryBlock()) {
    auto IsEscape = [](Instruction &I) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      return Call && Call->getIntrinsicID() == Intrinsic::localescape;
    };
    if (any_of(make_range(Behind, BB->end()), IsEscape))
      return nullptr;
    for (auto &I : make_early_inc_range(make_range(Behind, BB->end())))
      if (auto *Slot = dyn_cast<AllocaInst>(&I); Slot && Slot->isStaticAlloca())
        Slot->moveBefore(BB->getFirstInsertionPt());
    Behind = std::next(At->getIterator());
  }
  auto *Rest = SplitBlock(BB, Behind, Analyses->getCachedResult<DominatorTreeAnalysis>(F),
                          Analyses->getCachedResult<LoopAnalysis>(F));
  // The jump is not of the line that it leads to, which may never run.
  BB->getTerminator()->setDebugLoc(At->getDebugLoc());
  return wrap(Rest);
}

// Gives an `invoke` a landing pad that no other one leads to.
extern "C" void pathpass_split_landing_pad(LLVMValueRef Value, FunctionAnalysisManager *Analyses) {
  auto *Invoke = unwrap<InvokeInst>(Value);
  auto *Pad = Invoke->getUnwindDest();
  if (Pad->getSinglePredecessor())
    return;
  SmallVector<BasicBlock *, 2> Made;
  SplitLandingPadPredecessors(Pad, Invoke->getParent(), ".alone", ".others", Made);
  Analyses->invalidate(*Invoke->getFunction(), PreservedAnalyses::none());
}

// Forgets what is known of a function of which blocks were split.
extern "C" void pathpass_forget_frequencies(LLVMValueRef Value, FunctionAnalysisManager *Analyses) {
  auto Kept = PreservedAnalyses::none();
  Kept.preserve<DominatorTreeAnalysis>();
  Kept.preserve<LoopAnalysis>();
  Analyses->invalidate(*unwrap<Function>(Value), Kept);
}

// Lets control go through a new block that rarely runs if a condition holds; gives the end of that
// block.
extern "C" LLVMValueRef pathpass_add_cold_branch(LLVMValueRef Condition, LLVMValueRef Before) {
  auto *At = unwrap<Instruction>(Before);
  auto *Weights = MDBuilder(At->getContext()).createUnlikelyBranchWeights();
  return wrap(SplitBlockAndInsertIfThen(unwrap(Condition), At->getIterator(),
                                        /*Unreachable=*/false, Weights));
}

// Makes a block the end of the one before it, if that leads nowhere else.
extern "C" void pathpass_join(LLVMBasicBlockRef Block) { MergeBlockIntoPredecessor(unwrap(Block)); }

// Turns a stack slot that is only loaded and stored into SSA values.
extern "C" void pathpass_promote(LLVMValueRef const *Slots, size_t Count) {
  SmallVector<AllocaInst *> Allocas;
  for (LLVMValueRef Slot : ArrayRef(Slots, Count))
    Allocas.push_back(unwrap<AllocaInst>(Slot));
  if (Allocas.empty())
    return;
  DominatorTree Dominators(*Allocas.front()->getFunction());
  PromoteMemToReg(Allocas, Dominators);
}

// A function that counts writes memory, whatever was known of it before, and so do the functions
// that it calls: what is still to be optimised must not move counts across such calls.
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

// Adds what a text in LLVM's own language defines. The names in it are needed to read it, also
// where a compiler drops names.
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

// Drops the names of values and blocks, and keeps none from now on.
extern "C" void pathpass_drop_names(LLVMModuleRef Module) {
  for (auto &F : *unwrap(Module)) {
    for (auto &Argument : F.args())
      Argument.setName("");
    for (auto &BB : F) {
      BB.setName("");
      for (auto &I : BB)
        if (I.hasName())
          I.setName("");
    }
  }
  unwrap(Module)->getContext().setDiscardValueNames(true);
}

// Whether a function is sound; if not, says on standard error why.
extern "C" bool pathpass_verify(LLVMValueRef Function) {
  return !verifyFunction(*unwrap<class Function>(Function), &errs());
}
