//! A hand-made program for the tests: two units with a loop, a `switch`, inlined code, an inline
//! function that both have, exceptions, a cut at the limit, and a skipped function.

use std::sync::atomic::{AtomicU64, Ordering};

use pathformat::manifest::{
    Block, Call, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, Linkage, Location,
    Manifest, Outcome,
};
use pathformat::profile::{Ancestor, Head, Module, Part, Profile, RunId};
use pathformat::settings::{Level, Mode, Stage, Threads};
use pathformat::{ModuleId, record};

/// Identity of `main.c`.
pub const MAIN: ModuleId = ModuleId([0x11; 16]);

/// Identity of `util.cc`.
pub const UTIL: ModuleId = ModuleId([0x22; 16]);

pub mod traced;

fn line(file: &str, line: u32) -> Location {
    Location { file: file.into(), line, column: 1, function: "f".into(), inlined_at: None }
}

fn block(locations: &[u32], opcodes: &[(&'static str, u32)]) -> Block {
    Block {
        locations: locations.to_vec(),
        opcodes: opcodes.iter().map(|&(opcode, count)| (opcode.into(), count)).collect(),
        ..Block::default()
    }
}

fn call(callee: &str, location: u32) -> Call {
    Call { callee: callee.into(), location: Some(location) }
}

fn exit(exit: Exit, block: Block) -> Block {
    Block { exit: Some(exit), ..block }
}

fn edge(from: u32, to: u32, outcome: Outcome) -> Edge {
    Edge { from, to, outcome, ..Edge::default() }
}

fn cut(from: u32, to: u32, outcome: Outcome, cut: (u32, u32)) -> Edge {
    Edge { from, to, outcome, cut: Some(cut), ..Edge::default() }
}

fn flow(edge: u32, value: u64) -> DagEdge {
    DagEdge { kind: DagEdgeKind::Flow { edge }, value }
}

fn leave(block: u32, value: u64) -> DagEdge {
    DagEdge { kind: DagEdgeKind::Leave { block }, value }
}

fn end(block: u32, why: CutReason, value: u64) -> DagEdge {
    DagEdge { kind: DagEdgeKind::End { block, why }, value }
}

fn start(block: u32, why: CutReason, value: u64) -> DagEdge {
    DagEdge { kind: DagEdgeKind::Start { block, why }, value }
}

/// Returns a function of a loop with a branch in it. It has 8 paths: 0 to 3 from the entry and 4 to
/// 7 from the header.
fn collatz() -> Function {
    Function {
        name: "collatz".into(),
        linkage: Linkage::External,
        file: "src/main.c".into(),
        line: 10,
        cfg_hash: 1,
        first_counter: 0,
        num_paths: 8,
        locations: [11, 13, 14, 16, 12, 18].map(|number| line("src/main.c", number)).to_vec(),
        blocks: vec![
            block(&[0], &[("br", 1)]),
            Block {
                name: "while.body".into(),
                ..block(&[1], &[("and", 1), ("br", 1), ("icmp", 1), ("phi", 2)])
            },
            block(&[2], &[("br", 1), ("lshr", 1)]),
            block(&[3], &[("add", 1), ("br", 1), ("mul", 1)]),
            block(&[4], &[("add", 1), ("br", 1), ("icmp", 1), ("phi", 1)]),
            exit(Exit::Return, block(&[5], &[("ret", 1)])),
        ],
        edges: vec![
            edge(0, 1, Outcome::Jump),
            edge(1, 2, Outcome::True),
            edge(1, 3, Outcome::False),
            edge(2, 4, Outcome::Jump),
            edge(3, 4, Outcome::Jump),
            cut(4, 1, Outcome::True, (7, 8)),
            edge(4, 5, Outcome::False),
        ],
        dag: vec![
            flow(0, 0),
            flow(1, 0),
            flow(2, 2),
            flow(3, 0),
            flow(4, 0),
            flow(6, 0),
            leave(5, 0),
            end(4, CutReason::BackEdge, 1),
            start(1, CutReason::BackEdge, 4),
        ],
        ..Function::default()
    }
}

/// Returns a function of a `switch` with three targets: one has inlined code and one does not
/// return.
fn main() -> Function {
    let mut locations = [31, 33, 35, 40].map(|number| line("src/main.c", number)).to_vec();
    locations.push(Location { inlined_at: Some(1), ..line("include/util.h", 5) });
    Function {
        name: "main".into(),
        file: "src/main.c".into(),
        line: 30,
        cfg_hash: 2,
        first_counter: 8,
        num_paths: 3,
        locations,
        blocks: vec![
            Block {
                calls: vec![call("collatz", 0), call("*", 0)],
                ..block(&[0], &[("call", 2), ("switch", 1)])
            },
            block(&[4, 1], &[("br", 1), ("load", 1), ("store", 1)]),
            exit(
                Exit::NoReturn,
                Block { calls: vec![call("abort", 2)], ..block(&[2], &[("call", 1)]) },
            ),
            exit(Exit::Return, block(&[3], &[("ret", 1)])),
        ],
        edges: vec![
            edge(0, 1, Outcome::Cases(vec![1])),
            edge(0, 2, Outcome::Cases(vec![2, 3, 4, 5, 6])),
            edge(0, 3, Outcome::Default),
            edge(1, 3, Outcome::Jump),
        ],
        dag: vec![flow(0, 0), flow(1, 1), flow(2, 2), flow(3, 0), leave(2, 0), leave(3, 0)],
        ..Function::default()
    }
}

/// Returns an inline function of one block, of which both units have a copy.
fn weigh(first_counter: u64) -> Function {
    Function {
        name: "_ZN4util5weighEi".into(),
        linkage: Linkage::Inline,
        file: "include/util.h".into(),
        line: 4,
        cfg_hash: 3,
        first_counter,
        num_paths: 1,
        locations: vec![line("include/util.h", 5)],
        blocks: vec![exit(Exit::Return, block(&[0], &[("mul", 1), ("ret", 1)]))],
        dag: vec![leave(0, 0)],
        ..Function::default()
    }
}

/// Returns a function of an invoke whose landing pad has an edge that was cut at the limit, without
/// debug information. Paths: 0 entry, 1 after the invoke, 2 and 3 from the landing pad, 4 after the
/// cut.
fn guard() -> Function {
    Function {
        name: "_ZN4util5guardEi".into(),
        cfg_hash: 4,
        first_counter: 1,
        num_paths: 5,
        blocks: vec![
            Block {
                calls: vec![Call { callee: "_ZN4util5weighEi".into(), location: None }],
                ..block(&[], &[("invoke", 1)])
            },
            exit(Exit::Return, block(&[], &[("ret", 1)])),
            block(&[], &[("br", 1), ("landingpad", 1)]),
            exit(Exit::Return, block(&[], &[("ret", 1)])),
            exit(Exit::Unwind, block(&[], &[("resume", 1)])),
        ],
        edges: vec![
            cut(0, 1, Outcome::Normal, (0, 1)),
            cut(0, 2, Outcome::Unwind, (0, 2)),
            cut(2, 3, Outcome::True, (3, 4)),
            edge(2, 4, Outcome::False),
        ],
        dag: vec![
            end(0, CutReason::Opaque, 0),
            start(1, CutReason::Opaque, 1),
            start(2, CutReason::Opaque, 2),
            end(2, CutReason::Limit, 0),
            start(3, CutReason::Limit, 4),
            flow(3, 1),
            leave(1, 0),
            leave(3, 0),
            leave(4, 0),
        ],
        ..Function::default()
    }
}

fn unit(source: &str, functions: Vec<Function>) -> Manifest {
    Manifest {
        source: source.into(),
        directory: "/build".into(),
        producer: "pathcc".into(),
        mode: Mode::Paths,
        stage: Stage::Late,
        level: Level::Two,
        system_directories: vec!["third-party".into()],
        threads: Threads::Exact,
        promotes: false,
        promoted_loops: Vec::new(),
        limit: 4096,
        functions,
    }
}

/// Returns the manifest of `main.c`: 12 counters.
pub fn main_unit() -> Manifest {
    let skipped = Function {
        name: "start".into(),
        file: "src/main.c".into(),
        line: 60,
        skipped: Some("naked function".into()),
        ..Function::default()
    };
    unit("src/main.c", vec![collatz(), main(), weigh(11), skipped])
}

/// Returns the manifest of `util.cc`: 6 counters.
pub fn util_unit() -> Manifest {
    unit("src/util.cc", vec![weigh(0), guard()])
}

/// Returns the content of the manifest section of an image made of both units.
pub fn section() -> Vec<u8> {
    section_with(|_| ())
}

/// Returns the same section after a change to each unit.
pub fn section_with(change: impl Fn(&mut Manifest)) -> Vec<u8> {
    let mut section = Vec::new();
    for (id, counters, mut unit) in [(MAIN, 12, main_unit()), (UTIL, 6, util_unit())] {
        change(&mut unit);
        let payload = unit.encode();
        let stored = zstd::encode_all(payload.as_slice(), 3).expect("memory does not fail");
        section.extend(record::write(
            id,
            Threads::Exact.code(),
            [counters, 0],
            payload.len(),
            &stored,
        ));
    }
    section
}

/// Returns the counters of one run of the program.
pub fn counters() -> Vec<Module> {
    let main =
        vec![(0, 1), (1, 2), (5, 40_000), (6, 2), (7, 1_234_567), (8, 7), (9, 1), (10, 2), (11, 7)];
    let util = vec![(0, 5), (1, 10), (2, 9), (3, 1), (4, 1), (5, 1)];
    vec![
        Module { id: MAIN, counters: 12, counts: main },
        Module { id: UTIL, counters: 6, counts: util },
    ]
}

/// Returns a profile of a new run of the image at `image`.
pub fn profile(image: &[u8], build_id: &[u8], flags: u32, modules: Vec<Module>) -> Vec<u8> {
    static RUNS: AtomicU64 = AtomicU64::new(1);
    let mut run = [0x33; 16];
    run[..8].copy_from_slice(&RUNS.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let head = Head {
        flags,
        pid: 42,
        start: 1_000_000_000,
        stop: 3_500_000_000,
        process_start: 0,
        ancestors: &[Ancestor::new(1, 1)],
        run: RunId(run),
        build_id,
        image,
        command_line: b"demo\0-n\0seven\0",
        directory: b"/tmp",
        host: b"box",
    };
    Profile { head, parts: vec![Part { modules, ..Part::of(&head) }] }.encode()
}
