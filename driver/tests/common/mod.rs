//! An installed tree with a plugin that does nothing and a linker that is a script, a directory to
//! compile in, and ways to run pathcc and the real clang there.
//!
//! So the tests of the driver need no other crate of the workspace, only clang 22 with its headers.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part of this file")]

use pathformat::tree;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Variables that would change what pathcc does.
const OURS: [&str; 9] = [
    "PATHCC_CLANG",
    "PATHCC_CONFIG",
    "PATHCC_JOBS",
    "PATHCC_DISABLE",
    "PATHCC_DRYRUN",
    "PATHLD_REAL",
    "PATHLD_REAL_BY",
    "MAKEFLAGS",
    "COMPILER_PATH",
];

const SOURCES: &[(&str, &str)] = &[
    ("a.c", "int b(void); int c(void);\nint main(void) { return b() + c() - 3; }\n"),
    ("b.c", "int b(void) { int unused; return 1; }\n"),
    ("c.c", "#include <stdio.h>\nint c(void) { int idle; return 2; }\n"),
    ("one.c", "int main(void) { return 0; }\n"),
    ("one.cc", "#include <string>\nint main() { return std::string().size(); }\n"),
    ("bad.c", "int x = ;\n"),
    ("worse.c", "int y = z;\n#error no\n"),
    ("undefined.c", "int missing(void); int main(void) { return missing(); }\n"),
    ("asm.s", ".globl f\nf: ret\n"),
    ("cpp.S", "#define NAME g\n.globl NAME\nNAME: ret\n"),
    ("mod.ll", "define i32 @h() {\n  ret i32 7\n}\n"),
    ("head.h", "int declared(void);\n"),
    ("uses.c", "int use(void) { return declared(); }\n"),
    ("args.rsp", "-c one.c -o 'from file.o'\n"),
    ("two.rsp", "a.c\nb.c \"c.c\"\n"),
];

