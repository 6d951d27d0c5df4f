//! The options of pathcc: one table, and everything that names an option is made from it.
//!
//! While pathcc runs it is the parser of flags and the messages about them, the keys of
//! `pathcc.toml`, `--print-config`, and pathcc's part of `--help`. The test `generated` compares
//! with it what stands in the tree: the tables in `README.md` and `docs/environment.md`, the manual
//! and the completions in `share`. `PATHCC_BLESS=1` makes the test write them.
//!
//! A new option is an entry here. Only what its value does to the plugin's command line may have to
//! be added to `given.rs`.
//!
//! clang 22 itself has no option that starts with `-fpath-`. As with clang's options the last one
//! wins.

use crate::settings::setting::{Brief, Default, Key, Need, Needed, PREFIX, Setting, Show, Source};
use crate::settings::setting::{brief, described, number, value};
use crate::settings::values::{Values, word};
use pathformat::settings::{Mode, Stage, Threads};
use pathformat::variables::{
    ASKING, CLANG, CONFIG, DISABLE, DRY_RUN, FLANG, HOME, JOBS, LABEL, LINKED_BY, LINKER_DEPTH,
    PROFILE, PROFILE_LIMIT, REAL_LINKER, REAL_LINKER_BY, STATE_HOME, TRACE as TRACED,
    TRACE_COMPRESS,
};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The flag that shows what is in force, and from where.
pub(crate) const PRINT_CONFIG: &str = "--print-config";

/// The flag that explains our own options.
pub(crate) const HELP: &str = "--help-path";

/// The flags that show what to give clang so that it counts without pathcc: when it compiles, …
pub(crate) const CFLAGS: &str = "--cflags";

/// … and when it links.
pub(crate) const LDFLAGS: &str = "--ldflags";

// The words that code compares with. The default of an option stands first among its words.
pub(crate) const PATHS: &str = Mode::Paths.name();
pub(crate) const BLOCKS: &str = Mode::Blocks.name();
pub(crate) const EDGES: &str = Mode::Edges.name();
pub(crate) const CALLS: &str = Mode::Calls.name();
pub(crate) const TRACE: &str = Mode::Trace.name();
pub(crate) const AUTO: &str = "auto";
pub(crate) const LATE: &str = Stage::Late.name();
pub(crate) const EARLY: &str = Stage::Early.name();
pub(crate) const MACHINE: &str = Stage::Machine.name();
pub(crate) const EXACT: &str = Threads::Exact.name();
pub(crate) const SINGLE: &str = Threads::Single.name();
pub(crate) const ATOMIC: &str = Threads::Atomic.name();
pub(crate) const CUT: &str = "cut";
pub(crate) const HASH: &str = "hash";

/// The number of options.
pub const COUNT: usize = 17;

