//! Paths of a trace in words: as everywhere, except that a path that ends before a call names the
//! callee.

use counts::path_text::{self, PathText, Wording};
use pathformat::manifest;
use profile::names;
use trace::steps::program::Program;
use trace::steps::traced_path::TracedPath;

/// Returns the texts of paths of one function, which must be of the program. No two of them are
/// equal.
pub(crate) fn texts<'a>(program: &'a Program, paths: &[&TracedPath]) -> Vec<PathText<'a>> {
    let Some(first) = paths.first() else { return Vec::new() };
    let function = &program.functions[first.function.index()].function;
    let wording = Wording::of(&program.modules[function.module]);
    let of_model: Vec<_> = paths.iter().map(|path| &path.path).collect();
    let mut texts = path_text::texts(function, wording, &of_model);
    for (text, path) in texts.iter_mut().zip(paths) {
        if let Some(call) = path.call(&function.shape) {
            text.end = format!("call {}", callee(&call.callee));
        }
    }
    texts
}

/// Returns the name of a function that is called.
fn callee(symbol: &str) -> String {
    let shape = manifest::Function { name: symbol.into(), ..manifest::Function::default() };
    names::short(&shape).unwrap_or_else(|| symbol.into())
}
