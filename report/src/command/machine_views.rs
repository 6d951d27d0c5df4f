//! The options `--asm` and `--mca` of the command `show`: what ran, as the instructions of the
//! processor.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail};
use counts::machine_code::{FunctionCode, ImageCode, Instruction};
use counts::model::{Function, Path as RunPath, Report};
use counts::path_ranks::ranked;
use counts::path_text::Wording;
use pathformat::settings::Stage;
use pathprof::launch::mca;
use pathprof::show::assembly::Listing;
use pathprof::show::document::Document;
use pathprof::show::machine_cycles::{self, Predicted};
use pathprof::show::path_page::Page;
use pathprof::show::printable::Printable;
use profile::inputs::Choice;

use crate::command::filters::FormArguments;
use crate::command::pages::{print, print_bytes};
use crate::command::path_argument::{ChosenPath, ShowPathArguments, chosen_path};
use crate::command::reading::read;
use crate::command::screen::terminal_width;

/// How many paths llvm-mca is asked about.
const ANALYSED: usize = 1000;

/// Shows one path, or all of them, in machine code.
pub(crate) fn show(arguments: ShowPathArguments) -> Result<u8> {
    let ShowPathArguments { mut path, machine, no_pager, mut sources, .. } = arguments;
    // Without a path, the first argument is a program or a profile.
    if machine.mca && path.as_ref().is_some_and(|path| Path::new(path).exists()) {
        sources.put_first(path.take().unwrap_or_default().into());
    }
    let (report, code) = read(sources, Choice::Usual)?;
    let Some(report) = report else { return Ok(code) };
    let Some(path) = path else {
        all_paths(report, &machine.mcpu, machine.top)?;
        return Ok(code);
    };
    let ChosenPath { function: index, rank } = chosen_path(&report, &path)?;
    let image = ImageCode::read(&report.images[report.functions[index].image].path)?;
    let instructions = image.of(&report, &report.functions[index])?;
    let report = Printable::from(report);
    let function = &report.functions[index];
    let path = ranked(function)[rank - 1];
    let wording = Wording::of(&report.modules[function.module]);
    let (sources, width) = (HashMap::new(), terminal_width());
    let page = Page { report: &report, function, path, rank, wording, sources: &sources, width };
    let text = if machine.asm {
        Listing { page: &page, code: &instructions }.text()
    } else {
        let predicted = mca::predict(&[own(function, &instructions, path)], &machine.mcpu)?;
        predicted.first().map(|of| machine_cycles::text(&page, of)).unwrap_or_default()
    };
    print_bytes(text.as_bytes(), !no_pager)?;
    Ok(code)
}

/// The instructions of the program on a path.
fn own<'a>(function: &Function, code: &'a FunctionCode, path: &RunPath) -> Vec<&'a Instruction> {
    let next = path.blocks.iter().skip(1).map(|&next| Some(next as usize)).chain([None]);
    let way = |(&block, next): (&u32, Option<usize>)| {
        code.on_the_way(&function.shape, block as usize, next)
    };
    path.blocks.iter().zip(next).flat_map(way).filter(|of| !of.counts).collect()
}

/// Shows where the predicted cycles of a program are.
fn all_paths(report: Report, processor: &str, top: usize) -> Result<()> {
    let is_machine = |of: &&Function| report.modules[of.module].stage == Stage::Machine;
    if !report.functions.iter().any(|of| is_machine(&of)) {
        bail!(
            "nothing was counted in machine code; compile the program with -fpath-stage=machine \
             and run it again"
        );
    }
    let mut images = HashMap::new();
    let mut codes = HashMap::new();
    for (index, function) in report.functions.iter().enumerate() {
        if !is_machine(&function) || function.paths.is_empty() {
            continue;
        }
        let image = match images.entry(function.image) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(ImageCode::read(&report.images[function.image].path)?)
            }
        };
        codes.insert(index, image.of(&report, function)?);
    }
    let report = Printable::from(report);
    let mut paths: Vec<_> = codes
        .iter()
        .flat_map(|(&index, code)| {
            let function = &report.functions[index];
            let ranked = ranked(function).into_iter().zip(1..);
            ranked.map(move |(path, rank)| (function, path, rank, own(function, code, path)))
        })
        .filter(|(_, path, ..)| path.count > 0)
        .collect();
    paths.sort_by_cached_key(|(function, path, rank, own)| {
        let executed = path.count.saturating_mul(own.len() as u128);
        (std::cmp::Reverse(executed), function.demangled.clone(), *rank)
    });
    let beyond = paths.len().saturating_sub(ANALYSED);
    paths.truncate(ANALYSED);
    let sequences: Vec<_> = paths.iter().map(|(.., own)| own.clone()).collect();
    let predicted = mca::predict(&sequences, processor)?;
    let predicted = paths.iter().zip(predicted).map(|(&(function, path, rank, _), prediction)| {
        Predicted { function, path, rank, prediction }
    });
    let table = machine_cycles::table(&report, predicted.collect(), beyond, top);
    let document = Document { tables: vec![table], ..Document::default() };
    print(&document, FormArguments::default().form())
}
