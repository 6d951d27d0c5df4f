//! Marks modules whose machine code shall count: code generators see all modules.

use inkwell::module::Module;
use pathformat::settings::Level;

/// Named metadata that says that the code generator shall count, and at which level.
const MARK: &str = "pathcc.machine";

/// Marks a module of a pipeline of this level; true if it was not marked before.
pub(crate) fn mark(module: &Module<'_>, level: Level) -> bool {
    if module.get_global_metadata_size(MARK) > 0 {
        return false;
    }
    let context = module.get_context();
    let node = context.metadata_node(&[context.metadata_string(level.name()).into()]);
    module.add_global_metadata(MARK, &node).expect("a node can be added");
    true
}

/// The level of the pipeline that marked a module; `None` if none did.
pub(crate) fn level(module: &Module<'_>) -> Option<Level> {
    let node = module.get_global_metadata(MARK).into_iter().next()?;
    let words = node.get_node_values()?;
    let word = words.first()?.into_metadata_value();
    Level::from_name(std::str::from_utf8(word.get_string_value()?).ok()?)
}
