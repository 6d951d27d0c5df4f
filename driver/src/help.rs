//! `pathcc --help`: what pathcc adds to clang. Clang's own help follows it.

/// What is printed before clang's help. `--version` stays clang's own, since build systems take the compiler's version from it.
pub(crate) const TEXT: &str = concat!(
    "pathcc ",
    env!("CARGO_PKG_VERSION"),
    ": clang 22, and the program counts which paths ran through it\n",
    "\n",
    "pathc++ compiles C++, and pathfc Fortran, by flang 22.\n",
    "Run the program, then `pathprof report`. Options of pathcc:\n",
    "  -fpath-mode=KIND       count paths (default), edges, blocks or calls\n",
    "  -fpath-stage=STAGE     late (default): code that runs; early: source branches\n",
    "  -fpath-threads=WAY     exact (default), single or atomic\n",
    "  -fpath-filter=GLOBS    only these functions or files; !GLOB leaves out\n",
    "  -fpath-limit=N         most paths of one function before it is cut (4096)\n",
    "  -fpath-overflow=hash   paths beyond the limit whole; -fpath-table=N: room\n",
    "  -fpath-callees=N       name up to N callees of each call through a pointer\n",
    "  -fpath-placement=WAY   blocks: spanning-tree, patterns or every-block\n",
    "  -fpath-promotion=no    early, blocks: no counter stays in a register\n",
    "  -fpath-use=FILE        what `pathprof weights` wrote of an earlier run\n",
    "  -fpath-hot=PERCENT     with -fpath-use: count only the hottest functions\n",
    "  -fpath-profile=PATTERN where profiles go, unless PATHCC_PROFILE says so\n",
    "  --print-config         show what is in force, and from where\n",
    "  --cflags, --ldflags    show what makes clang itself compile and link so\n",
    "\n",
    "A project's settings are in `pathcc.toml`. PATHCC_DISABLE=1: plain clang.\n",
    "\n",
    "Options of clang:\n",
    "\n",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal_and_every_option_is_there() {
        assert!(TEXT.lines().all(|line| line.len() <= 80), "{TEXT}");
        let table = include_str!("flags.rs").lines().filter_map(|line| line.strip_prefix("//! | `-"));
        let options: Vec<_> = table.filter_map(|line| line.split(['`', '=']).next()).collect();
        assert!(options.len() > 12);
        assert!(options.iter().all(|option| TEXT.contains(&format!("-{option}"))), "{options:?}");
    }
}