/// The options, in the order of [`Key`].
pub static OPTIONS: [Setting; COUNT] = [
    Setting {
        key: Key::Mode,
        name: "mode",
        source: Source::Flag,
        values: Values::Words(&[
            word(PATHS, "acyclic paths"),
            word(BLOCKS, "basic blocks"),
            word(EDGES, "edges of the control-flow graph"),
            word(CALLS, "calls, with the callees of pointers by name"),
            word(TRACE, "nothing: paths and memory accesses are written down in their order"),
        ]),
        default: value(PATHS),
        need: None,
        brief: brief(1, "KIND", "count paths (default), edges, blocks or calls; or trace"),
        meaning: "what is counted; with `trace` a trace is written instead",
    },
    Setting {
        key: Key::Placement,
        name: "placement",
        source: Source::Flag,
        values: Values::Words(&[
            word("spanning-tree", "as few as possible"),
            word("patterns", "those that no pattern of the graph saves"),
            word("every-block", "all"),
        ]),
        default: value("spanning-tree"),
        need: Some(Need {
            except: None,
            needed: Needed::Modes(&[BLOCKS]),
            otherwise: "-fpath-placement={value} chooses the blocks that are counted and needs \
                        -fpath-mode=blocks",
        }),
        brief: brief(8, "WAY", "blocks: spanning-tree, patterns or every-block"),
        meaning: "which blocks have a counter: as few as possible, those that no pattern of the \
                  graph saves, or all",
    },
    Setting {
        key: Key::Trace,
        name: "trace",
        source: Source::Flag,
        values: Values::Words(&[
            word("memory", "paths and accesses to memory that others can reach"),
            word("all-memory", "paths and all accesses to memory"),
            word("control-flow", "paths alone"),
        ]),
        default: value("memory"),
        need: Some(Need {
            except: None,
            needed: Needed::Modes(&[TRACE]),
            otherwise: "-fpath-trace={value} chooses what a trace holds and needs -fpath-mode=trace",
        }),
        brief: brief(8, "WHAT", "trace: memory (default), all-memory or control-flow"),
        meaning: "what a trace holds: paths with the accesses to memory that other code can \
                  reach, too; paths with all accesses; or paths alone",
    },
    Setting {
        key: Key::TraceFrom,
        name: "trace-from",
        source: Source::Flag,
        values: Values::Part,
        default: described("the start of the program"),
        need: Some(Need {
            except: None,
            needed: Needed::Modes(&[TRACE]),
            otherwise: "-fpath-trace-from={value} says where a trace begins and needs \
                        -fpath-mode=trace",
        }),
        brief: brief(8, "F:N", "trace: begin when F is entered the N-th time"),
        meaning: "where a trace begins: at the n-th entry of a function whose name a glob matches \
                  (`FUNCTION:N`); `FUNCTION:N+M` ends it after `M` entries",
    },
    Setting {
        key: Key::Stage,
        name: "stage",
        source: Source::Flag,
        values: Values::Words(&[
            word(AUTO, "`machine` for paths of optimised code, else `late`"),
            word(LATE, "the code that runs"),
            word(EARLY, "the branches of the source, before optimisation"),
            word(MACHINE, "the code that runs, in machine code"),
        ]),
        default: value(AUTO),
        need: None,
        brief: brief(2, "STAGE", "auto (default), late, early (the source) or machine"),
        meaning: "what is counted: the code that runs, by counters behind the optimiser (`late`) \
                  or in finished machine code (`machine`); or the branches of the source, before \
                  optimisation (`early`). `auto` is `machine` for paths of optimised code, and \
                  `late` with `-O0` and where machine code cannot be counted",
    },
    Setting {
        key: Key::Threads,
        name: "threads",
        source: Source::Flag,
        values: Values::Words(&[
            word(EXACT, "each thread for itself"),
            word(SINGLE, "as if there was one thread"),
            word(ATOMIC, "by atomic additions"),
        ]),
        default: value(EXACT),
        need: None,
        brief: brief(3, "WAY", "exact (default), single or atomic"),
        meaning: "how threads count: each for itself, as if there was one, or by atomic additions",
    },
    Setting {
        key: Key::Promotion,
        name: "promotion",
        source: Source::Flag,
        values: Values::Words(&[
            word(
                AUTO,
                "with `early`, `machine` and `blocks`, counters may be in registers in loops",
            ),
            word("yes", "counters of paths may be in registers, too"),
            word("no", "no counter stays in a register"),
        ]),
        default: value(AUTO),
        need: None,
        brief: brief(9, "WAY", "counters in registers: auto (default), yes or no"),
        meaning: "whether counters may be in registers in loops: `auto` with `early`, `machine` or \
                  `blocks`, `yes` also with `late`; with `no` a killed process loses none",
    },
    Setting {
        key: Key::Limit,
        name: "limit",
        source: Source::Flag,
        // Path numbers must leave room in 64-bit arithmetic.
        values: number(1, 1 << 32, "number of paths"),
        default: value("4096"),
        need: None,
        brief: brief(5, "N", "most paths of one function before it is cut (4096)"),
        meaning: "most paths of one function before it is cut in more places",
    },
    Setting {
        key: Key::Overflow,
        name: "overflow",
        source: Source::Flag,
        values: Values::Words(&[
            word(CUT, "counted in pieces"),
            word(HASH, "counted whole, as many as a table has room for"),
        ]),
        default: value(CUT),
        need: Some(Need {
            except: Some(CUT),
            needed: Needed::Modes(&[PATHS]),
            otherwise: "-fpath-overflow=hash counts paths and cannot be had with \
                        -fpath-mode={mode}",
        }),
        brief: brief(6, HASH, "paths beyond the limit whole; -fpath-table=N: room"),
        meaning: "paths beyond the limit: in pieces, or whole, as many as a table has room for",
    },
    Setting {
        key: Key::Table,
        name: "table",
        source: Source::Flag,
        values: number(1, 1 << 16, "number of paths"),
        default: value("4096"),
        need: Some(Need {
            except: None,
            needed: Needed::Value(Key::Overflow, HASH),
            otherwise: "-fpath-table= is the size of a table that only -fpath-overflow=hash has",
        }),
        brief: Brief { value: "N", text: "room for paths beyond the limit", place: None },
        meaning: "how many paths of a function the table has room for, rounded up to a power of \
                  two",
    },
    Setting {
        key: Key::Callees,
        name: "callees",
        source: Source::Flag,
        values: number(0, 4096, "number of callees"),
        default: Default { text: "0", is_value: true, in_mode: Some((CALLS, "8")) },
        need: None,
        brief: brief(7, "N", "name up to N callees of each call through a pointer"),
        meaning: "how many callees of each call through a pointer have counts of their own, \
                  rounded up to a power of two",
    },
    Setting {
        key: Key::Use,
        name: "use",
        source: Source::Flag,
        values: Values::Weights,
        default: described("estimates"),
        need: None,
        brief: brief(10, "FILE", "what `pathprof weights` wrote of an earlier run"),
        meaning: "put the counting code where it runs least, by the counts of an earlier run \
                  (`pathprof weights -o FILE`)",
    },
    Setting {
        key: Key::Hot,
        name: "hot",
        source: Source::Flag,
        values: number(1, 100, "percentage"),
        default: described("everything"),
        need: Some(Need {
            except: None,
            needed: Needed::Option(Key::Use),
            otherwise: "-fpath-hot= needs to know what an earlier run executed: give \
                        -fpath-use=FILE, too",
        }),
        brief: brief(11, "PERCENT", "with -fpath-use: count only the hottest functions"),
        meaning: "count the hottest functions alone, up to this share of all executed \
                  instructions",
    },
    Setting {
        key: Key::Profile,
        name: "profile",
        source: Source::Flag,
        values: Values::Pattern,
        default: described("beside the program"),
        need: None,
        brief: brief(12, "PATTERN", "where profiles go, unless PATHCC_PROFILE says so"),
        meaning: "where profiles go, unless `PATHCC_PROFILE` says so: a pattern, a directory, or \
                  `off`",
    },
    Setting {
        key: Key::Filter,
        name: "filter",
        source: Source::Flag,
        values: Values::Globs,
        default: described("everything"),
        need: None,
        brief: brief(4, "GLOBS", "only these functions or files; !GLOB leaves out"),
        meaning: "only these functions or files, and not those behind `!`; \
                  `__attribute__((annotate(\"pathcc:skip\")))` or `pathcc:count` on a function \
                  wins",
    },
    Setting {
        key: Key::Ir,
        name: "ir",
        source: Source::Flag,
        values: Values::Words(&[
            word("no", "leave it out"),
            word("yes", "keep it in the object, beside the blocks"),
        ]),
        default: value("no"),
        need: None,
        brief: brief(13, "yes", "keep LLVM IR of each block for reports"),
        meaning: "whether reports can show each block in LLVM's intermediate language, as it is \
                  where counters are placed; objects grow, by a tenth to four fifths",
    },
    Setting {
        key: Key::Jobs,
        name: "jobs",
        source: Source::Variable(JOBS),
        values: number(1, 4096, "number of jobs"),
        default: described("as many as processors"),
        need: None,
        brief: Brief { value: "N", text: "how many compilations run side by side", place: None },
        meaning: "how many compilations may run side by side; 1 leaves several sources to clang",
    },
];

