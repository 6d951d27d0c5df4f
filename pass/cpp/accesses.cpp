// Which accesses to memory a function makes, and which of their addresses follow from others.
//
// Decided here, since only LLVM's analyses show it: which stack slots nobody else can reach, and
// which address is that of an earlier access plus a constant. An earlier access serves if it
// dominates: values do not change in SSA form, so that the last time that it ran, what both
// addresses are computed from was the same. What is recorded is decided in Rust. The declarations
// in src/ffi.rs must match.
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// Must match `AccessKind` in src/ffi.rs.
enum class AccessKind : uint32_t { Load, Store, Update, BulkLoad, BulkStore, Fence };

// Must match `Tickets` in src/ffi.rs.
enum class Tickets : uint32_t { None, Before, After, Both, Relaxed };

// Must match `Access` in src/ffi.rs.
struct PathpassAccess {
  LLVMValueRef Instruction;
  // Null for a fence.
  LLVMValueRef Address;
  // How many bytes, if that is not `Size`; or null.
  LLVMValueRef Length;
  uint64_t Size;
  // The number of the access that the address is computed from, or ~0.
  uint64_t From;
  int64_t By;
  AccessKind Kind;
  Tickets Taken;
};

// How many earlier accesses are tried for each address: enough for a large structure.
static constexpr unsigned MostTried = 32;

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
// Tells the accesses of one function, block by block, dominating blocks first.
class Accesses {
  using Teller = void (*)(void *, const PathpassAccess *);

  struct Recorded {
    Instruction *At;
    const SCEV *Address;
    uint64_t Number;
  };

  const DataLayout &Layout;
  DominatorTree &Dominators;
  ScalarEvolution *Evolution;
  bool WithStack;
  void *Found;
  Teller Tell;
  uint64_t Number = 0;
  DenseMap<const AllocaInst *, bool> IsPrivate;
  DenseMap<const SCEV *, SmallVector<Recorded, 4>> ByBase;

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

  // The address of an earlier access from which this one follows.
  const Recorded *earlier(Instruction &At, const SCEV *Address, const SCEV *Base, APInt &By) {
    auto &Known = ByBase[Base];
    unsigned Tried = 0;
    for (const Recorded &Other : reverse(Known)) {
      if (++Tried > MostTried)
        break;
      if (Other.Address->getType() != Address->getType() || Other.At == &At ||
          !Dominators.dominates(Other.At, &At))
        continue;
      if (auto Difference = Evolution->computeConstantDifference(Address, Other.Address)) {
        By = *Difference;
        return &Other;
      }
    }
    return nullptr;
  }

  void tell(Instruction &At, AccessKind Kind, Value *Address, uint64_t Size, Value *Length,
            Tickets Taken = Tickets::None) {
    // Other address spaces are those of segments.
    if (Address->getType()->getPointerAddressSpace() != 0 || (!WithStack && isPrivate(Address)))
      return;
    PathpassAccess Access = {wrap(&At), wrap(Address), wrap(Length), Size, ~uint64_t(0),
                             0,         Kind,          Taken};
    if (Evolution && Evolution->isSCEVable(Address->getType())) {
      auto *Known = Evolution->getSCEV(Address);
      auto *Base = Evolution->getPointerBase(Known);
      APInt By;
      if (auto *Other = earlier(At, Known, Base, By); Other && By.getSignificantBits() <= 64) {
        Access.From = Other->Number;
        Access.By = By.getSExtValue();
      } else {
        ByBase[Base].push_back({&At, Known, Number});
      }
    }
    Tell(Found, &Access);
    ++Number;
  }

  void tellOf(Instruction &At, AccessKind Kind, Value *Address, Type *Accessed,
              Tickets Taken = Tickets::None) {
    uint64_t Size = Layout.getTypeStoreSize(Accessed).getKnownMinValue();
    tell(At, Kind, Address, Size, nullptr, Taken);
  }

  void tellFence(FenceInst &At) {
    auto Taken = ticketsOf(At.getOrdering(), At.getSyncScopeID());
    if (Taken == Tickets::Relaxed)
      return;
    PathpassAccess Fence = {wrap(&At),    nullptr, nullptr,           0,
                            ~uint64_t(0), 0,       AccessKind::Fence, Taken};
    Tell(Found, &Fence);
    ++Number;
  }

