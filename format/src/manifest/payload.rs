//! The payload of a manifest record: encoding and decoding of manifests.
//!
//! This file has the order of the fields. The encoding of values is in `payload/body.rs`, that of
//! edges in `payload/graph.rs`, that of accesses to memory in `payload/access.rs`. The input is not
//! trusted: every index in a decoded manifest is in range.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use self::body::{Source, Writer, code, decoded, known, text};
use self::graph::{get_dag, put_dag};
use super::{
    Access, Block, Call, Chooser, Edge, Exit, Function, Linkage, Location, Manifest, Outcome,
    Pattern, PatternShape, PromotedLoop, Uncut, WeightSource,
};
use crate::settings::{Level, Mode, Stage, Threads};
use crate::wire::{Allowance, Error, Result, Sink};

mod access;
mod body;
mod graph;

const LINKAGES: [Linkage; 5] =
    [Linkage::External, Linkage::Internal, Linkage::Inline, Linkage::Weak, Linkage::Copy];
const WEIGHTS: [WeightSource; 4] = [
    WeightSource::Estimated,
    WeightSource::Measured,
    WeightSource::Outdated,
    WeightSource::Missing,
];
const EXITS: [Option<Exit>; 4] =
    [None, Some(Exit::Return), Some(Exit::Unwind), Some(Exit::NoReturn)];
const CHOOSERS: [Chooser; 3] = [Chooser::Source, Chooser::Compiler, Chooser::CompilerLoop];
const SHAPES: [PatternShape; 4] =
    [PatternShape::Diamond, PatternShape::HalfDiamond, PatternShape::Jump, PatternShape::Exits];

impl Manifest {
    /// Returns the payload of a record, before compression.
    pub fn encode(&self) -> Vec<u8> {
        self.seal(self.content())
    }

    /// Returns the payload up to the mode, the kind of threads and promotion: the part that does
    /// not depend on the instrumentation.
    pub fn content(&self) -> Vec<u8> {
        let mut to = Writer::default();
        let settings = [self.stage.name(), self.level.name()];
        let texts = [self.source.as_str(), &self.directory, &self.producer];
        texts.into_iter().chain(settings).for_each(|text| to.put_string(text));
        to.put_list(&self.system_directories, |to, directory| to.put_string(directory));
        to.put_varint(self.limit);
        to.put_list(&self.functions, |to, function| function.encode(to));
        to.finish()
    }

    /// Returns the payload, from its [`content`](Self::content).
    pub fn seal(&self, mut content: Vec<u8>) -> Vec<u8> {
        content.put_bytes(self.mode.name().as_bytes());
        content.put_bytes(self.threads.name().as_bytes());
        content.put_varint(u64::from(self.promotes));
        content.put_varint(self.promoted_loops.len() as u64);
        for of in &self.promoted_loops {
            content.put_varint(of.function.into());
            content.put_varint(of.header.into());
        }
        content
    }

    /// Reads a payload back. Every index in the result is in range.
    ///
    /// # Errors
    /// Anything that is not a sound payload.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        Self::decode_within(bytes, &Allowance::new(u64::MAX))
    }

    /// Reads a payload back with no more memory than is allowed.
    ///
    /// # Errors
    /// Anything that is not a sound payload, or takes more memory.
    pub fn decode_within(bytes: &[u8], allowance: &Allowance) -> Result<Self> {
        let mut from = Source::new(bytes, allowance)?;
        let mut manifest = Self {
            source: from.string()?,
            directory: from.string()?,
            producer: from.string()?,
            stage: known(Stage::from_name(&from.string()?), "an unknown stage")?,
            level: known(Level::from_name(&from.string()?), "an unknown level")?,
            system_directories: from.list(Source::string)?,
            limit: from.reader.varint()?,
            functions: from.list(Function::decode)?,
            mode: known(Mode::from_name(text(from.reader.bytes()?)?), "an unknown mode")?,
            threads: known(
                Threads::from_name(text(from.reader.bytes()?)?),
                "an unknown kind of threads",
            )?,
            promotes: decoded(
                &[false, true],
                from.reader.varint()?,
                "whether counters may be in registers is unknown",
            )?,
            promoted_loops: Vec::new(),
        };
        let functions = &manifest.functions;
        manifest.promoted_loops = from.list(|from| {
            let function = from.index(functions.len(), "the function of a loop is out of range")?;
            let blocks = functions[function as usize].blocks.len();
            Ok(PromotedLoop { function, header: from.index(blocks, "a loop is out of range")? })
        })?;
        Ok(manifest)
    }
}

