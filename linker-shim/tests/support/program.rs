//! A program of two instrumented modules, and what it does.

use std::fs;

use super::{Counts, Scratch};

/// The program; it calls both modules.
const MAIN: &str = "
    #include <stdio.h>
    void bump_a(long); void bump_b(long);
    int main(int argc, char **argv) {
        for (int i = 0; i < 1000; i++) { bump_a(0); if (i % 3 == 0) bump_b(99); }
        bump_a(4); bump_b(0);
        printf(\"%d arguments\\n\", argc);
        return 3;
    }";

/// Counts as a map.
pub(crate) fn counts(counts: &[((u8, u64), u64)]) -> Counts {
    counts.iter().copied().collect()
}

/// What [`MAIN`] counts, with module 1 as `a` and module 2 as `b`.
pub(crate) fn expected() -> Counts {
    counts(&[((1, 0), 1000), ((1, 4), 1), ((2, 0), 1), ((2, 99), 334)])
}

/// [`MAIN`] and its modules, compiled with `flags`.
pub(crate) fn with_objects(flags: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, flags);
    scratch.module("b", 2, 100, flags);
    scratch.compile("main", &[&["-fPIC"], flags].concat(), MAIN);
    scratch
}

/// Runs `prog` as the tests expect it to behave and returns the counts of its profile.
pub(crate) fn run(scratch: &Scratch) -> Counts {
    let output = scratch
        .command("./prog")
        .arg("x")
        .env("PATHCC_PROFILE", "out/%e")
        .output()
        .expect("executable");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!((&*output.stdout, &*output.stderr), (&b"2 arguments\n"[..], &b""[..]));
    let profile = scratch.profile("out/prog");
    fs::remove_dir_all(scratch.path("out")).expect("ours");
    profile.counts
}
