//! The inputs that a linker script names: `libc.so` is usually a text that says
//! `GROUP ( /lib/libc.so.6 libc_nonshared.a AS_NEEDED ( … ) )`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Nothing longer is looked at, so that a large file that is no script costs nothing.
pub(crate) const LONGEST: usize = 1 << 20;

/// The names in all `INPUT` and `GROUP` commands of a script; none if this is no script.
pub(crate) fn inputs(text: &[u8]) -> Vec<OsString> {
    let mut inputs = Vec::new();
    if text.len() > LONGEST || text.contains(&0) {
        return inputs;
    }
    let mut tokens = tokens(text).into_iter();
    while let Some(token) = tokens.next() {
        if !matches!(token, b"INPUT" | b"GROUP") || tokens.next() != Some(b"(") {
            continue;
        }
        let mut depth = 1;
        for token in tokens.by_ref() {
            match token {
                b"(" => depth += 1,
                b")" => depth -= 1,
                b"AS_NEEDED" | b"," => {}
                name => inputs.push(OsStr::from_bytes(name).to_owned()),
            }
            if depth == 0 {
                break;
            }
        }
    }
    inputs
}

/// Names, parentheses and commas; comments and quotes are taken away.
pub(crate) fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let length = match first {
            byte if byte.is_ascii_whitespace() || byte == b';' => 1,
            b'/' if rest.starts_with(b"/*") => rest
                .windows(2)
                .skip(2)
                .position(|pair| pair == b"*/")
                .map_or(rest.len(), |end| end + 4),
            b'(' | b')' | b',' => {
                tokens.push(&rest[..1]);
                1
            }
            b'"' => {
                let length =
                    rest[1..].iter().position(|&byte| byte == b'"').unwrap_or(rest.len() - 1);
                tokens.push(&rest[1..1 + length]);
                (length + 2).min(rest.len())
            }
            _ => {
                let ends = |byte: &u8| {
                    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b',' | b'"' | b';')
                };
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                tokens.push(&rest[..length]);
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_libc() {
        let text =
            b"/* GNU ld script\n   Use the shared library. */\nOUTPUT_FORMAT(elf64-x86-64)\n\
            GROUP ( /lib/libc.so.6 /usr/lib/libc_nonshared.a  AS_NEEDED ( \
            /lib64/ld-linux-x86-64.so.2 ) )\n";
        assert_eq!(
            inputs(text),
            ["/lib/libc.so.6", "/usr/lib/libc_nonshared.a", "/lib64/ld-linux-x86-64.so.2"]
        );
    }

    #[test]
    fn several_commands_commas_and_quotes() {
        assert_eq!(inputs(b"INPUT(a.o,\"b c.o\" -lz);GROUP(x)"), ["a.o", "b c.o", "-lz", "x"]);
    }

    #[test]
    fn other_texts_have_no_inputs() {
        for text in [
            &b"SECTIONS { .text : { *(.text) } }"[..],
            b"int main() { return INPUT; }",
            b"INPUT",
            b"GROUP(",
            b"INPUT ( /* open",
            b"\"",
            b"",
            b"\x7fELF\0INPUT(x)",
        ] {
            assert!(inputs(text).is_empty(), "{text:?}");
        }
    }
}
