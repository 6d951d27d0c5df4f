// Which addresses that a function accesses follow from others.
//
// Decided here, since only LLVM's analyses show it:
//
// - which stack slots nobody else can reach;
// - which address is that of a variable of the image plus a constant. The linker knows it;
// - which address is that of an earlier access plus a constant. An earlier access serves if it
//   dominates: values do not change in SSA form, so that the last time that it ran, what both
//   addresses are computed from was the same;
// - which address moves by the same stride with each iteration of a loop, or not at all. Then its
//   base is computed where the loop is entered, and recorded there; the paths show how many
//   iterations there were since. A stride that is no constant is recorded as well. The base of an
//   inner loop may move with an outer one.
//
// Rust decides what is recorded. The declarations in src/ffi.rs must match.
#include "accesses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

// Must match `Access` in src/ffi.rs.
struct PathpassAccess {
  // Of a base or a stride, what ends the block behind which the loop is entered.
  LLVMValueRef Instruction;
  // Null for a fence and a stride.
  LLVMValueRef Address;
  // The number of bytes, if that is not `Size`; the stride; or null.
  LLVMValueRef Length;
  uint64_t Size;
  // The variable that the address is computed from, or null.
  LLVMValueRef Variable;
  // The number of the access that it is computed from, or ~0.
  uint64_t From;
  // The constant that is added.
  int64_t By;
  // The header of the loop with whose iterations the address moves, or null.
  LLVMBasicBlockRef Header;
  // By how much, unless the access with the number `StrideFrom` records it, if that is not ~0.
  int64_t Stride;
  uint64_t StrideFrom;
  AccessKind Kind;
  Tickets Taken;
};

// The most earlier accesses that are tried for each address: enough for a large structure.
static constexpr unsigned MostTried = 32;

// No larger expression is computed where a loop is entered.
static constexpr unsigned LargestBase = 12;

// A base is recorded for a loop that is expected to access the address so often each time.
static constexpr unsigned LeastTurns = 2;

// No access.
static constexpr size_t None = ~size_t(0);

namespace {
// The accesses of one function, block by block, dominating blocks first.
class Addresses {
  struct Item : TracedAccess {
    // The address, or the stride.
    const SCEV *Known = nullptr;
    const GlobalVariable *Variable = nullptr;
    // Of a base, an address that is the base where this loop is entered.
    Value *Like = nullptr;
    Loop *Entered = nullptr;
    size_t From = None;
    int64_t By = 0;
    BasicBlock *Header = nullptr;
    int64_t Stride = 0;
    size_t StrideFrom = None;
    uint64_t Number = 0;

    bool isRecorded() const { return From == None && !Variable; }
  };

  const DataLayout &Layout;
  DominatorTree &Dominators;
  LoopInfo *Loops;
  BlockFrequencyInfo *Frequencies;
  ScalarEvolution *Evolution;
  bool WithStack;
  bool WithOffsets;
  bool WithVariables;
  std::vector<Item> Items;
  MapVector<BasicBlock *, SmallVector<size_t, 8>> OfBlock;
  DenseMap<const AllocaInst *, bool> IsPrivate;
  DenseMap<const SCEV *, SmallVector<size_t, 4>> ByBase;
  // The bases of a loop, by their strides.
  DenseMap<std::pair<Loop *, const SCEV *>, SmallVector<size_t, 4>> Bases;
  DenseMap<std::pair<Loop *, const SCEV *>, size_t> Strides;
  // The values that were copied to where a loop is entered.
  DenseMap<std::pair<Loop *, Instruction *>, Instruction *> Copies;

  // The variable that a value is the address of, if the image has it at a fixed place: code reaches
  // it by its distance, so that a table may hold that distance too. A copy of a group that the
  // linker drops may leave a local symbol without a place.
  static const GlobalVariable *fixedVariable(const Value *Address) {
    auto *Of = dyn_cast<GlobalVariable>(Address);
    bool IsFixed = Of && Of->isDSOLocal() && !Of->isThreadLocal() &&
                   !Of->hasExternalWeakLinkage() && !Of->isAbsoluteSymbolRef() &&
                   !(Of->hasComdat() && Of->hasLocalLinkage()) &&
                   !Of->getName().starts_with("llvm.");
    return IsFixed ? Of : nullptr;
  }

