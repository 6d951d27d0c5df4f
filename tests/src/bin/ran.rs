//! `ran --image FILE… --log FILE…`: how often each block and each edge of a program ran, from the
//! block log of its `-pathcc-mode=log` build. Logs in the order in which their processes began.
//! Without any log: which functions each block calls.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use pathtests::image::{self, Modules};
use pathtests::log::Entries;
use pathtests::ran::{Tally, calls};

fn main() -> Result<()> {
    let (mut images, mut logs) = (Vec::new(), Vec::new());
    let mut list = None;
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--image") => list = Some(&mut images),
            Some("--log") => list = Some(&mut logs),
            _ => match &mut list {
                Some(list) => list.push(PathBuf::from(argument)),
                None => bail!("usage: ran --image FILE… --log FILE…"),
            },
        }
    }
    let mut modules = Modules::new();
    images.iter().try_for_each(|path| image::read(path, &mut modules))?;
    let mut out = std::io::stdout().lock();
    if logs.is_empty() {
        calls(&modules).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        return Ok(());
    }
    let mut tally = Tally::default();
    for path in &logs {
        let file = File::open(path).with_context(|| format!("{}", path.display()))?;
        tally
            .add(Entries::new(BufReader::new(file)))
            .with_context(|| format!("{}", path.display()))?;
    }
    tally.lines(&modules)?.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}