impl Function {
    fn encode(&self, to: &mut Writer) {
        to.put_string(&self.name);
        to.put_varint(code(&LINKAGES, &self.linkage));
        to.put_string(&self.file);
        to.put_varint(u64::from(self.line));
        to.put_varint(self.is_made.into());
        to.put_string(self.skipped.as_deref().unwrap_or_default());
        to.put_u64(self.cfg_hash);
        to.put_varint(self.first_counter);
        to.put_varint(self.num_paths);
        to.put_varint(self.in_flight_paths);
        to.put_list(&self.locations, |to, location| {
            to.put_string(&location.file);
            to.put_varint(u64::from(location.line));
            to.put_varint(u64::from(location.column));
            to.put_string(&location.function);
            to.put_optional(location.inlined_at);
        });
        to.put_list(&self.blocks, |to, block| {
            to.put_string(&block.name);
            let put_index = |to: &mut Writer, &location: &u32| to.put_varint(u64::from(location));
            to.put_list(&block.locations, put_index);
            to.put_list(&block.made_locations, put_index);
            to.put_varint(code(&CHOOSERS, &block.chooser));
            put_opcodes(to, &block.opcodes);
            to.put_list(&block.calls, |to, call| {
                to.put_string(&call.callee);
                to.put_optional(call.location);
            });
            to.put_list(&block.accesses, |to, access| access.encode(to));
            to.put_varint(code(&EXITS, &block.exit));
            to.put_varint(block.may_stay.into());
            to.put_list(&block.ir, |to, line| to.put_bytes(line.as_bytes()));
        });
        to.put_list(&self.edges, |to, edge| {
            to.put_varint(u64::from(edge.from));
            to.put_varint(u64::from(edge.to));
            edge.outcome.encode(to);
            to.put_optional(edge.cut.map(|(end, _)| end));
            if let Some((_, start)) = edge.cut {
                to.put_varint(u64::from(start));
            }
            put_opcodes(to, &edge.opcodes);
        });
        put_dag(to, &self.dag);
        to.put_varint(self.first_key);
        to.put_varint(u64::from(self.callees));
        to.put_list(self.uncut.as_slice(), |to, uncut| {
            to.put_varint(uncut.num_paths);
            to.put_varint(u64::from(uncut.slots));
            put_dag(to, &uncut.dag);
            to.put_list(&uncut.cuts, |to, cut| {
                to.put_optional(cut.map(|(end, _)| end));
                to.put_varint(cut.map_or(0, |(_, start)| u64::from(start)));
            });
        });
        to.put_list(&self.counted_blocks, |to, &block| to.put_varint(u64::from(block)));
        to.put_list(&self.patterns, |to, pattern| {
            to.put_varint(code(&SHAPES, &pattern.shape));
            to.put_list(&pattern.blocks, |to, &block| to.put_varint(u64::from(block)));
            to.put_list(&pattern.saved, |to, &block| to.put_varint(u64::from(block)));
        });
        to.put_list(&self.counted_arcs, |to, &arc| to.put_varint(u64::from(arc)));
        to.put_string(&self.full_name);
        to.put_string(&self.short_name);
        to.put_varint(code(&WEIGHTS, &self.weights));
    }

