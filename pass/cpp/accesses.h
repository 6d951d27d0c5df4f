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

// The accesses of a block in their order.
llvm::SmallVector<TracedAccess, 8> accessesOf(llvm::BasicBlock &BB);
