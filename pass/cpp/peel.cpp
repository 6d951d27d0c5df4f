// Peels the first iteration off short loops, before they are counted.
//
// The path of a loop's first iteration began before the loop, so it has another number than those
// of all the others, and the code that counts them steps another counter the first time. That needs
// the path register in the loop, and processors stop forwarding a counter from one step to the next
// when its address moves (docs/internals/performance.md). With an iteration of its own the first
// path ends on the edge into what remains of the loop, which is the loop's back edge in the
// program, and the loop begins with a constant. Nothing is counted more often than before.
//
// The work is LLVM's `peelLoop`. Its `canPeel` is a question of profit, as its comment says, not
// asked here.
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// Whether a loop has at most `Most` instructions and calls nothing: then counting is a large part
// of it.
static bool isShort(const Loop &L, unsigned Most) {
  unsigned Size = 0;
  for (auto *BB : L.blocks())
    for (auto &I : *BB) {
      if (isa<CallBase>(I) && (!isa<IntrinsicInst>(I) || isa<AnyMemIntrinsic>(I)))
        return false;
      if (!I.isDebugOrPseudoInst() && !isa<PHINode>(I) && ++Size > Most)
        return false;
    }
  return true;
}

// Whether the iterations of a loop and of those in it end in one place each, by a branch that also
// leaves the loop. With a second way back to the header LLVM would make one of both, and paths
// would not tell any more along which they came.
static bool isRotated(Loop &L) {
  return all_of(L.getLoopsInPreorder(), [](Loop *Inner) {
    auto *Latch = Inner->getLoopLatch();
    return Latch && Inner->isLoopExiting(Latch) && isa<BranchInst>(Latch->getTerminator());
  });
}

// Takes away the empty blocks that peeling leaves behind, so that paths are as short as before.
// `Old` was there already.
static void removeEmpty(Function &F, const SmallPtrSetImpl<BasicBlock *> &Old) {
  for (auto &BB : make_early_inc_range(F)) {
    if (Old.contains(&BB) || MergeBlockIntoPredecessor(&BB))
      continue;
    auto *Branch = dyn_cast<BranchInst>(BB.getTerminator());
    if (Branch && Branch->isUnconditional() && &*BB.getFirstNonPHIOrDbg() == Branch)
      TryToSimplifyUncondBranchFromEmptyBlock(&BB);
  }
}

// Peels all loops of at most `Most` instructions, and tells of the edges, each as two blocks, that
// lead from a peeled iteration into the rest of its loop.
extern "C" void pathpass_peel(LLVMValueRef Value, FunctionAnalysisManager *Analyses, unsigned Most,
                              void *Found,
                              void (*Tell)(void *, LLVMBasicBlockRef, LLVMBasicBlockRef)) {
  auto &F = *unwrap<Function>(Value);
  auto &Loops = Analyses->getResult<LoopAnalysis>(F);
  // Outer loops first: what is peeled off them takes their inner loops along as they are.
  SmallVector<Loop *> Short;
  copy_if(Loops.getLoopsInPreorder(), std::back_inserter(Short),
          [&](Loop *L) { return isRotated(*L) && L->isSafeToClone() && isShort(*L, Most); });
  if (Short.empty())
    return;
  auto &Dominators = Analyses->getResult<DominatorTreeAnalysis>(F);
  auto &Evolution = Analyses->getResult<ScalarEvolutionAnalysis>(F);
  auto &Assumptions = Analyses->getResult<AssumptionAnalysis>(F);
  SmallPtrSet<BasicBlock *, 32> Old(from_range, make_pointer_range(F));
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> Peeled;
  for (auto *L : Short) {
    simplifyLoop(L, &Dominators, &Loops, &Evolution, &Assumptions, nullptr,
                 /*PreserveLCSSA=*/false);
    if (!L->isLoopSimplifyForm() || !isRotated(*L))
      continue;
    formLCSSARecursively(*L, Dominators, &Loops, &Evolution);
    ValueToValueMapTy Map;
    if (peelLoop(L, 1, /*PeelLast=*/false, &Loops, &Evolution, Dominators, &Assumptions,
                 /*PreserveLCSSA=*/false, Map))
      Peeled.push_back({L->getLoopLatch(), L->getHeader()});
  }
  removeEmpty(F, Old);
  Analyses->invalidate(F, PreservedAnalyses::none());
  for (auto [Latch, Header] : Peeled)
    for (auto *From : predecessors(Header))
      if (From != Latch)
        Tell(Found, wrap(From), wrap(Header));
}
