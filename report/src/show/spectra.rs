//! What tells failing runs from passing ones, for people: functions, then paths, blocks, branches
//! and lines, the most suspicious first.

use std::collections::HashMap;
use std::io::{Result, Write};

use compare::formulas::{Formula, Runs};
use compare::spectra::{Element, Kind, Ranked, Spectra};
use counts::listed_paths::{self, ListedPath};
use counts::model::Function;
use counts::path_text::Wording;
use counts::select::Filter;

use crate::show::diff_text::{block, many, name, place};
use crate::show::listing::{Form, Line, Listing, paragraph};
use crate::show::notation::base_name;
use crate::show::style::{grouped, shown};

/// How to show a ranking.
#[derive(Clone, Debug)]
pub struct Options {
    /// Text or Markdown.
    pub form: Form,
    /// The most rows in each list (0: all).
    pub top: usize,
    /// Only elements of functions that its globs let through.
    pub filter: Filter,
    /// The formula that gives scores.
    pub formula: Formula,
    /// What is ranked.
    pub kinds: Vec<Kind>,
    /// Names in full.
    pub full_names: bool,
}

/// Writes rankings of what runs executed. All names in `spectra` must be
/// [printable](crate::show::printable).
///
/// # Errors
/// Those of `out`.
pub fn write(spectra: &Spectra, options: &Options, out: &mut impl Write) -> Result<()> {
    let Runs { failing, passing } = spectra.runs;
    let images: Vec<_> = spectra.builds.keys().map(String::as_str).collect();
    let of = format!(
        "{} that failed and {} that passed, of {}.",
        many(failing as usize, "run", "runs"),
        many(passing as usize, "run", "runs"),
        images.join(", ")
    );
    let formula = options.formula.name();
    let meaning = format!(
        "The score ({formula}) is higher the better something tells failing runs from passing \
         ones: by how many of each executed it. What has the same score shares its places."
    );
    paragraph(&of, options.form, out)?;
    for image in spectra.rebuilt() {
        let text = format!(
            "The runs of {image} are of different builds. Only functions that did not change \
             between them are compared."
        );
        paragraph(&text, options.form, out)?;
    }
    paragraph(&meaning, options.form, out)?;
    let view = View { spectra, options };
    if options.filter.takes_all() {
        view.functions().write(options.form, out)?;
    }
    for &kind in &options.kinds {
        view.elements(kind).write(options.form, out)?;
    }
    Ok(())
}

struct View<'a> {
    spectra: &'a Spectra,
    options: &'a Options,
}

impl View<'_> {
    fn listing<T>(
        &self,
        title: &str,
        what: &'static str,
        ranked: &[Ranked<T>],
        words: impl Fn(&T) -> (String, Vec<String>),
    ) -> Listing {
        // What no failing run executed has the score 0 and stands behind all others.
        let suspicious = ranked.iter().take_while(|element| element.by.failing > 0).count();
        let kept = shown(self.options.top, suspicious);
        let all = self.spectra.runs;
        let line = |element: &Ranked<T>| {
            let (what, details) = words(&element.what);
            let what = match self.options.form {
                Form::Markdown => [&[what][..], &details].concat().join("; "),
                Form::Text(_) => what,
            };
            let places = match (element.best, element.worst) {
                (best, worst) if best == worst => best.to_string(),
                (best, worst) => format!("{best}–{worst}"),
            };
            let score = element.score.value();
            let score = if score.is_finite() { format!("{score:.3}") } else { "∞".into() };
            let numbers = vec![
                places,
                score,
                format!("{} of {}", element.by.failing, all.failing),
                format!("{} of {}", element.by.passing, all.passing),
            ];
            Line { numbers, what, details, ..Line::default() }
        };
        let mut notes = Vec::new();
        if kept < suspicious {
            notes.push(format!(
                "The first {} of {}; --top 0 lists all.",
                grouped(kept as u128),
                grouped(suspicious as u128)
            ));
        }
        if suspicious < ranked.len() {
            let others = many(ranked.len() - suspicious, "more was", "more were");
            notes.push(format!("{others} executed by no failing run."));
        }
        Listing {
            title: title.into(),
            numbers: vec!["place", "score", "failing", "passing"],
            what,
            more: Vec::new(),
            rows: ranked[..kept].iter().map(line).collect(),
            notes,
        }
    }

    fn functions(&self) -> Listing {
        let by = self.options.kinds.first().copied().unwrap_or(Kind::Paths);
        let ranked = self.spectra.ranked_functions(by, self.options.formula);
        let one = match by {
            Kind::Paths => "path",
            Kind::Blocks => "block",
            Kind::Branches => "branch",
            Kind::Lines => "line",
        };
        let title = format!("Functions, by their most suspicious {one}");
        self.listing(&title, "function", &ranked, |&function| {
            (self.located(&self.spectra.functions[function]), Vec::new())
        })
    }

    fn elements(&self, kind: Kind) -> Listing {
        let (title, what) = match kind {
            Kind::Paths => ("Paths", "path"),
            Kind::Blocks => ("Blocks", "block"),
            Kind::Branches => ("Branches", "branch"),
            Kind::Lines => ("Lines", "line"),
        };
        let ranked = self.spectra.ranked(kind, self.options.formula, &self.options.filter);
        let ways = ranked[..shown(self.options.top, ranked.len())].iter().filter_map(|ranked| {
            let Element::Path(function, id) = ranked.what else { return None };
            let function = &self.spectra.functions[*function];
            let path = function.paths.iter().find(|path| path.id == *id)?;
            Some(ListedPath { function, path, wording: Wording::default() })
        });
        let ways: Vec<_> = ways.collect();
        let key = |way: &ListedPath<'_>| (std::ptr::from_ref(way.function), way.path.id);
        let texts: HashMap<_, _> = ways.iter().map(key).zip(listed_paths::plain(&ways)).collect();
        self.listing(title, what, &ranked, |&element| {
            let function = &self.spectra.functions[self.spectra.function(element)];
            let name = || name(function, self.options.full_names);
            match element {
                Element::Path(_, id) => {
                    let text = texts.get(&(std::ptr::from_ref(function), *id));
                    (self.located(function), text.cloned().into_iter().collect())
                }
                Element::Block(_, number) => {
                    (format!("{}, {}", name(), block(function, *number)), Vec::new())
                }
                Element::Branch(_, edge) => {
                    (format!("{}, {}", name(), branch(function, *edge as usize)), Vec::new())
                }
                Element::Line(file, line) => {
                    (format!("{}:{line} ({})", base_name(file), name()), Vec::new())
                }
            }
        })
    }

    /// The name of a function and its place.
    fn located(&self, function: &Function) -> String {
        let name = name(function, self.options.full_names);
        match place(function) {
            place if place.is_empty() => name,
            place => format!("{name} ({place})"),
        }
    }
}

/// A way from a block that has several.
fn branch(function: &Function, edge: usize) -> String {
    let edge = &function.shape.edges[edge];
    let [from, to] = [edge.from, edge.to].map(|end| block(function, end));
    format!("{from} → {to}")
}
