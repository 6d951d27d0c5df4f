//! The common parts of tables: columns and cells for functions, and the sentences below.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use counts::model::{Count, Function, Report};
use counts::select::{Chosen, Sort, without_arguments};
use pathformat::manifest::Location;
use profile::names;
use trace::ids::FunctionId;
use trace::steps::program::Program;

use crate::show::notation::base_name;
use crate::show::style::{grouped, percent, shown};
use crate::show::table::{Cell, CellKind, Column, Link, Name, SourceLine, Visibility};

/// The explanation of a share.
pub(crate) fn share(report: &Report) -> String {
    format!("share: of all executed {} of counted code", report.instructions())
}

/// The text of a table without rows.
pub(crate) const NO_MATCH: &str = "No counted function matches.";

/// Returns the text of a table that no function of a report can have a row in, since no mode counts
/// its kind of event.
pub(crate) fn not_of_mode(report: &Report, what: &str) -> String {
    match report.counted().next() {
        None => "No function is counted; --skipped says why.".into(),
        Some(_) => {
            let mode = report.common(|module| module.mode.name());
            format!("{what} are not counted in mode {mode} (see -fpath-mode=).")
        }
    }
}

/// The text of a table of accesses for a trace without any: nothing follows from it.
pub(crate) const NO_ACCESSES: &str = "The trace has no accesses to memory: \
     -fpath-trace=control-flow leaves them out, or nothing was recorded.";

/// The names of the functions in a table, each with a qualifier if others have the same name.
pub(crate) struct Names<'a> {
    report: &'a Report,
    /// The qualifiers by the address of the function.
    qualifiers: HashMap<*const Function, String>,
}

impl<'a> Names<'a> {
    /// Returns the names of the functions of one table.
    pub(crate) fn of(report: &'a Report, functions: &[&'a Function]) -> Self {
        let mut by_name: BTreeMap<&str, BTreeMap<*const Function, &Function>> = BTreeMap::new();
        for &function in functions {
            by_name.entry(&function.demangled).or_default().insert(function, function);
        }
        let mut qualifiers = HashMap::new();
        for same in by_name.values().filter(|same| same.len() > 1) {
            let distinct = |what: &dyn Fn(&Function) -> String| -> Option<Vec<String>> {
                let texts: Vec<_> = same.values().map(|function| what(function)).collect();
                let distinct: BTreeSet<_> = texts.iter().collect();
                (distinct.len() == texts.len()).then_some(texts)
            };
            let file = |function: &Function| file(report, function).to_owned();
            let image = |function: &Function| image(report, function);
            let symbol = |function: &Function| function.shape.name.clone();
            let all = |function: &Function| {
                format!("{} in {} of {}", symbol(function), file(function), image(function))
            };
            let texts = distinct(&|function| base_name(&file(function)).to_owned())
                .or_else(|| distinct(&file))
                .or_else(|| distinct(&|function| base_name(&image(function)).to_owned()))
                .or_else(|| distinct(&image))
                .or_else(|| distinct(&symbol))
                .unwrap_or_else(|| same.values().map(|function| all(function)).collect());
            qualifiers.extend(same.keys().copied().zip(texts));
        }
        Self { report, qualifiers }
    }

    /// Returns the name of one of them.
    pub(crate) fn name(&self, function: &Function) -> Name {
        let path = self.report.modules[function.module].path(&function.shape.file);
        let has_file = !function.shape.file.is_empty();
        Name {
            forms: forms(&function.demangled, names::short(&function.shape)),
            qualifier: self.qualifiers.get(&std::ptr::from_ref(function)).cloned(),
            link: Link::new(&path, function.shape.line).filter(|_| has_file),
            suffix: String::new(),
        }
    }

    /// Returns the cells of one of them, for the columns of [`columns`].
    pub(crate) fn cells(&self, function: &Function) -> Vec<Cell<'static>> {
        let mut cells = vec![Cell::Name(self.name(function)), place(self.report, function)];
        cells.push(Cell::Text(function.shape.name.clone()));
        cells.push(Cell::Text(image(self.report, function)));
        cells
    }
}

