//! The numbers of what a trace has, each with a type of its own.

use std::fmt::{Display, Formatter, Result};

use serde::Serialize;

/// Declares a number that prints itself.
macro_rules! id {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
        )]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut Formatter<'_>) -> Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A stream, by the number that it has in the heads of its chunks.
    StreamId
}
id! {
    /// A thread, by its index among the [`threads`](crate::order::source::threads) of a trace. The
    /// stream of a signal handler belongs to the thread that it interrupts.
    ThreadId
}
id! {
    /// A traced function, by its index in
    /// [`Program::functions`](crate::steps::program::Program::functions).
    FunctionId
}
id! {
    /// A stack of calls, by its number in a [`CallTree`](crate::steps::call_tree::CallTree).
    StackId
}
id! {
    /// A task, by its number in the graph.
    TaskId
}

impl StackId {
    /// No stack.
    pub const NONE: Self = Self(u32::MAX);
}

impl FunctionId {
    /// No function.
    pub const NONE: Self = Self(u32::MAX);
}

/// The time of an action of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The thread.
    pub(crate) thread: ThreadId,
    /// The part of the thread: a part ends with each release.
    pub(crate) part: u64,
}
