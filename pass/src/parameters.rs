//! The options of the plugin, as LLVM's parser of command lines takes them (`-pathcc-NAME=VALUE`):
//! one table, from which they are registered.
//!
//! The driver gives those that differ from the defaults here, and has checked their values. An
//! option may be given several times. The last value counts, except where all of them do.

use std::ffi::CStr;
use std::str::FromStr;

use pathformat::settings::{Level, Mode, Stage, Threads};

use crate::options::{Addressing, Filter, Options, Part, Placement, Promotion, Techniques, Traced};

/// An option of the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Mode,
    Stage,
    Threads,
    Limit,
    Callees,
    Table,
    Hot,
    Filter,
    Skip,
    Base,
    Placement,
    Trace,
    TraceFrom,
    Without,
    Use,
    Profile,
    Promotion,
    BehindProfile,
    System,
    Ir,
    DropNames,
    Shadowed,
    Verify,
}

/// An option, as LLVM registers it.
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Its name, behind the hyphen.
    pub(crate) word: &'static CStr,
    /// Its purpose.
    pub(crate) meaning: &'static CStr,
    /// True if only our own measurements and tests use it.
    pub(crate) is_hidden: bool,
}

const fn parameter(name: Name, word: &'static CStr, meaning: &'static CStr) -> Parameter {
    Parameter { name, word, meaning, is_hidden: false }
}

const fn hidden(name: Name, word: &'static CStr, meaning: &'static CStr) -> Parameter {
    Parameter { name, word, meaning, is_hidden: true }
}

/// All of them.
pub(crate) static PARAMETERS: [Parameter; 23] = [
    parameter(
        Name::Mode,
        c"pathcc-mode",
        c"what is counted: paths, blocks, edges or calls; trace for a trace, log for a block log",
    ),
    parameter(Name::Stage, c"pathcc-stage", c"where in the pipeline: auto, late, early or machine"),
    parameter(Name::Threads, c"pathcc-threads", c"how threads count: exact, single or atomic"),
    parameter(Name::Limit, c"pathcc-limit", c"most paths of a function before edges are cut"),
    parameter(
        Name::Callees,
        c"pathcc-callees",
        c"callees of a call through a pointer that are counted apart",
    ),
    parameter(
        Name::Table,
        c"pathcc-table",
        c"paths of a function that are counted whole beyond the limit",
    ),
    parameter(
        Name::Hot,
        c"pathcc-hot",
        c"count the hottest functions, up to this percentage of all instructions",
    ),
    parameter(Name::Filter, c"pathcc-filter", c"functions and files to count, as globs"),
    parameter(Name::Skip, c"pathcc-skip", c"count nothing, and record this reason"),
    hidden(
        Name::Base,
        c"pathcc-base",
        c"how code finds its thread's counters: word, delta or site",
    ),
    parameter(
        Name::Placement,
        c"pathcc-placement",
        c"blocks with counters: spanning-tree, patterns or every-block",
    ),
    parameter(
        Name::Trace,
        c"pathcc-trace",
        c"what a trace holds: memory, all-memory or control-flow",
    ),
    parameter(
        Name::TraceFrom,
        c"pathcc-trace-from",
        c"FUNCTION:N or FUNCTION:N+M, the entry of a function from which on a trace is recorded",
    ),
    hidden(Name::Without, c"pathcc-without", c"techniques that are left out, to measure them"),
    parameter(Name::Use, c"pathcc-use", c"HASH:FILE, how often edges are taken"),
    parameter(Name::Profile, c"pathcc-profile", c"where profiles go, as a pattern"),
    parameter(
        Name::Promotion,
        c"pathcc-promotion",
        c"early: whether counters may be in registers in loops, yes or no",
    ),
    parameter(
        Name::BehindProfile,
        c"pathcc-behind-profile",
        c"early: whether clang's own profiler stands in the pipeline, ahead of us, yes or no",
    ),
    parameter(
        Name::System,
        c"pathcc-system",
        c"a directory of system headers; may be given several times",
    ),
    parameter(Name::Ir, c"pathcc-ir", c"whether manifests have the text of blocks, yes or no"),
    parameter(
        Name::DropNames,
        c"pathcc-drop-names",
        c"whether clang keeps names of blocks only for us, and they are dropped, yes or no",
    ),
    parameter(
        Name::Shadowed,
        c"pathcc-shadowed",
        c"whether accesses are checked through shadow memory that knows no segments, yes or no",
    ),
    hidden(Name::Verify, c"pathcc-verify", c"verify every instrumented function, yes or no"),
];

/// A point of LLVM's pipeline at which the pass can run. `cpp/plugin.cpp` has the same list.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipelinePoint {
    /// Behind the optimiser.
    Late,
    /// Before it.
    Early,
    /// Before it, but behind clang's own profiler if there is one.
    BehindProfiler,
}

/// The values that options were given.
pub(crate) struct GivenValues<'a> {
    /// Those of the option at this place of [`PARAMETERS`], in their order.
    pub(crate) values: &'a dyn Fn(usize) -> Vec<String>,
}

