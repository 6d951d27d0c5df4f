//! The cells of a table as text.

use std::fmt::Write;

use owo_colors::OwoColorize;

use crate::show::durations::seconds;
use crate::show::style::{amount, elide, grouped, percent, share, signed_percent};
use crate::show::table::{Cell, Counted, Flow, Link, Words, path_end};

/// Returns all of a cell on one line, without styles.
pub(crate) fn plain(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Name(name) => name.whole(),
        Cell::Flow(flow) => flow.plain(),
        cell => anstream::adapter::strip_str(&lines(cell, None, false).join(" ")).to_string(),
    }
}

/// Returns a cell in lines of at most `width` columns; in full on one line without a width. Numbers
/// take the width that they need.
pub(crate) fn lines(cell: &Cell<'_>, width: Option<usize>, links: bool) -> Vec<String> {
    let line = match cell {
        Cell::Nothing => "–".into(),
        Cell::Unknown => "?".into(),
        Cell::Rank(rank) => rank.dimmed().to_string(),
        Cell::Number(count) => grouped(*count),
        Cell::Estimate(count, in_doubt) => {
            format!("{}{}", if *in_doubt { "~" } else { "" }, grouped(*count))
        }
        Cell::Share { part, whole, heat: true } => share(*part, *whole),
        Cell::Share { part, whole, heat: false } => percent(*part, *whole),
        Cell::Amount(of) => amount(of.number, of.unit, of.has_sign),
        Cell::SignedShare(part, whole) => signed_percent(*part, *whole),
        Cell::Fraction(part, all) => format!("{} of {}", grouped(*part), grouped(*all)),
        Cell::Ranks(best, worst) if best == worst => best.to_string(),
        Cell::Ranks(best, worst) => format!("{best}–{worst}"),
        Cell::Score(score) if score.is_finite() => format!("{score:.3}"),
        Cell::Score(_) => "∞".into(),
        Cell::Ratio(_, 0) => "–".into(),
        Cell::Ratio(part, all) => {
            // All percentages have one width, so that the numbers before them are aligned.
            format!("{}/{} {:>5}", grouped(*part), grouped(*all), percent(*part, *all))
        }
        Cell::Time(nanoseconds, complete) => {
            format!("{}{}", if *complete { "" } else { "≥" }, seconds(*nanoseconds))
        }
        Cell::Streams(streams) => match streams.first() {
            Some((Some(stream), _)) => grouped((*stream).into()),
            Some((None, _)) => "?".into(),
            None => "–".into(),
        },
        Cell::PathEnd { function, line } => {
            return wrapped(&path_end(function, line.as_deref()), width);
        }
        Cell::Name(name) => elide(&name.whole(), width),
        Cell::SourceLine(place) => {
            linked(&elide(&place.text, width).dimmed().to_string(), place.link.as_ref(), links)
        }
        Cell::Text(text) if text.is_empty() => return Vec::new(),
        Cell::Text(text) => return wrapped(text, width),
        Cell::Flow(flow) => return flow.fit(width),
        Cell::Counts(counts) => return with_counts(counts).fit(width),
    };
    vec![line]
}

/// Returns a sentence in lines of at most `width` columns; on one line without a width.
pub(crate) fn wrapped(text: &str, width: Option<usize>) -> Vec<String> {
    match width {
        None => vec![text.into()],
        Some(width) => textwrap::wrap(text, width).iter().map(|line| line.to_string()).collect(),
    }
}

/// Returns `→12: 5, →14: 3`, with each count on the line of its name.
fn with_counts(counts: &[Counted]) -> Words {
    let last = counts.len().saturating_sub(1);
    let item = |(at, Counted { text, count, .. }): (usize, &Counted)| {
        let count = count.map_or_else(|| "?".into(), grouped);
        format!("{text}: {count}{}", if at < last { "," } else { "" })
    };
    Words(counts.iter().enumerate().map(item).collect())
}

/// Returns text with a link to a file (the control sequence OSC 8). Terminals that know line
/// numbers take the fragment of the address for one.
pub(crate) fn linked(text: &str, link: Option<&Link>, links: bool) -> String {
    match link.filter(|_| links) {
        Some(link) => format!("\x1b]8;;{}\x1b\\{text}\x1b]8;;\x1b\\", address(link)),
        None => text.into(),
    }
}

/// Returns the address of a file on this machine.
fn address(link: &Link) -> String {
    use std::os::unix::ffi::OsStrExt;

    let host = rustix::system::uname();
    let mut address = format!("file://{}", host.nodename().to_string_lossy());
    for &byte in link.path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~+,@=:".contains(&byte) {
            address.push(byte.into());
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    if link.line > 0 {
        let _ = write!(address, "#{}", link.line);
    }
    address
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn files_are_linked_where_that_is_wanted() {
        let link = Link::new(Path::new("/a b/\u{e9};.c"), 7).expect("an absolute path");
        let shown = linked("x", Some(&link), true);
        assert!(shown.ends_with("/a%20b/%C3%A9%3B.c#7\x1b\\x\x1b]8;;\x1b\\"), "{shown:?}");
        assert!(shown.starts_with("\x1b]8;;file://"), "{shown:?}");
        assert_eq!(linked("x", Some(&link), false), "x");
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), "x");
        assert_eq!(Link::new(Path::new("a.c"), 1), None);
    }

    #[test]
    fn things_and_their_counts_are_not_parted() {
        let counts = vec![Counted::new("→324", Some(5000)), Counted::new("→316", None)];
        let cell = Cell::Counts(counts);
        assert_eq!(lines(&cell, Some(14), false), ["→324: 5,000,", "→316: ?"]);
        assert_eq!(plain(&cell), "→324: 5,000, →316: ?");
    }
}
