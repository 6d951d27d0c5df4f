//! What is made from the table of options stands in the tree as the table says: tables of the
//! documentation, the manual, completions. `PATHCC_BLESS=1` writes it.

mod generated {
    pub(crate) mod completions;
    pub(crate) mod manual;
    pub(crate) mod tables;
}

use generated::{completions, manual, tables};
use std::env;
use std::fs;
use std::path::Path;

/// Compares a file of the tree with what it should be, or writes that.
fn check(path: &str, make: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let found = fs::read_to_string(&path).unwrap_or_default();
    let made = make(&found);
    if env::var_os("PATHCC_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(&path, made).expect("writable");
        return;
    }
    let hint = "`PATHCC_BLESS=1 cargo test -p pathcc --test generated` writes it";
    assert!(found == made, "{} is not what the table of options says; {hint}", path.display());
}

#[test]
fn tables() {
    check("README.md", |text| tables::put_into(text, &tables::flags_of_pathcc()));
    check("docs/environment.md", |text| tables::put_into(text, &tables::keys()));
}

#[test]
fn manual() {
    check("share/man/pathcc.1", |_| manual::page());
    check("share/man/ld.pathld.1", |_| manual::page_of_linker());
}

#[test]
fn completions() {
    check("share/completions/pathcc.bash", |_| completions::bash());
    check("share/completions/_pathcc", |_| completions::zsh());
    check("share/completions/pathcc.fish", |_| completions::fish());
}
