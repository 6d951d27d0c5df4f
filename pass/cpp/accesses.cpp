// Which instructions access memory: loads and stores, atomic operations, intrinsics of LLVM and of
// the processor, and the calls by which the initialisation of a static variable ends.
#include "accesses.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

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

// The function that a call hands the guard of a static variable to (Itanium C++ ABI, 3.3.3); empty
// if it calls no such function.
static StringRef guardFunctionOf(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.arg_size() != 1 || !Call.getArgOperand(0)->getType()->isPointerTy())
    return "";
  return Callee->getName().starts_with("__cxa_guard_") ? Callee->getName() : "";
}

// Whether a call ends the initialisation of a static variable, with success or not. The C++ library
// then stores to the first byte of the guard, as a release, or lets another thread begin. Code that
// finds the variable initialised loads that byte, as an acquire.
static bool endsStatic(const CallInst &Call) {
  StringRef Name = guardFunctionOf(Call);
  return Name == "__cxa_guard_release" || Name == "__cxa_guard_abort";
}

void acquireStatics(Function &F) {
  SmallVector<CallInst *, 4> Found;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && guardFunctionOf(*Call) == "__cxa_guard_acquire")
      Found.push_back(Call);
  for (CallInst *Call : Found) {
    BasicBlock::iterator At = std::next(Call->getIterator());
    // Blocks end behind calls in a trace.
    if (auto *Jump = dyn_cast<BranchInst>(&*At); Jump && Jump->isUnconditional())
      At = Jump->getSuccessor(0)->getFirstInsertionPt();
    auto *Load = new LoadInst(Type::getInt8Ty(F.getContext()), Call->getArgOperand(0), "path.guard",
                              false, Align(1), AtomicOrdering::Acquire, SyncScope::System, At);
    markComputed(*Load);
  }
}

void markComputed(Instruction &Inserted) {
  Inserted.setMetadata("pathcc.computed", MDNode::get(Inserted.getContext(), {}));
}

namespace {
// The accesses of a block.
class Accesses {
  const DataLayout &Layout;

  void note(Instruction &At, AccessKind Kind, Value *Address, uint64_t Size, Value *Length,
            Tickets Taken = Tickets::None) {
    // Other address spaces are those of segments.
    if (Address->getType()->getPointerAddressSpace() == 0)
      Found.push_back({&At, Kind, Address, Length, Size, Taken});
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
    Found.push_back({&At, AccessKind::Fence, nullptr, nullptr, 0, Taken});
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
    Found.push_back({&Call, Stores ? AccessKind::Store : AccessKind::Load, nullptr, nullptr, Size,
                     Tickets::None});
  }

public:
  SmallVector<TracedAccess, 8> Found;

  explicit Accesses(BasicBlock &BB) : Layout(BB.getDataLayout()) {
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
      else if (auto *Call = dyn_cast<CallInst>(&I); Call && endsStatic(*Call))
        note(I, AccessKind::Store, Call->getArgOperand(0), 1, nullptr, Tickets::Before);
    }
  }
};
} // namespace

SmallVector<TracedAccess, 8> accessesOf(BasicBlock &BB) { return Accesses(BB).Found; }
