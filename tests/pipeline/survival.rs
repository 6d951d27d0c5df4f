//! Counts that survive everything: every `survival/*.c` and `*.cc` is a program that lives or dies
//! in a particular way and knows how often its functions are entered.
//!
//! Directives stand in the source, `//#NAME: VALUE`:
//!
//! * `with: FLAGS | FLAGS` the ways in which it is built, one test each (default: one, without
//!   flags)
//! * `build: SHELL` lines that replace `$CC $FLAGS SOURCE -o prog`; `$CC`, `$CXX`, `$FLAGS` and
//!   `$HERE` (the sources) are set
//! * `run: SHELL` lines that replace `./prog`
//! * `needs: SHELL` the test is skipped, with a word, where this fails
//! * `entries: FUNCTION N`, `paths: FUNCTION N` how often it is entered, and how many of its paths
//!   end, in all processes
//! * `turns: FUNCTION` its paths are as many as the number in the file `turns` that the run leaves,
//!   or one more or less: the process was killed somewhere between two counts
//! * `absent: FUNCTION` it is not in the image, and not listed
//! * `flying: FUNCTION N` how many of its paths are in flight at the end
//! * `processes: N`, `profiles: N`, `images: N`, `incomplete: N`, `partial: N` processes, files,
//!   images, profiles that are only raw files, and those that lack threads
//! * `starts: N` how many starts its processes are
//! * `unwritten: N`, `cut: N`, `unsure: N`, `other_runtime: N`, `running: N` profiles of processes
//!   that ended well and could not write one, whose file was cut, whose place is a guess, that met
//!   another version of the runtime, and that ended while other threads were running
//! * `unregistered: yes` the profile must say that unknown threads counted; without it none may
//! * `status: N` the exit status as a shell gives it (default 0)
//! * `quiet` nothing is left behind: there must be no profile at all
//! * `unlike` the program's output differs between runs, so that it is not compared
//!
//! A program is built and run twice, with plain clang and with the tree's pathcc; it must print the
//! same and end in the same way. Then its profiles, raw files included, must say exactly what the
//! directives say.
//!
//! That is done again in machine code, and with the other kinds of counters, but for what only
//! paths tell. The first way to build a program is tested with all kinds. Each other way is tested
//! with paths, in machine code, and with one other kind, in turn. All is also done on file systems
//! of each kind, with few counters and with many (`survival/places.rs`).

