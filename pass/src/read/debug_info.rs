//! Directories and files as debug information has them.

use inkwell::module::Module;

use crate::llvm::{self, Position};

/// The directory that the unit was compiled in, as its debug information says; empty without any.
pub(crate) fn directory(module: &Module<'_>) -> String {
    let declared = module.get_functions().find_map(llvm::declaration);
    declared.map(|position| position.directory).unwrap_or_default()
}

/// The path of a position's file, relative to `directory` if it lies below it.
pub(crate) fn file(position: &Position, directory: &str) -> String {
    let is_whole = position.file.starts_with('/') || position.directory.is_empty();
    if is_whole || position.directory == directory {
        return position.file.clone();
    }
    format!("{}/{}", position.directory, position.file)
}
