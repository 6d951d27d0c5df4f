//! Where a path calls for memory.

use crate::steps::function_id::FunctionId;
use crate::steps::program::Program;
use counts::model::PathId;

/// The file and the line of the call at the end of a path, which is of this function and has this
/// id. A path ends before each call that allocates; one in tail position leaves the function, too.
pub(super) fn site(
    program: &Program,
    (function, id): (FunctionId, PathId),
) -> Option<(String, u32)> {
    let path = program.path_of(function, id)?;
    let shape = &program.functions.get(function.index())?.function.shape;
    let block = shape.blocks.get(*path.path.blocks.last()? as usize)?;
    let at = block.calls.last()?.location?;
    shape.locations.get(at as usize).map(|at| (at.file.clone(), at.line))
}
