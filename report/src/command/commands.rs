//! Does what each command is for: reads, then shows. Problems go to standard error as they are
//! known.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::slice;
use std::time::SystemTime;

use anyhow::{Result, anyhow, bail};
use counts::model::Report;
use counts::select;
use jiff::tz::TimeZone;
use live::processes;
use owo_colors::OwoColorize;
use pathprof::export::{json, lcov, weights};
use pathprof::launch::{diagnose, doctor, program};
use pathprof::show::document::{Document, Fact};
use pathprof::show::options::{Options, View};
use pathprof::show::style::{grouped, plural};
use pathprof::show::{coverage, forms, report, starts};
use profile::builds::Builds;
use profile::combine::between::EarlierReadings;
use profile::combine::compact;
use profile::combine::merge::{self, ByImage, MergeOptions};
use profile::escape::terminal;
use profile::inputs::Choice;
use profile::output;
use profile::records::{Input, Record, Records};
use profile::unique_runs::{self, Notices};
use profile::{inputs, records};

use crate::command::arguments::{
    CompactArguments, CoverageArguments, ExportArguments, FailureMode, Format, MergeArguments,
    ReportArguments, RunArguments, RunsArguments, SnapshotArguments, Sources, SumArguments,
    WeightsArguments,
};
use crate::command::chosen::found;
use crate::command::filters::Form;
use crate::command::growth::{profile_limit, sum_long};
use crate::command::messages::{
    FAILED, announce, complain, fail, hint, remark, report_problems, warn,
};
use crate::command::pages;
use crate::command::progress::Progress;
use crate::command::reading::{choose, read, read_all, read_inputs, read_starts};
use crate::command::screen::terminal_width;

/// Shows a report.
pub(crate) fn report(arguments: ReportArguments) -> Result<u8> {
    let read = read_starts(arguments.sources, Choice::Usual)?;
    let Some(report) = read.report else { return Ok(read.code) };
    let (form, options) = (arguments.show.form.form(), arguments.show.options());
    show(report, &options, form, Some(Fact::new("starts", read.starts)))?;
    Ok(read.code)
}

/// Writes all that is known.
pub(crate) fn export(arguments: ExportArguments) -> Result<u8> {
    let (report, code) = match arguments.format {
        Format::Json => read(arguments.sources, Choice::Usual)?,
        Format::Lcov => read_all(arguments.sources)?,
    };
    let Some(report) = report else { return Ok(code) };
    let filter = arguments.filter.filter();
    found(&report, &filter, true)?;
    let report = match arguments.format {
        Format::Json => select::narrowed(report, &filter),
        Format::Lcov => report,
    };
    let mut missing = lcov::Missing::default();
    let mut write = |out: &mut dyn Write| -> Result<()> {
        match arguments.format {
            Format::Json => {
                json::write(&report, arguments.pretty, &mut *out).map_err(io::Error::from)?;
                writeln!(out)?;
            }
            Format::Lcov => missing = lcov::write(&report, &filter, arguments.keep_missing, out)?,
        }
        Ok(())
    };
    match &arguments.output {
        Some(path) => output::to_file(path, write)?,
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
        }
    }
    if !arguments.keep_missing {
        warn_of_missing(&missing);
    }
    Ok(code)
}

/// Says which source files of a tracefile are not there.
fn warn_of_missing(missing: &lcov::Missing) {
    let names: Vec<_> = missing.files.iter().map(|path| path.to_string_lossy()).collect();
    match missing.is_written {
        _ if names.is_empty() => {}
        true => hint(
            "no source file of this tracefile is here; `genhtml --ignore-errors source` does \
             without, to which lcov 2 needs `--synthesize-missing`",
        ),
        false => hint(&format!(
            "left out, since there are no such source files (--keep-missing keeps them): {}",
            terminal(&names.join(", "))
        )),
    }
}

