//! Profiles: the identity of a run, and the counters that are left out.

use pathformat::ModuleId;
use pathformat::profile::{Head, Profile, ProfileWriter, RunId};
use pathformat::wire::Error;

#[test]
fn a_run_is_shown_by_its_digits() {
    let run = RunId([0x0a; 16]);
    assert_eq!(
        (run.to_string(), format!("{run:?}")),
        ("0a".repeat(16), format!("run {}", "0a".repeat(16)))
    );
}

#[test]
fn both_halves_of_a_digest_tell_runs_apart() {
    let digests = [1, 2, 3].map(|pid| Head { pid, ..Head::default() }.identity().0);
    for half in [0..8, 8..16] {
        let [one, other, third] = digests.each_ref().map(|digest| &digest[half.clone()]);
        assert!(one != other && other != third && one != third, "{digests:?}");
    }
}

#[test]
fn counters_that_are_zero_or_out_of_order_are_left_out() {
    let mut bytes = Vec::new();
    let mut writer = ProfileWriter::new(&mut bytes, &Head::default());
    let mut counters = writer.module(ModuleId([1; 16]), 9);
    for (index, count) in [(0, 0), (2, 5), (1, 7), (2, 7), (3, 0), (4, 6)] {
        counters.counter(index, count);
    }
    counters.finish();
    writer.finish();
    assert_eq!(
        Profile::decode(&bytes).expect("sound").parts[0].modules[0].counts,
        [(2, 5), (4, 6)]
    );
}

#[test]
fn modules_that_counted_nothing_are_left_out() {
    let length = |modules: u8| {
        let mut bytes = Vec::new();
        let mut writer = ProfileWriter::new(&mut bytes, &Head::default());
        for id in 0..modules {
            let mut counters = writer.module(ModuleId([id; 16]), 9);
            counters.counter(3, 0);
            counters.finish();
        }
        writer.finish();
        bytes.len()
    };
    assert_eq!(length(0), length(100));
}

#[test]
fn a_map_stands_before_modules_and_alone() {
    for maps in [[true, true], [false, true]] {
        let mut bytes = Vec::new();
        let mut writer = ProfileWriter::new(&mut bytes, &Head::default());
        if maps[0] {
            writer.map(b"first");
        } else {
            let mut module = writer.module(ModuleId([1; 16]), 1);
            module.counter(0, 1);
            module.finish();
        }
        writer.map(b"second");
        writer.finish();
        let error = Error::Invalid("a map does not stand before the modules of its process");
        assert_eq!(Profile::decode(&bytes), Err(error));
    }
}
