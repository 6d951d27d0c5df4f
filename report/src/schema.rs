//! The names of the JSON documents that pathprof writes. They are one family with one version: what
//! changes in one of them so that an older reader fails makes all of them another version.
//!
//! `share/pathprof-1.schema.json` describes those that are for other programs. Those of pages are
//! for the viewer that is in the same page.

/// A document of the family, with its name for readers.
macro_rules! family {
    ($version:literal: $($(#[$documentation:meta])* $document:ident = $name:literal,)*) => {
        $($(#[$documentation])* pub const $document: &str = concat!($name, "/", $version);)*

        /// All of them.
        pub const ALL: &[&str] = &[$($document),*];
    };
}

family! { 1:
    /// What `pathprof export` knows.
    REPORT = "pathprof",
    /// What is different between two reports.
    DIFFERENCE = "pathprof-diff",
    /// What tells failing runs from passing ones.
    RANKING = "pathprof-spectra",
    /// The task graph of a trace.
    TASK_GRAPH = "pathprof-tasks",
    /// The tables of any command.
    TABLES = "pathprof-tables",
    /// The index of the page of a report.
    REPORT_PAGE = "pathprof-html",
    /// The index of the page of a difference.
    DIFFERENCE_PAGE = "pathprof-html-diff",
    /// The index of the page of a task graph.
    TASKS_PAGE = "pathprof-html-tasks",
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn json(path: &Path) -> Value {
        serde_json::from_str(&fs::read_to_string(path).expect("a file of the tree")).expect("JSON")
    }

    fn names(list: &Value) -> BTreeSet<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|name| name.as_str().expect("a name").to_owned()).collect()
    }

    #[test]
    fn the_published_schema_has_every_document_for_other_programs() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let schema = json(&root.join("share/pathprof-1.schema.json"));
        let published = names(&schema["properties"]["schema"]["enum"]);
        let is_page = |name: &&&str| name.starts_with("pathprof-html");
        let exports = ALL.iter().filter(|name| !is_page(name));
        assert_eq!(published, exports.map(|&name| name.to_owned()).collect());
        // One file of each, as an earlier release wrote it. tests/real/schema.py validates them.
        let files = fs::read_dir(root.join("tests/exports/1")).expect("a folder");
        let kept = files.map(|file| json(&file.expect("a file").path())["schema"].take());
        assert_eq!(published, names(&kept.collect()));
    }

    #[test]
    fn the_viewer_knows_the_pages() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = fs::read_to_string(root.join("viewer/src/data/schemas.ts")).expect("a file");
        for page in [REPORT_PAGE, DIFFERENCE_PAGE, TASKS_PAGE] {
            assert!(text.contains(&format!("\"{page}\"")), "{page}");
        }
    }
}