/// Shows how much was covered.
pub(crate) fn coverage(arguments: CoverageArguments) -> Result<u8> {
    let (options, asked) = (arguments.options(), arguments.least);
    let form = arguments.form.form();
    let (report, mut code) = read_all(arguments.sources)?;
    let Some(report) = report else { return Ok(code) };
    found(&report, &options.filter, true)?;
    let report = report.into();
    let (document, total) = coverage::document(&report, &options);
    pages::print(&document, form)?;
    for (what, percent, covered) in [
        ("lines", asked.least_lines, total.lines),
        ("functions", asked.least_functions, total.functions),
        ("branches", asked.least_branches, total.branches),
        ("paths", asked.least_paths, total.paths),
    ] {
        if let Some(percent) = percent.filter(|&percent| !covered.reaches(percent)) {
            complain(&anyhow!(
                "{} of {} {what} are covered, less than {percent} %",
                covered.executed,
                covered.all
            ));
            code = FAILED;
        }
    }
    Ok(code)
}

/// Joins profiles.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<u8> {
    let inputs = choose(&arguments.profiles, Choice::All)?;
    let mode = arguments.failure.failure_mode;
    let options = unique_runs::Options {
        duplicates: arguments.duplicates.duplicates(),
        ..Default::default()
    };
    let how = merge_options(&arguments.sum)?;
    let merged = merge::read(&inputs, &options, how, &Progress::default());
    write_merged(merged, mode, &arguments.sum)
}

/// Writes what running processes have counted.
pub(crate) fn snapshot(arguments: &SnapshotArguments) -> Result<u8> {
    let records = processes::running(&arguments.processes)?;
    if records.is_empty() {
        let names: Vec<_> = arguments.processes.iter().map(|name| name.to_string_lossy()).collect();
        bail!("no process of {} is running", names.join(", "));
    }
    let how = MergeOptions {
        now: SystemTime::UNIX_EPOCH.elapsed().ok().map(|time| time.as_nanos() as u64),
        ..merge_options(&arguments.sum)?
    };
    let input = |record: Record| Input {
        path: record.path.clone(),
        found: Ok(Records {
            records: vec![records::with_own_segments(record)],
            problems: Vec::new(),
        }),
    };
    let inputs: Vec<_> = records.into_iter().map(input).collect();
    let options = unique_runs::Options::default();
    let merged = merge::read(&inputs, &options, how, &Progress::default());
    write_merged(merged, FailureMode::Rest, &arguments.sum)
}

/// How records are summed: with a label, and without what an earlier snapshot has.
fn merge_options(sum: &SumArguments) -> Result<MergeOptions> {
    let earlier = match &sum.since {
        Some(path) => EarlierReadings::read(choose(slice::from_ref(path), Choice::All)?)?,
        None => EarlierReadings::default(),
    };
    Ok(MergeOptions { label: sum.label.clone().unwrap_or_default(), earlier, now: None })
}

/// Writes a sum, and tells the problems that there were.
fn write_merged(
    (images, notices): (ByImage, Notices),
    mode: FailureMode,
    sum: &SumArguments,
) -> Result<u8> {
    warn(&notices.warnings);
    let problems = notices.problems;
    let usable = mode.lets_use(!images.is_empty(), &problems);
    let code = report_problems(&problems, mode, usable);
    if let Some(since) = sum.since.as_ref().filter(|_| usable && !images.has_earlier()) {
        let since = since.to_string_lossy();
        remark(&format!("{} has none of these runs: nothing is left out", terminal(&since)));
    }
    if usable {
        merge::write(&images, &sum.output, sum.replace)?;
    }
    Ok(code)
}

/// Lists runs.
pub(crate) fn runs(arguments: &RunsArguments) -> Result<u8> {
    let limit = profile_limit()?;
    let mut problems = Vec::new();
    let mut records = Vec::new();
    for input in records::of_all(inputs::files(&arguments.named.profiles)?) {
        match input.found {
            Ok(found) => {
                problems.extend(found.problems);
                records.extend(found.records);
            }
            Err(error) => problems.push(error.context(input.path.display().to_string())),
        }
    }
    let code = report_problems(&problems, FailureMode::Rest, !records.is_empty());
    if records.is_empty() && !problems.is_empty() {
        return Ok(code);
    }
    let builds = Builds::default();
    let build = |record: &Record| builds.of(record);
    let zone = TimeZone::system();
    let last_runs = starts::last_runs(&records, arguments.top, &zone);
    // As long as they are listed, standing files stay as they are.
    let stays = last_runs.is_some();
    let starts = starts::table(&records, arguments.top, &zone, build);
    let tables = [starts].into_iter().chain(last_runs).collect();
    pages::print(&Document { tables, ..Document::default() }, arguments.form.form())?;
    if !stays {
        sum_long(records.iter().map(Record::profile).collect(), limit);
    }
    Ok(code)
}

