//! clang's own plan for a command line: the jobs that its driver would run.
//!
//! `clang -###` prints the jobs, quoted, without running them. Asked with `TMPDIR` set to a
//! directory of ours, it also says that temporary objects go there. Only a plan that is nothing but
//! compilations and at most one link is taken; for anything else there is the driver itself. So
//! there is no copy of the driver's rules here, and nothing to keep in step with them.

use crate::command_line::{CommandLine, value_of};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Suffixes of what looks like a source with a compile step.
const SOURCES: [&str; 17] = [
    "c", "cc", "cp", "cxx", "cpp", "c++", "C", "CC", "CPP", "CXX", "i", "ii", "m", "mm", "M", "mi",
    "mii",
];

/// Beginnings of options with which the driver itself prints or writes something, or runs other
/// steps; not worth a question.
const NOT_SIMPLE: [&str; 14] = [
    "-###",
    "-v",
    "--version",
    "-E",
    "-M",
    "--preprocess",
    "-save-temps",
    "--save-temps",
    "-MJ",
    "-gen-",
    "-fproc-stat-report",
    "--analyze",
    "-print-",
    "--print-",
];

/// Of those, the ones that begin other, harmless options: `-MD`, `-MMD`, `-MF x` leave dependencies
/// as a side effect.
const HARMLESS: [&str; 8] = ["-MD", "-MMD", "-MF", "-MT", "-MQ", "-MP", "-MG", "-MV"];

/// The actions that a compilation may have: they write at most the one file that `-o` names, apart
/// from side files below.
const ACTIONS: [&str; 5] = ["-emit-obj", "-emit-llvm-bc", "-emit-llvm", "-S", "-fsyntax-only"];

/// Options of a job that name files it writes. With a file that two jobs write, their order
/// matters.
const WRITTEN: [&str; 8] = [
    "-o",
    "-dependency-file",
    "-serialize-diagnostic-file",
    "-diagnostic-serialized-file",
    "-diagnostic-log-file",
    "-header-include-file",
    "-opt-record-file",
    "-split-dwarf-output",
];

/// The same, with the file in the same word.
const WRITTEN_JOINED: [&str; 5] = [
    "-stack-usage-file=",
    "-ftime-trace=",
    "-coverage-notes-file=",
    "-coverage-data-file=",
    "-dwarf-ext-refs-file=",
];

/// Arguments that make a job depend on another one's output: C++ modules.
const ORDERED: [&str; 3] = ["-fmodule-output", "-fmodule-file", "-fprebuilt-module-path"];

/// Beginnings of the lines that the driver prints before its jobs.
const HEADER: [&str; 7] = [
    "Target: ",
    "Thread model: ",
    "InstalledDir: ",
    "Build config: ",
    "Configuration file: ",
    "System configuration file directory: ",
    "User configuration file directory: ",
];

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
}

/// Compilations that do not depend on each other, and what comes after all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// One job a source, in the order of the command line; at least two.
    pub(crate) compilations: Vec<Job>,
    /// The link.
    pub(crate) link: Option<Job>,
}

impl Job {
    /// The file that `-o` names.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.arguments.windows(2).find(|pair| pair[0] == "-o").map(|pair| Path::new(&pair[1]))
    }

    /// True if its messages are coloured.
    pub(crate) fn has_colours(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "-fcolor-diagnostics")
    }
}

/// True if asking for a plan may be of use: at least two words look like sources, and no other one
/// makes the plan too difficult for us.
pub(crate) fn is_worthwhile(words: &CommandLine) -> bool {
    let mut sources = 0;
    for word in words.own() {
        let begins =
            |options: &[&str]| options.iter().any(|option| value_of(word, option).is_some());
        if word.as_bytes().starts_with(b"-") {
            if begins(&NOT_SIMPLE) && !begins(&HARMLESS) {
                return false;
            }
        } else if Path::new(word)
            .extension()
            .is_some_and(|suffix| SOURCES.iter().any(|known| suffix == *known))
        {
            sources += 1;
        }
    }
    // Inputs behind `--` are rare, and then clang's own loop is good enough.
    sources >= 2
}

