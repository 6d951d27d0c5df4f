//! `pathprof diff`: compares two reports, or failing runs with passing ones.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::StripStream;
use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use compare::comparison::{Comparison, compare};
use compare::formulas::Formula;
use compare::scale::{Per, Scale};
use compare::spectra::{ElementKind, Spectra};
use counts::matching::ImagePlaces;
use counts::model::{Function, Report};
use pathprof::export::diff_json;
use pathprof::export::html::{diff as diff_html, diff::DifferenceReport};
use pathprof::show::document::Document;
use pathprof::show::forms::{self, Format};
use pathprof::show::printable::Printable;
use pathprof::show::text_table::Screen;
use pathprof::show::{diff, spectra};
use profile::inputs::{self, Choice};
use profile::output;
use profile::unique_runs;

use crate::command::arguments::{DuplicatesArguments, FailureArguments, FailureMode, Sources};
use crate::command::filters::{Form, GlobArguments};
use crate::command::html::{page, present};
use crate::command::messages::{FAILED, complain, report_problems};
use crate::command::pages;
use crate::command::reading::{choose, read_inputs};

/// Where a page goes that would otherwise fill the terminal.
const USUAL_PAGE: &str = "diff.html";

#[derive(Args)]
pub(crate) struct DiffArguments {
    #[command(flatten)]
    failure: FailureArguments,
    #[command(flatten)]
    duplicates: DuplicatesArguments,
    /// What was before: a program, of which the last start is read, or a profile or a directory, of
    /// which all starts are read
    #[arg(required_unless_present = "spectra")]
    a: Option<PathBuf>,
    /// What is compared with A, in the same forms
    #[arg(required_unless_present_any = ["spectra", "label"])]
    b: Option<PathBuf>,
    /// Of A, only this start, counted backwards: 1 is the last, as `pathprof runs` lists them
    #[arg(long, value_name = "N", conflicts_with = "spectra")]
    run_a: Option<usize>,
    /// Of B, only this start
    #[arg(long, value_name = "N", conflicts_with = "spectra")]
    run_b: Option<usize>,
    /// Of A, only what was counted under this label
    #[arg(long, value_name = "TEXT", conflicts_with = "spectra")]
    label_a: Option<String>,
    /// Of B, only what was counted under this label
    #[arg(long, value_name = "TEXT", conflicts_with = "spectra")]
    label_b: Option<String>,
    /// Compare what was counted under two labels, which `pathprof labels` lists; without B, both
    /// are of A
    #[arg(long, value_names = ["LABEL", "LABEL"], num_args = 2)]
    #[arg(conflicts_with_all = ["spectra", "label_a", "label_b"])]
    label: Vec<String>,
    /// Divide all counts by the number of runs
    #[arg(long, conflicts_with_all = ["spectra", "per_entry"])]
    per_run: bool,
    /// Divide all counts by how often this function was entered
    #[arg(long, value_name = "FUNCTION", conflicts_with = "spectra")]
    per_entry: Option<String>,
    /// Rank what was executed by how well it tells failing runs from passing ones; each start in
    /// these profiles is a run that passed
    #[arg(long, value_name = "PASSING", num_args = 1.., requires = "failing")]
    #[arg(conflicts_with_all = ["a", "b"])]
    spectra: Vec<PathBuf>,
    /// Each start in these profiles is a run that failed
    #[arg(long = "against", id = "failing", value_name = "FAILING", num_args = 1..)]
    #[arg(requires = "spectra")]
    failing: Vec<PathBuf>,
    /// The formula that makes a score of how many failing and passing runs executed something
    #[arg(long, value_enum, value_name = "FORMULA", default_value_t = Score::Ochiai)]
    #[arg(requires = "spectra")]
    score: Score,
    /// What is ranked; functions are ranked by the first of these
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', requires = "spectra")]
    #[arg(default_values_t = [Elements::Paths, Elements::Blocks, Elements::Branches])]
    rank: Vec<Elements>,
    /// Show at most N rows of each list (0: all)
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    #[command(flatten)]
    globs: GlobArguments,
    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = DiffFormat::Text)]
    format: DiffFormat,
    /// File to write [default: standard output; a page for a terminal goes to diff.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Open the page of --format html in the browser
    #[arg(long, conflicts_with = "spectra")]
    open: bool,
    /// Show long names and long paths in full
    #[arg(long)]
    full: bool,
    /// The image that the profiles are of, if it is no longer where it ran (once for each image)
    #[arg(long, value_name = "PATH")]
    image: Vec<PathBuf>,
    /// Where to look, with what is below, for images that are gone from where they ran, or are
    /// others by now
    #[arg(long, value_name = "DIR", conflicts_with = "image")]
    image_dir: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum DiffFormat {
    /// For a terminal
    Text,
    /// For a document or a comment in a review
    Markdown,
    /// The tables alone, for spreadsheets
    Csv,
    /// Schemas pathprof-diff/1 and pathprof-spectra/1: everything that differs
    Json,
    /// A page for the browser: everything that differs
    Html,
}

