//! `pathcc --help`: what pathcc adds to clang. Clang's own help follows it.

use crate::options::{SHOWS, flags};

/// What stands before the options.
const HEAD: &str = concat!(
    "pathcc ",
    env!("CARGO_PKG_VERSION"),
    ": clang 22, and the program counts which paths ran through it\n",
    "\n",
    "pathc++ compiles C++, and pathfc Fortran, by flang 22.\n",
    "Run the program, then `pathprof report`. Options of pathcc:\n",
);

/// What stands behind them.
const TAIL: &str = "
A project's settings are in `pathcc.toml`. PATHCC_DISABLE=1: plain clang.

Options of clang:

";

/// What is printed before clang's help. `--version` stays clang's own, since build systems take the
/// compiler's version from it.
pub(crate) fn text() -> String {
    let mut placed: Vec<_> =
        flags().filter_map(|option| Some((option.brief.place?, option))).collect();
    placed.sort_by_key(|(place, _)| *place);
    let with_values = placed
        .iter()
        .map(|(_, option)| (format!("{}{}", option.flag(), option.brief.value), option.brief.text));
    let shows = SHOWS.chunk_by(|a, b| a.brief == b.brief).map(|group| {
        let flags: Vec<_> = group.iter().map(|show| show.flag).collect();
        (flags.join(", "), group[0].brief)
    });
    let line = |(flag, brief): (String, &str)| format!("  {flag:22} {brief}\n");
    let lines: String = with_values.chain(shows).map(line).collect();
    format!("{HEAD}{lines}{TAIL}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal_and_every_option_is_there() {
        let text = text();
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        let options: Vec<_> = flags().map(|option| option.flag()).collect();
        let shows = SHOWS.iter().map(|show| show.flag);
        let named = options.iter().map(|flag| flag.trim_end_matches('=')).chain(shows);
        assert!(named.into_iter().all(|flag| text.contains(flag)), "{text}");
    }
}
