//! Compiles the C++ edge of the plugin against LLVM 22 and links it into the cdylib.
//!
//! Most of the time goes into LLVM's headers. So all files are one unit, which reads them once.
//!
//! `LLVM_SYS_221_PREFIX` names the LLVM to build for, as it does for the crate llvm-sys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files, which are in `cpp`.
const FILES: [&str; 9] = [
    "plugin",
    "read",
    "accesses",
    "addresses",
    "write",
    "demangle",
    "debug_info",
    "code_map",
    "machine",
];

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let unit = out.join("all.cpp");
    let line = |name: &str| format!("#include \"{name}.cpp\"\n");
    fs::write(&unit, FILES.map(line).concat()).expect("OUT_DIR can be written");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = std::env::var_os("LLVM_SYS_221_PREFIX")
        .map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from);
    let config = prefix.join("bin/llvm-config");
    let output = Command::new(&config).arg("--cxxflags").output();
    let output = output
        .unwrap_or_else(|error| panic!("{}: {error}; is llvm-22-dev installed?", config.display()));
    let flags = String::from_utf8(output.stdout).expect("llvm-config prints UTF-8");
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .compiler(prefix.join("bin/clang++"))
        .file(&unit)
        .include(Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp"))
        .cargo_metadata(false);
    for flag in flags.split_whitespace() {
        // LLVM's own headers are system headers to us: our warnings are about our files.
        build.flag(flag.replacen("-I", "-isystem", 1));
    }
    build.compile("plugin");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:+whole-archive=plugin");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}
