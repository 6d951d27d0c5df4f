//! `replay --image FILE… --log FILE… --profile FILE…`: compares the block log of a program's
//! `-pathcc-mode=log` build with the profile of its normal build, path by path. Exit status 1 if a
//! count differs.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use pathtests::image::{self, Modules};
use pathtests::log::Entries;
use pathtests::replay::Replay;
use pathtests::{Counts, compare, counted};

/// How many differences are printed.
const SHOWN: usize = 20;

fn main() -> Result<ExitCode> {
    let (mut images, mut logs, mut profiles) = (Vec::new(), Vec::new(), Vec::new());
    let mut list = None;
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--image") => list = Some(&mut images),
            Some("--log") => list = Some(&mut logs),
            Some("--profile") => list = Some(&mut profiles),
            _ => match &mut list {
                Some(list) => list.push(PathBuf::from(argument)),
                None => bail!("usage: replay --image FILE… --log FILE… --profile FILE…"),
            },
        }
    }
    ensure!(
        !images.is_empty() && !logs.is_empty() && !profiles.is_empty(),
        "an image, a log and a profile are needed"
    );

    let mut modules = Modules::new();
    images.iter().try_for_each(|path| image::read(path, &mut modules))?;
    let mut replay = Replay::new(&modules);
    for path in &logs {
        let file = File::open(path).with_context(|| format!("{}", path.display()))?;
        replay
            .walk(Entries::new(BufReader::new(file)))
            .with_context(|| format!("{}", path.display()))?;
    }
    let mut counts = Counts::new();
    profiles.iter().try_for_each(|path| counted::read(path, &modules, &mut counts))?;

    let differences = compare::differences(&modules, &replay.counts, &counts);
    differences.iter().take(SHOWN).for_each(|line| println!("{line}"));
    let paths: usize = counts.values().map(|paths| paths.len()).sum();
    let (functions, blocks, differ) = (counts.len(), replay.blocks, differences.len());
    println!(
        "{functions} functions, {paths} paths, {blocks} blocks executed, {differ} differences"
    );
    Ok(if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
