//! One path as its machine instructions: as `objdump` prints them, block by block, and behind each
//! block the number of times that control went on as the path does.
//!
//! What counts is printed faintly behind the address, with the word `counts`: it is no code of the
//! program.

use std::fmt::Write;

use counts::machine_code::{FunctionCode, Instruction};
use counts::model::Function;
use counts::path_text::block_name;
use owo_colors::OwoColorize;

use crate::show::notation;
use crate::show::path_page::Page;
use crate::show::style::grouped;

/// The page of a path in machine code.
pub struct Listing<'a> {
    /// The path.
    pub page: &'a Page<'a>,
    /// The code of its function.
    pub code: &'a FunctionCode,
}

/// What stands before an instruction that counts.
const COUNTS: &str = "counts";

impl Listing<'_> {
    /// Returns the page as text with styles.
    pub fn text(&self) -> String {
        let Page { function, path, .. } = self.page;
        let mut text = self.page.heading();
        let known = path.blocks.iter().flat_map(|&block| self.code.of_block(block as usize));
        let width = known.map(|of| format!("{:x}", of.address).len()).max().unwrap_or_default();
        for (at, &block) in path.blocks.iter().enumerate() {
            let lines = notation::lines(function, block);
            let name = block_name(block);
            let lines = if lines == [name.clone()] { String::new() } else { lines.join(" ") };
            let _ = writeln!(text, "\n  {}  {}", name.cyan().bold(), lines.dimmed());
            let next = path.blocks.get(at + 1).map(|&next| next as usize);
            let code = self.code.on_the_way(&function.shape, block as usize, next);
            code.iter().for_each(|of| text += &line(of, width));
            if let Some(&to) = path.blocks.get(at + 1) {
                self.branch(block, to, width, &mut text);
            }
        }
        text
    }

    /// Writes how often control went from a block of the path to the next one.
    fn branch(&self, from: u32, to: u32, width: usize, text: &mut String) {
        let function = self.page.function;
        let edges = &function.shape.edges;
        let Some(edge) = edges.iter().position(|edge| (edge.from, edge.to) == (from, to)) else {
            return;
        };
        if edges.iter().filter(|edge| edge.from == from).count() > 1 {
            let how_often = how_often(function, from, edge);
            let _ = writeln!(
                text,
                "  {:width$}  {} {}{}",
                "",
                "└→".yellow(),
                block_name(to),
                how_often.dimmed()
            );
        }
        self.code.of_edge(edge).for_each(|of| *text += &line(of, width));
    }
}

/// Returns the number of times that control took an edge out of a block: `, 29 of 39 times`.
fn how_often(function: &Function, from: u32, edge: usize) -> String {
    let all = function.block_counts[from as usize];
    let taken = function.edge_counts[edge];
    taken
        .map_or_else(String::new, |taken| format!(", {} of {} times", grouped(taken), grouped(all)))
}

fn line(of: &Instruction, width: usize) -> String {
    let address = format!("{:>width$x}:", of.address);
    match of.counts {
        true => format!("  {}\n", format!("{address}  {COUNTS}  {}", of.text).dimmed()),
        false => format!("  {}  {}\n", address.dimmed(), of.text),
    }
}