impl GivenValues<'_> {
    /// Where in the pipeline the pass shall stand.
    pub(crate) fn pipeline_point(&self) -> PipelinePoint {
        match (self.stage(Level::Unknown), self.is_on(Name::BehindProfile, false)) {
            (Stage::Late | Stage::Machine, _) => PipelinePoint::Late,
            (Stage::Early, false) => PipelinePoint::Early,
            (Stage::Early, true) => PipelinePoint::BehindProfiler,
        }
    }

    /// The options, in a pipeline of this level. `last` as in [`Options::last`].
    pub(crate) fn options(&self, level: Level, last: bool) -> Options {
        let text = |name| self.text(name);
        let options = Options {
            mode: Mode::from_name(&text(Name::Mode)).unwrap_or_default(),
            stage: self.stage(level),
            threads: Threads::from_name(&text(Name::Threads)).unwrap_or_default(),
            filter: Filter::new(&text(Name::Filter)),
            profile: text(Name::Profile),
            skip: Some(text(Name::Skip)).filter(|reason| !reason.is_empty()),
            addressing: Addressing::named(&text(Name::Base)),
            placement: Placement::named(&text(Name::Placement)),
            traced: Traced::named(&text(Name::Trace)),
            part: Part::parse(&text(Name::TraceFrom)),
            weights: text(Name::Use).split_once(':').map(|(_, path)| path.into()),
            techniques: Techniques::without(&text(Name::Without)),
            moves_pointer: false,
            uses_segment: false,
            changes_label: false,
            has_words: true,
            is_position_independent: false,
            limit: self.number(Name::Limit).unwrap_or(4096),
            hot: self.number(Name::Hot).filter(|&percent| percent > 0),
            callees: self.number(Name::Callees).unwrap_or(0),
            table: self.number(Name::Table).filter(|&slots| slots > 0),
            promotion: Promotion::named(&self.text(Name::Promotion)),
            level,
            system_directories: self.all(Name::System),
            last,
            ir: self.is_on(Name::Ir, false),
            drops_names: self.is_on(Name::DropNames, false),
            is_shadowed: self.is_on(Name::Shadowed, false),
            verify: self.is_on(Name::Verify, cfg!(debug_assertions)),
        };
        match options.stage {
            Stage::Machine if !options.can_be_counted_in_machine_code() => {
                Options { stage: Stage::Late, ..options }
            }
            _ => options,
        }
    }

    /// The stage that was chosen. By default, code that a pipeline optimises is counted in machine
    /// code, unless LLVM's own code is asked for.
    fn stage(&self, level: Level) -> Stage {
        let default = match level {
            Level::Unknown | Level::Zero => Stage::Late,
            _ if self.is_on(Name::Ir, false) => Stage::Late,
            _ => Stage::Machine,
        };
        Stage::from_name(&self.text(Name::Stage)).unwrap_or(default)
    }

    fn all(&self, name: Name) -> Vec<String> {
        let place = PARAMETERS.iter().position(|known| known.name == name);
        (self.values)(place.expect("every option stands in the table"))
    }

    /// The value of an option, empty if it was not given.
    fn text(&self, name: Name) -> String {
        self.all(name).pop().unwrap_or_default()
    }

    fn number<T: FromStr>(&self, name: Name) -> Option<T> {
        self.text(name).parse().ok()
    }

    fn is_on(&self, name: Name, default: bool) -> bool {
        match self.text(name).as_str() {
            "yes" => true,
            "no" => false,
            _ => default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options that were given like this.
    fn given<T>(given: &[(&CStr, &str)], ask: impl Fn(&GivenValues<'_>) -> T) -> T {
        let values = |place: usize| {
            let of_option = given.iter().filter(|(word, _)| *word == PARAMETERS[place].word);
            of_option.map(|(_, value)| (*value).to_owned()).collect()
        };
        ask(&GivenValues { values: &values })
    }

    #[test]
    fn the_last_value_counts_or_all_of_them() {
        let options = given(
            &[
                (c"pathcc-limit", "7"),
                (c"pathcc-system", "b"),
                (c"pathcc-limit", "8"),
                (c"pathcc-system", "a"),
                (c"pathcc-promotion", "no"),
            ],
            |given| given.options(Level::Small, true),
        );
        assert_eq!((options.limit, options.level, options.last), (8, Level::Small, true));
        assert_eq!(options.system_directories, ["b", "a"]);
        assert_eq!((options.promotion, options.table), (Promotion::Never, None));
        let options = given(&[], |given| given.options(Level::Unknown, false));
        assert_eq!((options.limit, options.callees, options.hot), (4096, 0, None));
        assert_eq!(options.promotion, Promotion::Usual);
    }

    #[test]
    fn the_stage_is_a_place_in_the_pipeline() {
        let point = |of: &[(&CStr, &str)]| given(of, |given| given.pipeline_point());
        let early = (c"pathcc-stage", "early");
        let behind = (c"pathcc-behind-profile", "yes");
        assert_eq!(point(&[]), PipelinePoint::Late);
        assert_eq!(point(&[behind]), PipelinePoint::Late);
        assert_eq!(point(&[early]), PipelinePoint::Early);
        assert_eq!(point(&[early, behind]), PipelinePoint::BehindProfiler);
    }
}
