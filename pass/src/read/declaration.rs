//! What a function is called, who sees it, and where it is declared.

use inkwell::module::Linkage as Llvm;
use inkwell::values::FunctionValue;
use pathformat::manifest::Linkage;

use super::debug_info;
use crate::llvm::{self, FunctionFacts};

/// The declaration of a function; its fields are those of
/// [`Function`](pathformat::manifest::Function).
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) full_name: String,
    pub(crate) short_name: String,
    pub(crate) linkage: Linkage,
    pub(crate) file: String,
    pub(crate) line: u32,
}

impl Declaration {
    /// The declaration of `function` in a unit that was compiled in `directory`.
    pub(crate) fn of(function: FunctionValue<'_>, directory: &str) -> Self {
        let position = llvm::declaration(function);
        let name = llvm::name(&function);
        let (full_name, short_name) = llvm::demangled(&name).unwrap_or_default();
        let file = position.as_ref().map(|at| debug_info::file(at, directory)).unwrap_or_default();
        let line = position.map_or(0, |at| at.line);
        Self { name, full_name, short_name, linkage: linkage(function), file, line }
    }
}

fn linkage(function: FunctionValue<'_>) -> Linkage {
    match function.get_linkage() {
        Llvm::Internal | Llvm::Private | Llvm::LinkerPrivate => Linkage::Internal,
        Llvm::LinkOnceAny | Llvm::LinkOnceODR => Linkage::Inline,
        Llvm::AvailableExternally => Linkage::Copy,
        Llvm::WeakAny | Llvm::WeakODR | Llvm::ExternalWeak => {
            let is_inline = FunctionFacts::of(function).has_comdat();
            if is_inline { Linkage::Inline } else { Linkage::Weak }
        }
        _ => Linkage::External,
    }
}
