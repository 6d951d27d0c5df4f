//! Tests the reading of hand-made traces.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::Error;
use pathformat::profile::INCOMPLETE;
use pathformat::trace::ChunkHead;
use profile::arrays::Array;
use profile::image::{Instrumentation, Module};
use profile::observer::Observer;

use crate::file::records::Damage;
use crate::file::{Trace, images};
use crate::memory::owned::Owned;
use crate::order::source::{Detail, inputs};
use crate::steps::chunks::{Broken, Gap};
use crate::steps::program::Program;
use crate::steps::step::{Steps, StreamEntry};
use crate::steps::time::Times;
use crate::steps::totals::Totals;
use crate::task_analysis::TaskAnalysis;
use crate::tasks::builder::Tasks;
use counts::sample::units::traced::{self, COUNTERS, GUARD, MAIN, OFFSET, UNIT, WALK, lost, path};
use profile::sample::counted::Counted;

/// Returns the program of a trace, whose image need not exist.
fn program(trace: &Trace) -> (Program, Vec<Error>) {
    let images::ProcessRecords { images, problems, .. } = images::of(trace);
    let module = Module { id: UNIT, counters: COUNTERS, keys: 0, manifest: traced::unit() };
    let image = Instrumentation { modules: vec![module], ..Instrumentation::default() };
    let array = Array { id: UNIT, offset: OFFSET, counters: COUNTERS, is_traced: true };
    let mut program = Program::default();
    for loaded in images {
        program.add(loaded, Path::new("walk"), &image, &[array]);
    }
    (program, problems)
}

/// Opens the trace with these bytes.
fn opened(bytes: &[u8]) -> Trace {
    let folder = tempfile::tempdir().expect("a directory");
    let place = folder.path().join("walk.42.pathtrace");
    fs::write(&place, bytes).expect("writable");
    Trace::open(&place).expect("its header is sound")
}

/// Returns a trace with these chunks of stream 1.
fn of_chunks(chunks: &[Vec<Vec<u8>>]) -> Trace {
    let mut trace = traced::Trace::new(b"/bin/walk", &[]);
    trace.image(b"/bin/walk", &[]);
    for (number, records) in (0..).zip(chunks) {
        trace.chunk(1, number, &records.concat());
    }
    opened(&trace.bytes)
}

/// Returns a line for each step of stream 1: the activation, its depth, a mark of known beginnings,
/// the function, the blocks, and the size and address of each access.
fn lines(trace: &Trace) -> Vec<String> {
    let (program, problems) = program(trace);
    assert!(problems.is_empty() && program.problems.is_empty(), "{problems:?}");
    let line = |entry: StreamEntry| match entry {
        StreamEntry::Step(step) => {
            let name = &program.functions[step.path.function.index()].function.demangled;
            let whole = if step.is_whole { "" } else { "?" };
            let accesses = step.accesses.iter().map(|access| {
                let address = access.address.map_or("?".into(), |at| format!("{at:x}"));
                format!(" {}@{address}", access.size)
            });
            let accesses: String = accesses.collect();
            let (number, depth) = (step.activation, step.depth);
            format!("{number}{whole} {depth} {name} {:?}{accesses}", step.path.path.blocks)
        }
        StreamEntry::Event(event) => format!("{event:?}"),
        StreamEntry::Gap(gap) => gap.to_string(),
    };
    Steps::new(trace, &program, &trace.streams[0], &()).map(line).collect()
}

#[test]
fn activations_are_a_stack_and_addresses_are_computed_in_each() {
    let trace = of_chunks(&[vec![
        path(MAIN[0], &[0x7ffd_0000_0010]),
        path(WALK[0], &[0x1000]),
        path(WALK[1], &[0x2000, 0x3000, 16, 17]),
        path(WALK[2], &[]),
        path(WALK[4], &[]),
        path(WALK[1], &[0x2222, 0x3333, 1, 2]),
        path(WALK[3], &[0x4000, 5, 6]),
        path(MAIN[1], &[]),
    ]]);
    assert_eq!(
        lines(&trace),
        [
            "0 0 main [0] 4@7ffd00000010",
            "1 1 walk(char*) [0, 1] 8@1000 1@1008",
            "2 2 walk(char*) [0, 3] 8@2000 16@3000 17@2000",
            "1 1 walk(char*) [2] 4@ffc",
            "1 1 walk(char*) [1] 1@1008",
            "3 2 walk(char*) [0, 3] 8@2222 1@3333 2@2222",
            "1 1 walk(char*) [2, 3] 4@ffc 5@4000 6@1000",
            "0 0 main [1] 4@7ffd00000010",
        ]
    );
}

