//! The source locations of paths and accesses.

use pathformat::manifest::Location;

use crate::order::item::CodePlace;
use crate::steps::program::Program;

impl Program {
    /// Returns the source location at the end of a path: that of the last call in its last block,
    /// or else the last location of that block. Where code of system headers was inlined, it is the
    /// place in the user's code, if there is one.
    pub fn end_of_path(&self, place: CodePlace) -> Option<&Location> {
        let CodePlace { function, at } = place;
        let shape = &self.functions.get(function.index())?.function.shape;
        let block = shape.blocks.get(at as usize)?;
        let call = block.calls.last().and_then(|call| call.location);
        let location = call.or_else(|| block.locations.last().copied())?;
        self.users(function, location).or_else(|| shape.locations.get(location as usize))
    }

    /// Returns the source location of an access.
    pub fn location_of(&self, place: CodePlace) -> Option<&Location> {
        let shape = &self.functions.get(place.function.index())?.function.shape;
        shape.locations.get(place.at as usize)
    }
}
