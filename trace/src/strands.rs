//! The order that the program says, whichever thread executes what.
//!
//! A *strand* is what the program says is executed in order: a thread, a part of a parallel region,
//! an explicit task, an iteration of a shared loop, a section, a `single` block. A thread executes
//! many strands, and two of them are ordered only by the rules of OpenMP (5.2): by the creation of
//! tasks, `taskwait` and `taskgroup`, dependences, barriers and the ends of regions, and by
//! iterations of ordered loops. So the order is the same if one thread executes all.
//!
//! * What is shared begins behind the last barrier of its team, not behind what its thread did
//!   since: another thread could have executed it.
//! * Loops with static schedules and as many iterations give each thread the same ones.
//! * Locks of OpenMP only exclude each other (`critical`).
//! * Threads, locks of `pthread` and everything else order as they did in this run.
//!
//! [`program_order`] follows the events of all threads. `threads` has the strands that a thread
//! executes, `tasks` the explicit tasks. What happens before something is a set of actions
//! ([`clock`]). [`own_memory`] is the memory that a strand need not share. [`two_orders`] tells
//! what only the turns of locks order, [`ways`] the heaviest way along what is ordered.

pub(crate) mod clock;
mod critical;
pub(crate) mod own_memory;
pub(crate) mod program_order;
mod tasks;
mod threads;
pub(crate) mod two_orders;
pub(crate) mod ways;
