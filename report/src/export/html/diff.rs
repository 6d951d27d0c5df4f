//! Writes a difference as a page for the browser, with the viewer of reports.
//!
//! Its data is that of a page, see [`html`](super), with other payloads:
//!
//! * `index` describes the comparison, and has a row for each pair of functions,
//! * `list.paths`, `list.blocks` and `list.calls` have all parts that differ, in columns,
//! * `f0`, `f1` … have the paths of one pair of functions that differ, step by step,
//! * `t0`, `t1` … have the source of one pair, with the counts of both sides.
//!
//! A difference is in [units][`Scale::unit`]. The viewer divides it by their number, so that its
//! sums are exact, too.
//!
//! `index` is the first payload, `lists` has the parts, `pair` the paths of a pair, and `source`
//! its text. `difference_report` is the input of the page.
//!
//! [`Scale::unit`]: compare::scale::Scale::unit

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use super::document::{Document, Written};
use super::payload::{Dictionary, Payload, pack};
use super::{Page, SAMPLES, title};

mod difference_report;
mod index;
mod lists;
mod pair;
mod source;

pub use difference_report::DifferenceReport;

/// Writes the page to `path`, or to a directory beside it if the file would be too large.
///
/// # Errors
/// A viewer without room for data, and errors of the file system.
pub fn write(report: DifferenceReport<'_>, page: &Page<'_>, path: &Path) -> Result<Written> {
    document(report, page)?.write(&payloads(report)?, page.most_bytes, path)
}

/// Writes the page to `out`, regardless of its size.
///
/// # Errors
/// A viewer without room for data, and the errors of `out`.
pub fn write_to(report: DifferenceReport<'_>, page: &Page<'_>, out: &mut dyn Write) -> Result<()> {
    document(report, page)?.write_to(&payloads(report)?, out)
}

fn document<'a>(report: DifferenceReport<'_>, page: &Page<'a>) -> Result<Document<'a>> {
    let [a, b] = [report.comparison.a, report.comparison.b].map(title);
    let name = if a == b { format!("{a}: A and B") } else { format!("{a} → {b}") };
    Document::new(page.viewer, &name)
}

/// Returns all data, the index first.
fn payloads(report: DifferenceReport<'_>) -> Result<Vec<Payload>> {
    let comparison = report.comparison;
    let pairs = pair::of(comparison);
    let step = pairs.len().div_ceil(SAMPLES).max(1);
    let chosen: Vec<_> = pairs.iter().step_by(step).map(|of| of.payload(comparison)).collect();
    let dictionary = Dictionary::of(chosen.iter())?;
    let functions = pairs.par_iter().map(|of| {
        let text = dictionary.pack(&of.payload(comparison))?;
        Ok(Payload::new(format!("f{}", of.number), text))
    });
    let mut all = vec![
        Payload::new("index".into(), pack(&index::index(report))?),
        dictionary.payload(),
        Payload::new("list.paths".into(), pack(&lists::paths(comparison))?),
        Payload::new("list.blocks".into(), pack(&lists::blocks(comparison))?),
        Payload::new("list.calls".into(), pack(&lists::calls(comparison))?),
    ];
    let sources = source::of(comparison);
    let sources =
        sources.par_iter().map(|(pair, of)| Ok(Payload::new(format!("t{pair}"), pack(of)?)));
    all.extend(functions.collect::<Result<Vec<_>>>()?);
    all.extend(sources.collect::<Result<Vec<_>>>()?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use compare::comparison::compare;
    use compare::scale::{Per, Scale};
    use counts::select::Filter;

    use super::*;
    use crate::export::html::tests::values;
    use crate::sample;

    #[test]
    fn what_differs_between_two_reports() {
        let a = sample::report();
        let mut b = a.clone();
        let function = &mut b.functions[0];
        function.entries *= 2;
        function.paths.remove(1);
        function.paths[0].count *= 3;
        function.block_counts[1] += 7;
        b.functions[1].shape.name = "main\u{202e}".into();
        let scale = Scale::of(&a, &b, &Per::Run).expect("both have runs");
        let comparison = compare(&a, &b, scale);
        let report = DifferenceReport {
            comparison: &comparison,
            per: &Per::Run,
            filter: &Filter::default(),
        };
        let payloads = payloads(report).expect("in memory");
        let values = values(&payloads);
        let difference = &values[0].1["difference"];
        for list in values[0].1["parts"].as_array().expect("four lists") {
            assert_eq!(&list["difference"], difference);
        }
        let text: Vec<_> = values.iter().map(|(name, value)| format!("{name} {value:#}")).collect();
        insta::assert_snapshot!(text.join("\n"));
    }
}
