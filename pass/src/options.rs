//! The settings of the plugin, and the functions that its filter lets through.

use std::path::PathBuf;

use inkwell::module::Module;
use pathformat::glob;
use pathformat::manifest::WeightSource;
use pathformat::settings::{Level, Mode, Stage, Threads};

/// The options of one compilation.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// What is counted.
    pub(crate) mode: Mode,
    /// Which blocks are counted in mode [`Mode::Blocks`].
    pub(crate) placement: Placement,
    /// What a trace holds, in mode [`Mode::Trace`]. In a block log it says that the graph is the
    /// one that is traced, for tests that compare both.
    pub(crate) traced: Option<Traced>,
    /// The part of a run that is traced, unless the program says so or it is all of it.
    pub(crate) part: Option<Part>,
    /// When the pass runs.
    pub(crate) stage: Stage,
    /// The way in which threads count.
    pub(crate) threads: Threads,
    /// Which functions are counted.
    pub(crate) filter: Filter,
    /// Where profiles go, as a pattern; empty if the build does not say.
    pub(crate) profile: String,
    /// Why the whole unit is skipped.
    pub(crate) skip: Option<String>,
    /// The way in which code finds the array of its thread.
    pub(crate) addressing: Addressing,
    /// True if code of the module may give threads other thread pointers.
    pub(crate) moves_pointer: bool,
    /// True if code of the module uses segment `%gs` for itself.
    pub(crate) uses_segment: bool,
    /// True if code of the module changes the label under which the process counts.
    pub(crate) changes_label: bool,
    /// True if threads have words of ours wherever the code of the module runs.
    pub(crate) has_words: bool,
    /// True if the code of the module is position-independent.
    pub(crate) is_position_independent: bool,
    /// The most paths a function may have before edges are cut.
    pub(crate) limit: u64,
    /// The number of callees that are counted apart, for each call through a pointer: a power of
    /// two, or 0.
    pub(crate) callees: u32,
    /// The most paths of a function that are counted whole beyond the limit, a power of two.
    pub(crate) table: Option<u32>,
    /// Which counters may be in registers in loops.
    pub(crate) promotion: Promotion,
    /// The level of the pipeline that the pass runs in.
    pub(crate) level: Level,
    /// Directories of system headers that the compiler does not search of itself.
    pub(crate) system_directories: Vec<String>,
    /// True if nothing follows but code generation that optimises: it makes a load, an addition and
    /// a store one instruction.
    pub(crate) last: bool,
    /// The file with the counts of edges.
    pub(crate) weights: Option<PathBuf>,
    /// The percentage of all instructions that counted functions make up: those that executed most
    /// are counted, up to it.
    pub(crate) hot: Option<u32>,
    /// The techniques that make counting cheaper.
    pub(crate) techniques: Techniques,
    /// True if the manifest has the text of each block in LLVM's intermediate language.
    pub(crate) ir: bool,
    /// True if blocks have names only for us, and lose them when they are read.
    pub(crate) drops_names: bool,
    /// True if a sanitizer checks every access through shadow memory and knows no segments.
    pub(crate) is_shadowed: bool,
    /// True if every instrumented function is verified.
    pub(crate) verify: bool,
}

/// The techniques that make counting cheaper; a measurement can leave each of them out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Techniques {
    /// In the plan.
    paths: paths::techniques::Techniques,
    /// Calls in tail position leave the function.
    pub(crate) tail_calls: bool,
    /// Counters are stepped by code that is folded into one instruction, not by inline assembly.
    pub(crate) folding: bool,
    /// Code behind calls may read the address of the counters again.
    pub(crate) reading_again: bool,
    /// In a trace addresses that follow from others are not recorded.
    pub(crate) offsets: bool,
    /// In a trace addresses of variables are not recorded.
    pub(crate) variables: bool,
    /// In a trace addresses that move with the iterations of a loop are not recorded.
    pub(crate) loops: bool,
    /// In a trace, iterations that are one path are recorded as a number.
    pub(crate) repeats: bool,
}

impl Techniques {
    /// Everything but what these words, separated by commas, name.
    pub(crate) fn without(words: &str) -> Self {
        let uses = |name: &str| !words.split(',').any(|word| word == name);
        Self {
            paths: paths::techniques::Techniques {
                loop_entries: uses("loop-entries"),
                order: uses("order"),
                weights: uses("weights"),
                constants: uses("constants"),
                above: uses("above"),
                joins: uses("joins"),
                speculation: uses("speculation"),
            },
            tail_calls: uses("tail-calls"),
            folding: uses("folding"),
            reading_again: uses("reading-again"),
            offsets: uses("offsets"),
            variables: uses("variables"),
            loops: uses("loops"),
            repeats: uses("repeats"),
        }
    }

