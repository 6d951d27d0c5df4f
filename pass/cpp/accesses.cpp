// Which accesses to memory a function makes, and which of their addresses follow from others.
//
// Decided here, since only LLVM's analyses show it:
//
// - which stack slots nobody else can reach;
// - which address is that of an earlier access plus a constant. An earlier access serves if it
//   dominates: values do not change in SSA form, so that the last time that it ran, what both
//   addresses are computed from was the same;
// - which address moves by the same stride with each iteration of a loop, or not at all. Then its
//   base is computed where the loop is entered, and recorded there; how many iterations there were
//   since, the paths tell. A stride that is no constant is recorded as well. The base of an inner
//   loop may move with an outer one.
//
// What is recorded is decided in Rust. The declarations in src/ffi.rs must match.
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

// Must match `AccessKind` in src/ffi.rs.
enum class AccessKind : uint32_t { Load, Store, Update, BulkLoad, BulkStore, Fence, Base, Stride };

// Must match `Tickets` in src/ffi.rs.
enum class Tickets : uint32_t { None, Before, After, Both, Relaxed };

// Must match `Access` in src/ffi.rs.
struct PathpassAccess {
  // Of a base or a stride, what ends the block behind which the loop is entered.
  LLVMValueRef Instruction;
  // Null for a fence and a stride.
  LLVMValueRef Address;
  // How many bytes, if that is not `Size`; the stride; or null.
  LLVMValueRef Length;
  uint64_t Size;
  // The number of the access that the address is computed from, or ~0.
  uint64_t From;
  int64_t By;
  // The header of the loop with whose iterations the address moves, or null.
  LLVMBasicBlockRef Header;
  // By how much, unless the access with the number `StrideFrom`, if that is not ~0, tells it.
  int64_t Stride;
  uint64_t StrideFrom;
  AccessKind Kind;
  Tickets Taken;
};

// How many earlier accesses are tried for each address: enough for a large structure.
static constexpr unsigned MostTried = 32;

// No larger expression is computed where a loop is entered.
static constexpr unsigned LargestBase = 12;

// No access.
static constexpr size_t None = ~size_t(0);

// An access that releases takes a ticket before, so that whoever reads what it stores takes a later
// one; an access that acquires takes its own after. Signal handlers of the own thread need none.
static Tickets ticketsOf(AtomicOrdering Order, SyncScope::ID Scope, bool Stores = true,
                         bool Loads = true) {
  bool Releases = Stores && isReleaseOrStronger(Order);
  bool Acquires = Loads && isAcquireOrStronger(Order);
  if (Order == AtomicOrdering::NotAtomic)
    return Tickets::None;
  if (Scope == SyncScope::SingleThread || !(Releases || Acquires))
    return Tickets::Relaxed;
  return Releases && Acquires ? Tickets::Both : Releases ? Tickets::Before : Tickets::After;
}

namespace {
// The accesses of one function, block by block, dominating blocks first.
class Accesses {
  struct Item {
    Instruction *At;
    AccessKind Kind;
    Value *Address;
    Value *Length;
    uint64_t Size;
    Tickets Taken;
    // The address, or the stride.
    const SCEV *Known = nullptr;
    size_t From = None;
    int64_t By = 0;
    BasicBlock *Header = nullptr;
    int64_t Stride = 0;
    size_t StrideFrom = None;
    uint64_t Number = 0;

    bool isRecorded() const { return From == None; }
  };

  const DataLayout &Layout;
  DominatorTree &Dominators;
  LoopInfo *Loops;
  BlockFrequencyInfo *Frequencies;
  ScalarEvolution *Evolution;
  bool WithStack;
  bool WithOffsets;
  std::vector<Item> Items;
  MapVector<BasicBlock *, SmallVector<size_t, 8>> OfBlock;
  DenseMap<const AllocaInst *, bool> IsPrivate;
  DenseMap<const SCEV *, SmallVector<size_t, 4>> ByBase;
  // The bases of a loop, by their strides.
  DenseMap<std::pair<Loop *, const SCEV *>, SmallVector<size_t, 4>> Bases;
  DenseMap<std::pair<Loop *, const SCEV *>, size_t> Strides;

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
    Item New = {Entry, AccessKind::Stride, nullptr, nullptr, 0, Tickets::None};
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
      // Once for each time that the loop is entered must be less than once for each access.
      if (Frequencies->getBlockFreq(Of.At->getParent()) <
          Frequencies->getBlockFreq(Entry->getParent()))
        return false;
      Item New = {Entry, AccessKind::Base, nullptr, nullptr, 1, Tickets::None};
      New.Known = Start;
      if (!moves(New) && !(WithOffsets && follows(New)) && !canCompute(Start, Entry))
        return false;
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

