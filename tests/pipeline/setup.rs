//! `scripts/setup` on a machine on which another program installs packages at the same time: it
//! waits for the lock, says so once, and gives up after a while. The apt-get of these tests prints
//! what Debian's prints.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use pathtests::checkout::checkout;
use tempfile::TempDir;

/// What apt-get says while another one holds a lock.
const LOCKED: &str = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 17 (apt)
E: Unable to lock directory /var/lib/apt/lists/";

/// What the script calls besides apt-get.
const TOOLS: [&str; 12] =
    ["cat", "cut", "dirname", "env", "grep", "head", "id", "mktemp", "rm", "sed", "sleep", "sort"];

/// A machine without packages: programs that the script calls, and an apt-get of these lines, which
/// logs how it is called.
fn machine(apt_get: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for tool in TOOLS {
        let found = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
        let found = found.iter().find(|path| path.exists()).expect("a tool of every system");
        symlink(found, folder.path().join(tool)).expect("writable");
    }
    let put = |name: &str, lines: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    };
    put("cargo", ":");
    put("rustc", "echo 'rustc 99.0.0'");
    put("sudo", "exec \"$@\"");
    put("apt-get", &format!("echo \"$1\" >>{}\n{apt_get}", folder.path().join("log").display()));
    folder
}

/// Runs the script there.
fn set_up(machine: &TempDir, seconds: u32) -> Output {
    let mut command = Command::new("/bin/sh");
    command.arg(checkout().join("scripts/setup")).arg("build");
    command.env("PATH", machine.path()).env("SETUP_LOCK_SECONDS", seconds.to_string());
    command.output().expect("a shell")
}

/// How often apt-get was called.
fn calls(machine: &TempDir) -> usize {
    fs::read_to_string(machine.path().join("log")).expect("apt-get was called").lines().count()
}

#[test]
fn a_lock_of_another_apt_get_is_waited_for() {
    let machine = machine(&format!(
        "[ $(grep -c . {}/log) -gt 2 ] || {{ echo '{LOCKED}' >&2; exit 100; }}",
        "${0%/*}"
    ));
    let output = set_up(&machine, 60);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("waiting for another program").count(), 1, "{said}");
    assert!(said.contains("It is held by process 17 (apt)"), "{said}");
    // Three updates of the lists and an installation, and the same for the viewer's packages.
    assert_eq!(calls(&machine), 6, "{said}");
}

#[test]
fn a_lock_that_is_never_released_is_named() {
    let machine = machine(&format!("echo '{LOCKED}' >&2; exit 100"));
    let output = set_up(&machine, 1);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("held by process 17 (apt) after 1 seconds; run this again"), "{said}");
    assert_eq!(calls(&machine), 2, "{said}");
}

#[test]
fn another_error_is_shown_at_once() {
    let machine = machine("echo 'E: Unable to locate package clang-22' >&2; exit 100");
    let output = set_up(&machine, 60);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("E: Unable to locate package clang-22"), "{said}");
    assert!(!said.contains("waiting"), "{said}");
    assert_eq!(calls(&machine), 2, "{said}");
}
