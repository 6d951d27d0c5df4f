//! Reads the names, the linkage and the place of a function's declaration.

use inkwell::module::Linkage as Llvm;
use inkwell::values::FunctionValue;
use pathformat::manifest::Linkage;

use super::{debug_info, qualified};
use crate::llvm::{self, Demangled, FunctionFacts};

/// The declaration of a function; its fields are those of
/// [`Function`](pathformat::manifest::Function).
pub(crate) struct Declaration {
    pub(crate) name: String,
    /// Its names in the source.
    pub(crate) demangled: Demangled,
    /// Its name in debug information, as [`qualified`] puts it together; empty without debug
    /// information.
    pub(crate) qualified: String,
    pub(crate) linkage: Linkage,
    pub(crate) file: String,
    pub(crate) line: u32,
}

impl Declaration {
    /// The declaration of `function` in a unit that was compiled in `directory`.
    pub(crate) fn of(function: FunctionValue<'_>, directory: &str) -> Self {
        let position = llvm::declaration(function);
        let name = llvm::name(&function);
        let demangled = llvm::demangled(&name);
        let file = position.as_ref().map(|at| debug_info::file(at, directory)).unwrap_or_default();
        let own = position.as_ref().and_then(|at| at.function);
        let qualified = own.map(qualified::name).unwrap_or_default();
        let line = position.map_or(0, |at| at.line);
        Self { name, demangled, qualified, linkage: linkage(function), file, line }
    }

    /// The names by which a filter may mean it: the symbol, and what the source calls it.
    pub(crate) fn names(&self) -> [&str; 6] {
        let Demangled { whole, short, plain, base } = &self.demangled;
        [&self.name, whole, short, plain, base, &self.qualified]
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
