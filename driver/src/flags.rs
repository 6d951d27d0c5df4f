//! What the user can choose: the `-fpath-…` flags, their allowed values, and the plugin's options.
//!
//! | flag | values | default |
//! |---|---|---|
//! | `-fpath-mode=` | `paths`, `blocks`, `edges`, `calls`, `log` (every executed block is logged; for the test-suite) | `paths` |
//! | `-fpath-placement=` | with `blocks`: `spanning-tree` counts as few blocks as possible, `patterns` what certain shapes leave, `every-block` all | `spanning-tree` |
//! | `-fpath-stage=` | `late`, `early` | `late` |
//! | `-fpath-threads=` | `exact`, `single`, `atomic` | `exact` |
//! | `-fpath-limit=` | paths per function, 1 to 2³² | 4096 |
//! | `-fpath-overflow=` | what becomes of paths beyond the limit: `cut`, `hash` (a table has them whole) | `cut` |
//! | `-fpath-table=` | with `hash`: how many paths of a function the table has room for, 1 to 65536, rounded up to a power of two | 4096 |
//! | `-fpath-callees=` | how many callees of a call through a pointer are told apart, 0 to 4096, rounded up to a power of two | 8 with `calls`, else 0 |
//! | `-fpath-promotion=` | `yes`, `no`: with `early` or `blocks`, counters may be in registers in loops | `yes` |
//! | `-fpath-use=` | what `pathprof weights` wrote: how often edges are taken | estimates |
//! | `-fpath-hot=` | with `-fpath-use=`: only the hottest functions, up to this percentage of all executed instructions | everything |
//! | `-fpath-profile=` | where profiles go, a pattern as in `PATHCC_PROFILE`, which goes first; `off` writes none | beside the program |
//! | `-fpath-filter=` | comma list of globs on function name or source file, `!glob` excludes | everything |
//! | `--print-config` | nothing is compiled; shown is what is in force, and from where | |
//! | `--cflags`, `--ldflags` | nothing is compiled; shown are the options that make clang itself count | |
//!
//! clang 22 itself has no option that starts with `-fpath-`. As with clang's options the last one wins.

use crate::regular;
use crate::words::{Words, value_of};
use anyhow::{Result, anyhow, bail};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What all our flags but one start with.
const PREFIX: &str = "-fpath-";

/// The flag that shows what is in force, and from where.
pub(crate) const PRINT_CONFIG: &str = "--print-config";

/// The flags that show what to give clang, when it compiles and when it links, so that it counts without pathcc.
pub(crate) const CFLAGS: &str = "--cflags";
pub(crate) const LDFLAGS: &str = "--ldflags";

/// The flags that show something, and compile nothing.
pub(crate) const SHOWS: [&str; 3] = [PRINT_CONFIG, CFLAGS, LDFLAGS];

/// A setting that takes one of a few words; the first of them is the default.
type Allowed = &'static [&'static str];
const MODES: Allowed = &["paths", "blocks", "edges", "calls", "log"];
const PLACEMENTS: Allowed = &["spanning-tree", "patterns", "every-block"];
const STAGES: Allowed = &["late", "early"];
const THREADS: Allowed = &["exact", "single", "atomic"];
const OVERFLOW: Allowed = &["cut", "hash"];
const PROMOTION: Allowed = &["yes", "no"];

/// The limit that holds if none is given.
const DEFAULT_LIMIT: u64 = 4096;
/// The highest limit: path numbers must leave room in 64-bit arithmetic.
const MAX_LIMIT: u64 = 1 << 32;

/// How many paths a function's table has room for if nothing else is said, and at most.
const DEFAULT_TABLE: u32 = 4096;
const MAX_TABLE: u32 = 1 << 16;

/// How many callees are told apart in mode `calls` if nothing else is said, and at most.
const DEFAULT_CALLEES: u32 = 8;
const MAX_CALLEES: u32 = 4096;