/// Reads what `clang -###` has printed. `scratch` is the directory that was its `TMPDIR`; `linker`
/// is the program that may link.
///
/// Returns nothing unless every byte is understood: no message of the driver's among the jobs, only
/// compilations, at most one link at the end, no file written twice, and every temporary object
/// both written by a compilation and read by the link only.
pub(crate) fn parse(text: &[u8], scratch: &Path, linker: &Path) -> Option<Plan> {
    let mut compilations = jobs(text)?;
    let link = compilations.pop_if(|job| job.arguments.first().is_none_or(|first| first != "-cc1"));
    if compilations.len() < 2 || link.as_ref().is_some_and(|job| job.program != linker) {
        return None;
    }
    if !compilations.iter().all(is_compilation) {
        return None;
    }
    let outputs: HashSet<&OsStr> =
        compilations.iter().filter_map(Job::output).map(Path::as_os_str).collect();
    let mut written = HashSet::new();
    for job in &compilations {
        for pair in job.arguments.windows(2) {
            let [before, argument] = pair else { continue };
            let joined = WRITTEN_JOINED.iter().find_map(|option| value_of(argument, option));
            let file = if WRITTEN.iter().any(|option| before == option) {
                Some(argument.as_os_str())
            } else {
                joined
            };
            if file.is_some_and(|file| file == "-" || !written.insert(file)) {
                return None;
            }
            // -MT puts a name into a dependency file.
            let only_named = before == "-o" || before == "-MT";
            let reads_output = !only_named && outputs.contains(argument.as_os_str());
            let names_scratch = !only_named && mentions(argument, scratch);
            if reads_output
                || names_scratch
                || ORDERED.iter().any(|option| value_of(argument, option).is_some())
            {
                return None;
            }
        }
    }
    let strange = |argument: &&OsString| {
        mentions(argument, scratch) && !outputs.contains(argument.as_os_str())
    };
    if link.as_ref().is_some_and(|link| link.arguments.iter().any(|argument| strange(&argument))) {
        return None;
    }
    Some(Plan { compilations, link })
}

/// `-cc1 -triple T ACTION … -x LANGUAGE INPUT`, with an input that is a file.
fn is_compilation(job: &Job) -> bool {
    let [cc1, triple, _, action, .., language, _, input] = &job.arguments[..] else { return false };
    cc1 == "-cc1"
        && triple == "-triple"
        && ACTIONS.iter().any(|allowed| action == allowed)
        && language == "-x"
        && input != "-"
        && (action == "-fsyntax-only") == job.output().is_none()
}

fn mentions(argument: &OsStr, directory: &Path) -> bool {
    let needle = directory.as_os_str().as_bytes();
    argument.as_bytes().windows(needle.len()).any(|window| window == needle)
}

/// The jobs in the output of `clang -###`, if it is nothing but the usual header and jobs.
fn jobs(text: &[u8]) -> Option<Vec<Job>> {
    let mut rest = text;
    let mut first = true;
    while !rest.is_empty() && !rest.starts_with(b" \"") {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let known = HEADER.iter().any(|start| line.starts_with(start))
            || (first && line.contains("clang version "));
        if !known {
            return None;
        }
        first = false;
        rest = &rest[end + 1..];
    }
    let mut jobs = Vec::new();
    while !rest.is_empty() {
        let (mut words, after) = quoted_line(rest)?;
        rest = after;
        let program = PathBuf::from(words.remove(0));
        jobs.push(Job { program, arguments: words });
    }
    Some(jobs)
}