#[test]
fn an_exception_ends_the_activations_above() {
    let trace = of_chunks(&[vec![
        path(MAIN[0], &[1]),
        path(GUARD[0], &[0x100]),
        path(GUARD[1], &[]),
        path(WALK[0], &[0x1000]),
        path(WALK[0], &[0x1000]),
        path(GUARD[3], &[]),
        path(MAIN[1], &[]),
    ]]);
    assert_eq!(
        lines(&trace)[4..],
        ["3 3 walk(char*) [0, 1] 8@1000 1@1008", "1 1 guard [3] 2@102", "0 0 main [1] 4@1",]
    );
}

#[test]
fn a_jump_back_goes_to_the_activation_that_called_setjmp() {
    let trace = of_chunks(&[vec![
        path(GUARD[0], &[0x100]),
        path(GUARD[1], &[]),
        path(WALK[0], &[0x1000]),
        // A longjmp.
        path(GUARD[1], &[]),
        path(GUARD[2], &[]),
        path(MAIN[0], &[1]),
    ]]);
    assert_eq!(
        lines(&trace)[2..],
        [
            "1 1 walk(char*) [0, 1] 8@1000 1@1008",
            "0 0 guard [1] 8@110",
            "0 0 guard [2]",
            "2 0 main [0] 4@1",
        ]
    );
    // Two activations called it: the one it returns to is not known.
    let trace = of_chunks(&[vec![
        path(GUARD[0], &[0x100]),
        path(GUARD[1], &[]),
        path(GUARD[0], &[0x200]),
        path(GUARD[1], &[]),
        path(WALK[0], &[0x1000]),
        path(GUARD[1], &[]),
    ]]);
    assert_eq!(lines(&trace)[5..], ["3? 3 guard [1] 8@?"]);
}

#[test]
fn what_began_before_the_trace_is_unknown() {
    let trace = of_chunks(&[vec![
        path(WALK[3], &[0x4000, 5, 6]),
        path(MAIN[1], &[]),
        path(WALK[4], &[]),
        path(WALK[2], &[]),
        path(MAIN[0], &[7]),
        // This is no back edge of the innermost activation.
        path(WALK[4], &[]),
    ]]);
    assert_eq!(
        lines(&trace),
        [
            "0? 0 walk(char*) [2, 3] 4@? 5@4000 6@?",
            "1? 0 main [1] 4@?",
            "2? 0 walk(char*) [1] 1@?",
            "2? 0 walk(char*) [2] 4@?",
            "3 1 main [0] 4@7",
            "4? 2 walk(char*) [1] 1@?",
        ]
    );
}

#[test]
fn nothing_is_known_of_activations_behind_lost_records() {
    let trace =
        of_chunks(&[vec![path(MAIN[0], &[1]), lost(), path(MAIN[1], &[]), path(MAIN[0], &[2])]]);
    assert_eq!(
        lines(&trace),
        [
            "0 0 main [0] 4@1",
            "records are missing: there was no room for them",
            "1? 0 main [1] 4@?",
            "2 0 main [0] 4@2",
        ]
    );
}

#[test]
fn chunks_come_in_the_order_of_their_numbers() {
    let mut written = traced::Trace::new(b"/bin/walk", &[]);
    written.chunk(1, 1, &path(MAIN[1], &[]));
    written.chunk(2, 0, &path(GUARD[0], &[5]));
    // This chunk was never begun.
    written.chunk(0, 0, &[]);
    written.chunk(1, 4, &path(MAIN[0], &[3]));
    written.image(b"/bin/walk", &[]);
    written.chunk(1, 0, &path(MAIN[0], &[1]));
    written.chunk(1, 0, &path(MAIN[0], &[2]));
    let trace = opened(&written.bytes);
    assert_eq!(
        lines(&trace),
        [
            "0 0 main [0] 4@1",
            "0 0 main [1] 4@1",
            "chunks 2 to 3 of the stream are missing",
            "1 0 main [0] 4@3",
        ]
    );
    assert_eq!(trace.free_chunks, 1);
    let problems: Vec<_> = trace.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("chunk 6 of the file is damaged: an earlier one is chunk 0"));
    assert_eq!((trace.streams.len(), trace.streams[1].thread), (2, 102));
}