#[derive(Clone, Copy, ValueEnum)]
enum Score {
    /// Abreu, Zoeteweij and van Gemund, 2006
    Ochiai,
    /// Jones and Harrold, 2005
    Tarantula,
    /// Wong, Debroy, Gao and Li, 2014
    Dstar,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Elements {
    /// Acyclic paths
    Paths,
    /// Basic blocks
    Blocks,
    /// Ways from blocks that have several
    Branches,
    /// Source lines
    Lines,
}

/// Compares what the arguments name.
pub(crate) fn diff(arguments: &DiffArguments) -> Result<u8> {
    if arguments.open && arguments.format != DiffFormat::Html {
        bail!("only a page can be opened: add `--format html`");
    }
    if arguments.format == DiffFormat::Html && arguments.a.is_some() {
        // Before anything is read that could not be shown.
        page()?;
    }
    match (&arguments.a, &arguments.b) {
        (Some(a), Some(b)) => two(arguments, a, b),
        (Some(a), None) => two(arguments, a, a),
        _ => ranked(arguments),
    }
}

/// Compares two reports.
fn two(arguments: &DiffArguments, a: &Path, b: &Path) -> Result<u8> {
    let [label_a, label_b] = arguments.labels();
    let (one, code) = arguments.read(a, arguments.run_a, label_a)?;
    let (other, code_b) = arguments.read(b, arguments.run_b, label_b)?;
    let code = code.max(code_b);
    let (Some(one), Some(other)) = (one, other) else { return Ok(FAILED) };
    let per = match &arguments.per_entry {
        Some(glob) => Per::Entry(glob.clone()),
        None if arguments.per_run => Per::Run,
        None => Per::Whole,
    };
    let scale = Scale::of(&one, &other, &per).map_err(|side| arguments.nothing(side))?;
    let filter = arguments.globs.clone().filter();
    let is_found = match arguments.tables() {
        None => {
            let mut comparison = Some(compare(&one, &other, scale));
            if !filter.takes_all() {
                comparison = comparison.and_then(|comparison| comparison.only(&filter));
            }
            comparison.map(|comparison| arguments.export(&comparison, &per)).transpose()?.is_some()
        }
        Some(format) => {
            let options = diff::Options { top: arguments.top, filter, per };
            let (one, other) = (Printable::from(one), Printable::from(other));
            let document = diff::document(&one, &other, scale, &options);
            document.map(|document| arguments.show(&document, format)).transpose()?.is_some()
        }
    };
    if is_found { Ok(code) } else { Err(arguments.not_found()) }
}

/// Ranks what failing and passing runs executed.
fn ranked(arguments: &DiffArguments) -> Result<u8> {
    if arguments.format == DiffFormat::Html {
        bail!("a ranking has no page; its formats are text, markdown, csv and json");
    }
    let format = arguments.tables();
    let mut all = Spectra::default();
    let mut code = 0;
    for (named, has_failed) in [(&arguments.spectra, false), (&arguments.failing, true)] {
        let (starts, problems) = inputs::each_start(named)?;
        code = code.max(report_problems(&problems, arguments.mode(), !starts.is_empty()));
        let sources = arguments.sources(Vec::new(), Choice::All, None);
        for start in starts {
            let (report, of_start) = read_inputs(&start, &sources, arguments.mode());
            code = code.max(of_start);
            match (report, format) {
                (Some(report), None) => all.add(&report, has_failed),
                (Some(report), Some(_)) => all.add(&Printable::from(report), has_failed),
                (None, _) => {}
            }
        }
    }
    if all.runs.failing == 0 || all.runs.passing == 0 {
        bail!("a ranking needs runs that passed and runs that failed, and profiles of both");
    }
    let filter = arguments.globs.clone().filter();
    let is_match = |of: &Function| filter.matches_at(Path::new(&of.shape.file), of);
    if !all.functions.iter().any(is_match) {
        return Err(arguments.not_found());
    }
    match format {
        None => arguments.write(|out| {
            Ok(diff_json::write_spectra(&all, &filter, out).map_err(io::Error::from)?)
        })?,
        Some(format) => {
            arguments.show(&spectra::document(&all, &arguments.spectra_options()), format)?;
        }
    }
    Ok(code)
}

impl DiffArguments {
    /// One side: its report if it can be used, and the exit code as far as it decides it.
    fn read(
        &self,
        named: &Path,
        start: Option<usize>,
        label: Option<&str>,
    ) -> Result<(Option<Report>, u8)> {
        let choice = start.map_or(Choice::Usual, Choice::Start);
        let sources = self.sources(vec![named.to_path_buf()], choice, label);
        let inputs = choose(&sources.profiles, sources.choice)?;
        let (report, code) = read_inputs(&inputs, &sources, self.mode());
        if let (None, 0) = (&report, code) {
            complain(&anyhow!("{}: there is nothing to compare", named.display()));
        }
        Ok((report, code))
    }

