//! The differences between failing and passing runs, for people: functions, then paths, blocks,
//! branches and lines, the most suspicious first.

use compare::formulas::{Formula, Runs};
use compare::spectra::{Element, ElementKind, Ranked, Spectra};
use counts::listed_paths::ListedPath;
use counts::model::{Count, Function};
use counts::path_text::Wording;
use counts::select::Filter;
use profile::names;

use crate::show::document::{Document, Fact, Remark};
use crate::show::notation::{base_name, block_and_line};
use crate::show::path_flow;
use crate::show::rows::forms;
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Name, Row, SourceLine, Table, Visibility};

/// The parts of a ranking to show.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest number of rows in each table (0: all).
    pub top: usize,
    /// The globs that choose functions.
    pub filter: Filter,
    /// The formula of the scores.
    pub formula: Formula,
    /// The kinds of elements that are ranked.
    pub kinds: Vec<ElementKind>,
}

/// Returns rankings of the elements that runs executed. All names in `spectra` must be
/// [printable](crate::show::printable).
pub fn document<'a>(spectra: &'a Spectra, options: &Options) -> Document<'a> {
    let Runs { failing, passing } = spectra.runs;
    let images: Vec<_> = spectra.builds.keys().map(String::as_str).collect();
    let runs = [(failing, "failed"), (passing, "passed")]
        .map(|(number, how)| format!("{} that {how}", plural(number as usize, "run")));
    let meaning = format!(
        "by {}: the higher, the better something tells failing runs from passing ones, by how many \
         of each executed it; what has the same score shares its places",
        options.formula.name()
    );
    let rebuilt = spectra.rebuilt().map(|image| {
        Remark::note(format!(
            "the runs of {image} are of different builds; only functions that did not change \
             between them are compared"
        ))
    });
    let view = View { spectra, options };
    let functions = options.filter.takes_all().then(|| view.functions());
    let elements = options.kinds.iter().map(|&kind| view.elements(kind));
    Document {
        heading: vec![
            Fact::new("runs", format!("{}, of {}", runs.join(" and "), images.join(", "))),
            Fact::new("score", meaning),
        ],
        tables: functions.into_iter().chain(elements).collect(),
        remarks: rebuilt.collect(),
    }
}

struct View<'v, 'a> {
    spectra: &'a Spectra,
    options: &'v Options,
}