#[test]
fn a_chunk_that_was_moving_counts_once() {
    let mut written = traced::Trace::new(b"/bin/walk", &[]);
    written.image(b"/bin/walk", &[]);
    for _ in 0..2 {
        written.chunk(1, 0, &path(MAIN[0], &[1]));
    }
    written.chunk(1, 1, &path(MAIN[1], &[]));
    let trace = opened(&written.bytes);
    assert_eq!(lines(&trace), ["0 0 main [0] 4@1", "0 0 main [1] 4@1"]);
    assert!(trace.problems.is_empty(), "{:?}", trace.problems);
}

#[test]
fn short_chunks_are_read_as_others_are() {
    let mut written = traced::Trace::new(b"/bin/walk", &[]);
    written.image(b"/bin/walk", &[]);
    written.short(&[
        (1, 0, path(MAIN[0], &[1])),
        (2, 0, path(GUARD[0], &[5])),
        (1, 2, path(MAIN[1], &[])),
        // The process was killed before the memory was empty.
        (1, 1, path(MAIN[0], &[3])),
    ]);
    written.chunk(1, 1, &path(MAIN[0], &[3]));
    let trace = opened(&written.bytes);
    assert_eq!(lines(&trace), ["0 0 main [0] 4@1", "1 1 main [0] 4@3", "1 1 main [1] 4@3"]);
    assert!(trace.problems.is_empty(), "{:?}", trace.problems);
    let threads: Vec<_> = trace.streams.iter().map(|stream| stream.thread).collect();
    assert_eq!((threads, trace.free_chunks), (vec![101, 102], 0));
}

#[test]
fn damage_in_a_chunk_of_short_ones_is_told() {
    let mut written = traced::Trace::new(b"/bin/walk", &[]);
    written.image(b"/bin/walk", &[]);
    let begin = written.bytes.len();
    written.short(&[(1, 0, path(MAIN[0], &[1])), (2, 0, path(GUARD[0], &[5]))]);
    // The length of the second one, behind two heads and ten bytes of records.
    let place = begin + 2 * 64 + 16 + 40;
    for (length, why) in [(0, "no such length"), (1 << 20, "no such length")] {
        let mut bytes = written.bytes.clone();
        bytes[place..place + 4].copy_from_slice(&u32::to_le_bytes(length));
        let trace = opened(&bytes);
        let problem = trace.problems[0].to_string();
        assert!(problem.contains("chunk 1 of the file is damaged") && problem.contains(why));
        assert_eq!((trace.streams.len(), trace.problems.len()), (1, 1));
    }
    // A whole chunk is not short.
    written.chunk(3, 0, &path(MAIN[0], &[1]));
    let place = begin + traced::CHUNK as usize + 40;
    written.bytes[place] = 8;
    let trace = opened(&written.bytes);
    assert!(trace.problems[0].to_string().contains("its head says that it is short"));
}

#[test]
fn a_chunk_that_is_used_again_is_told() {
    let folder = tempfile::tempdir().expect("a directory");
    let place = folder.path().join("walk.42.pathtrace");
    let written = |number| {
        let mut trace = traced::Trace::new(b"/bin/walk", &[]);
        trace.image(b"/bin/walk", &[]);
        trace.chunk(1, number, &path(MAIN[0], &[1]));
        trace.bytes
    };
    fs::write(&place, written(0)).expect("writable");
    let trace = Trace::open(&place).expect("its header is sound");
    fs::write(&place, written(1)).expect("writable");
    assert_eq!(
        lines(&trace),
        ["chunk 1 of the file cannot be read: the program still writes to it; look at the \
             trace when it has ended"]
    );
}

#[test]
fn a_damaged_chunk_is_told_and_the_rest_is_read() {
    let gaps = |trace: &Trace| {
        let (program, _) = program(trace);
        Totals::of(trace, &program, &trace.streams[0], &())
    };
    let foreign = [path(MAIN[0], &[1]), path(MAIN[0] - 1, &[]), path(MAIN[1], &[])];
    let trace = of_chunks(&[foreign.to_vec(), vec![path(MAIN[0], &[2])]]);
    let damage = Damage::NoPath { at: 10, number: MAIN[0] - 1 };
    let totals = gaps(&trace);
    assert_eq!(totals.gaps, [Gap::Damaged(1, Broken::Record(damage))]);
    assert_eq!((totals.paths, totals.accesses, totals.recorded), (2, 2, 12));
    assert_eq!(totals.bytes, 20 + 2 * 64);

    // The file ends in the middle of the last record.
    let mut bytes = traced::Trace::new(b"/bin/walk", &[]);
    bytes.image(b"/bin/walk", &[]);
    bytes.chunk(1, 0, &[path(MAIN[0], &[1]), path(MAIN[0], &[2])].concat());
    let end = bytes.bytes.len() - traced::CHUNK as usize + 64 + 10;
    for (length, paths, is_damaged) in
        [(0, 1, false), (3, 1, false), (4, 1, true), (9, 1, true), (10, 2, false)]
    {
        let totals = gaps(&opened(&bytes.bytes[..end + length]));
        assert_eq!((totals.paths, totals.gap_count == 1), (paths, is_damaged), "{length}");
    }
}