  void note(Instruction &At, AccessKind Kind, Value *Address, uint64_t Size, Value *Length,
            Tickets Taken = Tickets::None) {
    // Other address spaces are those of segments.
    if (Address->getType()->getPointerAddressSpace() != 0 || (!WithStack && isPrivate(Address)))
      return;
    Item New = {&At, Kind, Address, Length, Size, Taken};
    bool IsBase = false;
    if (Evolution && Evolution->isSCEVable(Address->getType())) {
      New.Known = Evolution->getSCEV(Address);
      IsBase = !(Loops && moves(New)) && WithOffsets && !follows(New);
    }
    size_t Index = add(New);
    if (IsBase)
      ByBase[Evolution->getPointerBase(New.Known)].push_back(Index);
  }

  void noteOf(Instruction &At, AccessKind Kind, Value *Address, Type *Accessed,
              Tickets Taken = Tickets::None) {
    uint64_t Size = Layout.getTypeStoreSize(Accessed).getKnownMinValue();
    note(At, Kind, Address, Size, nullptr, Taken);
  }

  void noteFence(FenceInst &At) {
    auto Taken = ticketsOf(At.getOrdering(), At.getSyncScopeID());
    if (Taken == Tickets::Relaxed)
      return;
    add({&At, AccessKind::Fence, nullptr, nullptr, 0, Taken});
  }

  void noteBulk(Instruction &At, AccessKind Kind, Value *Address, Value *Length) {
    auto *Known = dyn_cast<ConstantInt>(Length);
    uint64_t Size = Known ? Known->getZExtValue() : 0;
    if (!Known)
      note(At, Kind, Address, 0, Length);
    else if (Size > 0)
      note(At, Kind, Address, Size, nullptr);
  }

  void noteIntrinsic(IntrinsicInst &Call) {
    if (auto *Transfer = dyn_cast<AnyMemTransferInst>(&Call)) {
      noteBulk(Call, AccessKind::BulkLoad, Transfer->getRawSource(), Transfer->getLength());
      noteBulk(Call, AccessKind::BulkStore, Transfer->getRawDest(), Transfer->getLength());
      return;
    }
    if (auto *Set = dyn_cast<AnyMemSetInst>(&Call)) {
      noteBulk(Call, AccessKind::BulkStore, Set->getRawDest(), Set->getLength());
      return;
    }
    switch (Call.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_expandload:
      noteOf(Call, AccessKind::Load, Call.getArgOperand(0), Call.getType());
      return;
    case Intrinsic::masked_store:
    case Intrinsic::masked_compressstore:
      noteOf(Call, AccessKind::Store, Call.getArgOperand(1), Call.getArgOperand(0)->getType());
      return;
    default:
      noteScattered(Call);
    }
  }