  void tellBulk(Instruction &At, AccessKind Kind, Value *Address, Value *Length) {
    auto *Known = dyn_cast<ConstantInt>(Length);
    uint64_t Size = Known ? Known->getZExtValue() : 0;
    if (!Known)
      tell(At, Kind, Address, 0, Length);
    else if (Size > 0)
      tell(At, Kind, Address, Size, nullptr);
  }

  void tellIntrinsic(IntrinsicInst &Call) {
    if (auto *Transfer = dyn_cast<AnyMemTransferInst>(&Call)) {
      tellBulk(Call, AccessKind::BulkLoad, Transfer->getRawSource(), Transfer->getLength());
      tellBulk(Call, AccessKind::BulkStore, Transfer->getRawDest(), Transfer->getLength());
    } else if (auto *Set = dyn_cast<AnyMemSetInst>(&Call)) {
      tellBulk(Call, AccessKind::BulkStore, Set->getRawDest(), Set->getLength());
    } else if (Call.getIntrinsicID() == Intrinsic::masked_load) {
      tellOf(Call, AccessKind::Load, Call.getArgOperand(0), Call.getType());
    } else if (Call.getIntrinsicID() == Intrinsic::masked_store) {
      tellOf(Call, AccessKind::Store, Call.getArgOperand(1), Call.getArgOperand(0)->getType());
    }
  }

public:
  Accesses(Function &F, FunctionAnalysisManager &Analyses, bool WithStack, bool WithOffsets,
           void *Found, Teller Tell)
      : Layout(F.getDataLayout()), Dominators(Analyses.getResult<DominatorTreeAnalysis>(F)),
        // Where control may come back to a call, the last access need not be one of this life.
        Evolution(!WithOffsets || F.callsFunctionThatReturnsTwice()
                      ? nullptr
                      : &Analyses.getResult<ScalarEvolutionAnalysis>(F)),
        WithStack(WithStack), Found(Found), Tell(Tell) {}

  void tellBlock(BasicBlock &BB) {
    for (auto &I : BB) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        tellOf(I, AccessKind::Load, Load->getPointerOperand(), Load->getType(),
               ticketsOf(Load->getOrdering(), Load->getSyncScopeID(), false, true));
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        tellOf(I, AccessKind::Store, Store->getPointerOperand(),
               Store->getValueOperand()->getType(),
               ticketsOf(Store->getOrdering(), Store->getSyncScopeID(), true, false));
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        tellOf(I, AccessKind::Update, Update->getPointerOperand(), Update->getType(),
               ticketsOf(Update->getOrdering(), Update->getSyncScopeID()));
      else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
        tellOf(I, AccessKind::Update, Exchange->getPointerOperand(),
               Exchange->getNewValOperand()->getType(),
               ticketsOf(Exchange->getMergedOrdering(), Exchange->getSyncScopeID()));
      else if (auto *Fence = dyn_cast<FenceInst>(&I))
        tellFence(*Fence);
      else if (auto *Call = dyn_cast<IntrinsicInst>(&I))
        tellIntrinsic(*Call);
    }
  }
};
} // namespace

// Tells the accesses of a function in their order within each block. Those to stack slots that
// nobody else can reach are left out unless `WithStack`. With `WithOffsets`, addresses are computed
// from others where that is possible. Blocks that cannot be reached have none.
extern "C" void pathpass_accesses(LLVMValueRef Value, FunctionAnalysisManager *Analyses,
                                  bool WithStack, bool WithOffsets, void *Found,
                                  void (*Tell)(void *, const PathpassAccess *)) {
  auto &F = *unwrap<Function>(Value);
  Accesses All(F, *Analyses, WithStack, WithOffsets, Found, Tell);
  auto &Dominators = Analyses->getResult<DominatorTreeAnalysis>(F);
  for (auto *Node : depth_first(Dominators.getRootNode()))
    All.tellBlock(*Node->getBlock());
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
