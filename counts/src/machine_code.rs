//! The instructions of a function that is counted in machine code: those of each block and edge,
//! and how often they ran.
//!
//! A block runs to its end, so each of its instructions ran as often as the block. Code that counts
//! on an edge ran as often as the edge. Between blocks there may be bytes that align the next one:
//! they are instructions that do nothing, and run if control falls through to it.

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
    /// The words of functions, with source and directory of their units, by name and graph.
    words: HashMap<(String, u64), Vec<(String, String, u64)>>,
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
}

impl ImageCode {
    /// Reads the image at `path`.
    ///
    /// # Errors
    /// The image cannot be read, or has no map of its code. The text says what to do.
    pub fn read(path: &Path) -> Result<Self> {
        let code = MachineCode::read(path)?;
        let mut words: HashMap<_, Vec<_>> = HashMap::new();
        for module in image::read(path)?.modules {
            let manifest = module.manifest;
            for (index, function) in manifest.functions.into_iter().enumerate() {
                if let Some(word) = module.id.function_word(index)
                    && code.parts(word).is_some()
                {
                    let unit = (manifest.source.clone(), manifest.directory.clone(), word);
                    words.entry((function.name, function.cfg_hash)).or_default().push(unit);
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
        let module = &report.modules[function.module];
        if module.stage != Stage::Machine {
            bail!(
                "{name} was counted at the stage {}, where its blocks are no machine code; compile \
                 it with -fpath-stage=machine",
                module.stage.name()
            );
        }
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
        let is_same = |(source, directory, _): &&(String, String, u64)| {
            *source == module.source && *directory == module.directory
        };
        // The linker keeps one of many copies.
        let is_shared = shape.linkage != Linkage::Internal;
        let found = known.iter().find(is_same).or_else(|| known.first().filter(|_| is_shared));
        found.map(|&(.., word)| word)
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

    /// Returns what was executed of it, apart from bytes that align code. `None` if the count of an
    /// edge with code is not known.
    pub fn executed(&self, function: &Function) -> Option<Executed> {
        let mut executed = Executed::default();
        for piece in &self.pieces {
            let times = match piece.owner {
                Owner::Block(block) => function.block_counts[block],
                Owner::Edge(edge) => function.edge_counts[edge]?,
            };
            for instruction in &piece.instructions {
                let sum = match instruction.counts {
                    true => &mut executed.counting,
                    false => &mut executed.program,
                };
                *sum = sum.saturating_add(times);
            }
        }
        Some(executed)
    }
}
