//! The block-log oracle: which paths ran, found in the slow and obvious way.
//!
//! A program built with `-pathcc-mode=log`, which only the plugin knows, writes down every basic
//! block that it executes. [`replay`] walks that log along the control-flow graph and cuts it into
//! paths; it knows nothing of numbering, spanning trees or increments. [`counted`] decodes the
//! counters of the normal build. Both give [`Counts`], which [`compare`] must find equal. [`log`]
//! reads logs, [`image`] manifests, and [`ran`] counts blocks and edges.
//!
//! [`checkout`] and [`tree`] are what is tested, [`shell`] runs lines as users type them, and
//! [`document`] reads pages.
//!
//! The tests beside it:
//!
//! * `pipeline` real compilers and linkers on small programs: `cases` against golden paths,
//!   `survival` on programs that live and die in every way (`soak` does so again and again),
//!   `documents` on every command of the documents, `house` on the files of all crates
//! * `real` Debian's source packages, csmith, random programs and the corpus in `torture`; run by
//!   `make test-real`
//! * `projects` whole projects by their own build systems and tests
//! * `bench` what it costs
//! * `mutants` changes to the code that a test must notice
#![forbid(unsafe_code)]

pub mod checkout;
pub mod compare;
pub mod counted;
pub mod document;
pub mod image;
pub mod log;
pub mod ran;
pub mod replay;
pub mod shell;
pub mod tree;

use std::collections::BTreeMap;

use pathformat::ModuleId;
use pathformat::manifest::CutReason;

/// A function of an image: its module and its index in the module's manifest.
pub type FunctionId = (ModuleId, u32);

/// How often each path of each function ran. Paths that did not run are absent.
pub type Counts = BTreeMap<FunctionId, BTreeMap<Path, u64>>;

/// One path, told by what it is and not by its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// Where it starts.
    pub start: Start,
    /// The blocks that it goes through, in order.
    pub blocks: Vec<u32>,
    /// Where it ends.
    pub end: End,
}

/// How a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// At the function's entry.
    Entry,
    /// After an edge that is cut for this reason.
    Cut(&'static str),
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// By leaving the function.
    Leave,
    /// At an edge that is cut for this reason.
    Cut(&'static str),
    /// Not at all: control stayed in the last block.
    InFlight,
}

/// The name of a reason, which can be sorted and printed.
pub fn reason(why: CutReason) -> &'static str {
    match why {
        CutReason::BackEdge => "back edge",
        // A block log does not tell them apart.
        CutReason::Opaque | CutReason::Call => "opaque edge",
        CutReason::Limit => "limit",
        CutReason::LoopEntry => "loop entry",
        CutReason::Register => "register",
    }
}

/// Adds `times` executions of `path`.
pub fn add(counts: &mut Counts, function: FunctionId, path: Path, times: u64) {
    *counts.entry(function).or_default().entry(path).or_default() += times;
}