  // Gathers and scatters, of LLVM and of the processor: each part has an address of its own.
  void noteScattered(IntrinsicInst &Call) {
    StringRef Name = Call.getCalledFunction()->getName();
    bool Stores = Name.contains(".scatter");
    // Those of which nothing is left but a hint are no accesses.
    if ((!Stores && !Name.contains(".gather")) || Name.contains("pf."))
      return;
    unsigned Stored = Call.getIntrinsicID() == Intrinsic::masked_scatter ? 0 : 3;
    Type *Accessed = Stores ? Call.getArgOperand(Stored)->getType() : Call.getType();
    auto Size = Layout.getTypeStoreSize(Accessed).getKnownMinValue();
    add({&Call, Stores ? AccessKind::Store : AccessKind::Load, nullptr, nullptr, Size,
         Tickets::None});
  }

public:
  Accesses(Function &F, FunctionAnalysisManager &Analyses, bool WithStack, bool WithOffsets,
           bool WithLoops)
      : Layout(F.getDataLayout()), Dominators(Analyses.getResult<DominatorTreeAnalysis>(F)),
        Loops(WithLoops ? &Analyses.getResult<LoopAnalysis>(F) : nullptr),
        Frequencies(WithLoops ? &Analyses.getResult<BlockFrequencyAnalysis>(F) : nullptr),
        // Where control may come back to a call, the last access need not be one of this life.
        Evolution(!(WithOffsets || WithLoops) || F.callsFunctionThatReturnsTwice()
                      ? nullptr
                      : &Analyses.getResult<ScalarEvolutionAnalysis>(F)),
        WithStack(WithStack), WithOffsets(WithOffsets) {}

  void noteBlock(BasicBlock &BB) {
    OfBlock[&BB];
    for (auto &I : BB) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        noteOf(I, AccessKind::Load, Load->getPointerOperand(), Load->getType(),
               ticketsOf(Load->getOrdering(), Load->getSyncScopeID(), false, true));
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        noteOf(I, AccessKind::Store, Store->getPointerOperand(),
               Store->getValueOperand()->getType(),
               ticketsOf(Store->getOrdering(), Store->getSyncScopeID(), true, false));
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        noteOf(I, AccessKind::Update, Update->getPointerOperand(), Update->getType(),
               ticketsOf(Update->getOrdering(), Update->getSyncScopeID()));
      else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
        noteOf(I, AccessKind::Update, Exchange->getPointerOperand(),
               Exchange->getNewValOperand()->getType(),
               ticketsOf(Exchange->getMergedOrdering(), Exchange->getSyncScopeID()));
      else if (auto *Fence = dyn_cast<FenceInst>(&I))
        noteFence(*Fence);
      else if (auto *Call = dyn_cast<IntrinsicInst>(&I))
        noteIntrinsic(*Call);
    }
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
      SCEVExpander Expander(*Evolution, "path");
      (IsStride ? Of.Length : Of.Address) =
          Expander.expandCodeFor(Of.Known, Of.Known->getType(), Of.At);
      for (Instruction *Inserted : Expander.getAllInsertedInstructions())
        Inserted->setMetadata("pathcc.computed", MDNode::get(Inserted->getContext(), {}));
    }
  }

  void tell(void *Found, void (*Tell)(void *, const PathpassAccess *)) {
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
        PathpassAccess Access = {wrap(Of.At),     wrap(Of.Address),  wrap(Of.Length),
                                 Of.Size,         NumberOf(Of.From), Of.By,
                                 wrap(Of.Header), Of.Stride,         NumberOf(Of.StrideFrom),
                                 Of.Kind,         Of.Taken};
        Tell(Found, &Access);
      }
  }
};
} // namespace

// Tells the accesses of a function in their order within each block. Those to stack slots that
// nobody else can reach are left out unless `WithStack`. With `WithOffsets`, addresses are computed
// from others where that is possible; with `WithLoops`, from where loops are entered. Blocks that
// cannot be reached have none.
extern "C" void pathpass_accesses(LLVMValueRef Value, FunctionAnalysisManager *Analyses,
                                  bool WithStack, bool WithOffsets, bool WithLoops, void *Found,
                                  void (*Tell)(void *, const PathpassAccess *)) {
  auto &F = *unwrap<Function>(Value);
  Accesses All(F, *Analyses, WithStack, WithOffsets, WithLoops);
  auto &Dominators = Analyses->getResult<DominatorTreeAnalysis>(F);
  for (auto *Node : depth_first(Dominators.getRootNode()))
    All.noteBlock(*Node->getBlock());
  All.compute();
  All.tell(Found, Tell);
}

// Whether an instruction was inserted for a trace.
extern "C" bool pathpass_is_computed(LLVMValueRef Value) {
  return unwrap<Instruction>(Value)->getMetadata("pathcc.computed") != nullptr;
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