/// The options that show something.
pub static SHOWS: [Show; 4] = [
    Show { flag: HELP, brief: "explain these options", meaning: "explain the options of pathcc" },
    Show {
        flag: PRINT_CONFIG,
        brief: "show what is in force, and from where",
        meaning: "show what is in force, and from where",
    },
    Show { flag: CFLAGS, brief: FOR_CLANG, meaning: "show what makes clang itself compile so" },
    Show { flag: LDFLAGS, brief: FOR_CLANG, meaning: "show what makes clang itself link so" },
];

/// The explanation of globs, in Markdown.
pub static GLOBS: [&str; 5] = [
    "A glob matches the name of a function or the path of its file. Its wildcards are those of \
     `.gitignore`: `*` stands for any text, `?` for a character, `[a-z]` for one of a range and \
     `[!a-z]` for one outside of it; `\\` takes the meaning from the character behind it.",
    "The names of a function are its symbol, its demangled name with and without parameters, that \
     without arguments of templates (`std::vector::push_back`), and the last part of that \
     (`push_back`). A glob matches the whole of one of them; `*` includes `::`.",
    "In a path `*`, `?` and ranges do not match `/`. `**/` stands for any number of folders, and \
     `/**` at the end for all that is in a folder.",
    "A glob without `/` matches the file's own name. One that ends in `/` matches all files below \
     such a folder. One that begins with `/` begins where the path does, any other one at any \
     folder of it.",
    "Where several globs are given, one of those without `!` must match, if there are any, and none \
     of those behind `!`.",
];

