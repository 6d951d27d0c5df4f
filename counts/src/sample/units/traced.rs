//! A hand-made traced program, and traces of it: a recursive function with a loop, a call in it and
//! accesses whose addresses are computed, and one with `setjmp` and an exception.

use pathformat::manifest::{
    Access, AccessKind, Address, Block, Call, CutReason, Edge, Exit, Function, Location, Manifest,
    Outcome, Tickets,
};
use pathformat::profile::{Ancestor, ENDED, Head, RunId};
use pathformat::settings::{Mode, Threads};
use pathformat::trace::{ChunkHead, PROCESS, RecordKind, SHORT, SHORT_ALIGNMENT, write_header};
use pathformat::{ModuleId, raw, record};
use zerocopy::IntoBytes;

use super::{end, flow, leave, start};

/// Identity of the unit.
pub const UNIT: ModuleId = ModuleId([0x44; 16]);

/// The offset of its array in the region.
pub const OFFSET: u64 = 64;

/// Its length.
pub const COUNTERS: u64 = 12;

/// The first number of the image.
pub const FIRST: u32 = 1000;

/// The length of a chunk.
pub const CHUNK: u64 = 36_864;

/// The paths of `main`: it calls `walk`; it returns.
pub const MAIN: [u32; 2] = paths(1);

/// The paths of `walk`: it reaches its call; it returns at once; after the call it loops; after the
/// call it returns; after the loop it reaches its call.
pub const WALK: [u32; 5] = paths(3);

/// The paths of `guard`: it calls `setjmp`; after that it invokes `walk`; `walk` has returned;
/// `walk` has thrown.
pub const GUARD: [u32; 4] = paths(8);

/// Returns the numbers of the paths of a function.
const fn paths<const N: usize>(first_counter: u32) -> [u32; N] {
    let mut numbers = [0; N];
    let mut at = 0;
    while at < N {
        numbers[at] = FIRST + OFFSET as u32 / 8 + first_counter + at as u32;
        at += 1;
    }
    numbers
}

fn line(line: u32) -> Location {
    Location { file: "walk.c".into(), line, column: 3, function: "f".into(), inlined_at: None }
}

fn access(kind: AccessKind, size: u64, location: u32, address: Address) -> Access {
    let tickets = Tickets::None;
    Access { kind, size, address, tickets, location: Some(location) }
}

fn from(block: u32, by: i64) -> Address {
    Address::Offset { block, access: 0, by }
}

fn block(location: u32, calls: &[&str], accesses: Vec<Access>) -> Block {
    let calls = calls.iter().map(|callee| Call { callee: (*callee).into(), location: Some(0) });
    Block { locations: vec![location], calls: calls.collect(), accesses, ..Block::default() }
}

fn returns(block: Block) -> Block {
    Block { exit: Some(Exit::Return), ..block }
}

fn edge(from: u32, to: u32, outcome: Outcome, cut: Option<(u32, u32)>) -> Edge {
    Edge { from, to, outcome, cut, ..Edge::default() }
}

fn function(name: &str, line: u32, first_counter: u64, num_paths: u64) -> Function {
    Function {
        name: name.into(),
        file: "walk.c".into(),
        line,
        cfg_hash: first_counter,
        first_counter,
        num_paths,
        ..Function::default()
    }
}

fn main() -> Function {
    use AccessKind::{Load, Store};
    Function {
        locations: vec![line(31), line(32)],
        blocks: vec![
            block(0, &["_Z4walkPc"], vec![access(Store, 4, 0, Address::Recorded)]),
            returns(block(1, &[], vec![access(Load, 4, 1, from(0, 0))])),
        ],
        edges: vec![edge(0, 1, Outcome::Indirect, Some((0, 1)))],
        dag: vec![end(0, CutReason::Opaque, 0), start(1, CutReason::Opaque, 1), leave(1, 0)],
        ..function("main", 30, 1, 2)
    }
}

fn walk() -> Function {
    use AccessKind::{BulkLoad, BulkStore, Load, Store, Update};
    Function {
        full_name: "walk(char*)".into(),
        short_name: "walk".into(),
        locations: vec![line(11), line(12), line(13), line(14)],
        blocks: vec![
            block(0, &[], vec![access(Load, 8, 0, Address::Recorded)]),
            block(1, &["_Z4walkPc"], vec![access(Store, 1, 1, from(0, 8))]),
            block(2, &[], vec![access(Update, 4, 2, from(0, -4))]),
            returns(block(
                3,
                &[],
                vec![
                    access(BulkLoad, 0, 3, Address::Recorded),
                    access(BulkStore, 0, 3, from(0, 0)),
                ],
            )),
        ],
        edges: vec![
            edge(0, 1, Outcome::True, None),
            edge(0, 3, Outcome::False, None),
            edge(1, 2, Outcome::Indirect, Some((2, 3))),
            edge(2, 1, Outcome::True, Some((4, 5))),
            edge(2, 3, Outcome::False, None),
        ],
        dag: vec![
            flow(0, 0),
            flow(1, 1),
            end(1, CutReason::Opaque, 0),
            start(2, CutReason::Opaque, 2),
            end(2, CutReason::BackEdge, 0),
            start(1, CutReason::BackEdge, 4),
            flow(4, 1),
            leave(3, 0),
        ],
        ..function("_Z4walkPc", 10, 3, 5)
    }
}

