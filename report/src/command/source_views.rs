//! The commands `show` and `annotate`: what ran, as the text of its source. `machine_views` shows
//! it as instructions.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use anyhow::{Result, bail};
use clap::Args;
use counts::annotation::{self, Chosen};
use counts::model::{Function, Module, Report};
use counts::origin::is_system;
use counts::path_ranks::ranked;
use counts::path_text::{Wording, base_name};
use counts::select;
use pathformat::manifest::Location;
use pathprof::show::annotated::{Annotated, DrawnPath};
use pathprof::show::path_page::Page;
use pathprof::show::printable::Printable;
use profile::escape::{self, terminal};
use profile::inputs::Choice;
use profile::names;
use profile::source::{self, Source};

use crate::command::arguments::SourceArguments;
use crate::command::messages::hint;
use crate::command::pages::print_bytes;
use crate::command::path_argument::{ChosenPath, ShowPathArguments, chosen_path, matching};
use crate::command::reading::read;
use crate::command::screen::terminal_width;

/// How many paths are drawn beside a function.
const DRAWN: usize = 3;

#[derive(Args)]
pub(crate) struct AnnotateArguments {
    /// The function, or the source file
    #[arg(value_name = "FUNCTION|FILE")]
    what: String,
    /// On a terminal, do not start a pager for what is longer than the screen
    #[arg(long)]
    no_pager: bool,
    #[command(flatten)]
    sources: SourceArguments,
}

/// Why lines have no counts where only calls are counted.
const ONLY_CALLS: &str = "only its calls are counted (-fpath-mode=calls), so its lines have no \
                          counts; compile it in another mode";

/// The text of source files by the names that they have in the report.
type Sources = HashMap<String, Option<Source>>;

/// Shows one path as its source.
pub(crate) fn show(arguments: ShowPathArguments) -> Result<u8> {
    let form = arguments.form_of_path()?;
    let text = arguments.path.unwrap_or_default();
    let (report, code) = read(arguments.sources, Choice::Usual)?;
    let Some(report) = report else { return Ok(code) };
    let ChosenPath { function: index, rank } = chosen_path(&report, &text)?;
    let sources = sources_of(&report, [index], |_, _| true);
    let report = Printable::from(report);
    let function = &report.functions[index];
    let path = ranked(function)[rank - 1];
    let wording =
        Wording { unfold: arguments.system, ..Wording::of(&report.modules[function.module]) };
    let width = terminal_width();
    let page = Page { report: &report, function, path, rank, wording, sources: &sources, width };
    print_bytes(page.text().as_bytes(), form.pager)?;
    Ok(code)
}

/// Shows source with its counts.
pub(crate) fn annotate(arguments: AnnotateArguments) -> Result<u8> {
    let what = arguments.what.as_str();
    let (report, code) = read(arguments.sources, Choice::Usual)?;
    let Some(report) = report else { return Ok(code) };
    let indexes = matching(&report, what);
    let pages = match indexes.as_slice() {
        [] => inlined_or_file(report, what)?,
        indexes => function_pages(report, indexes),
    };
    print_bytes(pages.join("\n").as_bytes(), !arguments.no_pager)?;
    Ok(code)
}

/// The sources of these functions, as far as a file of theirs is needed. A name is that of the
/// report for people.
fn sources_of(
    report: &Report,
    indexes: impl IntoIterator<Item = usize>,
    is_needed: impl Fn(&Function, &str) -> bool,
) -> Sources {
    let mut sources = Sources::new();
    for index in indexes {
        let function = &report.functions[index];
        let module = &report.modules[function.module];
        let files = function.shape.locations.iter().map(|at| at.file.as_str());
        let files = files.chain([function.shape.file.as_str()]);
        for file in files.filter(|file| !file.is_empty() && is_needed(function, file)) {
            sources.entry(terminal(file).into_owned()).or_insert_with(|| {
                let found = source::read(&module.path(file));
                explain(report, function, file, found.as_ref());
                found
            });
        }
    }
    sources
}

/// Says that a file is not there, or has changed since the program ran.
fn explain(report: &Report, function: &Function, file: &str, source: Option<&Source>) {
    if source.is_none() {
        let directory = &report.modules[function.module].directory;
        hint(&format!(
            "{} is not there (it was compiled in {}), so its lines have no text",
            terminal(file),
            terminal(directory)
        ));
    }
    let started = report.runs.iter().filter(|run| run.image == function.image);
    let started = started.map(|run| run.start).min().unwrap_or_default();
    let changed = source.and_then(|source| source.changed?.duration_since(UNIX_EPOCH).ok());
    if let Some(changed) = changed
        && started > 0
        && changed.as_nanos() > u128::from(started)
    {
        hint(&format!("{} has changed since the program ran", terminal(file)));
    }
}

/// The texts of functions that were compiled, with their hottest paths.
fn function_pages(report: Report, indexes: &[usize]) -> Vec<String> {
    let is_own = |function: &Function, file: &str| {
        own_files(&report.modules[function.module], function).contains(&file)
    };
    let sources = sources_of(&report, indexes.iter().copied(), is_own);
    let report = Printable::from(report);
    let pages = |&index: &usize| pages_of_function(&report, &report.functions[index], &sources);
    let mut pages: Vec<_> = indexes.iter().flat_map(pages).collect();
    // Variants of a constructor read the same.
    pages.dedup();
    pages
}