  // Whether the address is that of a variable plus a constant.
  bool isOfVariable(Item &Of) {
    if (!WithVariables)
      return false;
    const Value *Base = nullptr;
    APInt By(64, 0);
    if (Of.Address) {
      By = APInt(Layout.getIndexTypeSizeInBits(Of.Address->getType()), 0);
      Base = Of.Address->stripAndAccumulateConstantOffsets(Layout, By, true);
    } else if (auto *Known = dyn_cast<SCEVUnknown>(Evolution->getPointerBase(Of.Known))) {
      if (auto *Offset = dyn_cast<SCEVConstant>(Evolution->removePointerBase(Of.Known))) {
        Base = Known->getValue();
        By = Offset->getAPInt();
      }
    }
    if (!Base || !(Of.Variable = fixedVariable(Base)))
      return false;
    Of.By = By.getSExtValue();
    return true;
  }

  std::optional<int64_t> difference(const SCEV *Of, const SCEV *From) {
    if (Of->getType() != From->getType())
      return std::nullopt;
    auto Found = Evolution->computeConstantDifference(Of, From);
    if (!Found || Found->getSignificantBits() > 64)
      return std::nullopt;
    return Found->getSExtValue();
  }

  // Whether the address is that of an earlier access plus a constant.
  bool follows(Item &Of) {
    unsigned Tried = 0;
    for (size_t Earlier : reverse(ByBase[Evolution->getPointerBase(Of.Known)])) {
      const Item &Other = Items[Earlier];
      if (++Tried > MostTried)
        break;
      if (Other.At == Of.At || !Dominators.dominates(Other.At, Of.At))
        continue;
      if (auto By = difference(Of.Known, Other.Known)) {
        Of.From = Earlier;
        Of.By = *By;
        return true;
      }
    }
    return false;
  }

  // Where a loop is entered: the end of the only block outside that leads to it, which does nothing
  // but lead on.
  static Instruction *entry(Loop *Of) {
    BasicBlock *Before = Of->getLoopPredecessor();
    Instruction *End = Before ? Before->getTerminator() : nullptr;
    // Behind a call at the end no path may have begun yet.
    if (End && isa_and_nonnull<CallBase>(End->getPrevNode()))
      return nullptr;
    return End && (isa<BranchInst>(End) || isa<SwitchInst>(End)) ? End : nullptr;
  }

  // Whether a value may be computed at an instruction, and that is cheap.
  bool canCompute(const SCEV *Value, Instruction *At) {
    SCEVExpander Expander(*Evolution, "path");
    return Value->getExpressionSize() <= LargestBase &&
           !SCEVExprContains(Value, [](const SCEV *Part) { return isa<SCEVAddRecExpr>(Part); }) &&
           Expander.isSafeToExpandAt(Value, At);
  }

  // Whether the first address that an access of a loop has can be had by a copy of how the loop
  // computes it, and that is cheap. The copy begins with what the loop begins with.
  static bool canCopy(Value *Address, Loop *Of, unsigned &Left) {
    auto *At = dyn_cast<Instruction>(Address);
    if (!At || !Of->contains(At))
      return true;
    if (auto *Phi = dyn_cast<PHINode>(At))
      return Phi->getParent() == Of->getHeader();
    bool IsPure =
        At->getType()->isIntOrPtrTy() &&
        (isa<GetElementPtrInst, CastInst>(At) || (isa<BinaryOperator>(At) && !At->isIntDivRem()));
    if (!IsPure || Left == 0)
      return false;
    --Left;
    return all_of(At->operands(), [&](Value *Part) { return canCopy(Part, Of, Left); });
  }

  // The copy, where the loop is entered.
  Value *copy(Value *Address, Loop *Of, Instruction *Entry) {
    auto *At = dyn_cast<Instruction>(Address);
    if (!At || !Of->contains(At))
      return Address;
    if (auto *Phi = dyn_cast<PHINode>(At))
      return Phi->getIncomingValueForBlock(Entry->getParent());
    auto [Known, IsNew] = Copies.try_emplace({Of, At}, nullptr);
    if (!IsNew)
      return Known->second;
    Instruction *Copy = At->clone();
    for (Use &Part : Copy->operands())
      Part = copy(Part, Of, Entry);
    Copy->dropPoisonGeneratingAnnotations();
    Copy->insertBefore(Entry->getIterator());
    Copy->setDebugLoc(DebugLoc());
    markComputed(*Copy);
    return Copies[{Of, At}] = Copy;
  }

  size_t add(Item New) {
    size_t Index = Items.size();
    OfBlock[New.At->getParent()].push_back(Index);
    Items.push_back(New);
    return Index;
  }

