//! Compiles the C++ edge of the plugin against LLVM 22 and links it into the cdylib.
//!
//! `LLVM_SYS_221_PREFIX` names the LLVM to build for, as it does for the crate llvm-sys.

use std::path::PathBuf;
use std::process::Command;

fn main() {
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
        .files(
            ["plugin", "read", "accesses", "addresses", "write", "demangle", "debug_info"]
                .map(|name| format!("cpp/{name}.cpp")),
        )
        .cargo_metadata(false);
    for flag in flags.split_whitespace() {
        // LLVM's own headers are system headers to us: our warnings are about our files.
        build.flag(flag.replacen("-I", "-isystem", 1));
    }
    build.compile("plugin");
    println!(
        "cargo:rustc-link-search=native={}",
        std::env::var("OUT_DIR").expect("cargo sets OUT_DIR")
    );
    println!("cargo:rustc-link-lib=static:+whole-archive=plugin");
    println!("cargo:rustc-link-lib=dylib=stdc++");
}
