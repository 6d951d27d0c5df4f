//! `path_texts PROFILE…`: checks that no two executed paths of a function read the same, in full
//! and in every width, and that each keeps to its width. Prints how many functions and paths it
//! read.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use counts::matching::ImagePlaces;
use counts::model::{Function, Report};
use counts::path_text::{self, Notation, PathText, Wording};
use counts::pipeline;
use pathprof::show::path_layout::{lay_out_all, visible_width};
use profile::inputs::{self, Choice};
use profile::unique_runs::Options;

/// The widths of the cells that are tried.
const WIDTHS: [usize; 6] = [30, 40, 60, 80, 120, 200];

fn main() -> Result<()> {
    let profiles: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let inputs = inputs::inputs(&profiles, Choice::All)?.inputs;
    let (report, notices) =
        pipeline::report(&inputs, &ImagePlaces::default(), &Options::default(), &());
    if let Some(problem) = notices.problems.first() {
        bail!("{problem:#}");
    }
    let (mut functions, mut paths) = (0, 0);
    for function in report.counted().filter(|function| !function.paths.is_empty()) {
        check(&report, function)?;
        functions += 1;
        paths += function.paths.len();
    }
    println!("{functions} functions, {paths} paths");
    Ok(())
}

fn check(report: &Report, function: &Function) -> Result<()> {
    let module = &report.modules[function.module];
    let paths: Vec<_> = function.paths.iter().collect();
    for (notation, unfold) in
        [(Notation::Lines, false), (Notation::Lines, true), (Notation::Blocks, false)]
    {
        let wording = Wording { notation, unfold, ..Wording::of(module) };
        let texts = path_text::texts(function, wording, &paths);
        differ(function, &texts.iter().map(PathText::plain).collect::<Vec<_>>())?;
        for width in WIDTHS {
            let laid = lay_out_all(&texts, Some(width));
            for text in &laid {
                ensure!(
                    text.lines().all(|line| visible_width(line) <= width),
                    "{}: wider than {width}:\n{text}",
                    function.demangled
                );
            }
            differ(function, &laid)?;
        }
    }
    Ok(())
}

fn differ(function: &Function, texts: &[String]) -> Result<()> {
    let mut known = BTreeMap::new();
    for (text, path) in texts.iter().zip(&function.paths) {
        if let Some(other) = known.insert(text, path.id) {
            bail!("{}: paths {other} and {} read the same:\n{text}", function.demangled, path.id);
        }
    }
    Ok(())
}