    /// Writes a comparison for other programs, or as a page.
    fn export(&self, comparison: &Comparison<'_>, per: &Per) -> Result<()> {
        if self.format == DiffFormat::Json {
            return self
                .write(|out| Ok(diff_json::write(comparison, out).map_err(io::Error::from)?));
        }
        let filter = self.globs.clone().filter();
        let report = DifferenceReport { comparison, per, filter: &filter };
        let is_seen = self.open || io::stdout().is_terminal();
        let usual = is_seen.then(|| Path::new(USUAL_PAGE));
        match self.output.as_deref().or(usual) {
            Some(path) => present(&diff_html::write(report, &page()?, path)?, self.open),
            None => diff_html::write_to(report, &page()?, &mut io::stdout().lock()),
        }
    }

    /// Writes tables to the file that was named, in full, or to standard output.
    fn show(&self, document: &Document<'_>, format: Format) -> Result<()> {
        if self.output.is_none() {
            return pages::print(document, Form { format, full: self.full, pager: false });
        }
        pages::remarks(document, format);
        self.write(|out| Ok(forms::write(document, format, Screen::default(), out)?))
    }

    /// Lets `write` write to the file that was named, without colours, or to standard output.
    fn write(&self, write: impl FnOnce(&mut &mut dyn Write) -> Result<()>) -> Result<()> {
        match &self.output {
            Some(path) => {
                let mut out = StripStream::new(Vec::new());
                write(&mut (&mut out as &mut dyn Write))?;
                let text = out.into_inner();
                output::to_file(path, |out| Ok(out.write_all(&text)?))
            }
            None => {
                let mut out = BufWriter::new(anstream::stdout().lock());
                write(&mut (&mut out as &mut dyn Write))?;
                Ok(out.flush()?)
            }
        }
    }

    fn sources(&self, profiles: Vec<PathBuf>, choice: Choice, label: Option<&str>) -> Sources {
        let images = ImagePlaces {
            given: self.image.clone(),
            directories: self.image_dir.clone(),
            named: profiles.clone(),
        };
        let options = unique_runs::Options {
            duplicates: self.duplicates.duplicates(),
            label: label.map(str::to_owned),
            ..unique_runs::Options::default()
        };
        Sources { profiles, choice, images, options }
    }

    /// The labels of A and B.
    fn labels(&self) -> [Option<&str>; 2] {
        match &self.label[..] {
            [a, b] => [Some(a), Some(b)],
            _ => [self.label_a.as_deref(), self.label_b.as_deref()],
        }
    }

    fn mode(&self) -> FailureMode {
        self.failure.failure_mode
    }

    /// The form of tables; `None` for JSON and pages.
    fn tables(&self) -> Option<Format> {
        match self.format {
            DiffFormat::Text => Some(Format::Text),
            DiffFormat::Markdown => Some(Format::Markdown),
            DiffFormat::Csv => Some(Format::Csv),
            DiffFormat::Json | DiffFormat::Html => None,
        }
    }

    fn spectra_options(&self) -> spectra::Options {
        let kind = |elements: &Elements| match elements {
            Elements::Paths => ElementKind::Paths,
            Elements::Blocks => ElementKind::Blocks,
            Elements::Branches => ElementKind::Branches,
            Elements::Lines => ElementKind::Lines,
        };
        spectra::Options {
            top: self.top,
            filter: self.globs.clone().filter(),
            formula: match self.score {
                Score::Ochiai => Formula::Ochiai,
                Score::Tarantula => Formula::Tarantula,
                Score::Dstar => Formula::DStar,
            },
            kinds: self.rank.iter().map(kind).collect(),
        }
    }

    /// Why counts of a side cannot be divided.
    fn nothing(&self, side: char) -> Error {
        match &self.per_entry {
            Some(glob) => anyhow!("no function that matches `{glob}` was entered in {side}"),
            None => anyhow!("{side} has no runs"),
        }
    }

    fn not_found(&self) -> Error {
        let globs = self.globs.clone().filter().words();
        anyhow!("no function matches: {globs}; `pathprof report --functions --top 0` lists all")
    }
}