/// No file with weights is larger: it has some bytes for each edge of a program.
const MOST_WEIGHTS: u64 = 1 << 30;

/// Settings, each as far as it was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// What is counted.
    pub(crate) mode: Option<&'static str>,
    /// Which blocks are counted.
    pub(crate) placement: Option<&'static str>,
    /// When the pass runs.
    pub(crate) stage: Option<&'static str>,
    /// How counters behave under threads.
    pub(crate) threads: Option<&'static str>,
    /// Whether paths that never end are counted as far as they came.
    /// Whether the optimiser may keep counters in registers.
    pub(crate) promotion: Option<&'static str>,
    /// The most paths that a function may have before edges are cut.
    pub(crate) limit: Option<u64>,
    /// What becomes of paths beyond the limit.
    pub(crate) overflow: Option<&'static str>,
    /// How many of them a function's table has room for.
    pub(crate) table: Option<u32>,
    /// How many callees of a call through a pointer are told apart.
    pub(crate) callees: Option<u32>,
    /// The file with the weights of edges, as an absolute path.
    pub(crate) weights: Option<String>,
    /// Only the hottest functions, up to this percentage of all executed instructions.
    pub(crate) hot: Option<u32>,
    /// Where profiles go, as a pattern.
    pub(crate) profile: Option<String>,
    /// Which functions are instrumented: a comma list of globs.
    pub(crate) filter: Option<String>,
}

impl Settings {
    /// Reads our own flags from a command line.
    ///
    /// # Errors
    /// An unknown flag, or a value that is not allowed: the message names the flag and what it takes.
    pub(crate) fn from_words(words: &Words) -> Result<Settings> {
        let mut settings = Settings::default();
        for word in words.own().filter(|word| word.as_bytes().starts_with(PREFIX.as_bytes())) {
            let text = word.to_str().ok_or_else(|| anyhow!("{}: not valid UTF-8", word.display()))?;
            let (name, value) = text[PREFIX.len()..].split_once('=').unwrap_or((&text[PREFIX.len()..], ""));
            let told = |message: String| anyhow!("{text}: {message}");
            match name {
                "mode" => settings.mode = Some(mode(value).map_err(told)?),
                "placement" => settings.placement = Some(placement(value).map_err(told)?),
                "stage" => settings.stage = Some(stage(value).map_err(told)?),
                "threads" => settings.threads = Some(threads(value).map_err(told)?),
                "promotion" => settings.promotion = Some(promotion(value).map_err(told)?),
                "limit" => settings.limit = Some(limit(value.parse().ok()).map_err(told)?),
                "overflow" => settings.overflow = Some(overflow(value).map_err(told)?),
                "table" => settings.table = Some(table(value.parse().ok()).map_err(told)?),
                "callees" => settings.callees = Some(callees(value.parse().ok()).map_err(told)?),
                "use" => settings.weights = Some(weights(value).map_err(told)?),
                "hot" => settings.hot = Some(hot(value.parse().ok()).map_err(told)?),
                "profile" => settings.profile = Some(profile(value).map_err(told)?),
                "filter" if !text.contains('=') => bail!("{text}: expected -fpath-filter=GLOB,…"),
                "filter" => settings.filter = Some(filter(&value.split(',').collect::<Vec<_>>()).map_err(told)?),
                _ => bail!(
                    "unknown flag '{text}'; pathcc knows -fpath-mode=, -fpath-placement=, -fpath-stage=, -fpath-threads=, \
                     -fpath-promotion=, -fpath-limit=, -fpath-overflow=, -fpath-table=, -fpath-callees=, \
                     -fpath-use=, -fpath-hot=, -fpath-profile= and -fpath-filter="
                ),
            }
        }
        Ok(settings)
    }

