//! `trace_order --image FILE… --log FILE --steps FILE`: checks that a trace has the blocks of a
//! block log, in the same order.
//!
//! The log is that of a `-pathcc-mode=log` build whose graph is cut like the one that is traced;
//! the steps are what `pathprof trace cat --format json` tells of the same work of one thread. Both
//! programs do one thing after the other, so both give one sequence of blocks of functions.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use pathtests::image::{self, Modules};
use pathtests::log::{Entries, Event};
use serde_json::Value;

/// A block of a function.
type Block = (String, u32);

fn main() -> Result<()> {
    let (mut images, mut log, mut steps) = (Vec::new(), None, None);
    let mut kind = String::new();
    for argument in std::env::args().skip(1) {
        match kind.as_str() {
            _ if argument.starts_with("--") => kind = argument,
            "--image" => images.push(PathBuf::from(argument)),
            "--log" => log = Some(PathBuf::from(argument)),
            "--steps" => steps = Some(PathBuf::from(argument)),
            _ => bail!("{argument} belongs to no option"),
        }
    }
    let mut modules = Modules::new();
    for image in &images {
        image::read(image, &mut modules)?;
    }
    let open = |path: Option<PathBuf>| -> Result<_> {
        let path = path.context("a file is missing")?;
        Ok(BufReader::new(File::open(&path).with_context(|| path.display().to_string())?))
    };
    let mut frames = HashMap::new();
    let mut logged = Entries::new(open(log)?).filter_map(|entry| {
        let block = entry.and_then(|entry| match entry.event {
            Event::Enter(function) => {
                let name = image::function(&modules, function)?.name.clone();
                frames.insert(entry.frame, name);
                Ok(None)
            }
            Event::Block(block) => {
                let name = frames.get(&entry.frame).context("a frame was never entered")?;
                Ok(Some((name.clone(), block)))
            }
            Event::End => Ok(None),
        });
        block.transpose()
    });
    let (mut paths, mut blocks) = (0u64, 0u64);
    for line in open(steps)?.lines() {
        for traced in blocks_of(&line?)? {
            let expected = logged.next().context("the trace goes on behind the log")??;
            ensure!(
                traced == expected,
                "block {blocks}, path {paths}: the log has {expected:?}, the trace {traced:?}"
            );
            blocks += 1;
        }
        paths += 1;
    }
    let rest = logged.count();
    ensure!(rest == 0, "the trace lacks the last {rest} of {} blocks", blocks + rest as u64);
    println!("{paths} paths, {blocks} blocks in order");
    Ok(())
}

/// The blocks of a step.
fn blocks_of(line: &str) -> Result<Vec<Block>> {
    let step: Value = serde_json::from_str(line)?;
    if matches!(step["event"].as_str(), Some("synchronised" | "allocated")) {
        return Ok(Vec::new());
    }
    ensure!(step["event"].is_null(), "something is missing: {line}");
    let function = step["function"].as_str().context("a step has no function")?;
    let blocks = step["blocks"].as_array().context("a step has no blocks")?;
    let number = |block: &Value| block.as_u64().and_then(|block| u32::try_from(block).ok());
    blocks
        .iter()
        .map(|block| Ok((function.to_owned(), number(block).context("a block is a number")?)))
        .collect()
}
