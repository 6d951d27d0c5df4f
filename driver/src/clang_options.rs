//! Options of clang's that matter for counting: code that has no place for the runtime, clang's own
//! profilers, and targets that are not counted.

use crate::command_line::{CommandLine, value_of};
use std::os::unix::ffi::OsStrExt;

/// For which place the code is, if no runtime can be there: freestanding code is recorded as not
/// counted, and that of a kernel is left as it is, since kernels say which sections an object may
/// have.
///
/// `-mkernel` and `-fapple-kext` imply `-ffreestanding`, and a later `-fhosted` takes it back
/// (measured).
pub(crate) fn why_skipped(words: &CommandLine) -> Option<&'static str> {
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

/// True if a profiler of clang's own changes the code, or reads what it counted, in the middle of
/// the pipeline.
pub(crate) fn has_profiler(words: &CommandLine) -> bool {
    const OPTIONS: [&str; 4] =
        ["-fprofile-use", "-fprofile-instr-use=", "-fprofile-generate", "-fprofile-sample-use="];
    words
        .own()
        .any(|word| OPTIONS.iter().any(|option| word.as_bytes().starts_with(option.as_bytes())))
}

/// A sanitizer that traced code has to make room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sanitizer {
    /// NumericalStabilitySanitizer finds the shadow of every address in memory, also of those that
    /// are marked as none of its business and of those in a segment.
    Numerical,
    /// DataFlowSanitizer does that, too, and gives functions other names.
    DataFlow,
}

/// True if the command line asks for a sanitizer.
pub(crate) fn sanitizes(words: &CommandLine, sanitizer: Sanitizer) -> bool {
    let wanted: &[u8] = match sanitizer {
        Sanitizer::Numerical => b"numerical",
        Sanitizer::DataFlow => b"dataflow",
    };
    let mut is_used = false;
    for word in words.own() {
        let chosen = value_of(word, "-fsanitize=").map(|names| (names, true));
        let Some((names, is_on)) =
            chosen.or_else(|| value_of(word, "-fno-sanitize=").map(|names| (names, false)))
        else {
            continue;
        };
        for name in names.as_bytes().split(|&byte| byte == b',') {
            if name == wanted || (name == b"all" && !is_on) {
                is_used = is_on;
            }
        }
    }
    is_used
}

/// The target, if the command line names one that is not counted. A later option wins over an
/// earlier one. The compiler's name may name one, too: `prefix` is what stands before it, with its
/// hyphen.
pub(crate) fn foreign_target(words: &CommandLine, prefix: &str) -> Option<String> {
    let named = prefix.strip_suffix('-').filter(|target| !is_counted(target));
    let mut foreign = named.map(str::to_owned);
    let mut words = words.own().peekable();
    while let Some(word) = words.next() {
        let named = value_of(word, "--target=")
            .or_else(|| (word == "-target").then(|| words.peek().copied()).flatten());
        let width = word.as_bytes();
        if let Some(target) = named {
            let target = target.to_string_lossy().into_owned();
            foreign = (!is_counted(&target)).then_some(target);
        } else if matches!(width, b"-m32" | b"-mx32" | b"-m16") {
            foreign = Some(word.to_string_lossy().into_owned());
        } else if width == b"-m64" && foreign.as_ref().is_some_and(|known| known.starts_with("-m"))
        {
            foreign = None;
        }
    }
    foreign
}

/// True if a target is x86-64 Linux with 64-bit pointers.
fn is_counted(target: &str) -> bool {
    target.starts_with("x86_64") && target.contains("linux") && !target.ends_with("x32")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;

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
    fn sanitizers_are_recognised() {
        let dataflow = |line| sanitizes(&words(line), Sanitizer::DataFlow);
        let numerical = |line| sanitizes(&words(line), Sanitizer::Numerical);
        assert!(dataflow("-fsanitize=dataflow a.c") && numerical("-fsanitize=undefined,numerical"));
        assert!(dataflow("-fno-sanitize=all -fsanitize=dataflow") && !numerical("a.c"));
        assert!(!dataflow("-fsanitize=address,numerical"));
        assert!(!dataflow("-Xclang -fsanitize=dataflow"));
        assert!(!dataflow("-fsanitize=dataflow -fno-sanitize=dataflow"));
        assert!(!numerical("-fsanitize=numerical -fno-sanitize=all"));
    }

    #[test]
    fn freestanding_code_is_recognised() {
        let profiler = |line| has_profiler(&words(line));
        assert!(
            profiler("-fprofile-use=a.profdata a.c")
                && profiler("-fprofile-generate")
                && profiler("-fprofile-use")
        );
        assert!(
            !profiler("-fprofile-arcs a.c")
                && !profiler("-Xclang -fprofile-use a.c")
                && !profiler("a.c")
        );
        let why = |line| why_skipped(&words(line));
        assert_eq!(why("-ffreestanding -c a.c"), Some("freestanding"));
        assert_eq!(why("-ffreestanding -fhosted -c a.c"), None);
        assert_eq!(why("-mkernel -fhosted"), Some("kernel"));
        assert_eq!(why("-ffreestanding -mcmodel=kernel"), Some("kernel"));
        assert_eq!(why("-mcmodel=large -Xclang -ffreestanding -- -ffreestanding"), None);
    }
}