    /// These settings, and where one was not given, that of `other`.
    pub(crate) fn or(self, other: Settings) -> Settings {
        Settings {
            mode: self.mode.or(other.mode),
            placement: self.placement.or(other.placement),
            stage: self.stage.or(other.stage),
            threads: self.threads.or(other.threads),
            promotion: self.promotion.or(other.promotion),
            limit: self.limit.or(other.limit),
            overflow: self.overflow.or(other.overflow),
            table: self.table.or(other.table),
            callees: self.callees.or(other.callees),
            hot: self.hot.or(other.hot),
            weights: self.weights.or(other.weights),
            profile: self.profile.or(other.profile),
            filter: self.filter.or(other.filter),
        }
    }

    /// Whether all settings go together.
    ///
    /// # Errors
    /// Two that do not: the message names both.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(placement) = self.placement.filter(|_| self.mode != Some("blocks")) {
            bail!("-fpath-placement={placement} chooses the blocks that are counted and needs -fpath-mode=blocks");
        }
        if self.hot.is_some() && self.weights.is_none() {
            bail!("-fpath-hot= needs to know what an earlier run executed: give -fpath-use=FILE, too");
        }
        if self.table.is_some() && self.overflow != Some("hash") {
            bail!("-fpath-table= is the size of a table that only -fpath-overflow=hash has");
        }
        match self.mode {
            Some(mode @ ("blocks" | "edges" | "calls" | "log")) if self.overflow == Some("hash") => {
                bail!("-fpath-overflow=hash counts paths and cannot be had with -fpath-mode={mode}")
            }
            Some("log") if self.callees.is_some_and(|callees| callees > 0) => {
                bail!("-fpath-callees= counts and cannot be had with -fpath-mode=log")
            }
            _ => Ok(()),
        }
    }

    /// The plugin's options that differ from its defaults, in a fixed order (compiler caches compare
    /// command lines).
    pub(crate) fn plugin_options(&self) -> Vec<String> {
        let word = |name: &str, value: Option<&str>, allowed: Allowed| {
            value.filter(|value| *value != allowed[0]).map(|value| format!("-pathcc-{name}={value}"))
        };
        let limit = self.limit.filter(|limit| *limit != DEFAULT_LIMIT).map(|limit| format!("-pathcc-limit={limit}"));
        let table = self.table.unwrap_or(DEFAULT_TABLE).next_power_of_two();
        let callees = self.callees.unwrap_or(if self.mode == Some("calls") { DEFAULT_CALLEES } else { 0 });
        let callees = Some(callees).filter(|&callees| callees > 0).map(u32::next_power_of_two);
        let filter = self.filter.as_ref().filter(|filter| !filter.is_empty());
        [
            word("mode", self.mode, MODES),
            word("placement", self.placement, PLACEMENTS),
            word("stage", self.stage, STAGES),
            word("threads", self.threads, THREADS),
            word("promotion", self.promotion, PROMOTION),
            limit,
            (self.overflow == Some("hash")).then(|| format!("-pathcc-table={table}")),
            callees.map(|callees| format!("-pathcc-callees={callees}")),
            self.weights.as_deref().map(|path| format!("-pathcc-use={path}")),
            self.hot.map(|percent| format!("-pathcc-hot={percent}")),
            self.profile.as_deref().map(|pattern| format!("-pathcc-profile={pattern}")),
            filter.map(|filter| format!("-pathcc-filter={filter}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A setting as it is shown.
pub(crate) struct Shown {
    /// As in `-fpath-NAME=`.
    pub(crate) name: &'static str,
    /// What was given.
    pub(crate) given: Option<String>,
    /// What holds otherwise.
    pub(crate) default: String,
}

impl Settings {
    /// All settings, in the order of the documentation.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let word = |name, value: Option<&str>, allowed: Allowed| Shown {
            name,
            given: value.map(str::to_owned),
            default: allowed[0].to_owned(),
        };
        let number = |name, value: Option<u64>, default: &dyn Display| Shown {
            name,
            given: value.map(|value| value.to_string()),
            default: default.to_string(),
        };
        let text =
            |name, value: Option<String>, default: &str| Shown { name, given: value, default: default.to_owned() };
        let of_calls = if self.mode == Some("calls") { DEFAULT_CALLEES } else { 0 };
        // In front of the path stands a hash, for the plugin.
        let weights =
            self.weights.as_ref().map(|weights| weights.split_once(':').map_or("", |(_, path)| path).to_owned());
        vec![
            word("mode", self.mode, MODES),
            word("placement", self.placement, PLACEMENTS),
            word("stage", self.stage, STAGES),
            word("threads", self.threads, THREADS),
            word("promotion", self.promotion, PROMOTION),
            number("limit", self.limit, &DEFAULT_LIMIT),
            word("overflow", self.overflow, OVERFLOW),
            number("table", self.table.map(u64::from), &DEFAULT_TABLE),
            number("callees", self.callees.map(u64::from), &of_calls),
            text("use", weights, "estimates"),
            number("hot", self.hot.map(u64::from), &"everything"),
            text("profile", self.profile.clone(), "beside the program"),
            text("filter", self.filter.clone().filter(|filter| !filter.is_empty()), "everything"),
        ]
    }
}

/// Whether a word is one of our own flags, known or not.
pub(crate) fn is_ours(word: &OsStr) -> bool {
    word.as_bytes().starts_with(PREFIX.as_bytes()) || SHOWS.iter().any(|flag| word == *flag)
}

/// Checks a pattern for profiles.
pub(crate) fn profile(value: &str) -> Result<String, String> {
    match value {
        "" => Err("expected a pattern, such as /var/tmp/%e.pathprof, a directory, or off".into()),
        // The runtime has room for the path of a file.
        long if long.len() > 4000 => Err("this pattern is longer than the path of a file can be".into()),
        pattern => Ok(pattern.into()),
    }
}

/// Checks a mode. Errors, here and below, are a phrase that says what is allowed.
pub(crate) fn mode(value: &str) -> Result<&'static str, String> {
    one_of(value, MODES)
}

/// Checks which blocks are counted.
pub(crate) fn placement(value: &str) -> Result<&'static str, String> {
    one_of(value, PLACEMENTS)
}