#[path = "survival/places.rs"]
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use pathtests::tree::bin;
use places::Place;
use serde_json::Value;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("survival");
    let mut trials = Vec::new();
    let mut sources: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of programs exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "c" || extension == "cc")
        })
        .collect();
    sources.sort();
    for source in sources {
        let program = Program::read(&source);
        let name = source.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let ways = program.one("with").unwrap_or_default();
        for (way, flags) in ways.split('|').map(str::trim).enumerate() {
            let build = program.one("build").unwrap_or_default() + flags;
            let kinds = Counters::of(way).into_iter();
            for counters in kinds.filter(|counters| counters.go_with(&build)) {
                let (program, flags) = (program.clone(), flags.to_owned());
                let name = format!("{name} {flags}");
                let name = [counters.name, name.trim()].join(" ");
                trials
                    .push(Trial::test(name.trim(), move || program.check(&flags, counters, None)));
            }
        }
        let flags = ways.split('|').next().unwrap_or_default().trim();
        for place in Place::of(&name) {
            let (program, flags) = (program.clone(), flags.to_owned());
            let name = format!("{} {name} {flags}", place.name());
            trials.push(Trial::test(name.trim(), move || {
                program.check(&flags, Counters::ALL[0], Some(place))
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// What is counted.
#[derive(Clone, Copy)]
struct Counters {
    name: &'static str,
    /// What makes pathcc do so, as a configuration file.
    settings: &'static str,
    /// Whether they tell of paths.
    paths: bool,
    /// Whether these end at calls, too.
    ends_at_calls: bool,
}

impl Counters {
    const ALL: [Self; 6] = [
        Self::paths("", ""),
        Self { ends_at_calls: true, ..Self::paths("machine", "stage = \"machine\"\n") },
        // No function keeps within this limit that can be cut at all.
        Self::paths("whole", "limit = 1\noverflow = \"hash\"\ntable = 16\n"),
        Self { paths: false, ..Self::paths("blocks", "mode = \"blocks\"\n") },
        Self { paths: false, ..Self::paths("edges", "mode = \"edges\"\n") },
        Self { paths: false, ..Self::paths("calls", "mode = \"calls\"\n") },
    ];

    /// Those that tell of paths.
    const fn paths(name: &'static str, settings: &'static str) -> Self {
        Self { name, settings, paths: true, ends_at_calls: false }
    }

    /// Those with which a program is built in one of its ways.
    fn of(way: usize) -> Vec<Self> {
        let [paths, machine, others @ ..] = Self::ALL;
        match way {
            0 => Self::ALL.to_vec(),
            _ => vec![paths, machine, others[way % others.len()]],
        }
    }

    /// Whether they can be had with these flags of the compiler.
    fn go_with(self, flags: &str) -> bool {
        self.paths || !flags.contains("in-flight")
    }
}

/// A source and its directives.
#[derive(Clone)]
struct Program {
    source: PathBuf,
    directives: Vec<(String, String)>,
}

impl Program {
    fn read(source: &Path) -> Self {
        let text = fs::read_to_string(source).expect("a readable program");
        let directive = |line: &str| {
            let line = line.strip_prefix("//#")?;
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        Self {
            source: source.to_path_buf(),
            directives: text.lines().filter_map(directive).collect(),
        }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.directives
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    fn one(&self, name: &str) -> Option<String> {
        let lines: Vec<_> = self.all(name).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn check(&self, flags: &str, counters: Counters, place: Option<Place>) -> Result<(), Failed> {
        if let Some(place) = place
            && !place.can_be_had()?
        {
            eprintln!("skipped: this machine lets nobody mount {}", place.name());
            return Ok(());
        }
        if let Some(needed) = self.one("needs")
            && !Command::new("sh").args(["-c", &needed]).output()?.status.success()
        {
            eprintln!("skipped: this machine fails `{needed}`");
            return Ok(());
        }
        let plain = tempfile::tempdir()?;
        let counted = tempfile::tempdir()?;
        // Where a process is killed, what a loop has in a register is lost.
        let is_killed = counters.ends_at_calls && self.all("turns").next().is_some();
        let promotion = if is_killed { "promotion = \"no\"\n" } else { "" };
        fs::write(counted.path().join("pathcc.toml"), [counters.settings, promotion].concat())?;
        let tree = |name: &str| bin(name).display().to_string();
        let expected =
            self.live(plain.path(), ["clang-22", "clang++-22"].map(String::from), flags, None)?;
        let got = self.live(counted.path(), [tree("pathcc"), tree("pathc++")], flags, place)?;
        if self.one("unlike").is_none() {
            same("standard output", &expected.stdout, &got.stdout)?;
            same("standard error", &expected.stderr, &got.stderr)?;
        }
        let status = self.one("status").unwrap_or_else(|| "0".into());
        for (what, output) in [("plain", &expected), ("counted", &got)] {
            if output.status.code().map(|code| code.to_string()).as_ref() != Some(&status) {
                let text = String::from_utf8_lossy(&output.stderr);
                return Err(
                    format!("{what}: ended with {}, not {status}: {text}", output.status).into()
                );
            }
        }
        self.compare(&counted.path().join("profiles"), counters)
    }

    /// Builds the program in `folder` and runs it, there or in some other place.
    fn live(
        &self,
        folder: &Path,
        [c, cxx]: [String; 2],
        flags: &str,
        place: Option<Place>,
    ) -> Result<Output, Failed> {
        let tools = tempfile::tempdir()?;
        let compiler = |name: String| {
            place.map_or(Ok(name.clone()), |place| place.compiler(tools.path(), &name))
        };
        let [c, cxx] = [compiler(c)?, compiler(cxx)?];
        let here = self.source.parent().expect("in a folder");
        let compiler = if self.source.extension().is_some_and(|extension| extension == "cc") {
            "$CXX"
        } else {
            "$CC"
        };
        let default =
            format!("{compiler} -g -O1 $FLAGS '{}' -o prog -pthread", self.source.display());
        let in_shell = |script: &str, place: Option<Place>| {
            // A directory, so that every process has a file of its own.
            let script = format!("export PATHCC_PROFILE={}/profiles/\n{script}", folder.display());
            let mut command = match place {
                Some(place) => place.live(&script),
                None => {
                    let mut shell = Command::new("sh");
                    shell.arg("-ec").arg(script);
                    shell
                }
            };
            command.current_dir(folder);
            command.env("CC", &c).env("CXX", &cxx).env("FLAGS", flags).env("HERE", here);
            command
        };
        fs::create_dir(folder.join("profiles"))?;
        let built = in_shell(&self.one("build").unwrap_or(default), None).output()?;
        if !built.status.success() || !built.stderr.is_empty() {
            let text = String::from_utf8_lossy(&built.stderr);
            return Err(format!("cannot be built with {c}: {}\n{text}", built.status).into());
        }
        // A shell of its own tells a signal as a number, like any other status.
        let run = self.one("run").unwrap_or_else(|| "./prog".into());
        let script = format!("set +e\n{run}\nstatus=$?\nexit $status");
        let mut output = in_shell(&script, place).output()?;
        // What the shell itself says of a signal has a path or a number in it.
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let kept: Vec<_> = text
            .lines()
            .filter(|line| !SIGNALS.iter().any(|signal| line.contains(signal)))
            .collect();
        output.stderr = kept.join("\n").into_bytes();
        Ok(output)
    }

    fn compare(&self, profiles: &Path, counters: Counters) -> Result<(), Failed> {
        if self.one("quiet").is_some() {
            let left: Vec<_> =
                fs::read_dir(profiles)?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
            return if left.is_empty() {
                Ok(())
            } else {
                Err(format!("left behind: {left:?}").into())
            };
        }
        let output = Command::new(bin("pathprof"))
            .args(["export", "--format", "json"])
            .arg(profiles)
            .output()?;
        if !output.status.success() || !output.stderr.is_empty() {
            return Err(
                format!("pathprof export: {}", String::from_utf8_lossy(&output.stderr)).into()
            );
        }
        let export: Value = serde_json::from_slice(&output.stdout)?;
        let mut wrong = Vec::new();
        let mut check = |what: String, expected: &str, counted: String| {
            if expected != counted {
                wrong.push(format!("{what}: {expected} expected, {counted} counted"));
            }
        };
        for (name, count) in
            [("entries", entries as fn(&Value) -> u64), ("paths", completed), ("flying", in_flight)]
        {
            // A frame is told to be in flight as long as its first path is, and the limit ends that
            // early.
            let is_told = match name {
                "flying" => counters.settings.is_empty(),
                "paths" => counters.paths,
                _ => true,
            };
            for line in self.all(name).filter(|_| is_told) {
                let (function, expected) =
                    line.rsplit_once(' ').ok_or_else(|| format!("bad directive: {line}"))?;
                let named =
                    list(&export["functions"]).iter().filter(|of| is_called(of, function.trim()));
                check(
                    format!("{name} of {function}"),
                    expected,
                    named.map(count).sum::<u64>().to_string(),
                );
            }
        }
        for function in self.all("turns").filter(|_| counters.paths) {
            let file = fs::read_to_string(profiles.with_file_name("turns"))?;
            let turns: u64 = file.trim().parse()?;
            let named = list(&export["functions"]).iter().filter(|of| is_called(of, function));
            let sum = |of: fn(&Value) -> u64| named.clone().map(of).sum::<u64>();
            // In machine code paths end at calls, too.
            let is_entered = counters.ends_at_calls && sum(entries).abs_diff(turns) <= 1;
            if sum(completed).abs_diff(turns) > 1 && !is_entered {
                check(format!("paths of {function}"), &file, sum(completed).to_string());
            }
        }
        for function in self.all("absent") {
            let listed =
                list(&export["functions"]).iter().filter(|of| is_called(of, function)).count();
            check(format!("functions {function}"), "0", listed.to_string());
        }
        let runs = list(&export["profiles"]);
        // The runs of one image are of as many processes.
        let mut processes: BTreeMap<_, u64> = BTreeMap::new();
        for run in runs {
            let several = run["runs"].as_u64().unwrap_or(1);
            let known = processes.entry(run["process"].as_u64()).or_default();
            *known = several.max(*known);
        }
        let flagged = |flag: &str| runs.iter().filter(|run| run[flag] == true).count();
        for (name, counted) in [
            ("processes", usize::try_from(processes.values().sum::<u64>()).unwrap_or(0)),
            ("profiles", runs.len()),
            ("images", list(&export["images"]).len()),
            ("incomplete", flagged("incomplete")),
            ("partial", flagged("partial")),
            ("unwritten", flagged("unwritten")),
            ("cut", flagged("cut")),
            ("unsure", flagged("unsure")),
            ("other_runtime", flagged("other_runtime")),
            ("running", flagged("running")),
        ] {
            self.one(name)
                .iter()
                .for_each(|expected| check(name.into(), expected, counted.to_string()));
        }
        if let Some(expected) = self.one("starts") {
            check("starts".into(), &expected, starts(profiles)?.to_string());
        }
        let unregistered = self.one("unregistered").unwrap_or_else(|| "no".into());
        let found = if flagged("unregistered_threads") > 0 { "yes" } else { "no" };
        check("unregistered threads".into(), &unregistered, found.into());
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    }
}

/// How many starts there are in a directory of profiles.
fn starts(profiles: &Path) -> Result<usize, Failed> {
    let output = Command::new(bin("pathprof"))
        .args(["runs", "--top", "0", "--format", "json"])
        .arg(profiles)
        .output()?;
    let tables: Value = serde_json::from_slice(&output.stdout)?;
    Ok(list(&tables["tables"][0]["rows"]).len())
}

/// What shells write when a program is ended by a signal.
const SIGNALS: [&str; 5] = ["Aborted", "Segmentation fault", "Killed", "Terminated", "core dumped"];

fn is_called(function: &Value, name: &str) -> bool {
    let demangled = function["demangled"].as_str().unwrap_or_default();
    demangled == name || demangled.split('(').next() == Some(name)
}

fn entries(function: &Value) -> u64 {
    function["entries"].as_u64().unwrap_or_default()
}

fn completed(function: &Value) -> u64 {
    paths(function, |end| end != "in_flight")
}

fn in_flight(function: &Value) -> u64 {
    paths(function, |end| end == "in_flight")
}

fn paths(function: &Value, chosen: impl Fn(&str) -> bool) -> u64 {
    let paths = list(&function["paths"]).iter();
    paths
        .filter(|path| chosen(path["end"].as_str().unwrap_or_default()))
        .filter_map(|path| path["count"].as_u64())
        .sum()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn same(what: &str, expected: &[u8], got: &[u8]) -> Result<(), Failed> {
    if expected == got {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("{what} differs\nplain:\n{}\ncounted:\n{}", text(expected), text(got)).into())
}
