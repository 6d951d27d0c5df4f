//! A report whose names can all be shown to people: [`terminal`] was applied to all text in it. The
//! words of command lines are [quoted](crate::shell) instead.
//!
//! Views take this type and not [`Report`], so that none can omit the step. Equal names stay equal,
//! so that calls still find their callees.

use std::borrow::Cow;
use std::ffi::OsString;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;

use counts::model::{Function, Image, Module, Report, Run};
use pathformat::manifest;
use profile::escape::{path, terminal};

use crate::shell;

/// A report for people.
#[derive(Clone, Debug)]
pub struct Printable(Report);

impl From<Report> for Printable {
    fn from(mut report: Report) -> Self {
        report.images.iter_mut().for_each(image);
        report.runs.iter_mut().for_each(run);
        report.modules.iter_mut().for_each(module);
        report.functions.iter_mut().chain(&mut report.dropped).for_each(function);
        Self(report)
    }
}

impl Deref for Printable {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

fn text(text: &mut String) {
    if let Cow::Owned(shown) = terminal(text) {
        *text = shown;
    }
}

fn image(of: &mut Image) {
    of.path = path(&of.path);
}

fn run(of: &mut Run) {
    let Run { profile, host, directory, command_line, .. } = of;
    *profile = path(profile);
    [host, directory].into_iter().for_each(text);
    let words = shell::words(command_line.iter().map(|word| word.as_bytes()));
    *command_line = words.into_iter().map(OsString::from).collect();
}

fn module(of: &mut Module) {
    let Module { source, directory, system_directories, .. } = of;
    [source, directory].into_iter().chain(system_directories).for_each(text);
}

fn function(of: &mut Function) {
    let Function { demangled, shape, sites, .. } = of;
    text(demangled);
    self::shape(shape);
    sites.iter_mut().flat_map(|site| &mut site.targets).for_each(|(name, _)| text(name));
}

fn shape(of: &mut manifest::Function) {
    let manifest::Function {
        name,
        full_name,
        short_name,
        file,
        skipped,
        locations,
        blocks,
        edges,
        ..
    } = of;
    [name, full_name, short_name, file].into_iter().chain(skipped).for_each(text);
    for manifest::Location { file, function, .. } in locations {
        [file, function].into_iter().for_each(text);
    }
    for manifest::Block { name, opcodes, calls, ir, .. } in blocks {
        text(name);
        ir.iter_mut().for_each(text);
        calls.iter_mut().for_each(|call| text(&mut call.callee));
        self::opcodes(opcodes);
    }
    edges.iter_mut().for_each(|edge| opcodes(&mut edge.opcodes));
}

fn opcodes(of: &mut [(Cow<'static, str>, u32)]) {
    for (opcode, _) in of {
        if let Cow::Owned(shown) = terminal(opcode) {
            *opcode = Cow::Owned(shown);
        }
    }
}