/// Returns the columns of a function: its name and its place, and in data its symbol and image.
pub(crate) fn columns() -> [Column; 4] {
    [
        Column::new("function", CellKind::Name),
        Column::new("defined at", CellKind::SourceLine),
        Column::new("symbol", CellKind::Text).shown(Visibility::Data),
        Column::new("image", CellKind::Text).shown(Visibility::Data),
    ]
}

/// Returns the cell of a traced function of a program.
pub(crate) fn traced_function(program: &Program, function: FunctionId) -> Cell<'static> {
    match program.functions.get(function.index()) {
        Some(of) => {
            let forms = forms(&of.function.demangled, names::short(&of.function.shape));
            Cell::Name(Name { forms, ..Name::default() })
        }
        None => Cell::Unknown,
    }
}

/// Returns the forms of a name, the longest first: whole, without parameters, without the arguments
/// of templates, the inner ones first, and without the scopes of the function, the outermost first.
pub(crate) fn forms(whole: &str, short: Option<String>) -> Vec<String> {
    let qualified = short.as_deref().unwrap_or(whole);
    let bare = [2, 1, 0].map(|depth| {
        // The inline namespace by which a library distinguishes its versions is of no interest
        // here.
        without_arguments(qualified, depth, "<…>").replace("std::__cxx11::", "std::")
    });
    let long = std::iter::once(whole.to_owned()).chain(short.clone());
    let mut forms: Vec<_> = long.chain(bare).collect();
    if short.is_some() {
        let inner = forms.last().map_or_else(Vec::new, |last| without_scopes(last));
        forms.extend(inner);
    }
    forms.dedup();
    forms
}

/// Returns the name without its outermost scope, without its two outermost ones, and so on:
/// `…::Parser::next`, `…::next`.
fn without_scopes(name: &str) -> Vec<String> {
    // The target type of a conversion operator has scopes of its own.
    let end = name.find("operator").unwrap_or(name.len());
    let mut depth = 0_u32;
    let mut inner = Vec::new();
    for (at, c) in name[..end].char_indices() {
        match c {
            '(' | '{' | '<' | '[' => depth += 1,
            ')' | '}' | '>' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && name[at..].starts_with("::") => {
                inner.push(format!("…{}", &name[at..]));
            }
            _ => {}
        }
    }
    inner
}

/// Returns the file of a function, or else the source file of its unit.
fn file<'a>(report: &'a Report, function: &'a Function) -> &'a str {
    match function.shape.file.as_str() {
        "" => &report.modules[function.module].source,
        file => file,
    }
}

/// Returns the path of the image of a function.
fn image(report: &Report, function: &Function) -> String {
    let image = report.images.get(function.image);
    image.map(|image| image.path.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the place of a function: `main.c:10`, and its image if there are several.
pub(crate) fn place(report: &Report, function: &Function) -> Cell<'static> {
    let shape = &function.shape;
    let mut text = base_name(file(report, function)).to_owned();
    if !shape.file.is_empty() && shape.line > 0 {
        text += &format!(":{}", shape.line);
    }
    if report.images.len() > 1 {
        text += &format!(" in {}", base_name(&image(report, function)));
    }
    line(report, function, &shape.file, shape.line, text)
}

/// Returns the place of a piece of code of the function: `main.c:10`.
pub(crate) fn place_of(report: &Report, function: &Function, at: &Location) -> Cell<'static> {
    line(report, function, &at.file, at.line, format!("{}:{}", base_name(&at.file), at.line))
}

fn line(
    report: &Report,
    function: &Function,
    file: &str,
    line: u32,
    text: String,
) -> Cell<'static> {
    let path = report.modules[function.module].path(file);
    let link = Link::new(&path, line).filter(|_| !file.is_empty());
    Cell::SourceLine(SourceLine { file: file.into(), line, text, link })
}

/// Returns the order of the rows, in words.
pub(crate) fn order(sort: Sort, count: &str) -> String {
    match sort {
        Sort::Count => format!("in order of {count}"),
        Sort::Instructions => "in order of executed instructions".into(),
        Sort::Length => "in order of length, the longest first".into(),
        Sort::Function => "in order of name".into(),
    }
}

/// Returns the sentence below a table that has only the first of `all` rows. `named` is the number
/// of all in words.
pub(crate) fn left_out(top: usize, all: usize, named: &str) -> Option<String> {
    let shown = shown(top, all);
    (shown < all)
        .then(|| format!("the first {} of {named}; --top 0 shows all", grouped(shown as Count)))
}

