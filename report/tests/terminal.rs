//! The program `pathprof` on a terminal: what fits it, links, colours, and the pager. `script` of
//! util-linux is the terminal.

use counts::sample::units as samples;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::names;
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

/// A directory with an image and a profile of it.
fn scene() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let id = object.add_section(Vec::new(), names::MANIFEST_SECTION.into(), SectionKind::Other);
    object.append_section_data(id, &samples::section(), 4);
    let image = directory.path().join("demo");
    fs::write(&image, object.write().expect("the object is sound")).expect("writable");
    let path = image.as_os_str().as_encoded_bytes();
    let profile = samples::profile(path, &[], 0, samples::counters());
    fs::write(directory.path().join("demo.pathprof"), profile).expect("writable");
    directory
}

/// What `pathprof` writes on a terminal of this size, without what the terminal adds to line ends.
fn on_terminal(
    directory: &Path,
    (columns, rows): (usize, usize),
    environment: &[(&str, &str)],
    arguments: &str,
) -> String {
    let program = env!("CARGO_BIN_EXE_pathprof");
    let line = format!("stty cols {columns} rows {rows}; exec '{program}' {arguments}");
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(directory)
        .env("TERM", "xterm-256color")
        .env("SHELL", "/bin/sh")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR")
        .env_remove("PAGER")
        .env_remove("LESS")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("script can be run");
    assert!(output.status.success(), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).expect("text").replace("\r\n", "\n")
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The commands that show tables.
const COMMANDS: [&str; 12] = [
    "report",
    "report --functions",
    "report --blocks",
    "report --skipped",
    "report --branches",
    "report --calls",
    "report --calls=sites",
    "report --opcodes=functions",
    "coverage",
    "coverage --functions",
    "coverage --missing",
    "runs",
];

#[test]
fn every_table_and_every_heading_fits_the_terminal() {
    let directory = scene();
    for command in COMMANDS.into_iter().chain(["show collatz"]) {
        for width in [60, 80, 120] {
            let text = on_terminal(
                directory.path(),
                (width, 500),
                &[],
                &format!("{command} --color=never demo.pathprof"),
            );
            assert!(text.lines().count() > 1, "{command}: {text}");
            let wide = text.lines().filter(|line| line.width() > width);
            assert_eq!(wide.count(), 0, "{command} in {width}:\n{text}");
        }
    }
}

#[test]
fn elsewhere_there_are_neither_colours_nor_links_nor_pages() {
    let directory = scene();
    for command in COMMANDS {
        let mut piped = Command::new(env!("CARGO_BIN_EXE_pathprof"));
        let output = piped
            .args(command.split(' '))
            .arg("demo.pathprof")
            .current_dir(directory.path())
            .env_remove("CLICOLOR_FORCE")
            .env("PAGER", "false")
            .output()
            .expect("pathprof can be run");
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success() && !text.is_empty(), "{command}");
        assert!(!text.contains('\u{1b}') && !text.contains('─'), "{command}: {text}");
        assert!(text.lines().all(|line| !line.ends_with(' ')), "{command}: {text}");
    }
}

#[test]
fn files_are_linked_where_there_are_colours() {
    let directory = scene();
    let shown = |environment: &[(&str, &str)], arguments: &str| {
        on_terminal(directory.path(), (80, 500), environment, arguments)
    };
    let links = |text: &str| text.contains("\u{1b}]8;;file://");
    assert!(links(&shown(&[], "report demo.pathprof")));
    assert!(!shown(&[("NO_COLOR", "1")], "report demo.pathprof").contains('\u{1b}'));
    assert!(!shown(&[], "report --color never demo.pathprof").contains('\u{1b}'));
}

#[test]
fn what_is_longer_than_the_screen_has_pages() {
    let directory = scene();
    let shown = |rows: usize, environment: &[(&str, &str)], arguments: &str| {
        let arguments = format!("{arguments} demo.pathprof");
        plain(&on_terminal(directory.path(), (80, rows), environment, &arguments))
    };
    let pager = ("PAGER", "sed 's/^/page: /'");
    let is_paged = |text: &str| text.lines().all(|line| line.starts_with("page: "));
    let whole = shown(500, &[pager], "report");
    let lines = whole.lines().count();
    assert!(!whole.contains("page: ") && lines > 20, "it fits: {whole}");
    assert!(is_paged(&shown(lines, &[pager], "report")), "the prompt takes a line");
    assert!(!is_paged(&shown(lines + 1, &[pager], "report")), "it just fits");
    let paged = shown(20, &[pager], "report");
    assert_eq!(paged.replace("page: ", ""), whole, "nothing is lost");
    // Where no pager is wanted, or none can be started, the text comes as it is.
    assert_eq!(shown(20, &[pager], "report --no-pager"), whole);
    for none in ["", "cat"] {
        assert_eq!(shown(20, &[("PAGER", none)], "report"), whole, "{none}");
    }
    assert!(shown(20, &[("PAGER", "no-such-pager")], "report").ends_with(&whole));
    // Whoever has seen enough ends the pager, which is no error.
    assert_eq!(shown(20, &[("PAGER", "true")], "report"), "");
    let said = shown(20, &[("PAGER", "cat > /dev/null; printenv LESS LV")], "report");
    assert_eq!(said, "FRX\n-c\n");
    let own = [("PAGER", "cat > /dev/null; printenv LESS"), ("LESS", "R")];
    assert_eq!(shown(20, &own, "report"), "R\n");
}

#[test]
fn a_pager_gets_colours_where_the_terminal_does() {
    let directory = scene();
    let shown = |environment: &[(&str, &str)]| {
        let pager = [("PAGER", "cat -v")];
        let environment = [&pager, environment].concat();
        on_terminal(directory.path(), (80, 20), &environment, "report demo.pathprof")
    };
    assert!(shown(&[]).contains("^[[1m"));
    assert!(!shown(&[("NO_COLOR", "1")]).contains("^["));
}

#[test]
fn without_a_choice_the_pager_is_less() {
    let directory = scene();
    let (folder, file) = (directory.path().join("bin"), directory.path().join("bin/less"));
    fs::create_dir(&folder).expect("writable");
    fs::write(&file, "#!/bin/sh\ncat > /dev/null\necho \"less $LESS $*\"\n").expect("writable");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("ours");
    let path = std::env::var("PATH").expect("there is one");
    let path = format!("{}:{path}", folder.display());
    let text = on_terminal(directory.path(), (80, 20), &[("PATH", &path)], "report demo.pathprof");
    assert_eq!(text, "less FRX \n");
}
