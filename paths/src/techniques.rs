//! The techniques that make counting cheaper.
//!
//! Counts are exact without any of it: measurements and tests leave techniques out, one by one and
//! in every combination.

/// Which techniques are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Paths end where a loop is entered. It is the only one that makes other paths.
    pub loop_entries: bool,
    /// The edges out of a block are numbered from the one that runs most often on: more increments
    /// are 0.
    pub order: bool,
    /// The spanning tree takes the edges on which steps of the register cost most.
    pub weights: bool,
    /// Initialisation moves down: where only one way leads, the register is a constant.
    pub constants: bool,
    /// Counting moves up.
    pub above: bool,
    /// Counting moves up over joins if that pays.
    pub joins: bool,
    /// Paths are counted ahead of the branches that may leave a short loop.
    pub speculation: bool,
}

impl Techniques {
    /// Everything that makes no other paths.
    pub const ALL: Self = Self {
        loop_entries: false,
        order: true,
        weights: true,
        constants: true,
        above: true,
        joins: true,
        speculation: true,
    };

    /// Everything but what needs weights that were measured.
    pub const FOR_ESTIMATES: Self = Self { order: false, ..Self::ALL };
}
