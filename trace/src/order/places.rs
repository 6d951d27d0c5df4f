//! Where in the source something happened.

use pathformat::manifest::Location;

use crate::order::item::CodePlace;
use crate::steps::program::Program;

impl Program {
    /// The source location at the end of a path: that of the last call of its last block, or of its
    /// last line.
    pub fn end_of_path(&self, place: CodePlace) -> Option<&Location> {
        let shape = &self.functions.get(place.function.index())?.function.shape;
        let block = shape.blocks.get(place.at as usize)?;
        let call = block.calls.last().and_then(|call| call.location);
        let at = call.or_else(|| block.locations.last().copied())?;
        shape.locations.get(at as usize)
    }

    /// The source location of an access.
    pub fn location_of(&self, place: CodePlace) -> Option<&Location> {
        let shape = &self.functions.get(place.function.index())?.function.shape;
        shape.locations.get(place.at as usize)
    }
}