/// Makes profiles smaller.
pub(crate) fn compact(arguments: &CompactArguments) -> Result<u8> {
    let mut code = 0;
    for file in inputs::files(&arguments.named.profiles)? {
        match compact::compact(&file, arguments.keep, &Progress::default()) {
            Ok(compact::Compacted { path, records: (before, after), bytes: (old, new) }) => {
                let is_same = (before, old) == (after, new);
                let (before, after) = (plural(before, "record"), grouped(after as u128));
                let (old, new) = (grouped(old.into()), grouped(new.into()));
                let path = path.display().to_string();
                let text = match is_same {
                    true => format!("nothing to compact, {before} in {old} bytes"),
                    false => format!(
                        "{before} became {after} (a record: one run of one image, or a sum of \
                         runs), {old} bytes became {new}"
                    ),
                };
                let path = format!("{}:", terminal(&path));
                let text = forms::behind(&path, &text, terminal_width());
                writeln!(anstream::stdout(), "{text}")?;
            }
            Err(error) => {
                complain(&error);
                code = FAILED;
            }
        }
    }
    Ok(code)
}

/// Writes weights for a second build.
pub(crate) fn weights(arguments: WeightsArguments) -> Result<u8> {
    let (report, code) = read_all(arguments.sources)?;
    if let Some(report) = report {
        if report.with_blocks().next().is_none() {
            bail!(
                "these profiles do not tell where control went; give those of a build that counts \
                 paths, edges or blocks"
            );
        }
        let text = weights::of(&report).to_text();
        output::to_file(&arguments.output, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(code)
}

/// Says what would make counts be lost.
pub(crate) fn doctor(program: Option<&OsStr>) -> Result<u8> {
    let findings = doctor::examine(program);
    let mut out = anstream::stdout().lock();
    for text in &findings.good {
        writeln!(out, "{} {}", "ok".green(), terminal(text))?;
    }
    for text in &findings.bad {
        writeln!(out, "{} {}", "problem".red().bold(), terminal(text))?;
    }
    Ok(if findings.bad.is_empty() { 0 } else { FAILED })
}

/// Runs a program, then shows a report. The exit code is the program's; if that is 0, the report's.
pub(crate) fn run(arguments: RunArguments) -> Result<u8> {
    let limit = profile_limit()?;
    let task = arguments.task();
    let finished = match program::run(&task) {
        Ok(finished) => finished,
        Err(failure) => {
            complain(&failure.error);
            return Ok(failure.code);
        }
    };
    if let Some(problem) = &finished.problem {
        remark(&terminal(&format!("{problem:#}")));
    }
    let text = match finished.profiles.as_slice() {
        [] if finished.is_off => {
            "PATHCC_PROFILE says that nothing is to be written, so there is no profile.".into()
        }
        [] => diagnose::explain(&task.program, finished.status),
        [profile] => {
            let runs = profile.records().len();
            let more = if runs > 1 { format!(" ({})", plural(runs, "run")) } else { String::new() };
            format!("profile {}{more}", profile.path.display())
        }
        [first, .., last] => {
            format!(
                "{} profiles, {} … {}",
                finished.profiles.len(),
                first.path.display(),
                last.path.display()
            )
        }
    };
    announce(&terminal(&text));
    let mut code = finished.code();
    if !finished.profiles.is_empty() && !arguments.quiet {
        let (report, read) =
            read_inputs(&finished.profiles, &Sources::default(), FailureMode::Rest);
        let form = arguments.show.form.form();
        let options = arguments.show.options();
        let shown = report.map_or(Ok(()), |report| show(report, &options, form, None));
        let shown = shown.map_or_else(|error| fail(&error), |()| read);
        code = if code == 0 { shown } else { code };
    }
    sum_long(finished.profiles.into_iter().map(|profile| profile.path).collect(), limit);
    Ok(code)
}

/// Shows a report, and in its heading another fact.
fn show(report: Report, options: &Options, form: Form, fact: Option<Fact>) -> Result<()> {
    found(&report, &options.filter, options.view == View::Skipped)?;
    let report = report.into();
    let mut document = report::document(&report, options, &TimeZone::system());
    let images = document.heading.iter().take_while(|fact| fact.label == "image").count();
    document.heading.splice(images..images, fact);
    pages::print(&document, form)
}
