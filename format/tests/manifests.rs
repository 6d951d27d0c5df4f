//! Manifests: every possible content is read back, and every index is checked.

use pathformat::manifest::{
    Access, AccessKind, Address, Block, Call, Chooser, CutReason, DagEdge, DagEdgeKind, Edge, Exit,
    Function, INDIRECT, Linkage, Location, Manifest, Outcome, Pattern, PatternShape, PromotedLoop,
    TableOf, Tickets, Uncut,
};
use pathformat::settings::{Level, Mode, Stage, Threads};

fn of(function: Function) -> Manifest {
    Manifest { functions: vec![function], ..Manifest::default() }
}

fn decoded(function: Function) -> Result<Function, String> {
    let decoded = Manifest::decode(&of(function).encode()).map_err(|error| error.to_string())?;
    Ok(decoded.functions.into_iter().next().expect("one"))
}

fn edge(from: u32, to: u32, cut: Option<(u32, u32)>) -> Edge {
    Edge { from, to, cut, ..Edge::default() }
}

fn dag(kind: DagEdgeKind) -> DagEdge {
    DagEdge { kind, value: 7 }
}

fn location(inlined_at: Option<u32>) -> Location {
    Location { file: "a.c".into(), line: 1, column: 2, function: "f".into(), inlined_at }
}

fn call(callee: &str, location: Option<u32>) -> Call {
    Call { callee: callee.into(), location }
}

/// Returns a function of two blocks, three edges, four acyclic edges and two locations.
fn small() -> Function {
    Function {
        locations: vec![location(None); 2],
        blocks: vec![Block::default(); 2],
        edges: vec![edge(0, 1, None), edge(1, 1, None), edge(1, 0, None)],
        dag: vec![dag(DagEdgeKind::Leave { block: 0 }); 4],
        ..Function::default()
    }
}

/// Returns an access of each kind, and one with an address of each kind.
fn accesses() -> Vec<Access> {
    let kinds = [
        AccessKind::Load,
        AccessKind::Store,
        AccessKind::Update,
        AccessKind::BulkLoad,
        AccessKind::BulkStore,
    ];
    let offset = Address::Offset { block: 3, access: 4, by: -8 };
    let access = |(size, kind)| Access {
        kind,
        size,
        address: if size == 0 { Address::Recorded } else { offset },
        tickets: if size == 2 { Tickets::Both } else { Tickets::None },
        location: (size > 1).then_some(1),
    };
    (0..).zip(kinds).map(access).collect()
}

/// Returns an access whose address is computed from that of another one.
fn offset_from(block: u32, access: u32) -> Access {
    Access { address: Address::Offset { block, access, by: 1 }, ..accesses()[1].clone() }
}

/// Returns a function with a value in every field.
fn full() -> Function {
    let blocks =
        [None, Some(Exit::Return), Some(Exit::Unwind), Some(Exit::NoReturn)].map(|exit| Block {
            name: "bb".into(),
            locations: vec![1, 0],
            made_locations: vec![0],
            chooser: Chooser::Compiler,
            opcodes: vec![("add".into(), 3)],
            calls: vec![call("puts", Some(1)), call(INDIRECT, None)],
            accesses: accesses(),
            exit,
            may_stay: exit.is_none(),
            ir: vec!["bb:".into(), "ret void".into()],
        });
    let outcomes = [
        Outcome::Jump,
        Outcome::True,
        Outcome::False,
        Outcome::Cases(vec![0, -1, i64::MIN, i64::MAX]),
        Outcome::Default,
        Outcome::Normal,
        Outcome::Unwind,
        Outcome::Indirect,
        Outcome::Suspended,
        Outcome::Resumed,
        Outcome::Destroyed,
    ];
    let ends = CutReason::ALL.map(|why| DagEdgeKind::End { block: 3, why });
    let starts = CutReason::ALL.map(|why| DagEdgeKind::Start { block: 2, why });
    let others = [
        DagEdgeKind::Flow { edge: 7 },
        DagEdgeKind::Leave { block: 1 },
        DagEdgeKind::InFlight { block: 3 },
    ];
    let shapes =
        [PatternShape::Diamond, PatternShape::HalfDiamond, PatternShape::Jump, PatternShape::Exits];
    Function {
        name: "f".into(),
        full_name: "int f(char)".into(),
        short_name: "f".into(),
        linkage: Linkage::Weak,
        file: "a.c".into(),
        line: 4,
        cfg_hash: 5,
        first_counter: 6,
        num_paths: 7,
        in_flight_paths: 3,
        first_key: 9,
        callees: 2,
        locations: vec![location(None), location(Some(0))],
        blocks: blocks.to_vec(),
        edges: outcomes
            .map(|outcome| Edge { from: 0, to: 3, outcome, cut: Some((8, 0)), ..Edge::default() })
            .to_vec(),
        dag: [&ends[..], &starts, &others].concat().into_iter().map(dag).collect(),
        uncut: Some(Uncut {
            num_paths: 10,
            slots: 11,
            dag: vec![dag(DagEdgeKind::InFlight { block: 0 }); 2],
            cuts: [vec![Some((1, 0)), None, Some((0, 1))], vec![None; 8]].concat(),
        }),
        counted_blocks: vec![3, 0],
        patterns: shapes
            .map(|shape| Pattern { shape, blocks: vec![0, 3], saved: vec![3] })
            .to_vec(),
        counted_arcs: vec![20, 0],
        ..Function::default()
    }
}

