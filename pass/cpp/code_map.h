// Marks in machine code, of which the map of the code is made.
#ifndef PATHPASS_CODE_MAP_H
#define PATHPASS_CODE_MAP_H

#include "llvm/CodeGen/MachineFunction.h"

namespace code_map {
// Must match the list in format/src/code_map.rs.
enum Mark : uint32_t {
  // Code of the node or edge of this number begins.
  Begins,
  // What counts begins.
  Ours,
  // The program's own code goes on.
  Program,
  // Code of no node follows.
  Ends,
};

// Puts a mark before an instruction. It makes no code, and changes none.
void mark(llvm::MachineBasicBlock &MBB, llvm::MachineBasicBlock::iterator At, Mark Which,
          uint32_t Number);

// Gives a function the word by which its map names it. Without one it has no map.
void name(llvm::MachineFunction &MF, uint64_t Word);
} // namespace code_map

#endif
