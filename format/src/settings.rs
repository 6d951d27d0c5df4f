//! The settings of a unit that several programs know: what is counted, when, and how threads count.
//!
//! Each is a closed set of words. The driver takes them from the user, the pass obeys them and
//! writes them into the manifest, and the report and the runtime read them there.

use core::fmt;

/// An enumeration whose values have names, as options and manifests write them.
macro_rules! named {
    ($(#[$of_enum:meta])* $kind:ident { $($(#[$of_value:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[$of_value])* $value,)+
        }

        impl $kind {
            /// All values, the default first.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// What options and manifests call it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// The value of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.pad(self.name())
            }
        }
    };
}

named! {
    /// What the code of a unit counts.
    Mode {
        /// Acyclic paths. Blocks, edges and calls follow from them.
        #[default]
        Paths = "paths",
        /// Basic blocks.
        Blocks = "blocks",
        /// Control-flow edges. Blocks follow from them.
        Edges = "edges",
        /// Entries of functions, and calls with their callees.
        Calls = "calls",
        /// Nothing: the paths and their accesses to memory are written down in their order.
        Trace = "trace",
        /// Nothing: each executed block is logged, as a truth for tests.
        Log = "log",
    }
}

named! {
    /// Where in clang's pipeline the pass runs.
    Stage {
        /// Behind the optimiser: what the machine executes is counted.
        #[default]
        Late = "late",
        /// Before the optimiser: what the source says is counted.
        Early = "early",
    }
}

named! {
    /// How far the pipeline optimises in which the pass runs. The compiler makes `-Ofast` of
    /// [`Level::Three`] and other arithmetic, and `-Og` of [`Level::One`].
    Level {
        /// Nobody has said: the pass ran by itself, in no pipeline.
        #[default]
        Unknown = "unknown",
        /// Not at all.
        Zero = "O0",
        /// What is quick to do.
        One = "O1",
        /// For speed.
        Two = "O2",
        /// For speed, at the cost of size.
        Three = "O3",
        /// For size and speed.
        Small = "Os",
        /// For size alone.
        Smallest = "Oz",
    }
}

named! {
    /// How the threads of a unit count. The position in the enumeration is its
    /// [code](Threads::code).
    Threads {
        /// Each registered thread in a slot of its own.
        #[default]
        Exact = "exact",
        /// All in slot 0, as if there was but one.
        Single = "single",
        /// All in slot 0, by atomic additions.
        Atomic = "atomic",
    }
}

impl Threads {
    /// From the number that stands for it in manifests and raw files; unknown numbers are
    /// [`Threads::Exact`].
    pub fn from_code(code: u32) -> Self {
        match code & 3 {
            1 => Self::Single,
            2 => Self::Atomic,
            _ => Self::Exact,
        }
    }

    /// The number that stands for it.
    pub fn code(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_value() {
        for &mode in Mode::ALL {
            assert_eq!(Mode::from_name(mode.name()), Some(mode));
        }
        for &stage in Stage::ALL {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
        for &level in Level::ALL {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        for &threads in Threads::ALL {
            assert_eq!(Threads::from_name(threads.name()), Some(threads));
            assert_eq!(Threads::from_code(threads.code()), threads);
        }
        assert_eq!(Mode::from_name("path"), None);
    }

    #[test]
    fn defaults_stand_first() {
        assert_eq!(Mode::ALL[0], Mode::default());
        assert_eq!(Stage::ALL[0], Stage::default());
        assert_eq!(Level::ALL[0], Level::default());
        assert_eq!(Threads::ALL[0], Threads::default());
    }
}
