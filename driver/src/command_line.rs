//! The words of a command line: what the user wrote, and what it means with response files opened.
//!
//! clang opens `@file` before it looks at any option, so whoever looks for an option must do the
//! same. But a response file is left on the command line as it is, unless a word has to be taken
//! out of it; only then does its content take its place.
//!
//! This is not a parser of clang's options. It knows three things: that everything after `--` is an
//! input, that the word after `-Xclang` and the like belongs to somebody else, and what a response
//! file is.

use crate::regular_file::RegularFile;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use wrapper::expansion::{Expansion, MOST_BYTES};
use wrapper::files::{self, Identity};
use wrapper::response::Dialect;

/// Options whose next word is handed on verbatim, whatever it looks like.
const VERBATIM_NEXT: [&str; 8] = [
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-mllvm",
    "-mmlir",
    "-o",
];

/// Paths of the standard input.
const STANDARD_INPUT: [&[u8]; 3] = [b"/dev/stdin", b"/dev/fd/0", b"/proc/self/fd/0"];

/// One word as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CommandWord {
    word: OsString,
    /// The words of the response file, if it is one that could be read.
    content: Option<Vec<OsString>>,
}

/// Reads a file: its identity, and its bytes.
type ReadFile<'a, I> = &'a dyn Fn(&Path) -> Option<(I, Vec<u8>)>;

/// A command line without the program name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CommandLine {
    written: Vec<CommandWord>,
}

impl CommandLine {
    /// Takes a command line; `read` returns the identity of a file and its bytes, or
    /// nothing if that is no regular file.
    ///
    /// A response file that cannot be read stays a word, as it does for clang (which then finds no
    /// input of that name). So does one that is not a regular file: a pipe can be read but once,
    /// and that is clang's to do. The words inside such a file are not seen by pathcc.
    pub(crate) fn new<I: PartialEq>(arguments: &[OsString], read: ReadFile<'_, I>) -> CommandLine {
        // With another quoting than GNU's the words are not ours to take apart.
        let gnu = !arguments.iter().any(|word| word == "--rsp-quoting=windows");
        let mut expansion = Expansion::new(read, || Dialect::Llvm);
        let written = arguments
            .iter()
            .map(|word| CommandWord {
                word: word.clone(),
                content: gnu.then(|| expansion.open(word).ok().flatten()).flatten(),
            })
            .collect();
        CommandLine { written }
    }

    /// The words as the user wrote them.
    pub(crate) fn as_written(&self) -> impl Iterator<Item = &OsString> {
        self.written.iter().map(|written| &written.word)
    }

    /// All words with response files opened.
    fn opened(&self) -> impl Iterator<Item = &OsStr> {
        self.written.iter().flat_map(|written| match &written.content {
            Some(content) => content.iter().map(OsString::as_os_str).collect(),
            None => vec![written.word.as_os_str()],
        })
    }

    /// The words, with response files opened, that may be options or inputs of clang's: neither
    /// handed on verbatim to somebody else nor behind `--`.
    pub(crate) fn own(&self) -> impl Iterator<Item = &OsStr> {
        let mut scanner = Scanner::default();
        self.opened().filter(move |word| scanner.is_own(word))
    }

    /// True if a word names what can be read but once: a response file that is no regular file, or
    /// the standard input by a path. Then nobody but the compiler itself may read it, and only
    /// once.
    pub(crate) fn can_be_read_once(&self) -> bool {
        self.opened().any(|word| match word.as_bytes() {
            [b'@', file @ ..] => {
                let file = Path::new(OsStr::from_bytes(file)).metadata();
                file.is_ok_and(|data| !data.is_file())
            }
            path => STANDARD_INPUT.iter().any(|name| path.ends_with(name)),
        })
    }

