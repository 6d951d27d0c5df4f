//! Texts of LLVM's: blocks in its language, and names as the source has them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;
use std::slice;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::prelude::LLVMBasicBlockRef;

use crate::ffi;

/// Blocks of `function` in LLVM's intermediate language, each by lines without blanks around them:
/// the label, then the instructions without their debug locations.
pub(crate) fn texts(function: FunctionValue<'_>, blocks: &[BasicBlock<'_>]) -> Vec<Vec<String>> {
    type Lines = HashMap<LLVMBasicBlockRef, Vec<String>>;
    extern "C" fn push(found: *mut c_void, block: LLVMBasicBlockRef, text: *const ffi::Text) {
        // SAFETY: `found` is the value below; the text has this length and is not empty.
        let (found, text) = unsafe {
            let text = slice::from_raw_parts((*text).bytes, (*text).length);
            (&mut *found.cast::<Lines>(), String::from_utf8_lossy(text))
        };
        found.insert(
            block,
            text.lines().map(|line| without_location(line.trim()).into_owned()).collect(),
        );
    }
    let mut found = Lines::new();
    // SAFETY: a live function, and a value of the type that `push` takes.
    unsafe { ffi::pathpass_texts(function.as_value_ref(), (&raw mut found).cast(), push) };
    let of = |block: &BasicBlock<'_>| found.remove(&block.as_mut_ptr()).unwrap_or_default();
    blocks.iter().map(of).collect()
}

/// A line of an instruction without its debug location, which leads into metadata.
fn without_location(line: &str) -> Cow<'_, str> {
    let Some((instruction, rest)) = line.split_once(", !dbg !") else { return line.into() };
    let others = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    (instruction.to_owned() + others).into()
}

/// The names of a function in the source; empty if its symbol is not mangled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demangled {
    /// With parameters and what it returns.
    pub(crate) whole: String,
    /// Without them.
    pub(crate) short: String,
    /// Without arguments of templates, too.
    pub(crate) plain: String,
    /// The last part of that.
    pub(crate) base: String,
}

/// The names of the function with this symbol.
pub(crate) fn demangled(symbol: &str) -> Demangled {
    extern "C" fn set(found: *mut c_void, texts: *const [ffi::Text; 4]) {
        // SAFETY: `found` is the value below; the texts have these lengths and live until this
        // function returns. An empty text may be at no address.
        unsafe {
            let [whole, short, plain, base] = &*texts;
            let text = |text: &ffi::Text| {
                let bytes = match text.length {
                    0 => &[][..],
                    length => slice::from_raw_parts(text.bytes, length),
                };
                String::from_utf8_lossy(bytes).into_owned()
            };
            *found.cast::<Demangled>() = Demangled {
                whole: text(whole),
                short: text(short),
                plain: text(plain),
                base: text(base),
            };
        }
    }
    let mut found = Demangled::default();
    // SAFETY: a text of this length, and a value of the type that `set` sets.
    unsafe {
        ffi::pathpass_demangle(symbol.as_ptr().cast(), symbol.len(), (&raw mut found).cast(), set)
    };
    found
}