    /// Those of a function's plan, which has these weights.
    pub(crate) fn in_plan(&self, weights: WeightSource) -> paths::techniques::Techniques {
        let order = self.paths.order && weights == WeightSource::Measured;
        paths::techniques::Techniques { order, ..self.paths }
    }
}

/// Which blocks are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// As few as possible.
    SpanningTree,
    /// Those that no pattern of the graph saves.
    Patterns,
    /// All.
    EveryBlock,
}

impl Placement {
    /// The value that an option names.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "every-block" => Self::EveryBlock,
            "patterns" => Self::Patterns,
            _ => Self::SpanningTree,
        }
    }
}

/// Which counters may be in registers while a loop runs. A process that is killed there loses what
/// they counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promotion {
    /// Those of blocks, and all that are written before optimisation or in machine code.
    Usual,
    /// Those of paths in LLVM's optimised code, too.
    Paths,
    /// None.
    Never,
}

impl Promotion {
    /// The fewest iterations of a loop whose counters are kept in registers.
    pub(crate) const TURNS: u64 = 4;

    /// The value that an option names.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "yes" => Self::Paths,
            "no" => Self::Never,
            _ => Self::Usual,
        }
    }
}

/// The content of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traced {
    /// Paths, and the accesses to memory that other code can reach, too.
    Memory,
    /// Paths, and all accesses to memory.
    AllMemory,
    /// Paths.
    ControlFlow,
}

impl Traced {
    /// The value that an option names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "memory" => Some(Self::Memory),
            "all-memory" => Some(Self::AllMemory),
            "control-flow" => Some(Self::ControlFlow),
            _ => None,
        }
    }
}

/// The part of a run that is traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// A glob on the names of functions.
    pub(crate) function: String,
    /// The entry of such a function with which the part begins, from 1.
    pub(crate) first: u64,
    /// The entry that ends it.
    pub(crate) end: Option<u64>,
}

impl Part {
    /// The part that the text of an option names.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let part = pathformat::part::Part::read(text)?;
        Some(Self { function: part.function.to_owned(), first: part.first, end: part.end() })
    }
}

/// A way in which code finds the array of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressing {
    /// By the base of segment `%gs`, which the processor adds to the address of a counter. Only
    /// machine code can be given that, and only an executable has the segment to itself.
    Segment,
    /// By a thread-local word with the array's address, read where a function is entered.
    Word,
    /// By the array's address and the thread-local word `delta`, added where a function is entered.
    /// Images may have any number of modules, while the words that libraries are lent are few.
    Delta,
    /// The same, where a counter is stepped. The array itself, if there is no word.
    Site,
}

impl Addressing {
    /// The value that an option names.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "delta" => Self::Delta,
            "site" => Self::Site,
            "word" => Self::Word,
            _ => Self::Segment,
        }
    }
}

/// Facts about the code of a module that decide how it counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeFacts {
    /// It may give threads other thread pointers.
    pub(crate) moves_pointer: bool,
    /// It uses segment `%gs` for itself.
    pub(crate) uses_segment: bool,
    /// It changes the label under which the process counts.
    pub(crate) changes_label: bool,
    /// Its data may be out of its reach.
    pub(crate) is_large: bool,
}

impl Options {
    /// True if paths end where those of a trace do.
    pub(crate) fn cuts_at_calls(&self) -> bool {
        self.mode == Mode::Trace || self.mode == Mode::Log && self.traced.is_some()
    }

    /// True if what is asked for can be counted in machine code.
    pub(crate) fn can_be_counted_in_machine_code(&self) -> bool {
        let has_paths = matches!(self.mode, Mode::Paths | Mode::Log) && self.traced.is_none();
        has_paths && self.table.is_none() && self.callees == 0
    }

    /// True if code has the address of a counter without reading one: threads share the array, or
    /// have a segment.
    pub(crate) fn counts_in_place(&self) -> bool {
        self.threads != Threads::Exact || self.addressing == Addressing::Segment
    }

    /// True if counters may be in registers in loops.
    pub(crate) fn promotes(&self) -> bool {
        // What LLVM does not optimise stays in memory.
        if self.stage != Stage::Late && self.level == Level::Zero {
            return false;
        }
        match self.promotion {
            Promotion::Never => false,
            Promotion::Usual => self.stage != Stage::Late || self.mode == Mode::Blocks,
            Promotion::Paths => {
                self.stage == Stage::Early || matches!(self.mode, Mode::Blocks | Mode::Paths)
            }
        }
    }

