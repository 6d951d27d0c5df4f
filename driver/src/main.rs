//! The program of `pathcc`, `pathc++` and `pathfc`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    driver::run()
}