fn guard() -> Function {
    use AccessKind::{Load, Store};
    Function {
        locations: vec![line(21), line(22), line(23), line(24)],
        blocks: vec![
            block(0, &["setjmp"], vec![access(Store, 8, 0, Address::Recorded)]),
            block(1, &["_Z4walkPc"], vec![access(Load, 8, 1, from(0, 16))]),
            returns(block(2, &[], Vec::new())),
            returns(block(3, &[], vec![access(Load, 2, 3, from(0, 2))])),
        ],
        edges: vec![
            edge(0, 1, Outcome::Indirect, Some((0, 1))),
            edge(1, 2, Outcome::Normal, Some((2, 3))),
            edge(1, 3, Outcome::Unwind, Some((2, 4))),
        ],
        dag: vec![
            end(0, CutReason::Opaque, 0),
            start(1, CutReason::Opaque, 1),
            end(1, CutReason::Opaque, 0),
            start(2, CutReason::Opaque, 2),
            start(3, CutReason::Opaque, 3),
            leave(2, 0),
            leave(3, 0),
        ],
        ..function("guard", 20, 8, 4)
    }
}

/// Returns the manifest of the unit.
pub fn unit() -> Manifest {
    Manifest {
        mode: Mode::Trace,
        functions: vec![main(), walk(), guard()],
        ..super::unit("walk.cc", Vec::new())
    }
}

/// Returns the content of the manifest section of an image made of it.
pub fn section() -> Vec<u8> {
    let payload = unit().encode();
    let stored = zstd::encode_all(payload.as_slice(), 3).expect("memory does not fail");
    let threads = Threads::Exact.code() | raw::TRACED;
    record::write(UNIT, threads, [COUNTERS, 0], payload.len(), &stored)
}

/// Returns the table of modules of that image.
pub fn modules() -> Vec<u8> {
    let words = [OFFSET, COUNTERS, u64::from(Threads::Exact.code() | raw::TRACED)];
    [&UNIT.0[..], words.map(u64::to_le_bytes).as_flattened()].concat()
}

/// A trace that is being written.
pub struct Trace {
    /// The file.
    pub bytes: Vec<u8>,
}

impl Trace {
    /// Begins a trace of process 42, which ended normally.
    pub fn new(image: &[u8], build_id: &[u8]) -> Self {
        Self::with_flags(image, build_id, ENDED)
    }

    /// Begins the same trace with other flags.
    pub fn with_flags(image: &[u8], build_id: &[u8], flags: u32) -> Self {
        let head = Head {
            flags,
            pid: 42,
            start: 1_000_000_000,
            stop: 3_500_000_000,
            run: RunId([0x55; 16]),
            build_id,
            image,
            command_line: b"walk\0-n\0seven\0",
            directory: b"/tmp",
            host: b"box",
            process_start: 0,
            ancestors: &[Ancestor::new(1, 1)],
        };
        let mut bytes = Vec::new();
        let size = write_header(&mut bytes, &head, CHUNK);
        bytes.resize(size as usize, 0);
        Self { bytes }
    }

    /// Appends a chunk of a stream. The number of its thread is that of the stream plus 100.
    pub fn chunk(&mut self, stream: u32, number: u64, content: &[u8]) {
        self.chunk_of(
            ChunkHead {
                stream: stream.into(),
                number: number.into(),
                thread: stream.wrapping_add(100).into(),
                ..ChunkHead::default()
            },
            content,
        );
    }

    /// Appends a chunk of short chunks: the stream of each, its number and its records.
    pub fn short(&mut self, parts: &[(u32, u64, Vec<u8>)]) {
        let mut content = Vec::new();
        for (stream, number, records) in parts {
            let head = ChunkHead {
                stream: (*stream).into(),
                number: (*number).into(),
                thread: (stream + 100).into(),
                length: (records.len() as u32).into(),
                ..ChunkHead::default()
            };
            content.extend(head.as_bytes());
            content.extend(records);
            content.resize(content.len().next_multiple_of(SHORT_ALIGNMENT), 0);
        }
        self.chunk_of(ChunkHead { stream: SHORT.into(), ..ChunkHead::default() }, &content);
    }

    /// Appends a chunk with a head.
    pub fn chunk_of(&mut self, head: ChunkHead, content: &[u8]) {
        let end = self.bytes.len() + CHUNK as usize;
        self.bytes.extend(head.as_bytes());
        self.bytes.extend(content);
        assert!(self.bytes.len() <= end, "the records fit into a chunk");
        self.bytes.resize(end, 0);
    }

    /// Appends the chunk with the record of the image.
    pub fn image(&mut self, image: &[u8], build_id: &[u8]) {
        let payload = [
            &FIRST.to_le_bytes()[..],
            &0x5555_0000u64.to_le_bytes(),
            &[build_id.len() as u8],
            build_id,
            image,
        ];
        let payload = payload.concat();
        let word = RecordKind::Image.word(payload.len() as u32).to_le_bytes();
        self.chunk(PROCESS, 0, &[&word[..], &payload].concat());
    }
}

/// Returns the record of a path.
pub fn path(number: u32, recorded: &[u64]) -> Vec<u8> {
    if recorded.is_empty() {
        let twice = u16::try_from(number << 1).expect("a short number");
        return twice.to_le_bytes().to_vec();
    }
    let mut bytes = (number << 1 | 1).to_le_bytes().to_vec();
    recorded.iter().for_each(|number| bytes.extend(&number.to_le_bytes()[..6]));
    bytes
}

/// Returns the record of lost records.
pub fn lost() -> Vec<u8> {
    RecordKind::Lost.word(0).to_le_bytes().to_vec()
}