/// Reads one job: words in double quotes, each after a space, up to the end of the line. A
/// backslash stands before `"`, `\` and `$`; a line break inside quotes is part of the word.
fn quoted_line(text: &[u8]) -> Option<(Vec<OsString>, &[u8])> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.strip_prefix(b" \"")?;
        let mut word = Vec::new();
        loop {
            match rest {
                [b'\\', byte, after @ ..] => {
                    word.push(*byte);
                    rest = after;
                }
                [b'"', after @ ..] => {
                    rest = after;
                    break;
                }
                [byte, after @ ..] => {
                    word.push(*byte);
                    rest = after;
                }
                [] => return None,
            }
        }
        words.push(OsString::from_vec(word));
        if let Some(after) = rest.strip_prefix(b"\n") {
            return Some((words, after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;

    const HEAD: &str = "Debian clang version 22.1.8 (1~deb12u1)\nTarget: x\n\
        Thread model: posix\nInstalledDir: /b\n";

    fn compilation(source: &str, output: &str) -> String {
        format!(
            " \"/b/clang\" \"-cc1\" \"-triple\" \"x\" \"-emit-obj\" \"-o\" \"{output}\" \"-x\" \
             \"c\" \"{source}\"\n"
        )
    }

    fn plan(body: &str) -> Option<Plan> {
        parse(format!("{HEAD}{body}").as_bytes(), Path::new("/tmp/p"), Path::new("/p/ld.pathld"))
    }

    #[test]
    fn only_several_sources_are_worth_a_question() {
        let worthwhile = |line| is_worthwhile(&words(line));
        assert!(worthwhile("a.c b.cc -o prog -MD -MF x.d"));
        assert!(!worthwhile("a.c -o prog"));
        assert!(!worthwhile("a.c b.o c.a -lm"));
        assert!(!worthwhile("a.c b.c -E"));
        assert!(!worthwhile("a.c b.c -save-temps=obj"));
        assert!(!worthwhile("-MM a.c b.c"));
        assert!(!worthwhile("-### a.c b.c"));
        assert!(!worthwhile("-- a.c b.c"));
    }

    #[test]
    fn compilations_and_a_link_are_taken() {
        let link = " \"/p/ld.pathld\" \"-o\" \"prog\" \"/tmp/p/a.o\" \"/tmp/p/b.o\"\n";
        let body = compilation("a.c", "/tmp/p/a.o") + &compilation("b.c", "/tmp/p/b.o");
        let found = plan(&(body.clone() + link)).expect("simple");
        assert_eq!(found.compilations.len(), 2);
        assert_eq!(found.compilations[1].output(), Some(Path::new("/tmp/p/b.o")));
        assert_eq!(found.link.expect("link").program, Path::new("/p/ld.pathld"));
        assert_eq!(plan(&body).expect("no link").link, None);
        assert_eq!(plan(&(body.clone() + &link.replace("/p/ld.pathld", "/usr/bin/ld"))), None);
        assert_eq!(plan(&(body + &link.replace("\"prog\"", "\"/tmp/p/prog\""))), None);
    }

    #[test]
    fn quoting_is_undone() {
        let (words, rest) =
            quoted_line(b" \"a b\" \"-DX=\\\"\\\\\\$\\\"\n;\" \"\"\nrest").expect("well-formed");
        assert_eq!(words, ["a b", "-DX=\"\\$\"\n;", ""].map(OsString::from));
        assert_eq!(rest, b"rest");
        assert_eq!(quoted_line(b" \"open"), None);
        assert_eq!(quoted_line(b" \"a\"x\n"), None);
    }

    #[test]
    fn anything_else_is_left_to_the_driver() {
        let two = compilation("a.c", "a.o") + &compilation("b.c", "b.o");
        assert!(plan(&two).is_some());
        let refused = [
            format!("clang: warning: unused\n{two}"),
            format!("{two}clang: warning: unused\n"),
            compilation("a.c", "a.o"),
            compilation("a.c", "x.o") + &compilation("b.c", "x.o"),
            two.replace("\"-emit-obj\"", "\"-E\""),
            two.replace("\"-cc1\"", "\"-cc1as\""),
            two.replace("\"a.c\"", "\"-\""),
            two.replace("\"b.c\"", "\"a.o\""),
            two.replace("\"-x\" \"c\"", "\"-fmodule-file=m=m.pcm\" \"-x\" \"c\""),
            two.replace("\"-x\" \"c\"", "\"-dependency-file\" \"d\" \"-x\" \"c\""),
            two.replace("\"-x\" \"c\"", "\"-I/tmp/p\" \"-x\" \"c\""),
            format!(" (in-process)\n{two}"),
            String::new(),
        ];
        for body in refused {
            assert_eq!(plan(&body), None, "{body}");
        }
    }
}