/// Environment variables that are no options: name, value, and meaning in Markdown.
pub static VARIABLES: [(&str, &str, &str); 17] = [
    (DISABLE, "switch", "the compiler and the linker run as if pathcc was not there"),
    (DRY_RUN, "switch", "print what would be run, and run nothing of it"),
    (CLANG, "program", "the compiler of C and C++, which must be clang 22"),
    (FLANG, "program", "the compiler of Fortran, which must be flang 22"),
    (CONFIG, "file", "the configuration, instead of the nearest `pathcc.toml`; `off` for none"),
    (REAL_LINKER, "program", "the linker behind `ld.pathld`; also `lld`, `mold`, `bfd`, `gold`"),
    (PROFILE, "pattern", "where the profile of a program goes; `off` for nowhere"),
    (LABEL, "text", "the label under which a program counts at first"),
    (
        PROFILE_LIMIT,
        "number",
        "how many MiB the profile of an image may have before `pathprof` sums its older starts; 64 \
         if unset, 0 for any number",
    ),
    (TRACED, "switch", "whether a trace begins when its program does; `off`: where that says so"),
    (TRACE_COMPRESS, "method", "`zstd`: a trace is compressed while it is written"),
    (
        STATE_HOME,
        "folder",
        "where profiles are, below `pathprof`, that may not be beside their program",
    ),
    (HOME, "folder", "the same, below `.local/state/pathprof`, if `XDG_STATE_HOME` is not set"),
    (REAL_LINKER_BY, "internal", "whether an earlier pathcc has set `PATHLD_REAL`"),
    (LINKED_BY, "internal", "shows `ld.pathld` that pathcc links"),
    (LINKER_DEPTH, "internal", "how many times pathld has called itself through other linkers"),
    (ASKING, "internal", "set while a compiler is asked for its version"),
];

const FOR_CLANG: &str = "show what makes clang itself compile and link so";

/// The option with this key.
pub fn option(key: Key) -> &'static Setting {
    &OPTIONS[key as usize]
}

/// The flags of which an option needs one; none if every mode will do that a user is offered.
pub fn needed(setting: &Setting) -> Vec<String> {
    let flag = |key, value: &str| option(key).flag() + value;
    match setting.need.as_ref().map(|need| &need.needed) {
        None => Vec::new(),
        Some(Needed::Modes(modes)) => {
            let mut offered = option(Key::Mode).values.words();
            let is_any = offered.all(|mode| modes.contains(&mode.text));
            let modes = if is_any { &[][..] } else { modes };
            modes.iter().map(|mode| flag(Key::Mode, mode)).collect()
        }
        Some(Needed::Option(key)) => vec![flag(*key, "")],
        Some(Needed::Value(key, value)) => vec![flag(*key, value)],
    }
}

/// The options that are flags.
pub fn flags() -> impl Iterator<Item = &'static Setting> {
    OPTIONS.iter().filter(|option| option.source == Source::Flag)
}

/// True if a word is one of our own flags, known or not.
pub(crate) fn is_ours(word: &OsStr) -> bool {
    word.as_bytes().starts_with(PREFIX.as_bytes()) || SHOWS.iter().any(|show| word == show.flag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_variable_is_explained() {
        let source = include_str!("../../../format/src/variables.rs");
        let defined = source.lines().filter_map(|line| {
            let (_, text) = line.strip_prefix("pub const ")?.split_once(": &str = \"")?;
            text.strip_suffix("\";")
        });
        let mut defined: Vec<_> = defined.collect();
        let by_options = OPTIONS.iter().filter_map(|option| match option.source {
            Source::Variable(name) => Some(name),
            Source::Flag => None,
        });
        let mut known: Vec<_> =
            VARIABLES.iter().map(|(name, ..)| *name).chain(by_options).collect();
        defined.sort_unstable();
        known.sort_unstable();
        assert!(defined.len() > 10);
        assert_eq!(defined, known);
    }

    #[test]
    fn keys_are_places_in_the_table() {
        for (place, setting) in OPTIONS.iter().enumerate() {
            assert_eq!(setting.key as usize, place, "{}", setting.name);
        }
        let names: HashSet<_> = OPTIONS.iter().map(|option| option.name).collect();
        assert_eq!(names.len(), COUNT);
    }

    #[test]
    fn what_the_table_says_of_values_is_true() {
        for Setting { name, values, default, need, .. } in &OPTIONS {
            let is_value = |text: &str| values.checked(text).is_ok_and(|value| value == text);
            let of_modes = default.in_mode.map(|(_, text)| text);
            let named = [default.is_value.then_some(default.text), of_modes];
            let except = need.as_ref().and_then(|need| need.except);
            for text in named.into_iter().flatten().chain(except) {
                assert!(is_value(text), "{name}: {text}");
            }
            if let Values::Words(words) = values {
                assert_eq!(words[0].text, default.text, "{name}: the default stands first");
            }
            let modes = match need.as_ref().map(|need| &need.needed) {
                Some(Needed::Modes(modes)) => modes,
                Some(Needed::Value(key, value)) => {
                    assert!(option(*key).values.checked(value).is_ok(), "{name}");
                    continue;
                }
                _ => continue,
            };
            let is_mode = |mode: &&str| option(Key::Mode).values.checked(mode).is_ok();
            assert!(modes.iter().all(is_mode), "{name}");
        }
    }
}