    /// True if one of [`CommandLine::own`] is exactly `option`.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.own().any(|word| word == option)
    }

    /// The command line without those of its [own](CommandLine::own) words that `unwanted` names.
    pub(crate) fn without(&self, unwanted: &dyn Fn(&OsStr) -> bool) -> CommandLine {
        let mut scanner = Scanner::default();
        let mut kept = Vec::new();
        for written in &self.written {
            let mut keeps = |word: &OsStr| !(scanner.is_own(word) && unwanted(word));
            match &written.content {
                None => kept.extend(keeps(&written.word).then(|| written.clone())),
                Some(content) => {
                    let rest: Vec<_> = content.iter().filter(|word| keeps(word)).cloned().collect();
                    if rest.len() == content.len() {
                        kept.push(written.clone());
                    } else {
                        kept.extend(
                            rest.into_iter().map(|word| CommandWord { word, content: None }),
                        );
                    }
                }
            }
        }
        CommandLine { written: kept }
    }
}

/// Walks over words from left to right.
#[derive(Default)]
struct Scanner {
    after_double_dash: bool,
    verbatim: bool,
}

impl Scanner {
    fn is_own(&mut self, word: &OsStr) -> bool {
        let own = !self.after_double_dash && !self.verbatim;
        self.after_double_dash |= own && word == "--";
        self.verbatim = own && VERBATIM_NEXT.iter().any(|option| word == *option);
        own
    }
}

/// Reads a response file if it is a regular file.
pub(crate) fn read_regular_file(path: &Path) -> Option<(Identity, Vec<u8>)> {
    let file = RegularFile::open(path).ok()?;
    let identity = files::identity(&file.metadata);
    Some((identity, file.read(MOST_BYTES as u64).ok()?))
}

/// Splits `word` at `prefix`: the rest, if it starts so.
pub(crate) fn value_of<'a>(word: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    word.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A command line as text, words separated by spaces; `@r` holds `-c --ld-path=x @n`, `@n`
    /// holds `-O2`.
    pub(crate) fn words(line: &str) -> CommandLine {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        CommandLine::new(&arguments, &|path| {
            let name = path.to_str()?;
            let text = match name {
                "r" => "-c --ld-path=x @n".to_owned(),
                "n" => "-O2".to_owned(),
                "dash" => "--".to_owned(),
                "loop" => "@loop -g @loop".to_owned(),
                name if name.starts_with("deep") => format!("@{name}+ @{name}+"),
                _ => return None,
            };
            Some((name.to_owned(), text.into_bytes()))
        })
    }

    fn shown<'a, W: AsRef<OsStr> + 'a + ?Sized>(words: impl Iterator<Item = &'a W>) -> String {
        words.map(|word| word.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    fn without_ld_path(line: &str) -> String {
        shown(words(line).without(&|word| value_of(word, "--ld-path=").is_some()).as_written())
    }

    #[test]
    fn words_of_others_are_not_own() {
        assert_eq!(shown(words("-c a.c -Xclang -c -Xlinker x").own()), "-c a.c -Xclang -Xlinker");
        assert_eq!(shown(words("a.c -- -c -v").own()), "a.c --");
        assert_eq!(shown(words("-Xclang -- -c").own()), "-Xclang -c");
        assert_eq!(shown(words("@r a.c").own()), "-c --ld-path=x -O2 a.c");
        assert_eq!(shown(words("@dash -c").own()), "--");
        assert_eq!(shown(words("@missing @loop").own()), "@missing @loop -g @loop");
        // More than there may be, which clang refuses.
        assert_eq!(shown(words("@deep a.c").own()), "@deep a.c");
    }

    #[test]
    fn a_response_file_stays_unless_something_is_taken_out() {
        assert_eq!(without_ld_path("--ld-path=a -c @n b.c"), "-c @n b.c");
        assert_eq!(without_ld_path("@r a.c @n"), "-c -O2 a.c @n");
        assert_eq!(without_ld_path("-Xlinker --ld-path=a"), "-Xlinker --ld-path=a");
        assert_eq!(without_ld_path("-- --ld-path=a"), "-- --ld-path=a");
        assert_eq!(without_ld_path("--rsp-quoting=windows @r"), "--rsp-quoting=windows @r");
    }
}
