//! The place of the call by which a path allocates memory.

use crate::ids::FunctionId;
use crate::steps::program::Program;
use counts::model::PathId;

/// Returns the file and the line of the call at the end of the path with this function and id. A
/// path ends before each call that allocates. A call in tail position also leaves the function.
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
