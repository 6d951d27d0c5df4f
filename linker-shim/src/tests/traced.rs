//! What the object has for traced modules, and what it then does not ask for.

use std::collections::BTreeSet;

use object::elf::R_X86_64_PC64;
use pathformat::descriptor::trace_block;
use pathformat::names;
use pathformat::settings::Threads;

use super::generated::{Generated, WORDS, counters, module, modules};
use crate::image_kind::ImageKind;
use crate::scan::Module;

/// What traced code refers to.
const RUNTIME: [&str; 4] = [
    names::TRACE_RUNTIME,
    names::TRACE_GIVE_ROOM,
    names::TRACE_SWITCH,
    names::TRACE_MESSAGE_RUNTIME,
];

/// What stands behind the functions that a traced executable defines.
const HANDLERS: [&str; 4] =
    [names::TRACE_SIGNAL, names::TRACE_SYNCHRONISE, names::TRACE_ALLOCATE, names::TRACE_OPENMP];

#[test]
fn an_image_in_which_all_is_traced_has_no_counting_runtime() {
    let traced = |id| Module { traced: true, ..module(id, 600, 0, Threads::Exact, true) };
    for kind in [ImageKind::Executable, ImageKind::Static, ImageKind::Library] {
        let generated = Generated::of(&[traced(1), traced(2)], kind);
        let handlers = HANDLERS.into_iter().filter(|_| kind == ImageKind::Executable);
        // A library is loaded when there is a thread pointer.
        let entry = [names::TRACE_ENTRY].into_iter().filter(|_| kind != ImageKind::Library);
        let wanted = RUNTIME.into_iter().chain(handlers).chain(entry).map(str::to_owned);
        assert_eq!(generated.undefined(), wanted.collect::<BTreeSet<_>>());
        let place = generated.place(names::TRACE_DISTANCE);
        assert_eq!(place, Some((".tdata.__pathcc_trace".to_owned(), 0, 8)));
        let block = ".data.__pathcc_trace".to_owned();
        let place = generated.place(names::TRACE_BLOCK);
        assert_eq!(place, Some((block.clone(), 0, trace_block::SIZE)));
        let at = trace_block::RUNTIME_OFFSET;
        let runtime = (at, R_X86_64_PC64.0, names::TRACE_RUNTIME.into(), at as i64);
        assert_eq!(generated.relocations(&block), [runtime]);
        assert!(generated.place(names::TRACE_ROOM).is_some());
        assert!(generated.place(names::TRACE_MESSAGE).is_some());
        assert!(names::REGION_FUNCTIONS.iter().all(|name| generated.place(name).is_some()));
        let region = |id| generated.place(&counters(id)).map(|place| place.1);
        assert_eq!([region(1), region(2)], [Some(0), Some(4800)]);
        assert_eq!(generated.words(".data.rel.ro.__pathcc_image")[2], 3 * 4096);
        assert!(generated.content(WORDS).is_empty());
    }
}

#[test]
fn traced_arrays_are_not_in_what_the_counting_runtime_maps() {
    let traced = Module { traced: true, ..module(7, 600, 0, Threads::Exact, true) };
    let modules = [&[traced][..], &modules()].concat();
    let (with, without) = (
        Generated::of(&modules, ImageKind::Executable),
        Generated::of(&modules[1..], ImageKind::Executable),
    );
    let size = |generated: &Generated| generated.words(".data.rel.ro.__pathcc_image")[2];
    assert_eq!(size(&with), size(&without));
    assert_eq!(with.place(&counters(7)).expect("it has one").1, size(&with));
    assert_eq!(with.place(&counters(2)), without.place(&counters(2)));
    let mut both = without.undefined();
    let traces = RUNTIME.into_iter().chain(HANDLERS).chain([names::TRACE_ENTRY]);
    both.extend(traces.map(str::to_owned));
    assert_eq!(with.undefined(), both);
    assert_eq!(with.content(WORDS), without.content(WORDS));
}
