//! The settings of a unit that several programs share: what is counted, at which stage, and how
//! threads count.
//!
//! Each is a closed set of words. The driver takes them from the user, the pass applies them and
//! writes them into the manifest, and the report and the runtime read them there.

use core::fmt;

/// Defines an enumeration whose values have names in options and manifests.
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

            /// Returns its name in options and manifests.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// Returns the value of this name.
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
    /// The mode of a unit: the things that its code counts.
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
        /// Nothing: the paths and their accesses to memory are recorded in their order.
        Trace = "trace",
        /// Nothing: each executed block is logged, as a reference for tests.
        Log = "log",
    }
}

named! {
    /// The stage of clang's pipeline at which the pass runs.
    Stage {
        /// After the optimiser: the code that the machine executes is counted.
        #[default]
        Late = "late",
        /// Before the optimiser: the code of the source is counted.
        Early = "early",
        /// Behind register allocation: counters are put into the finished machine code.
        Machine = "machine",
    }
}

named! {
    /// The level of optimisation of the pipeline. For the compiler, `-Ofast` is [`Level::Three`]
    /// with other arithmetic, and `-Og` is [`Level::One`].
    Level {
        /// Unknown: the pass ran by itself, in no pipeline.
        #[default]
        Unknown = "unknown",
        /// No optimisation.
        Zero = "O0",
        /// Only quick optimisations.
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
    /// The way the threads of a unit count. The position in the enumeration is its
    /// [code](Threads::code).
    Threads {
        /// Each registered thread in its own slot.
        #[default]
        Exact = "exact",
        /// All in slot 0, as if there were only one.
        Single = "single",
        /// All in slot 0, by atomic additions.
        Atomic = "atomic",
    }
}

impl Threads {
    /// Returns the value of a code in manifests and raw files; unknown codes are
    /// [`Threads::Exact`].
    pub fn from_code(code: u32) -> Self {
        match code & 3 {
            1 => Self::Single,
            2 => Self::Atomic,
            _ => Self::Exact,
        }
    }

    /// Returns its code.
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
