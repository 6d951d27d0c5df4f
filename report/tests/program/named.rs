//! Which starts a command reads, and how it says so: one rule, which the help of each command and
//! the documents give in the same words.

use std::fs;
use std::path::Path;

use profile::inputs::RULE;

use crate::scene::{HOT, Scene, record};

/// The commands that read counts.
const COMMANDS: [&str; 7] = ["report", "show", "annotate", "html", "export", "coverage", "weights"];

/// Text with one blank between two words.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn help_and_documents_say_the_same() {
    let scene = Scene::new();
    for command in COMMANDS.iter().chain(&["merge"]) {
        let help = in_one_line(&scene.pathprof(&[command, "--help"]).out);
        assert!(help.contains(RULE), "{command}: {help}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the checkout");
    for page in ["README.md", "docs/reading.md", "docs/glossary.md", "docs/coverage.md"] {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        assert!(in_one_line(&text).contains(RULE), "{page}");
    }
}

#[test]
fn each_command_keeps_the_rule() {
    let scene = Scene::new();
    let two = [record(&scene, 10, 1, (1, 9)), record(&scene, 20, 1, (11, 19))].concat();
    scene.write("demo.pathprof", &two);
    // What a command says of how often the hottest path ran, and what it says that it read.
    let last = "reading demo.pathprof, the last of 2 starts (--all reads all)\n";
    let grouped = |count: u64| {
        format!("{},{:03},{:03}", count / 1_000_000, count / 1000 % 1000, count % 1000)
    };
    let [one, both] = [HOT, 2 * HOT];
    let of = |arguments: &[&str]| {
        let outcome = scene.pathprof(arguments);
        assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.err);
        outcome
    };
    for (command, [one, both]) in [
        (&["report"][..], [grouped(one), grouped(both)]),
        (&["show", "collatz"], [grouped(one), grouped(both)]),
        (&["annotate", "collatz"], [grouped(one), grouped(both)]),
        (&["export", "--format", "json"], [one.to_string(), both.to_string()]),
    ] {
        for (named, count, said) in [
            (&["demo"][..], &one, true),
            (&["demo.pathprof"], &both, false),
            (&["."], &both, false),
            (&["--all", "demo"], &both, false),
        ] {
            let outcome = of(&[command, named].concat());
            assert!(outcome.out.contains(count), "{command:?} {named:?}: {}", outcome.out);
            assert_eq!(outcome.err.contains(last), said, "{command:?} {named:?}: {}", outcome.err);
        }
    }
    for command in [&["coverage"][..], &["export", "--format", "lcov"], &["weights", "-o", "w"]] {
        let outcome = of(&[command, &["demo"]].concat());
        // The export adds that the sources are not there.
        let said = outcome.err.lines().next();
        assert_eq!(said, Some("reading all 2 starts (--run N reads one)"), "{command:?}");
    }
    of(&["merge", "-o", "sum.pathprof", "demo"]);
    assert!(of(&["report", "sum.pathprof"]).out.contains(&grouped(both)));
}

#[test]
fn a_page_is_named() {
    let scene = Scene::new();
    scene.profile("demo.pathprof");
    for (arguments, name) in [(&["html"][..], "report.html"), (&["html", "-o", "x.html"], "x.html")]
    {
        let outcome = scene.pathprof(&[arguments, &["demo.pathprof"]].concat());
        // Some builds have no viewer.
        if outcome.code == 0 {
            assert_eq!(outcome.err, format!("wrote {name}\n"));
        } else {
            assert!(outcome.err.contains("without its viewer"), "{}", outcome.err);
        }
    }
}
