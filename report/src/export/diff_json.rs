//! Writes comparisons as JSON: schemas `pathprof-diff/1` and `pathprof-spectra/1`.
//!
//! Numbers are exact integers of any size. A difference is in units, of which `unit` are one
//! instruction; without `--per-run` and `--per-entry` that is 1. All parts that differ are written,
//! and the sum of their differences is `difference`. Path ids are decimal strings.

use std::io::Write;

use compare::blocks;
use compare::calls::Callee;
use compare::comparison::Comparison;
use compare::formulas::{FORMULAS, Formula};
use compare::pairs::Pair;
use compare::parts::{Part, Sides};
use compare::paths::PathChange;
use compare::scale::runs;
use compare::spectra::{Element, ElementKind, KINDS, Ranked, Spectra};
use counts::model::{Function, Path, Report};
use counts::select::Filter;
use profile::escape;
use profile::image::hexadecimal;
use serde_json::{Value, json};

use crate::schema;

/// Writes a comparison.
///
/// # Errors
/// The errors of `out`.
pub fn write(comparison: &Comparison<'_>, out: &mut impl Write) -> serde_json::Result<()> {
    let Comparison { a, b, scale, executed, difference, .. } = comparison;
    let matched: serde_json::Map<_, _> = comparison
        .matched()
        .into_iter()
        .map(|(matched, (functions, ran))| {
            let difference = comparison.difference_of(|pair| pair.matched == matched);
            let entry = json!({
                "functions": functions, "ran": ran, "difference": number(difference),
            });
            (matched.word().to_owned(), entry)
        })
        .collect();
    let pair = |at: usize| comparison.pair(at);
    let document = json!({
        "schema": schema::DIFFERENCE,
        "a": side(a, executed.a, scale.a),
        "b": side(b, executed.b, scale.b),
        "unit": number(scale.unit()),
        "difference": number(*difference),
        "matched": matched,
        "functions": list(&comparison.functions.differing, |&at| function(pair(at))),
        "paths": list(&comparison.paths.differing, |part| path(pair(part.pair), &part.what)),
        "blocks": list(&comparison.blocks.differing, |part| block(pair(part.pair), part.what)),
        "calls": list(&comparison.calls.differing, |part| {
            let callee = match part.callee {
                Callee::Pair(at) => json!(symbol(pair(at))),
                Callee::Symbol(symbol) => json!(symbol),
                Callee::Unknown => Value::Null,
            };
            json!({ "caller": part.caller.map(|at| symbol(pair(at))), "callee": callee })
        }),
    });
    serde_json::to_writer(escape::Json(out), &document)
}

/// Writes rankings by all formulas, of the functions that a filter lets through.
///
/// # Errors
/// The errors of `out`.
pub fn write_spectra(
    spectra: &Spectra,
    filter: &Filter,
    out: &mut impl Write,
) -> serde_json::Result<()> {
    let mut rankings = serde_json::Map::new();
    for formula in FORMULAS {
        let mut of_kind = serde_json::Map::new();
        for kind in KINDS {
            let elements = spectra.ranked(kind, formula, filter);
            let elements = elements.iter().map(|of| ranked(of, element(spectra, of.what)));
            let functions = spectra.ranked_functions(kind, formula);
            let functions = functions.iter().map(|of| ranked(of, named(spectra, of.what)));
            let entry = json!({
                "functions": functions.collect::<Vec<_>>(),
                "elements": elements.collect::<Vec<_>>(),
            });
            of_kind.insert(kind_word(kind).into(), entry);
        }
        rankings.insert(formula_word(formula).into(), of_kind.into());
    }
    let document = json!({
        "schema": schema::RANKING,
        "failing": spectra.runs.failing,
        "passing": spectra.runs.passing,
        "images": spectra.builds.keys().collect::<Vec<_>>(),
        "rankings": rankings,
    });
    serde_json::to_writer(escape::Json(out), &document)
}

/// Returns a number of any size.
fn number(number: i128) -> Value {
    match i64::try_from(number) {
        Ok(number) => json!(number),
        Err(_) => {
            number.to_string().parse::<serde_json::Number>().map_or(Value::Null, Value::Number)
        }
    }
}

fn side(report: &Report, executed: i128, divisor: u128) -> Value {
    let image = |image: &counts::model::Image| {
        json!({
            "path": image.path.display().to_string(), "build_id": hexadecimal(&image.build_id),
        })
    };
    json!({
        "images": report.images.iter().map(image).collect::<Vec<_>>(),
        "runs": number(i128::try_from(runs(report)).unwrap_or(i128::MAX)),
        "mode": report.common(|module| module.mode.name()),
        "stage": report.common(|module| module.stage.name()),
        "instructions": number(executed),
        "divisor": number(i128::try_from(divisor).unwrap_or(i128::MAX)),
    })
}

/// Returns parts with their numbers.
fn list<T>(parts: &[Part<T>], what: impl Fn(&T) -> Value) -> Vec<Value> {
    let entry = |part: &Part<T>| {
        let mut entry = what(&part.what);
        if let Value::Object(entry) = &mut entry {
            let Sides { a, b } = part.executed;
            entry.insert("difference".into(), number(part.difference));
            entry.insert("instructions".into(), json!([number(a), number(b)]));
            let Sides { a, b } = part.count;
            entry.insert("count".into(), json!([number(a), number(b)]));
        }
        entry
    };
    parts.iter().map(entry).collect()
}

