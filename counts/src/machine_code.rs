//! The instructions of a function that is counted in machine code: those of each block and edge,
//! and how often they ran.
//!
//! A block runs to its branches, so each instruction before them ran as often as the block.
//! Instructions behind a conditional branch ran where it was not taken. If two conditional branches
//! lead to the same block, as they do for floating-point numbers that may be unordered, nothing
//! tells which of them was taken. Code that counts on an edge ran as often as the edge.
//!
//! Bytes that align code are instructions of no block. They are left out.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use pathformat::manifest::{self, Linkage};
use pathformat::settings::Stage;
use profile::image;
use profile::machine_code::MachineCode;
pub use profile::machine_code::{Flow, Instruction};

use crate::model::{Count, Function, Module, Report};

/// The counted code of an image.
pub struct ImageCode {
    code: MachineCode,
    /// The words of functions by name and graph: more than one if units have copies.
    words: HashMap<(String, u64), Vec<UnitCopy>>,
}

/// A function of a unit.
struct UnitCopy {
    source: String,
    directory: String,
    word: u64,
}

/// The code of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCode {
    /// The pieces in the order of their addresses.
    pub pieces: Vec<Piece>,
}

/// Instructions that run one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What they belong to.
    pub owner: Owner,
    /// Those of the program, and those that count.
    pub instructions: Vec<Instruction>,
}

/// What code belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A block, by its index.
    Block(usize),
    /// An edge, by its index.
    Edge(usize),
}

/// How many instructions were executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Those of the program. An instruction with a `rep` prefix is one, however often it repeats.
    pub program: Count,
    /// Those that count.
    pub counting: Count,
    /// The most that were executed beyond those of the program: nothing tells how many.
    pub unknown: Count,
}

/// Checks that a function was counted in machine code.
///
/// # Errors
/// It was not. The text says what to do.
pub fn stage(report: &Report, function: &Function) -> Result<()> {
    let stage = report.modules[function.module].stage;
    if stage != Stage::Machine {
        bail!(
            "{} was counted at the stage {}, where its blocks are no machine code; compile it with \
             -fpath-stage=machine",
            function.demangled,
            stage.name()
        );
    }
    Ok(())
}

impl ImageCode {
    /// Reads the image at `path`.
    ///
    /// # Errors
    /// The image cannot be read, or has no map of its code. The text says what to do.
    pub fn read(path: &Path) -> Result<Self> {
        let code = MachineCode::read(path)?;
        let mut words: HashMap<_, Vec<UnitCopy>> = HashMap::new();
        for module in image::read(path)?.modules {
            let manifest = module.manifest;
            for (index, function) in manifest.functions.into_iter().enumerate() {
                if let Some(word) = module.id.function_word(index)
                    && code.parts(word).is_some()
                {
                    let (source, directory) = (manifest.source.clone(), manifest.directory.clone());
                    let copy = UnitCopy { source, directory, word };
                    words.entry((function.name, function.cfg_hash)).or_default().push(copy);
                }
            }
        }
        Ok(Self { code, words })
    }

    /// Returns the code of a function of the image.
    ///
    /// # Errors
    /// It is not known. The text says why.
    pub fn of(&self, report: &Report, function: &Function) -> Result<FunctionCode> {
        let name = &function.demangled;
        stage(report, function)?;
        let module = &report.modules[function.module];
        let word = self.word(module, &function.shape);
        let unknown = || anyhow!("the image has no map of the code of {name}");
        let parts = word.and_then(|word| self.code.parts(word)).ok_or_else(unknown)?;
        let blocks = function.shape.blocks.len();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut end = 0;
        for part in parts {
            let at = part.owner as usize;
            let owner = match at.checked_sub(blocks) {
                None => Owner::Block(at),
                Some(edge) if edge < function.shape.edges.len() => Owner::Edge(edge),
                Some(_) => bail!("the map of the code of {name} names an edge that it has not"),
            };
            let instructions = self.code.instructions(part).ok_or_else(unknown)?;
            match pieces.last_mut().filter(|last| last.owner == owner && end == part.start) {
                Some(last) => last.instructions.extend(instructions),
                None => pieces.push(Piece { owner, instructions }),
            }
            end = part.end;
        }
        Ok(FunctionCode { pieces })
    }

    fn word(&self, module: &Module, shape: &manifest::Function) -> Option<u64> {
        let known = self.words.get(&(shape.name.clone(), shape.cfg_hash))?;
        let is_same =
            |of: &&UnitCopy| of.source == module.source && of.directory == module.directory;
        // The linker keeps one of many copies.
        let is_shared = shape.linkage != Linkage::Internal;
        let found = known.iter().find(is_same).or_else(|| known.first().filter(|_| is_shared));
        found.map(|of| of.word)
    }
}

impl FunctionCode {
    /// Returns the instructions of a block, in order.
    pub fn of_block(&self, block: usize) -> impl Iterator<Item = &Instruction> {
        self.of(Owner::Block(block))
    }

    /// Returns the instructions of an edge, in order: they count.
    pub fn of_edge(&self, edge: usize) -> impl Iterator<Item = &Instruction> {
        self.of(Owner::Edge(edge))
    }

    fn of(&self, owner: Owner) -> impl Iterator<Item = &Instruction> {
        let pieces = self.pieces.iter().filter(move |piece| piece.owner == owner);
        pieces.flat_map(|piece| &piece.instructions)
    }