/// An installed tree and a directory with sources.
pub struct Sandbox {
    root: TempDir,
}

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub struct Did {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Files in the directory afterwards, apart from the sources that are still as they were.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        let root =
            tempfile::Builder::new().prefix("driver-test-").tempdir().expect("temporary directory");
        let sandbox = Sandbox { root };
        for directory in ["tree/bin", "tree/lib/pathcc", "tmp", "home"] {
            fs::create_dir_all(sandbox.path(directory)).expect("directory");
        }
        let program = Path::new(env!("CARGO_BIN_EXE_pathcc"));
        if fs::hard_link(program, sandbox.bin("pathcc")).is_err() {
            fs::copy(program, sandbox.bin("pathcc")).expect("copy of pathcc");
        }
        symlink("pathcc", sandbox.bin("pathc++")).expect("link");
        symlink("pathcc", sandbox.bin("aarch64-linux-gnu-pathcc")).expect("link");
        fs::copy(plugin(), sandbox.path("tree/lib/pathcc/libpathpass-0123.so")).expect("plugin");
        symlink("libpathpass-0123.so", sandbox.path("tree/lib/pathcc/libpathpass.so"))
            .expect("link");
        for entry in
            tree::needed_to_build().filter(|entry| !sandbox.path("tree").join(entry.path).exists())
        {
            sandbox.script(&format!("tree/{}", entry.path), "exit 9");
        }
        // Like the real one it runs PATHLD_REAL or ld; with LINKER_LOG it says which.
        sandbox.script(
            "tree/bin/ld.pathld",
            "[ -z \"$LINKER_LOG\" ] || echo \"${PATHLD_REAL-unset} ${PATHLD_REAL_BY-unset}\" >> \
             \"$LINKER_LOG\"\nexec \"${PATHLD_REAL:-$(command -v ld)}\" \"$@\"",
        );
        sandbox.reset();
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn bin(&self, name: &str) -> PathBuf {
        self.path("tree/bin").join(name)
    }

    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path("work").join(name), text).expect("file");
    }

    /// Makes the working directory anew.
    pub fn reset(&self) {
        let work = self.path("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir(&work).expect("directory");
        for (name, text) in SOURCES {
            self.write(name, text);
            // Precompiled headers remember when a file was written.
            let file = fs::File::options().write(true).open(work.join(name)).expect("file");
            file.set_modified(
                std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000),
            )
            .expect("time");
        }
    }

    /// A command in the working directory, with a clean environment.
    pub fn command(&self, program: impl AsRef<OsStr>, line: &str) -> Command {
        let mut command = Command::new(program);
        command.args(line.split_whitespace()).current_dir(self.path("work"));
        for name in OURS {
            command.env_remove(name);
        }
        command.env("TMPDIR", self.path("tmp")).env("HOME", self.path("home")).stdin(Stdio::null());
        command
    }

    pub fn pathcc(&self, line: &str) -> Command {
        self.command(self.bin("pathcc"), line)
    }

    /// Runs a command with an input, and looks at what it has left behind.
    pub fn run(&self, command: &mut Command, input: &str) -> Did {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        // A program that does not read its input may be gone already.
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        self.did(child.wait_with_output().expect("output"))
    }

    pub fn did(&self, output: Output) -> Did {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(self.path("work")).expect("directory").flatten() {
            let name = entry.file_name().into_string().expect("text");
            // A pipe would wait for somebody to write.
            let regular = entry.metadata().is_ok_and(|data| data.is_file());
            let content =
                if regular { fs::read(entry.path()).unwrap_or_default() } else { Vec::new() };
            if !SOURCES.iter().any(|(source, text)| *source == name && text.as_bytes() == content) {
                files.insert(name, content);
            }
        }
        Did {
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            files,
        }
    }

    /// What pathcc is going to run.
    pub fn dry(&self, command: &mut Command) -> String {
        let did = self.run(command.env("PATHCC_DRYRUN", "1"), "");
        assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{command:?}");
        did.stdout.replace(self.root.path().to_str().expect("text"), "ROOT")
    }

    /// Runs clang and pathcc on one command line and asserts that nobody can tell them apart.
    pub fn same(&self, line: &str) -> Did {
        self.same_as("clang-22", "pathcc", line, "", &|_| ())
    }

    pub fn same_as(
        &self,
        clang: &str,
        pathcc: &str,
        line: &str,
        input: &str,
        change: &dyn Fn(&mut Command),
    ) -> Did {
        self.reset();
        let mut command = self.command(clang, line);
        change(&mut command);
        let expected = self.run(&mut command, input);
        self.reset();
        let mut command = self.command(self.bin(pathcc), line);
        change(&mut command);
        let found = self.run(&mut command, input);
        let seen =
            |did: &Did| (did.code, did.signal, did.stdout.clone(), self.neutral(&did.stderr));
        assert_eq!(seen(&found), seen(&expected), "{pathcc} {line}");
        let names = |did: &Did| did.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{pathcc} {line}");
        for (name, content) in &found.files {
            // A compilation database holds the command line as clang got it, a precompiled header
            // or module the directories of headers.
            let has_ours = [".pch", ".pcm"].iter().any(|end| name.ends_with(end));
            if name == "compdb.json" || has_ours {
                continue;
            }
            let has = |needle: &[u8]| content.windows(needle.len()).any(|window| window == needle);
            // The test plugin's mark: as text, or somewhere inside bitcode.
            let marked = has(b"pathcc.") || content.starts_with(b"BC\xc0\xde") || has(b".llvm.lto");
            assert!(marked || content == &expected.files[name], "{pathcc} {line}: {name} differs");
        }
        self.assert_no_temporary_files();
        found
    }

    /// Standard error without what has to differ in a listing of jobs (`-v`, `-###`).
    fn neutral(&self, stderr: &str) -> String {
        let plugin = self.path("tree/lib/pathcc/libpathpass-0123.so");
        let include = self.path("tree/include");
        let text = stderr
            .replace(&format!("\"-fpass-plugin={}\" ", plugin.display()), "")
            .replace(&format!("-fpass-plugin={} ", plugin.display()), "")
            .replace(&format!("\"-idirafter\" \"{}\" ", include.display()), "")
            .replace(&format!("-idirafter{} ", include.display()), "")
            .replace(&format!("-idirafter {} ", include.display()), "")
            .replace(&format!("ignoring nonexistent directory \"{}\"\n", include.display()), "")
            .replace(self.bin("ld.pathld").to_str().expect("text"), "/usr/bin/ld");
        // Our temporary objects are in a directory of their own, with six random characters in its
        // name.
        let mut pieces = text.split("/tmp/pathcc-");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            text += "/tmp";
            text += &piece[6..];
        }
        // clang gives each a name with six random hexadecimal digits.
        let mut words = Vec::new();
        for word in text.split(' ') {
            words.push(match word.rsplit_once('-') {
                Some((start, end))
                    if word.contains("driver-test-")
                        && end.len() >= 8
                        && end.as_bytes()[6] == b'.' =>
                {
                    format!("{start}-XXXXXX{}", &end[6..])
                }
                _ => word.to_owned(),
            });
        }
        words.join(" ")
    }

    pub fn assert_no_temporary_files(&self) {
        let left: Vec<_> = fs::read_dir(self.path("tmp"))
            .expect("directory")
            .flatten()
            .map(|e| e.file_name())
            .collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// The plugin, compiled once for all test programs.
fn plugin() -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/common/plugin.cpp");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let age = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let plugin = directory.join("driver-test-plugin.so");
    if age(&plugin) < age(&source) {
        let flags = Command::new("/usr/lib/llvm-22/bin/llvm-config")
            .arg("--cxxflags")
            .output()
            .expect("llvm-config");
        let flags = String::from_utf8(flags.stdout).expect("text");
        // Several test programs may be here at once.
        let own = directory.join(format!("driver-test-plugin-{}.so", std::process::id()));
        let own = own
            .with_extension(format!("{:?}", std::thread::current().id()).replace(['(', ')'], ""));
        let status = Command::new("clang++-22")
            .args(flags.split_whitespace())
            .args(["-shared", "-fPIC", "-fno-rtti", "-o"])
            .args([&own, &source])
            .status()
            .expect("clang++-22");
        assert!(status.success(), "the test plugin does not compile");
        fs::rename(&own, &plugin).expect("rename");
    }
    plugin
}
