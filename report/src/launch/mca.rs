//! Asks llvm-mca what it predicts of sequences of instructions.
//!
//! One process analyses all of them: each is a region of its input. It runs with no file of ours.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use counts::machine_code::{Flow, Instruction};
use serde::Deserialize;

use crate::launch::lookup::find_program;
use crate::show::machine_cycles::{Prediction, Waits};

/// Where Debian has it.
const NAMES: [&str; 2] = ["llvm-mca-22", "/usr/lib/llvm-22/bin/llvm-mca"];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    code_regions: Vec<Region>,
    target_info: Target,
}

#[derive(Deserialize)]
struct Target {
    #[serde(rename = "CPUName")]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Region {
    #[serde(default)]
    bottleneck_analysis: Option<Bottleneck>,
    instructions: Vec<String>,
    name: String,
    summary_view: Summary,
}

/// All but the sum is missing where nothing waits.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Bottleneck {
    memory_dependency_cycles: f64,
    register_dependency_cycles: f64,
    resource_pressure_cycles: f64,
    total_cycles: f64,
    resource_pressure: Vec<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "BlockRThroughput")]
    throughput: f64,
    #[serde(rename = "Iterations")]
    iterations: f64,
    #[serde(rename = "TotalCycles")]
    cycles: f64,
    #[serde(rename = "TotaluOps")]
    micro_operations: f64,
}

/// Returns what is predicted of each of `sequences` on a `processor`. Calls are left out.
///
/// # Errors
/// llvm-mca is not there, or fails. The text says what to do.
pub fn predict(sequences: &[Vec<&Instruction>], processor: &str) -> Result<Vec<Prediction>> {
    let found = NAMES.iter().filter_map(|name| find_program(OsStr::new(name)));
    let Some(tool) = found.into_iter().find(|path: &PathBuf| path.is_file()) else {
        bail!(
            "{} is not there: install llvm-22, which has it, or put it into a directory of PATH",
            NAMES[0]
        );
    };
    let mut input = String::new();
    let mut given = Vec::with_capacity(sequences.len());
    for (at, sequence) in sequences.iter().enumerate() {
        let (calls, others): (Vec<&Instruction>, Vec<&Instruction>) =
            sequence.iter().partition(|of| of.flow == Flow::Call);
        input += &format!("# LLVM-MCA-BEGIN {at}\n");
        others.iter().for_each(|of| input += &format!("\t{}\n", of.assembly));
        input += "# LLVM-MCA-END\n";
        given.push((calls.len(), others.len()));
    }
    let place = tool.display().to_string();
    let mut child = Command::new(&tool)
        .args(["-mtriple=x86_64", "-json", "-bottleneck-analysis"])
        .args(["-skip-unsupported-instructions=any", &format!("-mcpu={processor}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{place}: cannot start it"))?;
    let mut stdin = child.stdin.take().context("its input is a pipe")?;
    // It may fail before it has read all; then its status says so.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output().with_context(|| format!("{place}: cannot read it"))?;
    let _ = writer.join();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let is_error = |line: &&str| line.contains("error");
        let said = said.lines().find(is_error).or(said.lines().next());
        bail!("{place}: {}", said.unwrap_or("no reason is given"));
    }
    let answer: Answer = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{place}: its output is not what llvm-mca 22 writes"))?;
    let mut predictions: Vec<_> = given
        .into_iter()
        // A region without instructions is none of its.
        .map(|(calls, others)| Prediction {
            calls,
            unknown: others,
            processor: answer.target_info.name.clone(),
            ..Prediction::default()
        })
        .collect();
    for region in answer.code_regions {
        let at = region.name.parse::<usize>().ok();
        if let Some(known) = at.and_then(|at| predictions.get_mut(at)) {
            let Summary { throughput, iterations, cycles, micro_operations } = region.summary_view;
            let times = iterations.max(1.0);
            known.cycles = cycles / times;
            known.micro_operations = micro_operations / times;
            known.analysed = region.instructions.len();
            known.unknown = known.unknown.saturating_sub(known.analysed);
            known.throughput = throughput;
            known.waits = region.bottleneck_analysis.as_ref().map(waits).unwrap_or_default();
        }
    }
    Ok(predictions)
}

fn waits(of: &Bottleneck) -> Waits {
    let share = |cycles: f64| cycles / of.total_cycles.max(1.0);
    let units = of.resource_pressure.iter().flatten();
    let units = units.filter_map(|(name, cycles)| Some((name, cycles.as_f64()?)));
    let unit = units.max_by(|(_, one), (_, other)| one.total_cmp(other));
    Waits {
        registers: share(of.register_dependency_cycles),
        memory: share(of.memory_dependency_cycles),
        units: share(of.resource_pressure_cycles),
        unit: unit.map(|(name, _)| name.clone()),
    }
}
