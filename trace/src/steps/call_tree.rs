//! The stacks of calls of a program, as a tree: a node for each function that is called from a node
//! at the end of a block.

use crate::fast_map::FastMap;
use crate::ids::{FunctionId, StackId};

/// A function on a stack of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The stack of its caller; none if it is the outermost known one.
    pub caller: StackId,
    /// The block of the caller that ends with the call.
    pub call: u32,
}

/// All stacks of calls.
#[derive(Debug, Default)]
pub struct CallTree {
    frames: Vec<Frame>,
    known: FastMap<(u64, u64), StackId>,
}

impl CallTree {
    /// Returns the stack of a function that the stack `caller` calls at the end of a block.
    pub(super) fn enter(&mut self, caller: StackId, call: u32, function: FunctionId) -> StackId {
        let key = (u64::from(caller) << 32 | u64::from(call), u64::from(function));
        let frames = &mut self.frames;
        *self.known.entry(key).or_insert_with(|| {
            let id = StackId(frames.len() as u32);
            frames.push(Frame { function, caller, call });
            id
        })
    }

    /// Returns the innermost function of a stack.
    pub(crate) fn function(&self, stack: StackId) -> FunctionId {
        self.frames.get(stack.index()).map_or(FunctionId::NONE, |frame| frame.function)
    }

    /// Returns the functions on a stack, the innermost one first.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = Frame> + '_ {
        let mut next = stack;
        std::iter::from_fn(move || {
            let frame = *self.frames.get(next.index())?;
            next = frame.caller;
            Some(frame)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one() {
        let mut tree = CallTree::default();
        let main = tree.enter(StackId::NONE, u32::MAX, FunctionId(7));
        let [one, other] = [1, 2].map(|call| tree.enter(main, call, FunctionId(8)));
        assert_eq!(tree.enter(main, 1, FunctionId(8)), one);
        assert_ne!(one, other);
        let leaf = tree.enter(other, 5, FunctionId(9));
        let names: Vec<_> = tree.frames(leaf).map(|of| (of.function.0, of.call)).collect();
        assert_eq!(names, [(9, 5), (8, 2), (7, u32::MAX)]);
        assert_eq!(tree.frames(StackId::NONE).count(), 0);
    }
}