    fn decode(from: &mut Source<'_>) -> Result<Self> {
        let mut function = Self {
            name: from.string()?,
            linkage: decoded(&LINKAGES, from.reader.varint()?, "a linkage is unknown")?,
            file: from.string()?,
            line: from.reader.varint32()?,
            is_made: decoded(&[false, true], from.reader.varint()?, "a function is made or not")?,
            skipped: Some(from.string()?).filter(|reason| !reason.is_empty()),
            cfg_hash: from.reader.u64()?,
            first_counter: from.reader.varint()?,
            num_paths: from.reader.varint()?,
            in_flight_paths: from.reader.varint()?,
            ..Self::default()
        };
        let (locations, list) = from.room()?;
        function.locations = list;
        for index in 0..locations {
            let location = Location {
                file: from.string()?,
                line: from.reader.varint32()?,
                column: from.reader.varint32()?,
                function: from.string()?,
                inlined_at: from.optional()?,
            };
            if location.inlined_at.is_some_and(|at| at as usize >= index) {
                return Err(Error::Invalid("a location is inlined at a later one"));
            }
            function.locations.push(location);
        }
        let location =
            |from: &mut Source<'_>| from.index(locations, "a block's location is out of range");
        function.blocks = from.list(|from| {
            Ok(Block {
                name: from.string()?,
                locations: from.list(location)?,
                made_locations: from.list(location)?,
                chooser: decoded(&CHOOSERS, from.reader.varint()?, "who chose is unknown")?,
                opcodes: get_opcodes(from)?,
                calls: from.list(|from| {
                    let callee = from.string()?;
                    let location = from.optional()?;
                    if location.is_some_and(|location| location as usize >= locations) {
                        return Err(Error::Invalid("a call's location is out of range"));
                    }
                    Ok(Call { callee, location })
                })?,
                accesses: from.list(|from| Access::decode(from, locations))?,
                exit: decoded(&EXITS, from.reader.varint()?, "a kind of exit is unknown")?,
                may_stay: decoded(
                    &[false, true],
                    from.reader.varint()?,
                    "a block may stay or not",
                )?,
                ir: from.list(Source::text)?,
            })
        })?;
        let blocks = function.blocks.len();
        if !access::are_sound(&function.blocks) {
            return Err(Error::Invalid(
                "an address is computed from an access that does not exist",
            ));
        }
        function.edges = from.list(|from| {
            Ok(Edge {
                from: from.index(blocks, "an edge's source is out of range")?,
                to: from.index(blocks, "an edge's target is out of range")?,
                outcome: Outcome::decode(from)?,
                cut: match from.optional()? {
                    Some(end) => Some((end, from.reader.varint32()?)),
                    None => None,
                },
                opcodes: get_opcodes(from)?,
            })
        })?;
        let edges = function.edges.len();
        function.dag = get_dag(from, edges, blocks)?;
        let dag = function.dag.len() as u64;
        let in_range = |(end, start): (u32, u32)| u64::from(end) < dag && u64::from(start) < dag;
        if !function.edges.iter().filter_map(|edge| edge.cut).all(in_range) {
            return Err(Error::Invalid("a cut refers to an acyclic edge that does not exist"));
        }
        function.first_key = from.reader.varint()?;
        function.callees = from.reader.varint32()?;
        let mut uncut = from.list(|from| {
            let (num_paths, slots) = (from.reader.varint()?, from.reader.varint32()?);
            let dag = get_dag(from, edges, blocks)?;
            let cuts = from.list(|from| Ok((from.optional()?, from.reader.varint32()?)))?;
            let cuts: Vec<_> =
                cuts.into_iter().map(|(end, start)| end.map(|end| (end, start))).collect();
            let in_range = |index: u32| (index as usize) < dag.len();
            if cuts.len() != edges
                || !cuts.iter().flatten().all(|&(end, start)| in_range(end) && in_range(start))
            {
                return Err(Error::Invalid("the cuts of uncut paths are not those of the edges"));
            }
            Ok(Uncut { num_paths, slots, dag, cuts })
        })?;
        function.uncut = uncut.pop();
        function.counted_blocks =
            from.list(|from| from.index(blocks, "a counted block does not exist"))?;
        let of_pattern = |from: &mut Source<'_>| {
            from.list(|from| from.index(blocks, "a block of a pattern does not exist"))
        };
        function.patterns = from.list(|from| {
            let shape = decoded(&SHAPES, from.reader.varint()?, "a shape of a pattern is unknown")?;
            Ok(Pattern { shape, blocks: of_pattern(from)?, saved: of_pattern(from)? })
        })?;
        // There is at most an arc for each edge, and four for each block.
        let arcs = edges.saturating_add(blocks.saturating_mul(4));
        function.counted_arcs =
            from.list(|from| from.index(arcs, "a counted arc does not exist"))?;
        function.full_name = from.string()?;
        function.short_name = from.string()?;
        let weights = from.reader.varint()?;
        function.weights = decoded(&WEIGHTS, weights, "what weights are is unknown")?;
        Ok(function)
    }
}

