// Reads debug metadata: where an instruction is in the source, and the names of its function.
//
// Every function converts and calls; decisions are made in Rust. The declarations in src/ffi.rs
// must match.
#include "llvm-c/Core.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/CBindingWrapping.h"

using namespace llvm;

// The position of an instruction or of a location's call, as parts of debug metadata. Must match
// `Location` in src/ffi.rs.
struct PathpassLocation {
  const DILocation *InlinedAt;
  const DISubprogram *Function;
  const char *File, *Directory;
  size_t FileLength, DirectoryLength;
  unsigned Line, Column;
};

extern "C" const DILocation *pathpass_debug_location(LLVMValueRef Value) {
  return unwrap<Instruction>(Value)->getDebugLoc().get();
}

extern "C" void pathpass_read_location(const DILocation *Location, PathpassLocation *Out) {
  auto File = Location->getFilename(), Directory = Location->getDirectory();
  *Out = {Location->getInlinedAt(),
          Location->getScope()->getSubprogram(),
          File.data(),
          Directory.data(),
          File.size(),
          Directory.size(),
          Location->getLine(),
          Location->getColumn()};
}

// Where a function is declared; false without debug information.
extern "C" bool pathpass_read_declaration(LLVMValueRef Value, PathpassLocation *Out) {
  auto *Subprogram = unwrap<Function>(Value)->getSubprogram();
  if (!Subprogram)
    return false;
  auto File = Subprogram->getFilename(), Directory = Subprogram->getDirectory();
  *Out = {nullptr,     Subprogram,       File.data(),           Directory.data(),
          File.size(), Directory.size(), Subprogram->getLine(), 0};
  return true;
}

// Where the source declares the last parameter of a function; null if debug information has none.
extern "C" const DILocation *pathpass_parameter_location(LLVMValueRef Value) {
  const DILocation *Last = nullptr;
  for (auto &I : unwrap<Function>(Value)->getEntryBlock())
    for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      if (Record.getVariable()->getArg() && !Record.getVariable()->isArtificial())
        Last = Record.getDebugLoc().get();
  return Last;
}

// A named scope around a function. The list of `ScopeKind` in src/ffi.rs.
enum class ScopeKind : unsigned { Function, Namespace, InlineNamespace, Class, Struct, Union };

// Whether a unit is C++, whose functions have scopes.
static bool isCPlusPlus(const DICompileUnit *Unit) {
  if (!Unit)
    return false;
  auto Language = Unit->getSourceLanguage();
  return Language.hasVersionedName()
             ? Language.getName() == dwarf::DW_LNAME_C_plus_plus
             : dwarf::isCPlusPlus(dwarf::SourceLanguage(Language.getName()));
}

// Visits the name of a function and of each scope around it, from the inside out; of a function
// that is not C++ only its own, and returns false.
extern "C" bool pathpass_scopes(const DISubprogram *Function, void *Visitor,
                                void (*Visit)(void *, ScopeKind, const char *, size_t)) {
  auto VisitName = [&](ScopeKind Kind, StringRef Name) {
    Visit(Visitor, Kind, Name.data(), Name.size());
  };
  if (!isCPlusPlus(Function->getUnit())) {
    VisitName(ScopeKind::Function, Function->getName());
    return false;
  }
  for (const DIScope *Scope = Function; Scope; Scope = Scope->getScope())
    if (auto *Namespace = dyn_cast<DINamespace>(Scope))
      VisitName(Namespace->getExportSymbols() ? ScopeKind::InlineNamespace : ScopeKind::Namespace,
                Namespace->getName());
    else if (isa<DISubprogram>(Scope))
      VisitName(ScopeKind::Function, Scope->getName());
    else if (auto *Type = dyn_cast<DICompositeType>(Scope))
      VisitName(Type->getTag() == dwarf::DW_TAG_class_type   ? ScopeKind::Class
                : Type->getTag() == dwarf::DW_TAG_union_type ? ScopeKind::Union
                                                             : ScopeKind::Struct,
                Type->getName());
  return true;
}