/// Returns the sentence below a table that leaves out functions of system headers, with their share
/// of the `whole` of executed instructions.
pub(crate) fn hidden(chosen: &Chosen<'_>, whole: Count) -> Option<String> {
    let share = match chosen.executed_by_system {
        0 => String::new(),
        part => format!(", with {} of the instructions,", percent(part, whole)),
    };
    left_out_of_system(chosen.of_system, &share)
}

/// Returns the same sentence, with a given share.
pub(crate) fn left_out_of_system(functions: usize, share: &str) -> Option<String> {
    left_out_of(functions, &format!("of system headers{share}"))
}

/// Returns the same sentence for functions that the compiler made.
pub(crate) fn left_out_of_made(functions: usize) -> Option<String> {
    left_out_of(functions, "made by the compiler")
}

fn left_out_of(functions: usize, kind: &str) -> Option<String> {
    let (named, them) = if functions == 1 { ("function", "it") } else { ("functions", "them") };
    let number = grouped(functions as Count);
    (functions > 0).then(|| format!("{number} {named} {kind} hidden; --system shows {them}"))
}

#[cfg(test)]
mod tests {
    use counts::select;

    use super::*;
    use crate::sample;
    use crate::show::style::elide;

    #[test]
    fn names_have_shorter_forms() {
        let long = "void sort<std::vector<int>::iterator>(std::vector<int>::iterator)";
        let short = "sort<std::vector<int>::iterator>";
        let outer = "sort<std::vector<…>::iterator>";
        assert_eq!(forms(long, Some(short.into())), [long, short, outer, "sort<…>"]);
        assert_eq!(forms("f(int)", Some("f".into())), ["f(int)", "f"]);
        assert_eq!(forms("main", None), ["main"]);
        let scopes = |name: &str| forms(name, Some(name.into()));
        assert_eq!(scopes("a::b::c"), ["a::b::c", "…::b::c", "…::c"]);
        let lambda = "f(a::b)::{lambda(a::c)#1}::operator()";
        assert_eq!(scopes(lambda)[1..], ["…::{lambda(a::c)#1}::operator()", "…::operator()"]);
        assert_eq!(scopes("a::operator b::c"), ["a::operator b::c", "…::operator b::c"]);
    }

    #[test]
    fn a_name_that_a_table_cuts_is_found() {
        let mut report = sample::report();
        let long = "std::map<std::string, app::Value>::Parser::operator()<int, app::Key>";
        report.functions[0].shape.short_name = long.into();
        report.functions[0].demangled = format!("void {long}(app::Key, int) const");
        for twin in [false, true] {
            if twin {
                let mut twin = report.functions[0].clone();
                twin.shape.file = "other.c".into();
                report.functions.push(twin);
            }
            let functions: Vec<_> = report.counted().collect();
            let name = Names::of(&report, &functions).name(&report.functions[0]);
            for form in 0..name.forms.len() {
                let whole = name.form(form);
                for width in 16..whole.chars().count() {
                    let cut = elide(&whole, Some(width));
                    assert!(select::meant(&report, &cut).contains(&0), "{cut}");
                }
            }
        }
    }

    #[test]
    fn functions_of_one_name_are_told_apart() {
        let mut report = sample::report();
        let twin = report.functions[0].clone();
        report.functions.push(twin);
        let names = |report: &Report| {
            let functions: Vec<_> = report.counted().collect();
            let names = Names::of(report, &functions);
            functions.iter().map(|function| names.name(function).whole()).collect::<Vec<_>>()
        };
        let last = report.functions.len() - 1;
        // Only their addresses differ.
        let same = "collatz (collatz in src/main.c of /tmp/demo)";
        assert_eq!(names(&report)[0], same);
        report.functions[last].shape.name = "collatz.llvm.1".into();
        assert_eq!(names(&report)[0], "collatz (collatz)");
        report.functions[last].shape.file = "lib/main.c".into();
        assert_eq!(names(&report)[0], "collatz (src/main.c)");
        report.functions[last].shape.file = "lib/other.c".into();
        assert_eq!(names(&report)[0], "collatz (main.c)");
        assert_eq!(names(&report)[1], "main");
    }
}