/// The files that a function has lines of its own in, first the one that it is in. The optimiser
/// may give a line of a system header to the function that it inlined code of it into.
fn own_files<'a>(module: &Module, function: &'a Function) -> Vec<&'a str> {
    let mut files = vec![function.shape.file.as_str()];
    let own = |at: &&Location| at.inlined_at.is_none() && at.line != 0;
    for at in function.shape.locations.iter().filter(own) {
        let is_users = || !is_system(&at.file, &module.system_directories);
        if !files.contains(&at.file.as_str()) && is_users() {
            files.push(&at.file);
        }
    }
    files
}

/// A page for each file that a function has lines in.
fn pages_of_function(report: &Report, function: &Function, sources: &Sources) -> Vec<String> {
    let line = function.shape.line;
    if !function.counting.knows_blocks() {
        let name = &function.demangled;
        return vec![format!("{name}: {ONLY_CALLS}\n")];
    }
    let Some(own) = function.shape.own_location().filter(|_| !function.shape.file.is_empty())
    else {
        let name = &function.demangled;
        return vec![format!("{name}: compiled without -g, so its lines are not known\n")];
    };
    let module = &report.modules[function.module];
    let wording = Wording::of(module);
    let ranked = ranked(function);
    let page_of = |(number, file): (usize, &str)| {
        let path = module.path(file);
        let chosen = Chosen { path: &path, function: Some(&own.function) };
        let mut annotation = annotation::of(report, chosen);
        annotation.fill_from(&annotation::of(report, Chosen { function: None, ..chosen }));
        let source = sources.get(file).and_then(Option::as_ref);
        if number > 0 {
            let title = format!("{}  {}", function.demangled, base_name(file));
            return source.map(|_| page(title, &annotation, source, Vec::new()));
        }
        let drawn = ranked.iter().zip(1..).take(DRAWN);
        let drawn = drawn.map(|(path, rank)| DrawnPath::new(function, path, rank, wording));
        let title = format!(
            "{}  {}:{line}{}{}",
            function.demangled,
            base_name(file),
            instances(function),
            copies(&annotation)
        );
        Some(page(title, &annotation, source, drawn.collect()))
    };
    own_files(module, function).into_iter().enumerate().filter_map(page_of).collect()
}

/// What is said of the counts of an instance of a template: the lines of all instances are the
/// same.
fn instances(function: &Function) -> &'static str {
    let short = names::short(&function.shape).unwrap_or_default();
    if select::without_arguments(&short, 0, "") == short { "" } else { ", counts of all instances" }
}

/// The text of functions that were inlined everywhere, or of a file. A function has its name with
/// or without what it is in.
fn inlined_or_file(report: Report, what: &str) -> Result<Vec<String>> {
    let mut functions = BTreeSet::new();
    let mut files = BTreeSet::new();
    let named = |name: &str| {
        name.strip_suffix(what).is_some_and(|around| around.is_empty() || around.ends_with("::"))
    };
    for (index, function) in report.functions.iter().enumerate() {
        let place = |file: &str| report.modules[function.module].path(file);
        for at in &function.shape.locations {
            if at.inlined_at.is_some() && named(&at.function) {
                functions.insert((place(&at.file), at.file.clone(), at.function.clone(), index));
            }
            if at.file == what || at.file.ends_with(&format!("/{what}")) {
                files.insert((place(&at.file), at.file.clone(), String::new(), index));
            }
        }
    }
    let is_function = !functions.is_empty();
    let found = if is_function { functions } else { files };
    if !found.is_empty()
        && found.iter().all(|(.., at)| !report.functions[*at].counting.knows_blocks())
    {
        bail!("{what}: {ONLY_CALLS}");
    }
    if found.is_empty() {
        bail!(
            "no function and no file is called `{what}`; `pathprof report --functions --top 0` \
             lists functions, `pathprof coverage` files"
        );
    }
    let files: BTreeSet<_> = found.iter().map(|(_, file, ..)| file.clone()).collect();
    let indexes = found.iter().map(|(.., index)| *index);
    let sources = sources_of(&report, indexes, |_, file| files.contains(file));
    let printable = |text: String| terminal(&text).into_owned();
    let mut texts: Vec<(PathBuf, String, String)> = found
        .into_iter()
        .map(|(path, file, name, _)| (escape::path(&path), printable(file), printable(name)))
        .collect();
    // One page for a file, whatever its units call it.
    texts.dedup_by(|(path, _, name), (other, _, same)| (path, name) == (other, same));
    let report = Printable::from(report);
    let page_of = |(path, file, name): &(PathBuf, String, String)| {
        let function = is_function.then_some(name.as_str());
        let annotation = annotation::of(&report, Chosen { path, function });
        let title = match is_function {
            true => format!("{name}  {}{}", base_name(file), copies(&annotation)),
            false => file.clone(),
        };
        let source = sources.get(file).and_then(Option::as_ref);
        page(title, &annotation, source, Vec::new())
    };
    Ok(texts.iter().map(page_of).collect())
}

/// `, inlined into main and parse`.
fn copies(annotation: &annotation::Annotation) -> String {
    let into: Vec<_> = annotation.copies.iter().filter(|(_, inlined)| *inlined).collect();
    let names = into.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    if names.is_empty() { names } else { format!(", inlined into {names}") }
}

fn page(
    title: String,
    annotation: &annotation::Annotation,
    source: Option<&Source>,
    paths: Vec<DrawnPath>,
) -> String {
    let line = |line: Option<(&u32, _)>| line.map_or(1, |(line, _)| *line);
    let range = line(annotation.lines.first_key_value())..=line(annotation.lines.last_key_value());
    Annotated { title, annotation, source, range, paths, width: terminal_width() }.text()
}