#[test]
fn a_file_may_end_anywhere_and_hold_anything() {
    let mut written = traced::Trace::with_flags(b"/bin/walk", &[1, 2], INCOMPLETE);
    written.image(b"/bin/walk", &[1, 2]);
    let records = [path(MAIN[0], &[1]), path(WALK[0], &[2]), lost(), path(MAIN[1], &[])];
    written.chunk(1, 0, &records.concat());
    let head = ChunkHead { stream: 2.into(), interrupts: 1.into(), ..ChunkHead::default() };
    written.chunk_of(head, &records.concat());
    written.short(&[(3, 0, records.concat()), (4, 0, records.concat())]);
    let all = |bytes: &[u8]| {
        let folder = tempfile::tempdir().expect("a directory");
        let place = folder.path().join("walk.42.pathtrace");
        fs::write(&place, bytes).expect("writable");
        let Ok(trace) = Trace::open(&place) else { return None };
        let (program, _) = program(&trace);
        let steps = trace.streams.iter().map(|of| Steps::new(&trace, &program, of, &()).count());
        Some(steps.sum::<usize>())
    };
    let whole = all(&written.bytes);
    assert_eq!(whole, Some(16));
    let interesting = |at: usize| (at.saturating_sub(4096) % traced::CHUNK as usize) < 120;
    for at in (0..written.bytes.len()).filter(|&at| at < 200 || interesting(at)) {
        assert!(all(&written.bytes[..at]) <= whole, "cut at {at}");
        let mut damaged = written.bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // Any damaged trace is read to its end.
        all(&damaged);
    }
}

#[test]
fn an_image_that_is_not_there_leaves_its_paths_unknown() {
    let trace = of_chunks(&[vec![path(MAIN[0], &[1])]]);
    let images::ProcessRecords { images, .. } = images::of(&trace);
    let program = Program::of(images, &Default::default());
    assert_eq!(program.problems.len(), 1);
    let problem = format!("{:#}", program.problems[0]);
    assert!(problem.starts_with("the paths of the image /bin/walk are unknown: "), "{problem}");
    let totals = Totals::of(&trace, &program, &trace.streams[0], &());
    assert_eq!((totals.paths, totals.gap_count), (0, 1));
}

#[test]
fn an_observer_is_told_of_each_chunk() {
    let mut written = traced::Trace::new(b"/bin/walk", &[]);
    written.image(b"/bin/walk", &[]);
    let records = [path(MAIN[0], &[1]), path(WALK[0], &[2]), path(MAIN[1], &[])].concat();
    written.chunk(1, 0, &records);
    written.chunk(1, 1, &[path(MAIN[0], &[1]), path(MAIN[0] - 1, &[])].concat());
    // A missing chunk is not counted.
    written.chunk(1, 3, &records);
    written.chunk(2, 0, &records);
    let trace = opened(&written.bytes);
    let (program, _) = program(&trace);
    let chunks_of = |work: &dyn Fn(&dyn Observer)| {
        let counted = Counted::default();
        work(&counted);
        counted.steps()
    };
    let times = Times::default();
    let all = trace.num_chunks();
    assert_eq!(all, 4);
    let totals =
        |stream| chunks_of(&|of| drop(Totals::of(&trace, &program, &trace.streams[stream], of)));
    assert_eq!((totals(0), totals(1)), (3, 1));
    let walked = chunks_of(&|of| {
        Tasks::of(inputs(&trace, &program, &times, Detail::Tasks, of), times, HashSet::new());
    });
    assert_eq!(walked, all);
    let analysed = chunks_of(&|of| drop(TaskAnalysis::of(&trace, &program, times, of)));
    assert_eq!(analysed, 2 * all);
    let owned = chunks_of(&|of| drop(Owned::of(&trace, &program, &times, &HashSet::new(), of)));
    assert_eq!(owned, 2 * all);
}
