//! The options `--asm` and `--mca` of the command `show`: what ran, as the instructions of the
//! processor.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Result, bail};
use counts::machine_code::{FunctionCode, ImageCode, Instruction, stage};
use counts::model::{Counting, Function, Path as RunPath, Report};
use counts::path_ranks::ranked;
use counts::path_text::Wording;
use pathprof::launch::mca;
use pathprof::show::assembly::Listing;
use pathprof::show::document::Document;
use pathprof::show::machine_cycles::{self, Predicted};
use pathprof::show::machine_totals;
use pathprof::show::path_page::Page;
use pathprof::show::printable::Printable;
use pathprof::show::table::Table;
use profile::inputs::Choice;

use crate::command::pages::{print, print_bytes};
use crate::command::path_argument::{ChosenPath, MachineArguments, ShowPathArguments, chosen_path};
use crate::command::reading::read;
use crate::command::screen::terminal_width;

/// How many paths llvm-mca is asked about.
const ANALYSED: usize = 1000;

/// Shows one path, or all of them, in machine code.
pub(crate) fn show(mut arguments: ShowPathArguments) -> Result<u8> {
    // Without a path, the first argument is a program or a profile.
    if arguments.path.as_ref().is_some_and(|path| Path::new(path).exists()) {
        arguments.sources.put_first(arguments.path.take().unwrap_or_default().into());
    }
    let form = match arguments.path {
        Some(_) => arguments.form_of_path()?,
        None => arguments.form.form(),
    };
    let ShowPathArguments { path, machine, sources, .. } = arguments;
    let (report, code) = read(sources, Choice::Usual)?;
    let Some(report) = report else { return Ok(code) };
    let Some(path) = path else {
        let codes = codes(&report)?;
        let report = Printable::from(report);
        let table = match machine.asm {
            true => totals(&report, &codes, machine.top),
            false => predictions(&report, &codes, &machine)?,
        };
        print(&Document { tables: vec![table], ..Document::default() }, form)?;
        return Ok(code);
    };
    let ChosenPath { function: index, rank } = chosen_path(&report, &path)?;
    let function = &report.functions[index];
    // That says what is wrong with a function of another stage; its image has no map.
    stage(&report, function)?;
    let image = ImageCode::read(&report.images[function.image].path)?;
    let instructions = image.of(&report, function)?;
    let report = Printable::from(report);
    let function = &report.functions[index];
    let path = ranked(function)[rank - 1];
    let own = own(function, &instructions, path);
    let path = &RunPath { instructions: own.len() as u64, ..path.clone() };
    let wording = Wording::of(&report.modules[function.module]);
    let (sources, width) = (HashMap::new(), terminal_width());
    let page = Page { report: &report, function, path, rank, wording, sources: &sources, width };
    let text = if machine.asm {
        Listing { page: &page, code: &instructions }.text()
    } else {
        let predicted = mca::predict(&[own], &machine.mcpu)?;
        predicted.first().map(|of| machine_cycles::text(&page, of)).unwrap_or_default()
    };
    print_bytes(text.as_bytes(), form.pager)?;
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

/// The code of the functions that are counted in machine code, by their indexes.
fn codes(report: &Report) -> Result<BTreeMap<usize, FunctionCode>> {
    let functions = report.functions.iter().enumerate();
    let functions: Vec<_> = functions
        .filter(|(_, of)| stage(report, of).is_ok() && of.counting != Counting::Nothing)
        .collect();
    if functions.is_empty() {
        bail!(
            "nothing was counted in machine code; compile the program with -fpath-stage=machine \
             and run it again"
        );
    }
    let mut images = HashMap::new();
    let mut codes = BTreeMap::new();
    for (index, function) in functions {
        let image = match images.entry(function.image) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(ImageCode::read(&report.images[function.image].path)?),
        };
        if !function.paths.is_empty() {
            codes.insert(index, image.of(report, function)?);
        }
    }
    Ok(codes)
}

/// How many instructions each function executed.
fn totals(report: &Report, codes: &BTreeMap<usize, FunctionCode>, top: usize) -> Table<'static> {
    let of = |(&index, code): (&usize, &FunctionCode)| {
        let function = &report.functions[index];
        (function, code.executed(function))
    };
    machine_totals::table(report, codes.iter().map(of).collect(), top)
}

/// Where the predicted cycles of a program are.
fn predictions(
    report: &Report,
    codes: &BTreeMap<usize, FunctionCode>,
    machine: &MachineArguments,
) -> Result<Table<'static>> {
    let of_function = |(&index, code)| {
        let function = &report.functions[index];
        let ranked = ranked(function).into_iter().zip(1..);
        ranked.map(move |(path, rank)| (function, path, rank, own(function, code, path)))
    };
    let mut paths: Vec<_> = codes.iter().flat_map(of_function).collect();
    paths.retain(|(_, path, ..)| path.count > 0);
    paths.sort_by_cached_key(|(function, path, rank, own)| {
        let executed = path.count.saturating_mul(own.len() as u128);
        (std::cmp::Reverse(executed), function.demangled.clone(), *rank)
    });
    let beyond = paths.len().saturating_sub(ANALYSED);
    paths.truncate(ANALYSED);
    let sequences: Vec<_> = paths.iter().map(|(.., own)| own.clone()).collect();
    let predicted = mca::predict(&sequences, &machine.mcpu)?;
    let predicted = paths.iter().zip(predicted).map(|(&(function, path, rank, _), prediction)| {
        Predicted { function, path, rank, prediction }
    });
    Ok(machine_cycles::table(report, predicted.collect(), beyond, machine.top))
}
