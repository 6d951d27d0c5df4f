//! The source locations of paths and accesses.

use counts::origin::is_system;
use pathformat::manifest::Location;

use crate::ids::FunctionId;
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

    /// Returns true if a path of a function that ends in this block ends at a call in the user's
    /// code, or in what was inlined there.
    pub(crate) fn calls_for_user(&self, function: FunctionId, block: u32) -> bool {
        let shape = self.functions.get(function.index()).map(|of| &of.function.shape);
        let call = shape.and_then(|shape| shape.blocks.get(block as usize)?.calls.last());
        let location = call.and_then(|call| call.location);
        location.is_some_and(|location| self.users(function, location).is_some())
    }

    /// Returns the innermost location of the user's code in which a location of a function was
    /// inlined, or that location itself if it is one.
    fn users(&self, function: FunctionId, location: u32) -> Option<&Location> {
        let of = &self.functions.get(function.index())?.function;
        let directories = self.modules.get(of.module).map_or(&[][..], |of| &of.system_directories);
        let mut next = Some(location);
        let mut outwards = std::iter::from_fn(|| {
            let location = of.shape.locations.get(next? as usize)?;
            next = location.inlined_at;
            Some(location)
        });
        outwards.find(|location| !is_system(&location.file, directories))
    }

    /// Returns the source location of an access.
    pub fn location_of(&self, place: CodePlace) -> Option<&Location> {
        let shape = &self.functions.get(place.function.index())?.function.shape;
        shape.locations.get(place.at as usize)
    }
}