  // The loop around one in which a value does not change either, as far out as possible.
  Loop *outermost(Loop *Inner, const SCEV *Value) {
    while (Loop *Outer = Inner->getParentLoop()) {
      if (!entry(Outer) || !Evolution->isLoopInvariant(Value, Outer))
        break;
      Inner = Outer;
    }
    return Inner;
  }

  // Where a stride that is no constant is recorded.
  size_t strideOf(Loop *Of, const SCEV *Step) {
    Loop *Outer = outermost(Of, Step);
    auto [Known, IsNew] = Strides.try_emplace({Outer, Step}, None);
    if (!IsNew)
      return Known->second;
    Instruction *Entry = entry(Outer);
    if (!Entry || !canCompute(Step, Entry))
      return None;
    Item New = {{Entry, AccessKind::Stride, nullptr, nullptr, 0, Tickets::None}};
    New.Known = Step;
    return Known->second = add(New);
  }

  // Whether the address moves with the iterations of a loop, from a base that is known.
  bool moves(Item &Of) {
    Loop *Inner = Loops->getLoopFor(Of.At->getParent());
    if (!Inner)
      return false;
    Loop *Moving;
    const SCEV *Start, *Step;
    auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Of.Known);
    if (Recurrence && Recurrence->isAffine() && Recurrence->getLoop()->contains(Inner)) {
      Moving = const_cast<Loop *>(Recurrence->getLoop());
      Start = Recurrence->getStart();
      Step = Recurrence->getStepRecurrence(*Evolution);
    } else if (entry(Inner) && Evolution->isLoopInvariant(Of.Known, Inner)) {
      Moving = outermost(Inner, Of.Known);
      Start = Of.Known;
      Step = Evolution->getZero(Evolution->getEffectiveSCEVType(Start->getType()));
    } else {
      return false;
    }
    Instruction *Entry = entry(Moving);
    if (!Entry)
      return false;
    auto *Constant = dyn_cast<SCEVConstant>(Step);
    if (Constant && Constant->getAPInt().getSignificantBits() > 64)
      return false;
    auto &Known = Bases[{Moving, Step}];
    unsigned Tried = 0;
    size_t Base = None;
    int64_t By = 0;
    for (size_t Other : reverse(Known)) {
      if (++Tried > MostTried)
        break;
      if (auto Found = difference(Start, Items[Other].Known)) {
        Base = Other;
        By = *Found;
        break;
      }
    }
    size_t StrideFrom = None;
    if (!Constant && (StrideFrom = strideOf(Moving, Step)) == None)
      return false;
    if (Base == None) {
      // Once for each time that the loop is entered must be clearly less than once for each access.
      if (Frequencies->getBlockFreq(Of.At->getParent()).getFrequency() / LeastTurns <
          Frequencies->getBlockFreq(Entry->getParent()).getFrequency())
        return false;
      Item New = {{Entry, AccessKind::Base, nullptr, nullptr, 1, Tickets::None}};
      New.Known = Start;
      bool IsKnown = isOfVariable(New) || moves(New) || (WithOffsets && follows(New));
      unsigned Left = LargestBase;
      if (!IsKnown && !canCompute(Start, Entry)) {
        if (!Of.Address || !canCopy(Of.Address, Moving, Left))
          return false;
        std::tie(New.Like, New.Entered) = std::pair(Of.Address, Moving);
      }
      Base = add(New);
      Bases[{Moving, Step}].push_back(Base);
    }
    Of.From = Base;
    Of.By = By;
    Of.Header = Moving->getHeader();
    Of.Stride = Constant ? Constant->getAPInt().getSExtValue() : 0;
    Of.StrideFrom = StrideFrom;
    return true;
  }

  // Whether nobody but the function itself can reach what an address points to.
  bool isPrivate(Value *Address) {
    auto *Slot = dyn_cast<AllocaInst>(getUnderlyingObject(Address));
    if (!Slot)
      return false;
    auto [Known, IsNew] = IsPrivate.try_emplace(Slot, false);
    if (IsNew)
      Known->second = !PointerMayBeCaptured(Slot, /*ReturnCaptures=*/true);
    return Known->second;
  }

