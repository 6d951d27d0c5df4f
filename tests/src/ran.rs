//! How often each block and each edge ran, straight from a block log.
//!
//! Nothing is cut, numbered or derived here: every record of a block is one execution. What
//! counters say of blocks and edges, in whatever mode, must be the same.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, ensure};

use crate::log::{Entry, Event};
use crate::{FunctionId, image};

/// What ran of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// How often it was entered.
    pub entries: u64,
    /// How often each block ran. Those that did not are absent.
    pub blocks: BTreeMap<u32, u64>,
    /// How often control went from one block to another within a call. Where a call returns twice,
    /// that may be where no edge is.
    pub edges: BTreeMap<(u32, u32), u64>,
}

/// What ran, by function.
#[derive(Debug, Default)]
pub struct Tally {
    /// The function of each frame, and the block that it was in last. Frames of a process that
    /// forked go on in its child.
    frames: HashMap<u64, (FunctionId, Option<u32>)>,
    /// The functions that ran.
    pub functions: BTreeMap<FunctionId, Ran>,
}

impl Tally {
    /// Adds one log. That of a forked process comes before those of its children, whose edges out
    /// of the blocks that it forked in are not told.
    ///
    /// # Errors
    /// A damaged log, or one with blocks of frames that no process entered.
    pub fn add(&mut self, log: impl Iterator<Item = Result<Entry>>) -> Result<()> {
        // Where a process forked is not known, only where it came later.
        self.frames.values_mut().for_each(|(_, last)| *last = None);
        for entry in log {
            let Entry { frame, event } = entry?;
            match event {
                Event::Enter(function) => {
                    self.frames.insert(frame, (function, None));
                    self.functions.entry(function).or_default().entries += 1;
                }
                Event::Block(block) => {
                    let (function, last) =
                        self.frames.get_mut(&frame).context("a block belongs to no frame")?;
                    let ran = self.functions.entry(*function).or_default();
                    *ran.blocks.entry(block).or_default() += 1;
                    if let Some(last) = last.replace(block) {
                        *ran.edges.entry((last, block)).or_default() += 1;
                    }
                }
                Event::End => {}
            }
        }
        Ok(())
    }

    /// One line for each function, block and edge that ran, fields separated by tabs: source,
    /// function, then `entries` and how many blocks it has, or `block` or `edge` and the numbers of
    /// its blocks, and how often it ran.
    ///
    /// # Errors
    /// A function that no image has.
    pub fn lines(&self, modules: &image::Modules) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (&id, ran) in &self.functions {
            let function = image::function(modules, id)?;
            let head = format!("{}\t{}", modules[&id.0].source, function.name);
            lines.push(format!("{head}\tentries\t{}\t{}", function.blocks.len(), ran.entries));
            for (&block, count) in &ran.blocks {
                ensure!(
                    (block as usize) < function.blocks.len(),
                    "{} has no block {block}",
                    function.name
                );
                lines.push(format!("{head}\tblock\t{block}\t{count}"));
            }
            lines.extend(
                ran.edges
                    .iter()
                    .map(|((from, to), count)| format!("{head}\tedge\t{from}\t{to}\t{count}")),
            );
        }
        Ok(lines)
    }
}

/// One line for each block that calls, whether it ran or not, fields separated by tabs: source,
/// function, the number of the block, and the functions that it calls.
pub fn calls(modules: &image::Modules) -> Vec<String> {
    let mut lines = Vec::new();
    for module in modules.values() {
        for function in &module.functions {
            for (number, block) in function.blocks.iter().enumerate() {
                let callees: String =
                    block.calls.iter().map(|call| format!("\t{}", call.callee)).collect();
                if !callees.is_empty() {
                    lines.push(format!("{}\t{}\t{number}{callees}", module.source, function.name));
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;
    use pathformat::manifest::{Block, Function, Manifest};

    use super::*;

    const F: FunctionId = (ModuleId([3; 16]), 0);

    fn at(frame: u64, event: Event) -> Result<Entry> {
        Ok(Entry { frame, event })
    }

    #[test]
    fn blocks_and_edges_are_those_of_each_frame() {
        let mut tally = Tally::default();
        let events = [
            (1, Event::Enter(F)),
            (2, Event::Enter(F)),
            (1, Event::Block(0)),
            (2, Event::Block(0)),
        ];
        let more = [(1, Event::Block(1)), (2, Event::End), (1, Event::Block(1))];
        tally
            .add(events.into_iter().chain(more).map(|(frame, event)| at(frame, event)))
            .expect("a sound log");
        // A child goes on with the frames of its parent.
        tally.add([at(2, Event::Block(2))].into_iter()).expect("a sound log");
        let expected = Ran {
            entries: 2,
            blocks: BTreeMap::from([(0, 2), (1, 2), (2, 1)]),
            edges: BTreeMap::from([((0, 1), 1), ((1, 1), 1)]),
        };
        assert_eq!(tally.functions[&F], expected);
        let function =
            Function { name: "f".into(), blocks: vec![Block::default(); 3], ..Function::default() };
        let manifest =
            Manifest { source: "f.c".into(), functions: vec![function], ..Manifest::default() };
        let lines = tally.lines(&image::Modules::from([(F.0, manifest)])).expect("it is there");
        assert_eq!(lines[..2], ["f.c\tf\tentries\t3\t2", "f.c\tf\tblock\t0\t2"]);
        assert_eq!(lines.last().map(String::as_str), Some("f.c\tf\tedge\t1\t1\t1"));
    }

    #[test]
    fn a_block_of_no_frame_is_an_error() {
        assert!(Tally::default().add([at(1, Event::Block(0))].into_iter()).is_err());
    }
}