#[test]
fn everything_comes_back() {
    assert_eq!(decoded(full()), Ok(full()));
    for linkage in
        [Linkage::External, Linkage::Internal, Linkage::Inline, Linkage::Weak, Linkage::Copy]
    {
        let function = Function { linkage, skipped: Some("why".into()), ..Function::default() };
        assert_eq!(decoded(function.clone()), Ok(function));
    }
}

#[test]
fn every_bit_says_something() {
    let mut function = full();
    // An edge that is not cut has a place for a start, which is ignored.
    let uncut = function.uncut.iter_mut();
    uncut.for_each(|uncut| uncut.cuts.iter_mut().for_each(|cut| *cut = Some((1, 0))));
    let manifest = Manifest {
        source: "s".into(),
        directory: "d".into(),
        producer: "p".into(),
        mode: Mode::Calls,
        stage: Stage::Early,
        level: Level::Small,
        system_directories: vec!["i".into()],
        threads: Threads::Single,
        promotes: true,
        promoted_loops: vec![PromotedLoop { function: 0, header: 1 }],
        limit: 300,
        functions: vec![function],
    };
    let bytes = manifest.encode();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Manifest::decode(&damaged).as_ref() != Ok(&manifest), "bit {bit}");
    }
}

/// Sets one index of a function to a value.
type Damage = fn(&mut Function, u32);

#[test]
fn every_index_is_below_the_number_of_things() {
    // The damage, the number of things that the index can refer to, and the message.
    let cases: &[(Damage, u32, &str)] = &[
        (|of, at| of.locations[1].inlined_at = Some(at), 1, "a location is inlined at a later one"),
        (|of, at| of.blocks[1].locations = vec![at], 2, "a block's location is out of range"),
        (
            |of, at| of.blocks[0].calls = vec![call("g", Some(at))],
            2,
            "a call's location is out of range",
        ),
        (
            |of, at| {
                of.blocks[0].accesses = vec![Access { location: Some(at), ..accesses()[0].clone() }]
            },
            2,
            "an access's location is out of range",
        ),
        (
            |of, at| {
                of.blocks[0].accesses = vec![accesses()[0].clone()];
                of.blocks[1].accesses = vec![offset_from(at, 0)];
            },
            2,
            "an address is computed from an access that does not exist",
        ),
        (
            |of, at| {
                of.blocks[0].accesses = vec![accesses()[0].clone()];
                of.blocks[1].accesses = vec![offset_from(0, at)];
            },
            1,
            "an address is computed from an access that does not exist",
        ),
        (|of, at| of.edges[2].from = at, 2, "an edge's source is out of range"),
        (|of, at| of.edges[0].to = at, 2, "an edge's target is out of range"),
        (
            |of, at| of.edges[0].cut = Some((at, 0)),
            4,
            "a cut refers to an acyclic edge that does not exist",
        ),
        (
            |of, at| of.edges[0].cut = Some((0, at)),
            4,
            "a cut refers to an acyclic edge that does not exist",
        ),
        (
            |of, at| of.dag[3] = dag(DagEdgeKind::Flow { edge: at }),
            3,
            "an acyclic edge's origin is out of range",
        ),
        (
            |of, at| of.dag[3] = dag(DagEdgeKind::Leave { block: at }),
            2,
            "an acyclic edge's block is out of range",
        ),
        (
            |of, at| of.dag[3] = dag(DagEdgeKind::InFlight { block: at }),
            2,
            "an acyclic edge's block is out of range",
        ),
        (
            |of, at| of.dag[3] = dag(DagEdgeKind::End { block: at, why: CutReason::Limit }),
            2,
            "an acyclic edge's block is out of range",
        ),
        (
            |of, at| of.dag[3] = dag(DagEdgeKind::Start { block: at, why: CutReason::Limit }),
            2,
            "an acyclic edge's block is out of range",
        ),
        (|of, at| of.counted_blocks = vec![at], 2, "a counted block does not exist"),
        (
            |of, at| {
                of.patterns =
                    vec![Pattern { shape: PatternShape::Jump, blocks: vec![at], saved: vec![] }]
            },
            2,
            "a block of a pattern does not exist",
        ),
        (
            |of, at| {
                of.patterns =
                    vec![Pattern { shape: PatternShape::Jump, blocks: vec![], saved: vec![at] }]
            },
            2,
            "a block of a pattern does not exist",
        ),
        // An arc for each of three edges, and four for each of two blocks.
        (|of, at| of.counted_arcs = vec![at], 11, "a counted arc does not exist"),
        (|of, at| of.counted_arcs = vec![0, at], 11, "a counted arc does not exist"),
    ];
    for (number, &(damage, length, message)) in cases.iter().enumerate() {
        let damaged = |at| {
            let mut function = small();
            damage(&mut function, at);
            function
        };
        assert_eq!(decoded(damaged(length - 1)), Ok(damaged(length - 1)), "{number}");
        for at in [length, length + 1, u32::MAX - 1] {
            assert_eq!(decoded(damaged(at)), Err(message.to_string()), "{number}: {at}");
        }
    }
}