fn symbol<'a>(pair: &Pair<'a>) -> &'a str {
    pair.function().map_or("", |function| &function.shape.name)
}

fn function(pair: &Pair<'_>) -> Value {
    let place = |function: Option<&Function>| {
        function.map(|function| {
            json!({
                "name": function.shape.name,
                "demangled": function.demangled,
                "file": function.shape.file,
                "line": function.shape.line,
                "blocks": function.shape.blocks.len(),
            })
        })
    };
    json!({
        "function": symbol(pair),
        "matched": pair.matched.word(),
        "a": place(pair.a),
        "b": place(pair.b),
        "not_counted_because": pair.skipped,
    })
}

fn path(pair: &Pair<'_>, what: &PathChange<'_>) -> Value {
    let one = |path: Option<&Path>| {
        path.map(|path| json!({ "id": path.id.to_string(), "instructions": path.instructions }))
    };
    let mut entry = json!({
        "function": symbol(pair),
        "what": match what {
            PathChange::Path(..) => "path",
            PathChange::Rest => "rest",
            PathChange::Changed => "changed",
            PathChange::NotCounted => "not_counted",
        },
    });
    if let (PathChange::Path(a, b), Value::Object(entry)) = (what, &mut entry) {
        entry.insert("a".into(), json!(one(*a)));
        entry.insert("b".into(), json!(one(*b)));
        let known = b.zip(pair.b).or(a.zip(pair.a));
        entry.extend(known.map(|(path, function)| way(function, path)).into_iter().flatten());
    }
    entry
}

/// Returns the start of a path, its course, and its end.
fn way(function: &Function, path: &Path) -> serde_json::Map<String, Value> {
    let mut lines: Vec<_> = path.blocks.iter().flat_map(|&block| lines(function, block)).collect();
    lines.dedup();
    let entries = [
        ("start", json!(path.start.key())),
        ("end", json!(path.end.key())),
        ("blocks", json!(path.blocks)),
        ("lines", json!(lines)),
    ];
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns the lines of a block, in any file.
fn lines(function: &Function, block: u32) -> Vec<u32> {
    let block = &function.shape.blocks[block as usize];
    let locations =
        block.locations.iter().filter_map(|&at| function.shape.locations.get(at as usize));
    locations.map(|location| location.line).filter(|&line| line != 0).collect()
}

fn block(pair: &Pair<'_>, what: blocks::BlockPlace<'_>) -> Value {
    let symbol = symbol(pair);
    match what {
        blocks::BlockPlace::Block(block) => {
            let lines = pair.function().map(|function| lines(function, block));
            json!({ "function": symbol, "block": block, "lines": lines })
        }
        blocks::BlockPlace::Line { function, a, b } => {
            json!({ "function": symbol, "of": function, "line": [a, b] })
        }
        blocks::BlockPlace::NoLine => json!({ "function": symbol, "line": null }),
    }
}

fn kind_word(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Paths => "paths",
        ElementKind::Blocks => "blocks",
        ElementKind::Branches => "branches",
        ElementKind::Lines => "lines",
    }
}

fn formula_word(formula: Formula) -> &'static str {
    match formula {
        Formula::Ochiai => "ochiai",
        Formula::Tarantula => "tarantula",
        Formula::DStar => "dstar",
    }
}

/// Returns an entry with its places. An infinite score is `null`.
fn ranked<T>(of: &Ranked<T>, mut entry: Value) -> Value {
    if let Value::Object(entry) = &mut entry {
        let score = Some(of.score.value()).filter(|score| score.is_finite());
        entry.insert("score".into(), json!(score));
        entry.insert("best_place".into(), json!(of.best));
        entry.insert("worst_place".into(), json!(of.worst));
        entry.insert("mean_place".into(), json!(of.mean()));
        entry.insert("failing".into(), json!(of.by.failing));
        entry.insert("passing".into(), json!(of.by.passing));
    }
    entry
}

fn named(spectra: &Spectra, function: usize) -> Value {
    let function = &spectra.functions[function];
    let (name, demangled) = (&function.shape.name, &function.demangled);
    let (file, line) = (&function.shape.file, function.shape.line);
    json!({ "function": name, "demangled": demangled, "file": file, "line": line })
}

fn element(spectra: &Spectra, element: &Element) -> Value {
    let function = &spectra.functions[spectra.function(element)];
    let name = &function.shape.name;
    match element {
        Element::Path(_, id) => {
            let mut entry = json!({ "function": name, "id": id.to_string() });
            let known = function.paths.iter().find(|path| path.id == *id);
            if let (Some(path), Value::Object(entry)) = (known, &mut entry) {
                entry.extend(way(function, path));
            }
            entry
        }
        Element::Block(_, block) => {
            json!({ "function": name, "block": block, "lines": lines(function, *block) })
        }
        Element::Branch(_, edge) => {
            let edge = &function.shape.edges[*edge as usize];
            json!({
                "function": name,
                "from": edge.from,
                "to": edge.to,
                "lines": [lines(function, edge.from), lines(function, edge.to)],
            })
        }
        Element::Line(file, line) => json!({ "function": name, "file": file, "line": line }),
    }
}
