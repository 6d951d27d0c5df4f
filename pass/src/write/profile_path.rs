//! Writes where profiles go, for the runtime, if the build says so.
//!
//! Every object holds the same text under one name, of which the linker keeps one.

use inkwell::AddressSpace;
use inkwell::module::Module;
use pathformat::names;

use crate::llvm;
use crate::options::Options;

/// Adds the pattern of the profile's name, closed by a NUL.
pub(super) fn declare(module: &Module<'_>, options: &Options) {
    if options.profile.is_empty() || module.get_global(names::PROFILE).is_some() {
        return;
    }
    let text = module.get_context().const_string(options.profile.as_bytes(), true);
    let global = module.add_global(text.get_type(), Some(AddressSpace::default()), names::PROFILE);
    global.set_initializer(&text);
    global.set_constant(true);
    llvm::make_replaceable(module, global);
}