/// Checks a stage.
pub(crate) fn stage(value: &str) -> Result<&'static str, String> {
    one_of(value, STAGES)
}

/// Checks a way of counting under threads.
pub(crate) fn threads(value: &str) -> Result<&'static str, String> {
    one_of(value, THREADS)
}

/// Checks whether counters may be in registers.
pub(crate) fn promotion(value: &str) -> Result<&'static str, String> {
    one_of(value, PROMOTION)
}

fn one_of(value: &str, allowed: Allowed) -> Result<&'static str, String> {
    allowed
        .iter()
        .copied()
        .find(|word| *word == value)
        .ok_or_else(|| format!("unknown value '{value}', expected {}", allowed.join(" or ")))
}

/// Checks a limit; nothing stands for a text that was no number.
pub(crate) fn limit(value: Option<u64>) -> Result<u64, String> {
    within(value, 1..=MAX_LIMIT, "number of paths")
}

fn within<T: PartialOrd + Display>(value: Option<T>, range: RangeInclusive<T>, what: &str) -> Result<T, String> {
    let allowed = value.filter(|value| range.contains(value));
    allowed.ok_or_else(|| format!("expected a {what} from {} to {}", range.start(), range.end()))
}

/// Checks what becomes of paths beyond the limit.
pub(crate) fn overflow(value: &str) -> Result<&'static str, String> {
    one_of(value, OVERFLOW)
}

/// Checks the size of a table; nothing stands for a text that was no number.
pub(crate) fn table(value: Option<u32>) -> Result<u32, String> {
    within(value, 1..=MAX_TABLE, "number of paths")
}