    /// True if a function is hot enough; `hotter` as in
    /// [`FunctionWeights`](pathformat::weights::FunctionWeights), or `None` if it did not run.
    pub(crate) fn counts(&self, hotter: Option<u32>) -> bool {
        self.hot
            .is_none_or(|percent| hotter.is_some_and(|hotter| hotter < percent.saturating_mul(10)))
    }

    /// What holds for this module, of whose code these are the facts. Only code for executables has
    /// words of its own, and segment `%gs`.
    ///
    /// Code that needs no thread-local variable counts atomically. musl loads no library at run
    /// time that has such variables at a fixed place. Where a thread is given another thread
    /// pointer, the variables are not where that points to.
    pub(crate) fn for_module(&self, module: &Module<'_>, code: CodeFacts) -> Self {
        let CodeFacts { moves_pointer, uses_segment, changes_label, is_large } = code;
        let triple = module.get_triple();
        let musl = triple.as_str().to_bytes().windows(4).any(|part| part == b"musl");
        let is_position_independent = module.get_flag("PIC Level").is_some();
        let may_be_loaded = is_position_independent && module.get_flag("PIE Level").is_none();
        let without = musl && may_be_loaded || moves_pointer;
        let threads =
            if self.threads == Threads::Exact && without { Threads::Atomic } else { self.threads };
        let in_machine_code = self.stage == Stage::Machine && self.mode == Mode::Paths;
        let has_segment = in_machine_code && !uses_segment && !is_large;
        let addressing = match self.addressing {
            _ if threads != Threads::Exact => Addressing::Site,
            Addressing::Segment | Addressing::Word if may_be_loaded => Addressing::Delta,
            Addressing::Segment if !has_segment => Addressing::Word,
            addressing => addressing,
        };
        Self {
            threads,
            addressing,
            moves_pointer,
            uses_segment,
            changes_label,
            has_words: !without,
            is_position_independent,
            ..self.clone()
        }
    }
}

/// A list of globs on function names and source files; `!glob` takes out what it matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

impl Filter {
    /// Reads a comma-separated list. An empty list lets everything through.
    pub(crate) fn new(text: &str) -> Self {
        let globs = text.split(',').map(str::trim).filter(|glob| !glob.is_empty());
        let (unwanted, wanted): (Vec<_>, Vec<_>) = globs.partition(|glob| glob.starts_with('!'));
        Self {
            wanted: wanted.into_iter().map(str::to_owned).collect(),
            unwanted: unwanted.into_iter().map(|glob| glob[1..].to_owned()).collect(),
        }
    }

    /// True if a function of these names in this file is counted. Empty names are none.
    pub(crate) fn admits(&self, names: &[&str], file: &str) -> bool {
        let names = || names.iter().filter(|name| !name.is_empty());
        let hits = |glob: &String| {
            glob::matches_file(glob, file) || names().any(|name| glob::matches_name(glob, name))
        };
        (self.wanted.is_empty() || self.wanted.iter().any(hits)) && !self.unwanted.iter().any(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_leave_techniques_out() {
        use paths::techniques::Techniques as InPlan;
        let all = InPlan { loop_entries: true, ..InPlan::ALL };
        assert_eq!(Techniques::without("").paths, all);
        let leaves_out = |word: &str| {
            let InPlan { loop_entries, order, weights, constants, above, joins, speculation } =
                Techniques::without(word).paths;
            [loop_entries, order, weights, constants, above, joins, speculation]
        };
        let words =
            ["loop-entries", "order", "weights", "constants", "above", "joins", "speculation"];
        for (at, word) in words.into_iter().enumerate() {
            let mut expected = [true; 7];
            expected[at] = false;
            assert_eq!(leaves_out(word), expected, "{word}");
        }
        assert_eq!(leaves_out(&words.join(",")), [false; 7]);
        let some = Techniques::without("speculation,tail-calls");
        assert!(!some.tail_calls && some.folding && some.reading_again);
        assert!(some.offsets && !Techniques::without("offsets").offsets);
    }

    #[test]
    fn filters_by_function_and_file() {
        let admits = |filter, name| Filter::new(filter).admits(&[name, ""], "src/a.c");
        for filter in ["", "ma*", "a.c", "src/", "/src/*.c, other", "**, !other"] {
            assert!(admits(filter, "main"), "{filter}");
        }
        for filter in ["other", "!a.c", "src/*, !main", "/a.c", "lib/", "!src/"] {
            assert!(!admits(filter, "main"), "{filter}");
        }
        let names = ["_ZN1a1fIiEEvv", "void a::f<int>()", "a::f<int>", "a::f", "f"];
        for filter in ["_ZN1a*", "a::*", "a::f", "f", "*<int>"] {
            assert!(Filter::new(filter).admits(&names, "a.cc"), "{filter}");
        }
        assert!(!Filter::new("b::*").admits(&names, "a.cc"));
    }
}