/// The number of instructions of each opcode.
type Opcodes = Vec<(Cow<'static, str>, u32)>;

fn put_opcodes(to: &mut Writer, opcodes: &Opcodes) {
    to.put_list(opcodes, |to, (opcode, count)| {
        to.put_string(opcode);
        to.put_varint(u64::from(*count));
    });
}

fn get_opcodes(from: &mut Source<'_>) -> Result<Opcodes> {
    from.list(|from| Ok((from.string()?.into(), from.reader.varint32()?)))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::{AccessKind, Address, CutReason, DagEdge, DagEdgeKind, INDIRECT, Tickets};
    use super::*;

    fn accesses() -> Vec<Access> {
        let offset = Address::Offset { block: 1, access: 0, by: -8 };
        let load = Access {
            kind: AccessKind::Load,
            size: 8,
            address: Address::Recorded,
            tickets: Tickets::After,
            location: Some(1),
        };
        let copied = Access {
            kind: AccessKind::BulkStore,
            size: 0,
            address: offset,
            tickets: Tickets::None,
            location: None,
        };
        let fence = Access {
            kind: AccessKind::Fence,
            size: 0,
            address: Address::None,
            tickets: Tickets::Both,
            location: None,
        };
        vec![load, copied, fence]
    }

    /// Returns a manifest of one instrumented function with a value in every field, and a skipped
    /// one.
    fn sample() -> Manifest {
        let function = Function {
            name: "_Z3foov".into(),
            full_name: "foo()".into(),
            short_name: "foo".into(),
            linkage: Linkage::Inline,
            file: "a.cc".into(),
            line: 7,
            is_made: true,
            skipped: None,
            cfg_hash: 0x1234_5678_9abc_def0,
            first_counter: 3,
            num_paths: 2,
            in_flight_paths: 1,
            first_key: 5,
            callees: 8,
            uncut: Some(Uncut {
                num_paths: 9,
                slots: 64,
                dag: vec![DagEdge { kind: DagEdgeKind::Leave { block: 1 }, value: 3 }],
                cuts: vec![None, Some((0, 0))],
            }),
            counted_blocks: vec![1, 0],
            patterns: vec![Pattern {
                shape: PatternShape::Exits,
                blocks: vec![0, 1],
                saved: vec![0],
            }],
            counted_arcs: vec![0, 3],
            weights: WeightSource::Outdated,
            locations: vec![
                Location {
                    file: "a.cc".into(),
                    line: 8,
                    column: 3,
                    function: "foo".into(),
                    inlined_at: None,
                },
                Location {
                    file: "b.h".into(),
                    line: 1,
                    column: 0,
                    function: "bar".into(),
                    inlined_at: Some(0),
                },
            ],
            blocks: vec![
                Block {
                    name: "entry".into(),
                    locations: vec![0, 1],
                    made_locations: vec![1],
                    chooser: Chooser::CompilerLoop,
                    ..Block::default()
                },
                Block {
                    opcodes: vec![("call".into(), 1), ("ret".into(), 1)],
                    calls: vec![
                        Call { callee: "puts".into(), location: Some(1) },
                        Call { callee: INDIRECT.into(), location: None },
                    ],
                    accesses: accesses(),
                    exit: Some(Exit::Return),
                    may_stay: true,
                    ir: vec!["1:".into(), "ret void".into()],
                    ..Block::default()
                },
            ],
            edges: vec![
                Edge {
                    to: 1,
                    outcome: Outcome::Cases(vec![-5, 7]),
                    opcodes: vec![("JMP_1".into(), 1)],
                    ..Edge::default()
                },
                Edge { outcome: Outcome::Default, cut: Some((2, 3)), ..Edge::default() },
            ],
            dag: vec![
                DagEdge { kind: DagEdgeKind::Flow { edge: 0 }, value: 0 },
                DagEdge { kind: DagEdgeKind::Leave { block: 1 }, value: 0 },
                DagEdge { kind: DagEdgeKind::End { block: 0, why: CutReason::BackEdge }, value: 1 },
                DagEdge {
                    kind: DagEdgeKind::Start { block: 0, why: CutReason::BackEdge },
                    value: 2,
                },
                DagEdge { kind: DagEdgeKind::InFlight { block: 1 }, value: 1 },
            ],
        };
        Manifest {
            source: "a.cc".into(),
            directory: "/src".into(),
            producer: "pathcc 0.1.0".into(),
            mode: Mode::Paths,
            stage: Stage::Late,
            level: Level::Smallest,
            system_directories: vec!["third-party/include".into(), "/opt/x".into()],
            threads: Threads::Exact,
            promotes: true,
            promoted_loops: vec![PromotedLoop { function: 0, header: 1 }],
            limit: 4096,
            functions: vec![
                function,
                Function {
                    name: "naked".into(),
                    skipped: Some("naked function".into()),
                    ..Function::default()
                },
            ],
        }
    }

    #[test]
    fn a_manifest_comes_back() {
        let manifest = sample();
        assert_eq!(Manifest::decode(&manifest.encode()), Ok(manifest));
    }

    #[test]
    fn what_a_few_bytes_stand_for_is_bounded() {
        let location = Location { function: "x".repeat(10_000), ..Location::default() };
        let function = Function { locations: vec![location; 1_000], ..Function::default() };
        let manifest = Manifest { functions: vec![function], ..Manifest::default() };
        let bytes = manifest.encode();
        assert!(bytes.len() < 20_000);
        let taken = {
            let allowance = Allowance::new(u64::MAX);
            assert_eq!(Manifest::decode_within(&bytes, &allowance).as_ref(), Ok(&manifest));
            u64::MAX - allowance.left()
        };
        assert!(taken > 10_000_000, "{taken}");
        assert!(Manifest::decode_within(&bytes, &Allowance::new(taken)).is_ok());
        assert!(matches!(
            Manifest::decode_within(&bytes, &Allowance::new(taken - 1)),
            Err(Error::Invalid(_))
        ));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bytes = sample().encode();
        for length in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..length]).is_err(), "at {length}");
        }
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let bytes = sample().encode();
        for at in 0..bytes.len() {
            for flip in [1, 0x40, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = Manifest::decode(&damaged);
            }
        }
    }
}
