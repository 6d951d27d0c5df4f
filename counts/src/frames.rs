//! Finds the function of the source that each location belongs to, also where its code was inlined.
//!
//! The compiler records the calls at which it inlined code. They form a stack for each location:
//! the function that was compiled, the function that was inlined into it, and so on. Inlined code
//! of system headers can be folded: then it is a part of the call in the user's code, and only the
//! name of the callee is kept.

use std::collections::HashMap;

use pathformat::manifest;

use crate::origin::is_system;

/// The frames of one function: itself, and each call that was inlined into it.
pub struct Frames<'a> {
    shape: &'a manifest::Function,
    /// For each location, the one at which it is shown, and the function of the system that was
    /// called there. Both are indexes of locations.
    visible: Vec<(u32, Option<u32>)>,
    /// The name of the function that was compiled.
    root: &'a str,
}

/// The maximum number of functions in a stack, without the one that was compiled.
const DEEPEST: usize = 4;

/// The place where a location is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visible<'a> {
    /// The location, or the call that stands for it.
    pub location: &'a manifest::Location,
    /// Its index.
    pub index: u32,
    /// The function of the system that was called there, if the location is a part of it.
    pub folded: Option<&'a str>,
}

impl<'a> Frames<'a> {
    /// Computes the frames of a function. Code of system headers, including those below
    /// `directories`, is folded unless `unfold` is true.
    pub fn new(shape: &'a manifest::Function, directories: &[String], unfold: bool) -> Self {
        let mut visible: Vec<(u32, Option<u32>)> = Vec::with_capacity(shape.locations.len());
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut is_folded = |file: &'a str| {
            *known.entry(file).or_insert_with(|| !unfold && is_system(file, directories))
        };
        for (index, location) in (0..).zip(&shape.locations) {
            // A call precedes the locations that were inlined there.
            let call = location.inlined_at.filter(|_| is_folded(&location.file));
            let place = match call {
                Some(call) => match visible[call as usize] {
                    (shown, Some(called)) => (shown, Some(called)),
                    (shown, None) => (shown, Some(index)),
                },
                None => (index, None),
            };
            visible.push(place);
        }
        let root = shape.own_location().map_or("", |own| &own.function);
        Self { shape, visible, root }
    }

    /// Returns the name of the function that was compiled, as in its locations; empty without
    /// locations.
    pub fn root(&self) -> &'a str {
        self.root
    }

    /// Returns the place where a location of the function is shown.
    pub fn visible(&self, index: u32) -> Visible<'a> {
        let at = |index: u32| &self.shape.locations[index as usize];
        let (index, called) = self.visible[index as usize];
        let folded = called.map(|called| at(called).function.as_str());
        Visible { location: at(index), index, folded }
    }

    /// Returns the location in the function that was compiled: `location` itself, or the outermost
    /// call through which it was inlined.
    pub fn outermost(&self, location: &'a manifest::Location) -> &'a manifest::Location {
        let mut outer = location;
        while let Some(call) = outer.inlined_at {
            outer = &self.shape.locations[call as usize];
        }
        outer
    }

    /// Returns the places where the locations of a block are shown, in order.
    pub fn visible_in(&self, block: u32) -> impl DoubleEndedIterator<Item = Visible<'a>> {
        let locations = &self.shape.blocks[block as usize].locations;
        locations
            .iter()
            .map(|&index| self.visible(index))
            .filter(|visible| visible.location.line != 0)
    }

    /// Returns the names of the functions around a location, the compiled one first. Folded
    /// functions are left out, and so is the middle of a deep stack.
    pub fn stack(&self, location: &'a manifest::Location) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut inner = location;
        while let Some(call) = inner.inlined_at {
            if names.len() == DEEPEST {
                names.push("…");
                break;
            }
            names.push(inner.function.as_str());
            // A folded call is shown at another location.
            inner = self.visible(call).location;
        }
        names.push(self.root);
        names.reverse();
        names
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, Function, Location};

    use super::*;

    /// `main` calls `sort` of the system, which calls a lambda of the user, which calls `swap` of
    /// the system.
    fn shape() -> Function {
        let at = |file: &str, line, function: &str, inlined_at| Location {
            file: file.into(),
            line,
            column: 1,
            function: function.into(),
            inlined_at,
        };
        Function {
            locations: vec![
                at("a.cc", 10, "main", None),
                at("/usr/include/algo.h", 70, "sort", Some(0)),
                at("a.cc", 11, "less", Some(1)),
                at("/usr/include/move.h", 5, "swap", Some(2)),
            ],
            blocks: vec![Block { locations: vec![1, 2, 3], ..Block::default() }],
            ..Function::default()
        }
    }

    #[test]
    fn code_of_the_system_is_folded_into_the_call() {
        let shape = shape();
        let seen = |unfold| {
            let frames = Frames::new(&shape, &[], unfold);
            let seen = frames.visible_in(0);
            seen.map(|seen| (seen.location.line, seen.folded)).collect::<Vec<_>>()
        };
        assert_eq!(seen(false), [(10, Some("sort")), (11, None), (11, Some("swap"))]);
        assert_eq!(seen(true), [(70, None), (11, None), (5, None)]);
    }

    #[test]
    fn a_stack_has_the_users_functions() {
        let shape = shape();
        let stack = |unfold, location: usize| {
            Frames::new(&shape, &[], unfold).stack(&shape.locations[location])
        };
        assert_eq!(stack(false, 2), ["main", "less"]);
        assert_eq!(stack(true, 3), ["main", "sort", "less", "swap"]);
        assert_eq!(stack(true, 0), ["main"]);
    }
}
