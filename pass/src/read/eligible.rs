//! Which functions are counted, and why the others are not.

use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;
use pathformat::names;
use pathformat::settings::Stage;

use super::declaration::Declaration;
use crate::llvm::{self, FunctionFacts};
use crate::options::Options;

/// Named metadata that says that a module is instrumented already.
pub(crate) const MARK: &str = "pathcc";

/// True if the object file will hold code of the program's for `function`. At the start of the
/// pipeline a copy that is only there to be inlined counts as well, for where it is inlined it
/// runs. The functions of our headers do nothing.
pub(crate) fn is_emitted(function: FunctionValue<'_>, stage: Stage) -> bool {
    let copy = function.get_linkage() == Linkage::AvailableExternally;
    let name = llvm::name(&function);
    let is_of_header = names::LABEL_FUNCTIONS.contains(&name.as_ref())
        || names::REGION_FUNCTIONS.contains(&name.as_ref());
    !is_of_header && function.count_basic_blocks() > 0 && (!copy || stage == Stage::Early)
}

/// True if a module is for x86-64 Linux with 64-bit pointers. Others are left as they are, without
/// a manifest: not every format of objects has a section for it, nor every target an assembler.
pub(crate) fn has_counted_target(module: &Module<'_>) -> bool {
    let triple = module.get_triple();
    let triple = triple.as_str().to_string_lossy();
    triple.starts_with("x86_64-") && triple.contains("linux") && !triple.ends_with("x32")
}

/// True if an earlier run of the pass has instrumented `module`. A second run, over the bitcode
/// that a first one wrote, would count everything twice.
pub(crate) fn is_instrumented(module: &Module<'_>) -> bool {
    module.get_global_metadata_size(MARK) > 0
}

/// Decides if `function`, declared so, is counted; its source is `file`. If not, gives the reason.
/// `hotter` says, if there was an earlier run, how many of a thousand of its instructions were
/// those of hotter functions, unless this one did not run.
pub(crate) fn check(
    function: FunctionValue<'_>,
    declaration: &Declaration,
    file: &str,
    is_resolver: bool,
    options: &Options,
    hotter: Option<Option<u32>>,
) -> Result<(), String> {
    let facts = FunctionFacts::of(function);
    let annotation = annotation(function, &declaration.name);
    let reason = if let Some(reason) = &options.skip {
        reason.clone()
    } else if facts.is_naked() {
        "naked function".into()
    } else if facts.is_foreign_coroutine() {
        "coroutine of another language than C++".into()
    } else if facts.is_not_to_be_profiled() {
        "attribute no_profile_instrument_function".into()
    } else if facts.has_funclets() {
        "exception handling by funclets".into()
    } else if is_resolver {
        "ifunc resolver".into()
    } else if options.cuts_at_calls() && options.is_shadowed && facts.is_unsplit_coroutine() {
        // The place of a thread's words would be kept from one resumption to the next.
        "beside this sanitizer, a coroutine is traced only at the late stage".into()
    } else if options.cuts_at_calls() && !options.has_words {
        "its threads may have no thread-local variables of ours".into()
    } else if options.cuts_at_calls() && llvm::is_called_by_compiler(&declaration.name) {
        // Between the two parts of a record, where no call is seen.
        "code generation may call it anywhere".into()
    } else if annotation == Some(Annotation::Skip) {
        "annotated with pathcc:skip".into()
    } else if annotation.is_none() && !options.filter.admits(&declaration.names(), file) {
        "left out by the filter".into()
    } else if annotation.is_none() && hotter.is_some_and(|hotter| !options.counts(hotter)) {
        "not hot".into()
    } else {
        return Ok(());
    };
    Err(reason)
}

/// The wish that a function states by `__attribute__((annotate("pathcc:…")))`. It wins over the
/// filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Annotation {
    /// `pathcc:count`
    Count,
    /// `pathcc:skip`
    Skip,
}

/// The last annotation that is for us. One that is not known is reported, and leaves the function
/// to the filter.
fn annotation(function: FunctionValue<'_>, name: &str) -> Option<Annotation> {
    let words = llvm::annotations(function);
    let ours = words.filter_map(|text| text.strip_prefix("pathcc:").map(str::to_owned));
    let known = ours.filter_map(|word| match word.as_str() {
        "count" => Some(Annotation::Count),
        "skip" => Some(Annotation::Skip),
        _ => {
            eprintln!(
                "pathcc: warning: {name}: unknown annotation 'pathcc:{word}', expected pathcc:count or pathcc:skip"
            );
            None
        }
    });
    known.last()
}
