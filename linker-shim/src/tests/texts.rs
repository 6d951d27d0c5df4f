//! Linker scripts and response files.

use std::ffi::{OsStr, OsString};
use std::fs;

use wrapper::response::{Dialect, join};

use crate::{response, script};

fn named(text: &str) -> Vec<OsString> {
    script::inputs(text.as_bytes())
}

#[test]
fn a_script_is_at_most_a_mebibyte_long() {
    for (length, expected) in [(100, 1), ((1 << 20) - 1, 1), (1 << 20, 1), ((1 << 20) + 1, 0)] {
        let text = format!("INPUT(x){}", " ".repeat(length - 8));
        assert_eq!(named(&text).len(), expected, "{length}");
    }
}

#[test]
fn a_group_ends_with_its_own_parenthesis() {
    assert_eq!(
        named("GROUP(a AS_NEEDED(b AS_NEEDED(c)) d) e (f) INPUT(g)"),
        ["a", "b", "c", "d", "g"]
    );
    assert_eq!(named("GROUP(a AS_NEEDED(b) c AS_NEEDED(d) e)"), ["a", "b", "c", "d", "e"]);
    assert_eq!(named("OUTPUT(x) INPUT y (z)"), [""; 0]);
}

#[test]
fn comments_end_at_their_first_end() {
    assert_eq!(named("/**/INPUT(a)/*/INPUT(b)*/INPUT(c)"), ["a", "c"]);
    assert_eq!(named("/* * / ** */ INPUT(a /* b */ c)"), ["a", "c"]);
    assert_eq!(named("INPUT(/a /b/c)"), ["/a", "/b/c"]);
    assert_eq!(named("INPUT(a) /* INPUT(b)"), ["a"]);
}

#[test]
fn names_end_at_what_cannot_stand_in_one() {
    assert_eq!(named("INPUT(a,b;c\"d\"e\tf\ng(h))"), ["a", "b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!(named("INPUT(\"a b\" \"\" c \"(d)\")"), ["a b", "", "c", "(d)"]);
    assert_eq!(named("INPUT(\"open"), ["open"]);
}

#[test]
fn response_files_may_name_others() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let at = |number: u32| {
        OsString::from_iter([OsStr::new("@"), folder.path().join(number.to_string()).as_os_str()])
    };
    for number in 0..8 {
        let words =
            [format!("before{number}").into(), at(number + 1), format!("behind{number}").into()];
        fs::write(folder.path().join(number.to_string()), join(&words, Dialect::Gnu))
            .expect("writable");
    }
    fs::write(folder.path().join("8"), "innermost").expect("writable");
    let before = (0..8).map(|number| format!("before{number}"));
    let behind = (0..8).rev().map(|number| format!("behind{number}"));
    let expected: Vec<_> =
        before.chain(["innermost".into()]).chain(behind).map(OsString::from).collect();
    assert_eq!(response::expand(&[at(0)], &|| Dialect::Gnu).expect("few"), expected);
    assert_eq!(
        response::expand(&["@".into(), "a@0".into()], &|| Dialect::Gnu).expect("few"),
        ["@", "a@0"]
    );
}
