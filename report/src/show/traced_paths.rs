//! Paths of a trace in words: as everywhere, except that a path that ends before a call names the
//! callee.

use std::collections::BTreeSet;

use counts::model::PathId;
use counts::path_text::{self, PathText, Wording};
use pathformat::manifest;
use profile::names;
use trace::ids::FunctionId;
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

/// The known paths of a function, by id, with their texts.
pub(crate) struct PathsOfFunction<'a> {
    /// The function.
    pub(crate) function: FunctionId,
    /// The ids of the paths.
    pub(crate) ids: Vec<PathId>,
    /// The text of each of them. No two are equal.
    pub(crate) texts: Vec<PathText<'a>>,
}

/// Returns paths of a program in words, as far as they are known.
pub(crate) fn by_function<'a>(
    program: &'a Program,
    paths: &BTreeSet<(FunctionId, PathId)>,
) -> Vec<PathsOfFunction<'a>> {
    let mut all = Vec::new();
    let paths: Vec<_> = paths.iter().collect();
    for same in paths.chunk_by(|one, other| one.0 == other.0) {
        let function = same[0].0;
        let known: Vec<_> = same.iter().filter_map(|of| program.path_of(function, of.1)).collect();
        let ids = known.iter().map(|path| path.path.id).collect();
        let texts = texts(program, &known.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        all.push(PathsOfFunction { function, ids, texts });
    }
    all
}

/// Returns the name of a function that is called.
fn callee(symbol: &str) -> String {
    let shape = manifest::Function { name: symbol.into(), ..manifest::Function::default() };
    names::short(&shape).unwrap_or_else(|| symbol.into())
}