impl<'a> View<'_, 'a> {
    /// Returns a table of ranked elements. `texts` returns the cells of each.
    fn table<T>(
        &self,
        name: &'static str,
        titles: impl IntoIterator<Item = Column>,
        ranked: &[Ranked<T>],
        mut texts: impl FnMut(&T) -> Vec<Cell<'a>>,
    ) -> Table<'a> {
        // An element that no failing run executed has the score 0, and comes after all others.
        let suspicious = ranked.iter().take_while(|element| element.by.failing > 0).count();
        let kept = shown(self.options.top, suspicious);
        let all = self.spectra.runs;
        let row = |element: &Ranked<T>| {
            let numbers = [
                Cell::Ranks(element.best, element.worst),
                Cell::Score(element.score.value()),
                Cell::Fraction(element.by.failing.into(), all.failing.into()),
                Cell::Fraction(element.by.passing.into(), all.passing.into()),
            ];
            Row::from(numbers.into_iter().chain(texts(&element.what)).collect::<Vec<_>>())
        };
        let mut notes = Vec::new();
        if kept < suspicious {
            let [kept, all] = [kept, suspicious].map(|number| grouped(number as Count));
            notes.push(format!("the first {kept} of {all}; --top 0 shows all"));
        }
        let others = ranked.len() - suspicious;
        if others > 0 {
            let were = if others == 1 { "was" } else { "were" };
            let others = grouped(others as Count);
            notes.push(format!("{others} more {were} executed by no failing run"));
        }
        let numbers = [
            Column::new("place", CellKind::Ranks),
            Column::new("score", CellKind::Score),
            Column::new("failing", CellKind::Fraction),
            Column::new("passing", CellKind::Fraction),
        ];
        Table {
            name,
            columns: numbers.into_iter().chain(titles).collect(),
            rows: ranked[..kept].iter().map(row).collect(),
            notes,
            empty: "No failing run executed any.".into(),
        }
    }

    fn functions(&self) -> Table<'a> {
        let by = self.options.kinds.first().copied().unwrap_or(ElementKind::Paths);
        let ranked = self.spectra.ranked_functions(by, self.options.formula);
        let one = match by {
            ElementKind::Paths => "path",
            ElementKind::Blocks => "block",
            ElementKind::Branches => "branch",
            ElementKind::Lines => "line",
        };
        let mut table = self.table("functions", function_columns(), &ranked, |&function| {
            function_cells(&self.spectra.functions[function])
        });
        table.notes.push(format!("a function has the place of its most suspicious {one}"));
        table
    }

    fn elements(&self, kind: ElementKind) -> Table<'a> {
        let ranked = self.spectra.ranked(kind, self.options.formula, &self.options.filter);
        let function = |element: &Element| &self.spectra.functions[self.spectra.function(element)];
        let text = |title, key| Column::new(title, CellKind::Text).key(key);
        match kind {
            ElementKind::Paths => {
                let listed = ranked[..shown(self.options.top, ranked.len())].iter().map(|ranked| {
                    let Element::Path(of, id) = ranked.what else { return None };
                    let function = &self.spectra.functions[*of];
                    let path = function.paths.iter().find(|path| path.id == *id)?;
                    Some(ListedPath { function, path, wording: Wording::default() })
                });
                let listed: Vec<_> = listed.collect();
                let known: Vec<_> = listed.iter().flatten().copied().collect();
                let mut texts = path_flow::of_list(&known).into_iter();
                let mut texts =
                    listed.iter().map(|of| of.and_then(|_| texts.next())).collect::<Vec<_>>();
                let mut texts = texts.drain(..);
                let columns = [
                    text("id", "id").shown(Visibility::Data),
                    Column::new("path", CellKind::Flow).stacked(),
                ];
                let columns = function_columns().into_iter().chain(columns);
                self.table("paths", columns, &ranked, |element| {
                    let id = match element {
                        Element::Path(_, id) => Cell::Text(id.to_string()),
                        _ => Cell::Nothing,
                    };
                    let path = texts.next().flatten().unwrap_or(Cell::Nothing);
                    function_cells(function(element)).into_iter().chain([id, path]).collect()
                })
            }
            ElementKind::Blocks => {
                let columns =
                    function_columns().into_iter().chain([text("block", "block").stacked()]);
                self.table("blocks", columns, &ranked, |element| {
                    let of = function(element);
                    let block = match element {
                        Element::Block(_, number) => Cell::Text(block_and_line(of, *number)),
                        _ => Cell::Nothing,
                    };
                    function_cells(of).into_iter().chain([block]).collect()
                })
            }
            ElementKind::Branches => {
                let columns =
                    function_columns().into_iter().chain([text("branch", "branch").stacked()]);
                self.table("branches", columns, &ranked, |element| {
                    let of = function(element);
                    let branch = match element {
                        Element::Branch(_, edge) => Cell::Text(branch(of, *edge as usize)),
                        _ => Cell::Nothing,
                    };
                    function_cells(of).into_iter().chain([branch]).collect()
                })
            }
            ElementKind::Lines => {
                let line = Column::new("line", CellKind::SourceLine);
                let columns = [line, Column::new("function", CellKind::Name)];
                self.table("lines", columns, &ranked, |element| {
                    let place = match element {
                        Element::Line(file, line) => line_of(file, *line),
                        _ => Cell::Nothing,
                    };
                    vec![place, Cell::Name(name(function(element)))]
                })
            }
        }
    }
}

/// Returns the columns of a function: its name, and its place.
fn function_columns() -> [Column; 2] {
    [Column::new("function", CellKind::Name), Column::new("defined at", CellKind::SourceLine)]
}

/// Returns the cells of these columns.
fn function_cells<'a>(function: &Function) -> Vec<Cell<'a>> {
    let shape = &function.shape;
    let place = match shape.file.as_str() {
        "" => Cell::Nothing,
        file => line_of(file, shape.line),
    };
    vec![Cell::Name(name(function)), place]
}

fn name(function: &Function) -> Name {
    Name { forms: forms(&function.demangled, names::short(&function.shape)), ..Name::default() }
}

fn line_of<'a>(file: &str, line: u32) -> Cell<'a> {
    let text = format!("{}:{line}", base_name(file));
    Cell::SourceLine(SourceLine { file: file.into(), line, text, link: None })
}

/// Returns a way from a block that has several.
fn branch(function: &Function, edge: usize) -> String {
    let edge = &function.shape.edges[edge];
    let [from, to] = [edge.from, edge.to].map(|end| block_and_line(function, end));
    format!("{from} → {to}")
}
