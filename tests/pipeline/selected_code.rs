//! Every step of a counter is one machine instruction, at every level: no signal and no end of the
//! process comes in its middle. Optimised code relies on instruction selection for that, which this
//! looks at. Counters must not spoil the code around them either.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::tree::bin;

/// What `pathcc` writes of a source with these flags, if LLVM's code counts.
fn compiled(source: &Path, flags: &[&str]) -> String {
    compiled_by(bin("pathcc"), source, &[&["-fpath-stage=late"], flags].concat())
}

fn compiled_by(compiler: impl AsRef<OsStr>, source: &Path, flags: &[&str]) -> String {
    let mut command = Command::new(compiler);
    let output = command
        .args(flags)
        .args(["-S", "-o", "-"])
        .arg(source)
        .output()
        .expect("the tree is built, and clang is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/kernels");
    let files = folder.read_dir().expect("the kernels").map(|file| file.expect("a file").path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "c")).collect()
}

#[test]
fn selected_code_steps_a_counter_at_once() {
    let sources = sources();
    assert!(sources.len() > 10);
    for source in sources {
        for level in ["-O1", "-O2", "-O3", "-Os", "-Oz"] {
            let name = source.display();
            let code = compiled(&source, &[level, "-emit-llvm"]);
            let steps = code.matches("store volatile i64").count();
            assert!(steps > 0, "{name} {level} counts nothing");
            assert_eq!(code.matches("load volatile i64").count(), steps, "{name} {level}");
            let selected = compiled(&source, &[level, "-mllvm", "-stop-after=finalize-isel"]);
            let accesses: Vec<_> =
                selected.lines().filter(|line| line.contains(":: (volatile ")).collect();
            assert_eq!(accesses.len(), steps, "{name} {level}");
            let whole = |line: &&str| {
                ["INC64m", "DEC64m"].contains(&line.split_whitespace().next().unwrap_or_default())
            };
            let torn: Vec<_> = accesses.into_iter().filter(|line| !whole(line)).collect();
            assert!(torn.is_empty(), "{name} {level}: {torn:#?}");
        }
    }
}

#[test]
fn code_that_is_not_selected_so_steps_by_assembly() {
    for source in sources() {
        for flags in [
            &["-O0"] as &[&str],
            &["-O2", "-flto"],
            &["-O2", "-flto=thin"],
            &["-O2", "-fsanitize=address"],
        ] {
            let code = compiled(&source, &[flags, &["-emit-llvm"]].concat());
            assert!(!code.contains("store volatile i64"), "{} {flags:?}", source.display());
            let counts = ["asm \"incq $0\"", "asm sideeffect \"incq ${1:c}($0"];
            assert!(
                counts.iter().any(|count| code.contains(count)),
                "{} {flags:?} counts nothing",
                source.display()
            );
        }
    }
}

/// Multiplications of the register by the size of a counter.
fn shifts(code: &str) -> usize {
    code.matches("\tshlq\t$3, ").count()
}

#[test]
fn code_that_is_not_optimised_computes_the_address_in_the_increment() {
    for source in sources() {
        let plain = compiled_by("clang-22", &source, &["-O0"]);
        let code = compiled(&source, &["-O0"]);
        assert!(code.contains(",8)"), "{}: no register selects a counter", source.display());
        assert_eq!(shifts(&code), shifts(&plain), "{}", source.display());
    }
}

/// Compares twice, and returns early if there is a difference. The loop behind that has two exits,
/// and needs more registers than a function may use without saving them.
const EARLY_RETURNS: &str = "
int order(const unsigned char *x, const unsigned char *y, const unsigned *in, int count) {
  if (x[0] != y[0]) return x[0] > y[0];
  if (x[1] != y[1]) return x[1] > y[1];
  unsigned a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5];
  for (int i = 0; i < count; i++) {
    if (in[i] == 7) return 0;
    a += b ^ in[i]; b += c ^ a; c += d ^ b; d += e ^ c; e += f ^ d; f += a ^ e;
  }
  return a > (b ^ c ^ d ^ e ^ f);
}
";

#[test]
fn an_early_return_costs_no_saved_register_and_no_second_comparison() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("order.c");
    fs::write(&source, EARLY_RETURNS).expect("written");
    let code = compiled(&source, &["-O2"]);
    assert_eq!(code.matches("\tcmpb\t").count(), 2, "{code}");
    let (unsaved, _) = code.split_once("\tpushq\t").expect("the loop needs saved registers");
    assert_eq!(unsaved.matches("\tcmpb\t").count(), 2, "{code}");
}

#[test]
fn the_address_of_the_array_is_in_no_instruction() {
    for source in sources() {
        for position in ["-fPIE", "-fno-pie"] {
            let code = compiled(&source, &["-O2", position]);
            let is_instruction = |line: &str| line.starts_with('\t') && !line.starts_with("\t.");
            let has_array =
                |line: &&str| is_instruction(line) && line.contains("__pathcc.counters.");
            let with_array: Vec<_> = code.lines().filter(has_array).collect();
            assert!(with_array.is_empty(), "{} {position}: {with_array:#?}", source.display());
        }
    }
}
