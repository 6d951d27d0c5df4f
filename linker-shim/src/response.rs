//! Response files: `@file` stands for the arguments in the file.
//!
//! The quoting is LLVM's for GNU command lines, which GNU binutils shares but for empty arguments: white space
//! separates, a backslash takes the next character as it is, also inside quotes of either kind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// A response file that names itself would otherwise expand for ever.
const DEEPEST: usize = 20;

/// The arguments with all response files replaced by their content. One that cannot be read stays as it is, as
/// linkers do.
pub(crate) fn expand(arguments: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::with_capacity(arguments.len());
    expand_into(arguments, 0, &mut expanded);
    expanded
}

fn expand_into(arguments: &[OsString], depth: usize, expanded: &mut Vec<OsString>) {
    for argument in arguments {
        let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth < DEEPEST);
        match file.and_then(|file| fs::read(OsStr::from_bytes(file)).ok()) {
            Some(text) => expand_into(&tokens(&text), depth + 1, expanded),
            None => expanded.push(argument.clone()),
        }
    }
}

/// Splits the text of a response file.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut tokens = Vec::new();
    let mut token = Vec::new();
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) if bytes.peek().is_some() => token.extend(bytes.next()),
            (_, Some(closing)) if byte == closing => quote = None,
            (_, Some(_)) => token.push(byte),
            (b'"' | b'\'', None) => quote = Some(byte),
            (b' ' | b'\t' | b'\r' | b'\n', None) => take(&mut token, &mut tokens),
            (_, None) => token.push(byte),
        }
    }
    take(&mut token, &mut tokens);
    tokens
}

fn take(token: &mut Vec<u8>, tokens: &mut Vec<OsString>) {
    if !token.is_empty() {
        tokens.push(OsString::from_vec(std::mem::take(token)));
    }
}

/// The text of a response file that stands for the arguments.
pub(crate) fn quote(arguments: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for argument in arguments {
        if argument.is_empty() {
            text.extend(b"\"\"");
        }
        for &byte in argument.as_bytes() {
            if byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\'') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<OsString> {
        tokens(text.as_bytes())
    }

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(split("a b\tc\r\nd"), ["a", "b", "c", "d"]);
        assert_eq!(split(r#""a b"c 'd"e' "f'g""#), ["a bc", "d\"e", "f'g"]);
        assert_eq!(split(r"a\ b 'c\d' \\ \'"), ["a b", "cd", "\\", "'"]);
        assert_eq!(split("\"unclosed a"), ["unclosed a"]);
        assert_eq!(split("end\\"), ["end\\"]);
        assert!(split(" '' \n").is_empty());
    }

    #[test]
    fn what_is_quoted_comes_back() {
        let arguments = ["-o", "a b", "it's", "\"q\"", "back\\slash", "new\nline", "\t"].map(OsString::from);
        assert_eq!(tokens(&quote(&arguments)), arguments);
    }

    #[test]
    fn nested_files_missing_files_and_cycles() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| directory.path().join(name).into_os_string();
        let at = |name: &str| OsString::from_iter([OsStr::new("@"), &path(name)]);
        let inner = [OsString::from("-lx"), at("missing")];
        fs::write(path("inner"), quote(&inner)).expect("writable");
        fs::write(path("outer"), quote(&["-o".into(), at("inner"), "end".into()])).expect("writable");
        assert_eq!(expand(&[at("outer")]), ["-o".into(), "-lx".into(), at("missing"), "end".into()]);
        fs::write(path("cycle"), quote(&[at("cycle")])).expect("writable");
        assert_eq!(expand(&[at("cycle")]), [at("cycle")]);
    }
}