#[test]
fn uncut_paths_have_cuts_of_their_own() {
    let leave = || dag(DagEdgeKind::Leave { block: 0 });
    let with_whole = |of: DagEdge, cut: Option<(u32, u32)>| {
        let uncut = Uncut { dag: vec![of; 4], cuts: vec![None, cut, None], ..Uncut::default() };
        Function { uncut: Some(uncut), ..small() }
    };
    for cut in [None, Some((3, 0)), Some((0, 3))] {
        assert_eq!(decoded(with_whole(leave(), cut)), Ok(with_whole(leave(), cut)));
    }
    for cut in [(4, 0), (0, 4), (5, 0), (0, 5), (4, 4)] {
        let message = "the cuts of uncut paths are not those of the edges".to_string();
        assert_eq!(decoded(with_whole(leave(), Some(cut))), Err(message), "{cut:?}");
    }
    let beyond = dag(DagEdgeKind::Flow { edge: 3 });
    assert_eq!(
        decoded(with_whole(beyond, None)),
        Err("an acyclic edge's origin is out of range".into())
    );
    for edges in [0, 2, 4] {
        let mut function = small();
        function.uncut = Some(Uncut { cuts: vec![None; edges], ..Uncut::default() });
        assert!(decoded(function).is_err(), "{edges}");
    }
}

#[test]
fn each_kind_of_counter_is_added_once() {
    let indirect = Block {
        calls: vec![call(INDIRECT, None), call("g", None), call(INDIRECT, None)],
        ..Block::default()
    };
    let function = Function {
        num_paths: 10,
        counted_blocks: vec![0; 3],
        counted_arcs: vec![0; 5],
        first_counter: 100,
        first_key: 50,
        blocks: vec![Block::default(), indirect],
        ..Function::default()
    };
    assert_eq!((function.plain_counters(), function.counters(), function.keys()), (18, 18, 0));
    assert_eq!(function.tables().count(), 0, "callees are not told apart");

    let function = Function { callees: 4, ..function };
    let tables: Vec<_> =
        function.tables().map(|table| (table.of, table.first_key, table.first_counter)).collect();
    let callees = |call| TableOf::Callees { block: 1, call };
    assert_eq!(tables, [(callees(0), 50, 118), (callees(2), 54, 123)]);
    assert_eq!((function.counters(), function.keys()), (18 + 5 + 5, 8));
}

#[test]
fn calls_tell_of_their_blocks_and_of_the_entry() {
    let calls = Block { calls: vec![call("g", None)], ..Block::default() };
    let function =
        Function { blocks: vec![Block::default(), Block::default(), calls], ..Function::default() };
    assert_eq!([0, 1, 2, 3].map(|block| function.knows_calls(block)), [true, false, true, false]);
    assert!(call(INDIRECT, None).is_indirect() && !call("g", None).is_indirect());
}
