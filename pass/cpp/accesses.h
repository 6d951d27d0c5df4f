// An access to memory, and those of a block.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instruction.h"

#include <cstdint>

// The list of `AccessKind` in format/src/manifest.rs.
enum class AccessKind : uint32_t { Load, Store, Update, BulkLoad, BulkStore, Fence, Base, Stride };

// The list of `Tickets` in format/src/manifest.rs.
enum class Tickets : uint32_t { None, Before, After, Both, Relaxed };

// An access to memory, or a fence.
struct TracedAccess {
  llvm::Instruction *At;
  AccessKind Kind;
  // Null for a fence, and if there are several.
  llvm::Value *Address;
  // The number of bytes, if that is not `Size`; or null.
  llvm::Value *Length;
  uint64_t Size;
  Tickets Taken;
};

// Lets whoever waited for another thread to initialise a static variable acquire what that has
// stored: what stands behind the wait is not the code that finds it initialised. The loads that are
// inserted have a mark.
void acquireStatics(llvm::Function &F);

// Marks an instruction that was inserted for a trace.
void markComputed(llvm::Instruction &Inserted);

// The accesses of a block in their order.
llvm::SmallVector<TracedAccess, 8> accessesOf(llvm::BasicBlock &BB);
