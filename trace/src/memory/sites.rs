//! The place of the call by which a path allocates memory.

use crate::ids::FunctionId;
use crate::order::item::CodePlace;
use crate::steps::program::Program;
use counts::model::PathId;
use pathformat::manifest::Location;

/// Returns the place of the call at the end of the path with this function and id, in the user's
/// code if possible. A path ends before each call that allocates. A call in tail position also
/// leaves the function.
pub(super) fn site(program: &Program, (function, id): (FunctionId, PathId)) -> Option<&Location> {
    let path = program.path_of(function, id)?;
    let at = *path.path.blocks.last()?;
    let shape = &program.functions.get(function.index())?.function.shape;
    shape.blocks.get(at as usize)?.calls.last()?.location?;
    program.end_of_path(CodePlace { function, at })
}