/// Checks a number of callees; nothing stands for a text that was no number.
pub(crate) fn callees(value: Option<u32>) -> Result<u32, String> {
    within(value, 0..=MAX_CALLEES, "number of callees")
}

/// Checks a percentage; nothing stands for a text that was no number.
pub(crate) fn hot(value: Option<u32>) -> Result<u32, String> {
    within(value, 1..=100, "percentage")
}

/// Checks a file with weights, and makes its path absolute. In front stands a hash of the content, so that compiler
/// caches see another command line when it changes.
pub(crate) fn weights(path: &str) -> Result<String, String> {
    let make = "make one with `pathprof weights -o FILE`";
    let content = regular::read(Path::new(path), MOST_WEIGHTS);
    let content = content.map_err(|error| format!("cannot read {path}: {error}; {make}"))?;
    if !content.starts_with(b"pathcc weights ") {
        let is_profile = content.starts_with(b"PATHPROF") || content.starts_with(b"PATHRAWC");
        let what =
            if is_profile { "a profile, which needs its image to be understood" } else { "no file with weights" };
        return Err(format!("{path} is {what}; {make} and give that"));
    }
    let absolute = std::path::absolute(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(format!("{:016x}:{}", pathformat::wire::checksum(&content), absolute.display()))
}

/// Joins globs to the plugin's comma list. No glob at all means no filter.
pub(crate) fn filter(globs: &[&str]) -> Result<String, String> {
    let globs: Vec<&str> = globs.iter().map(|glob| glob.trim()).collect();
    if globs == [""] {
        return Ok(String::new());
    }
    match globs.iter().find(|glob| glob.trim_start_matches('!').is_empty() || glob.contains(',')) {
        Some(glob) => Err(format!("'{glob}' is not a glob")),
        None => Ok(globs.join(",")),
    }
}

/// For which place the code is, if no runtime can be there: freestanding code is recorded as not counted, and that of a
/// kernel is left as it is, since kernels say which sections an object may have.
///
/// `-mkernel` and `-fapple-kext` imply `-ffreestanding`, and a later `-fhosted` takes it back (measured).
pub(crate) fn why_skipped(words: &Words) -> Option<&'static str> {
    let mut freestanding = false;
    let mut kernel = false;
    for word in words.own() {
        match word.as_bytes() {
            b"-ffreestanding" => freestanding = true,
            b"-fhosted" => freestanding = false,
            b"-mkernel" | b"-fapple-kext" => kernel = true,
            _ => kernel |= value_of(word, "-mcmodel=").is_some_and(|model| model == "kernel"),
        }
    }
    match (kernel, freestanding) {
        (true, _) => Some("kernel"),
        (false, true) => Some("freestanding"),
        (false, false) => None,
    }
}

/// Whether a profiler of clang's own changes the code, or reads what it counted, in the middle of the pipeline.
pub(crate) fn has_profiler(words: &Words) -> bool {
    const OPTIONS: [&str; 4] = ["-fprofile-use", "-fprofile-instr-use=", "-fprofile-generate", "-fprofile-sample-use="];
    words.own().any(|word| OPTIONS.iter().any(|option| word.as_bytes().starts_with(option.as_bytes())))
}

/// The target, if the command line names one that is not counted. A later option wins over an earlier one.
/// The compiler's name may name one, too: `prefix` is what stands before it, with its hyphen.
pub(crate) fn foreign_target(words: &Words, prefix: &str) -> Option<String> {
    let named = prefix.strip_suffix('-').filter(|target| !is_counted(target));
    let mut foreign = named.map(str::to_owned);
    let mut words = words.own().peekable();
    while let Some(word) = words.next() {
        let named =
            value_of(word, "--target=").or_else(|| (word == "-target").then(|| words.peek().copied()).flatten());
        let width = word.as_bytes();
        if let Some(target) = named {
            let target = target.to_string_lossy().into_owned();
            foreign = (!is_counted(&target)).then_some(target);
        } else if matches!(width, b"-m32" | b"-mx32" | b"-m16") {
            foreign = Some(word.to_string_lossy().into_owned());
        } else if width == b"-m64" && foreign.as_ref().is_some_and(|known| known.starts_with("-m")) {
            foreign = None;
        }
    }
    foreign
}