    /// Returns the instructions of a block that run if control goes on to block `next`; all of them
    /// without one, since the function is left behind the last.
    pub fn on_the_way(
        &self,
        shape: &manifest::Function,
        block: usize,
        next: Option<usize>,
    ) -> Vec<&Instruction> {
        let all: Vec<_> = self.of_block(block).collect();
        let leads = |of: &&Instruction| {
            let edge = self.edge_taken(shape, block, of).map(|edge| &shape.edges[edge]);
            edge.is_some_and(|edge| Some(edge.to as usize) == next)
        };
        let last = all.iter().position(leads).map_or(all.len(), |at| at + 1);
        all[..last].to_vec()
    }

    /// Returns the edge out of a block that a branch in it takes.
    fn edge_taken(
        &self,
        shape: &manifest::Function,
        block: usize,
        of: &Instruction,
    ) -> Option<usize> {
        if !matches!(of.flow, Flow::Branch | Flow::Jump) {
            return None;
        }
        let target = of.target?;
        let starts = |piece: &&Piece| {
            piece.instructions.first().is_some_and(|first| first.address == target)
        };
        match self.pieces.iter().find(starts)?.owner {
            Owner::Edge(edge) => Some(edge),
            Owner::Block(to) => {
                let ends = (block as u32, to as u32);
                shape.edges.iter().position(|edge| (edge.from, edge.to) == ends)
            }
        }
    }

    /// Returns what was executed of it. Code on an edge whose count is not known is left out: it
    /// counts.
    pub fn executed(&self, function: &Function) -> Executed {
        let mut executed = Executed::default();
        for piece in &self.pieces {
            if let Owner::Edge(edge) = piece.owner {
                let counting = function.edge_counts[edge].unwrap_or_default();
                let all = counting.saturating_mul(piece.instructions.len() as Count);
                executed.counting = executed.counting.saturating_add(all);
            }
        }
        for block in 0..function.shape.blocks.len() {
            self.add_block(function, block, &mut executed);
        }
        executed
    }

    /// Adds what was executed of a block.
    fn add_block(&self, function: &Function, block: usize, executed: &mut Executed) {
        let shape = &function.shape;
        let ways = shape.edges.iter().filter(|edge| edge.from as usize == block).count();
        let code: Vec<_> = self.of_block(block).collect();
        let taken: Vec<_> = code.iter().map(|of| self.edge_taken(shape, block, of)).collect();
        let branches = taken.iter().flatten().count();
        let (mut times, mut is_known) = (function.block_counts[block], true);
        for (of, edge) in code.iter().zip(&taken) {
            let sum = match (of.counts, is_known) {
                (true, _) => &mut executed.counting,
                (false, true) => &mut executed.program,
                (false, false) => &mut executed.unknown,
            };
            *sum = sum.saturating_add(times);
            let Some(edge) = edge.filter(|_| of.flow == Flow::Branch) else { continue };
            let is_only = taken.iter().flatten().filter(|&&other| other == edge).count() == 1;
            match function.edge_counts[edge] {
                Some(count) if is_only && branches <= ways => times = times.saturating_sub(count),
                _ => is_known = false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(address: u64, flow: Flow, target: Option<u64>) -> Instruction {
        Instruction {
            address,
            bytes: vec![0x90],
            text: "nop".into(),
            assembly: "nop".into(),
            counts: false,
            flow,
            target,
            repeats: false,
        }
    }

    /// Returns a function whose block 0 branches to block 1 with its second instruction, and to
    /// block 2 with its third one.
    fn function(flow: Flow) -> (FunctionCode, Function) {
        let counting = Instruction { counts: true, ..instruction(0, Flow::Next, None) };
        let branches =
            [counting, instruction(1, Flow::Branch, Some(11)), instruction(2, flow, Some(22))];
        let of = |owner, instructions: Vec<Instruction>| Piece { owner, instructions };
        let pieces = vec![
            of(Owner::Block(0), branches.to_vec()),
            of(Owner::Block(1), vec![instruction(11, Flow::Jump, None)]),
            of(Owner::Block(2), vec![instruction(22, Flow::Jump, None)]),
        ];
        let edge = |to| manifest::Edge {
            from: 0,
            to,
            outcome: manifest::Outcome::True,
            ..manifest::Edge::default()
        };
        let shape = manifest::Function {
            blocks: vec![manifest::Block::default(); 3],
            edges: vec![edge(1), edge(2)],
            ..manifest::Function::default()
        };
        let function = Function {
            shape,
            block_counts: vec![10, 7, 3],
            edge_counts: vec![Some(7), Some(3)],
            ..Function::default()
        };
        (FunctionCode { pieces }, function)
    }

    #[test]
    fn what_is_behind_a_branch_ran_where_it_was_not_taken() {
        let (code, function) = function(Flow::Jump);
        let executed = Executed { program: 10 + 3 + 7 + 3, counting: 10, unknown: 0 };
        assert_eq!(code.executed(&function), executed);
        let on_the_way = |next| code.on_the_way(&function.shape, 0, next).len();
        assert_eq!([on_the_way(Some(1)), on_the_way(Some(2)), on_the_way(None)], [2, 3, 3]);
    }

    #[test]
    fn of_two_branches_to_one_block_nothing_is_known() {
        let (mut code, function) = function(Flow::Branch);
        code.pieces[0].instructions[2].target = Some(11);
        let executed = Executed { program: 10 + 7 + 3, counting: 10, unknown: 10 };
        assert_eq!(code.executed(&function), executed);
    }
}