  void note(const TracedAccess &Access) {
    if (Access.Address && !WithStack && isPrivate(Access.Address))
      return;
    Item New = {Access};
    bool IsBase = false;
    if (New.Address && !isOfVariable(New) && Evolution &&
        Evolution->isSCEVable(New.Address->getType())) {
      New.Known = Evolution->getSCEV(New.Address);
      IsBase = !(Loops && moves(New)) && WithOffsets && !follows(New);
    }
    size_t Index = add(New);
    if (IsBase)
      ByBase[Evolution->getPointerBase(New.Known)].push_back(Index);
  }

public:
  Addresses(Function &F, FunctionAnalysisManager &Analyses, bool WithStack, bool WithOffsets,
            bool WithLoops, bool WithVariables)
      : Layout(F.getDataLayout()), Dominators(Analyses.getResult<DominatorTreeAnalysis>(F)),
        Loops(WithLoops ? &Analyses.getResult<LoopAnalysis>(F) : nullptr),
        Frequencies(WithLoops ? &Analyses.getResult<BlockFrequencyAnalysis>(F) : nullptr),
        // Where control may come back to a call, the last access need not be one of this life. That
        // of a coroutine may be in the stream of another thread.
        Evolution(!(WithOffsets || WithLoops) || F.callsFunctionThatReturnsTwice() ||
                          F.isPresplitCoroutine()
                      ? nullptr
                      : &Analyses.getResult<ScalarEvolutionAnalysis>(F)),
        WithStack(WithStack), WithOffsets(WithOffsets),
        // Tags are added to addresses of variables, so that no table can name them.
        WithVariables(WithVariables && !F.hasFnAttribute(Attribute::SanitizeHWAddress)) {}

  void noteBlock(BasicBlock &BB) {
    OfBlock[&BB];
    for (const TracedAccess &Access : accessesOf(BB))
      note(Access);
  }

  // Computes the bases and strides that are recorded. What is inserted gets a mark.
  void compute() {
    for (Item &Of : Items) {
      bool IsStride = Of.Kind == AccessKind::Stride;
      if (!IsStride && Of.Kind != AccessKind::Base)
        continue;
      if (!Of.isRecorded()) {
        // It is in the list for those that are computed from it.
        Of.Address = UndefValue::get(Of.Known->getType());
        continue;
      }
      if (Of.Like) {
        Of.Address = copy(Of.Like, Of.Entered, Of.At);
        continue;
      }
      SCEVExpander Expander(*Evolution, "path");
      (IsStride ? Of.Length : Of.Address) =
          Expander.expandCodeFor(Of.Known, Of.Known->getType(), Of.At);
      for (Instruction *Inserted : Expander.getAllInsertedInstructions())
        markComputed(*Inserted);
    }
  }

  void visit(void *Visitor, void (*Visit)(void *, const PathpassAccess *)) {
    uint64_t Number = 0;
    for (auto &[BB, Indices] : OfBlock)
      for (size_t Index : Indices)
        Items[Index].Number = Number++;
    auto NumberOf = [&](size_t Index) {
      return Index == None ? ~uint64_t(0) : Items[Index].Number;
    };
    for (auto &[BB, Indices] : OfBlock)
      for (size_t Index : Indices) {
        const Item &Of = Items[Index];
        PathpassAccess Access = {
            wrap(Of.At),       wrap(Of.Address),        wrap(Of.Length), Of.Size,
            wrap(Of.Variable), NumberOf(Of.From),       Of.By,           wrap(Of.Header),
            Of.Stride,         NumberOf(Of.StrideFrom), Of.Kind,         Of.Taken};
        Visit(Visitor, &Access);
      }
  }
};
} // namespace

// Visits the accesses of a function in their order within each block. Those to stack slots that
// nobody else can reach are left out unless `WithStack`. With `WithOffsets`, addresses are computed
// from others where that is possible; with `WithLoops`, from where loops are entered; with
// `WithVariables`, from variables. Blocks that cannot be reached have none.
extern "C" void pathpass_accesses(LLVMValueRef Value, FunctionAnalysisManager *Analyses,
                                  bool WithStack, bool WithOffsets, bool WithLoops,
                                  bool WithVariables, void *Visitor,
                                  void (*Visit)(void *, const PathpassAccess *)) {
  auto &F = *unwrap<Function>(Value);
  acquireStatics(F);
  Addresses All(F, *Analyses, WithStack, WithOffsets, WithLoops, WithVariables);
  auto &Dominators = Analyses->getResult<DominatorTreeAnalysis>(F);
  for (auto *Node : depth_first(Dominators.getRootNode()))
    All.noteBlock(*Node->getBlock());
  All.compute();
  All.visit(Visitor, Visit);
}

// Whether an instruction was inserted for a trace.
extern "C" bool pathpass_is_computed(LLVMValueRef Value) {
  return unwrap<Instruction>(Value)->getMetadata("pathcc.computed") != nullptr;
}
