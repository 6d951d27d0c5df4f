//! Linker scripts that throw away what counting needs.
//!
//! Scripts of kernels, boot loaders and flat images often end with `/DISCARD/ : { *(*) }`. Then
//! neither what `ld.pathld` adds nor what code of the pass refers to is in the image.

use glob_match::glob_match;
use pathformat::names;

use crate::script::{LONGEST, tokens};

/// Where scripts put what they throw away.
const DISCARD: &[u8] = b"/DISCARD/";

/// Sections without which nothing is counted. The last ones begin with these names.
const NEEDED: [&str; 4] =
    [names::FUNCTIONS_SECTION, names::MODULES_SECTION, ".tdata.__pathcc_delta", ".init_array"];

/// True if a text is a linker script that throws away what counting needs.
pub(crate) fn is_in(text: &[u8]) -> bool {
    if text.len() > LONGEST || text.contains(&0) {
        return false;
    }
    let mut tokens = tokens(text).into_iter();
    while let Some(token) = tokens.next() {
        let discards = token.windows(DISCARD.len()).any(|part| part == DISCARD);
        if discards && names_needed(&mut tokens) {
            return true;
        }
    }
    false
}

/// True if a pattern up to the brace that closes a list stands for something needed.
fn names_needed(tokens: &mut dyn Iterator<Item = &[u8]>) -> bool {
    let mut depth = 0u32;
    for token in tokens {
        match token {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ if depth == 0 && token.contains(&b'}') => return false,
            _ => {
                let pattern = std::str::from_utf8(token).unwrap_or_default();
                if depth > 0 && NEEDED.iter().any(|name| glob_match(pattern, name)) {
                    return true;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_discard_what_is_needed() {
        for (script, expected) in [
            ("SECTIONS { .text : { *(.text*) } /DISCARD/ : { *(*) } }", true),
            ("SECTIONS { /DISCARD/ : { *(.note*) *(.comment) a.o(.x .tdata.*) } }", true),
            ("SECTIONS{/DISCARD/ :{*(EXCLUDE_FILE(a.o) .pathcc*)}}", true),
            ("SECTIONS{/DISCARD/:{*(*)}}", true),
            ("SECTIONS { /DISCARD/ : { KEEP(*(.init_arr?y)) } }", true),
            ("SECTIONS { /DISCARD/ : { *(.note*) *(.eh_frame) } .x : { *(*) } }", false),
            ("SECTIONS { /* /DISCARD/ : { *(*) } */ }", false),
            ("/DISCARD/", false),
            ("INPUT(x)", false),
        ] {
            assert_eq!(is_in(script.as_bytes()), expected, "{script}");
        }
    }
}