/// Whether a target is x86-64 Linux with 64-bit pointers.
fn is_counted(target: &str) -> bool {
    target.starts_with("x86_64") && target.contains("linux") && !target.ends_with("x32")
}

/// An option of the plugin as clang takes it, for a plugin that `-fpass-plugin` has loaded.
///
/// Not plain `-mllvm`: that also reaches the assembler (`.S` inputs), which has no plugin and refuses it.
pub(crate) fn through_clang(option: &str) -> [OsString; 4] {
    ["-Xclang", "-mllvm", "-Xclang", option].map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tests::words;

    fn options(line: &str) -> String {
        match Settings::from_words(&words(line)).and_then(|settings| settings.check().map(|()| settings)) {
            Ok(settings) => settings.plugin_options().join(" "),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn flags_become_options_of_the_plugin() {
        assert_eq!(options("-c a.c"), "");
        assert_eq!(options("-fpath-mode=paths -fpath-stage=late -fpath-threads=exact -fpath-limit=4096"), "");
        assert_eq!(options("-fpath-limit=7 -fpath-mode=log"), "-pathcc-mode=log -pathcc-limit=7");
        assert_eq!(options("-fpath-stage=early -fpath-stage=late"), "");
        assert!(options("-fpath-use=/does/not/exist").starts_with("-fpath-use=/does/not/exist: cannot read"));
        assert_eq!(options("-fpath-threads=atomic"), "-pathcc-threads=atomic");
        assert_eq!(options("-fpath-promotion=no"), "-pathcc-promotion=no");
        assert_eq!(
            options("-fpath-mode=blocks -fpath-placement=every-block"),
            "-pathcc-mode=blocks -pathcc-placement=every-block"
        );
        assert_eq!(options("-fpath-filter=a*,!b"), "-pathcc-filter=a*,!b");
        assert_eq!(options("-fpath-filter=a -fpath-filter="), "");
        assert_eq!(options("-fpath-limit=4294967296"), "-pathcc-limit=4294967296");
        assert_eq!(options("-- -fpath-bad"), "");
        assert_eq!(options("-Xclang -fpath-bad"), "");
    }

    #[test]
    fn bad_flags_are_refused_with_a_reason() {
        assert_eq!(
            options("-fpath-mode=x"),
            "-fpath-mode=x: unknown value 'x', expected paths or blocks or edges or calls or log"
        );
        assert_eq!(
            options("-fpath-mode"),
            "-fpath-mode: unknown value '', expected paths or blocks or edges or calls or log"
        );
        assert_eq!(
            options("-fpath-placement=every-block"),
            "-fpath-placement=every-block chooses the blocks that are counted and needs -fpath-mode=blocks"
        );
        assert_eq!(
            options("-fpath-mode=blocks -fpath-placement=patterns"),
            "-pathcc-mode=blocks -pathcc-placement=patterns"
        );
        assert_eq!(options("-fpath-mode=calls"), "-pathcc-mode=calls -pathcc-callees=8");
        assert_eq!(options("-fpath-mode=calls -fpath-callees=0"), "-pathcc-mode=calls");
        assert_eq!(options("-fpath-callees=3"), "-pathcc-callees=4");
        assert_eq!(options("-fpath-profile=/x/%e"), "-pathcc-profile=/x/%e");
        assert!(options("-fpath-profile=").starts_with("-fpath-profile=: expected a pattern"));
        assert_eq!(options("-fpath-overflow=cut"), "");
        assert_eq!(options("-fpath-overflow=hash"), "-pathcc-table=4096");
        assert_eq!(options("-fpath-overflow=hash -fpath-table=100"), "-pathcc-table=128");
        assert_eq!(options("-fpath-limit=0"), "-fpath-limit=0: expected a number of paths from 1 to 4294967296");
        assert_eq!(
            options("-fpath-limit=4294967297"),
            "-fpath-limit=4294967297: expected a number of paths from 1 to 4294967296"
        );
        assert_eq!(options("-fpath-table=0"), "-fpath-table=0: expected a number of paths from 1 to 65536");
        assert_eq!(options("-fpath-callees=x"), "-fpath-callees=x: expected a number of callees from 0 to 4096");
        assert_eq!(
            options("-fpath-table=7"),
            "-fpath-table= is the size of a table that only -fpath-overflow=hash has"
        );
        assert_eq!(
            options("-fpath-mode=edges -fpath-overflow=hash"),
            "-fpath-overflow=hash counts paths and cannot be had with -fpath-mode=edges"
        );
        assert_eq!(
            options("-fpath-mode=log -fpath-callees=2"),
            "-fpath-callees= counts and cannot be had with -fpath-mode=log"
        );
        assert_eq!(options("-fpath-hot=0"), "-fpath-hot=0: expected a percentage from 1 to 100");
        assert!(options("-fpath-hot=90").starts_with("-fpath-hot= needs to know what an earlier run executed"));
        assert_eq!(options("-fpath-filter=a,,b"), "-fpath-filter=a,,b: '' is not a glob");
        assert_eq!(options("-fpath-filter=!"), "-fpath-filter=!: '!' is not a glob");
        assert!(options("-fpath-coverage").starts_with("unknown flag '-fpath-coverage'; pathcc knows -fpath-mode="));
    }

    #[test]
    fn other_targets_are_recognised() {
        let foreign = |line| foreign_target(&words(line), "");
        assert_eq!(foreign("-c a.c"), None);
        assert_eq!(foreign("-m32 -c a.c"), Some("-m32".into()));
        assert_eq!(foreign("-m32 -m64 -c a.c"), None);
        assert_eq!(foreign("--target=aarch64-linux-gnu a.c"), Some("aarch64-linux-gnu".into()));
        assert_eq!(foreign("-target i686-linux-gnu a.c"), Some("i686-linux-gnu".into()));
        assert_eq!(foreign("--target=x86_64-linux-musl a.c"), None);
        assert_eq!(foreign("--target=x86_64-linux-gnux32 a.c"), Some("x86_64-linux-gnux32".into()));
        let called = |line, prefix| foreign_target(&words(line), prefix);
        assert_eq!(called("a.c", "aarch64-linux-gnu-"), Some("aarch64-linux-gnu".into()));
        assert_eq!(called("a.c", "x86_64-linux-gnu-"), None);
        assert_eq!(called("--target=x86_64-linux-gnu a.c", "aarch64-linux-gnu-"), None);
    }

    #[test]
    fn freestanding_code_is_recognised() {
        let profiler = |line| has_profiler(&words(line));
        assert!(
            profiler("-fprofile-use=a.profdata a.c") && profiler("-fprofile-generate") && profiler("-fprofile-use")
        );
        assert!(!profiler("-fprofile-arcs a.c") && !profiler("-Xclang -fprofile-use a.c") && !profiler("a.c"));
        let why = |line| why_skipped(&words(line));
        assert_eq!(why("-ffreestanding -c a.c"), Some("freestanding"));
        assert_eq!(why("-ffreestanding -fhosted -c a.c"), None);
        assert_eq!(why("-mkernel -fhosted"), Some("kernel"));
        assert_eq!(why("-ffreestanding -mcmodel=kernel"), Some("kernel"));
        assert_eq!(why("-mcmodel=large -Xclang -ffreestanding -- -ffreestanding"), None);
    }
}
