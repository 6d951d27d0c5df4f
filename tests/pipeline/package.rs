//! Packages: what one installs works for every user, several versions stand side by side, and
//! removing them leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::checkout::{checkout, files};
use pathtests::tree::bin;
use serde_yaml_ng::Value;

fn tree() -> PathBuf {
    bin("pathcc").ancestors().nth(2).expect("a program is in a tree").to_path_buf()
}

/// Packs the tree; gives the file.
fn pack(kind: &str, out: &Path, version: &str) -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/package");
    let mut command = Command::new(script);
    command.arg(kind).arg(tree()).arg(out).arg(version).env("SOURCE_DATE_EPOCH", "1700000000");
    // Only the contents are tested, and good compression takes minutes.
    command.env("XZ_DEFAULTS", "-0").env("DPKG_DEB_COMPRESSOR_LEVEL", "0");
    let output = command.output().expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().into()
}

/// Runs lines of shell as root in a copy of this system that is thrown away; `None` if that is not
/// to be had.
fn elsewhere(folder: &Path, lines: &str) -> Option<String> {
    let mount = "mount -t tmpfs none layers && mkdir layers/up layers/work root && \
                 mount -t overlay -o lowerdir=/,upperdir=layers/up,workdir=layers/work none root && \
                 mount --rbind /proc root/proc && mount --rbind /dev root/dev && mount --bind packages root/mnt";
    for name in ["layers", "packages"] {
        fs::create_dir_all(folder.join(name)).expect("writable");
    }
    let run = |lines: &str| {
        let script = format!(
            "{mount} && exec chroot root env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -euc \"$LINES_\""
        );
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script]).env("LINES_", lines).current_dir(folder);
        command.output().expect("util-linux")
    };
    if !run("true").status.success() {
        return None;
    }
    fs::remove_dir(folder.join("root")).expect("empty again");
    let output = run(lines);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

#[test]
fn packages_install_stand_side_by_side_upgrade_and_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let packages = folder.path().join("packages");
    let names = ["7.1.0", "7.1.1", "7.2.0"].map(|version| {
        let package = pack("deb", &packages, version);
        package.file_name().expect("a name").to_string_lossy().into_owned()
    });
    assert_eq!(
        names,
        ["pathcc-7.1_7.1.0_amd64.deb", "pathcc-7.1_7.1.1_amd64.deb", "pathcc-7.2_7.2.0_amd64.deb"]
    );
    let lines = r#"
        cd /mnt
        files() { find /usr /etc /var/lib -xdev 2>/dev/null | grep -vE 'dpkg|cache|alternatives' | sort; }
        files >/tmp/before
        dpkg -i pathcc-7.1_7.1.0_amd64.deb >/dev/null
        try() {
            rm -rf /tmp/try; mkdir /tmp/try; cd /tmp/try
            echo 'int main(int count, char **words) { return count > 1; }' >main.c
            chown -R nobody /tmp/try
            su -s /bin/sh nobody -c 'cd /tmp/try && pathcc -g main.c -o main && ./main && pathprof report main' | grep ^paths
            cd /mnt
        }
        try
        test -e /usr/share/man/man1/pathprof-report.1
        dpkg -i pathcc-7.2_7.2.0_amd64.deb >/dev/null
        echo "$(readlink -f /usr/bin/pathcc) $(readlink -f /usr/bin/ld.pathld) $(readlink -f /usr/lib/cmake/Pathcc)"
        update-alternatives --set pathcc /usr/lib/pathcc-7.1/bin/pathcc >/dev/null
        echo "$(readlink -f /usr/bin/pathcc) $(readlink -f /usr/bin/pathprof)"
        dpkg -i pathcc-7.1_7.1.1_amd64.deb >/dev/null 2>&1
        echo "$(dpkg-query -W -f '${Version} ' pathcc-7.1 pathcc-7.2) $(readlink -f /usr/bin/pathcc)"
        try
        dpkg -r pathcc-7.1 >/dev/null
        readlink -f /usr/bin/pathcc
        try
        dpkg -P pathcc-7.2 pathcc-7.1 >/dev/null 2>&1
        [ ! -e /usr/bin/pathcc ] && [ ! -e /usr/bin/pathprof ] && [ ! -e /usr/lib/pathcc-7.2 ]
        files >/tmp/after
        diff /tmp/before /tmp/after | grep -c pathcc || :
    "#;
    let Some(told) = elsewhere(folder.path(), lines) else {
        eprintln!("skipped: this system does not let a test have a system of its own");
        return;
    };
    let works = "paths     1 of 1 ran, in 1 of 1 function, once in all";
    let [one, two] = ["/usr/lib/pathcc-7.1", "/usr/lib/pathcc-7.2"];
    let expected = [
        works,
        &format!("{two}/bin/pathcc {two}/bin/ld.pathld {two}/lib/cmake/Pathcc"),
        &format!("{one}/bin/pathcc {one}/bin/pathprof"),
        &format!("7.1.1 7.2.0  {one}/bin/pathcc"),
        works,
        &format!("{two}/bin/pathcc"),
        works,
        // Files of ours that are left.
        "0",
    ];
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_tarball_works_where_it_is_unpacked_and_packing_repeats() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["tarball", "deb"] {
        let [one, other] = ["a", "b"]
            .map(|name| fs::read(pack(kind, &folder.path().join(name), "7.1.0")).expect("written"));
        assert!(one == other, "{kind}: the same tree gives the same bytes");
    }
    let script = "tar -xf a/pathcc-7.1.0-x86_64-linux.tar.xz; echo 'int main(void) { return 0; }' >main.c\n\
                  pathcc-7.1.0/bin/pathcc main.c -o main; ./main; pathcc-7.1.0/bin/pathprof report main; ls pathcc-7.1.0";
    let output = Command::new("sh")
        .args(["-ec", script])
        .current_dir(folder.path())
        .env_remove("PATHCC_PROFILE")
        .output();
    let output = output.expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("paths ") && text.contains("share"),
        "{output:?}"
    );
}

/// What is in a tree: each file and link by its place, and where a link points. The plugin's file
/// is named after its content, which has no debug information in packages.
fn content(tree: &Path) -> Vec<String> {
    let place = |path: &PathBuf| {
        let place = path.strip_prefix(tree).expect("below").display().to_string();
        match fs::read_link(path) {
            _ if place.starts_with("lib/pathcc/libpathpass") => "the plugin".to_owned(),
            Ok(target) => format!("{place} -> {}", target.display()),
            Err(_) => place,
        }
    };
    let mut places: Vec<_> = files(tree).iter().map(place).collect();
    places.sort();
    places
}

#[test]
fn the_tree_the_installed_one_the_package_and_the_tarball_hold_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = |kind| pack(kind, folder.path(), "7.1.0").display().to_string();
    let [deb, tarball] = ["deb", "tarball"].map(packed);
    let lines = format!(
        "dpkg-deb -x {deb} deb; tar -xf {tarball}; \
         make -s -C '{}' install TREE='{}' PREFIX=$PWD/installed",
        checkout().display(),
        tree().display()
    );
    let output = Command::new("sh")
        .args(["-ec", &lines])
        .current_dir(folder.path())
        .env_remove("MAKEFLAGS")
        .env_remove("DESTDIR")
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{output:?}");
    let built = content(&tree());
    let has = |place: &str| built.iter().any(|file| file == place);
    assert!(has("share/man/man1/pathprof-report.1") && has("share/man/man1/pathcc.1"), "{built:?}");
    assert!(has("share/doc/pathcc/docs/counts.md"), "{built:?}");
    for place in ["installed", "deb/usr/lib/pathcc-7.1", "pathcc-7.1.0"] {
        let found = content(&folder.path().join(place));
        let differ = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|file| !other.contains(file)).cloned().collect()
        };
        let [lacks, adds] = [differ(&built, &found), differ(&found, &built)];
        assert!(found == built, "{place} lacks {lacks:?} and adds {adds:?}");
    }
}

/// A project whose tests reach four of its five lines.
fn project(folder: &Path) {
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    put(
        "sample.c",
        "int main(int count, char **words) {\n  if (count > 1)\n    return 0;\n  return 0;\n}\n",
    );
    put("Makefile", "sample: sample.c\n\t$(CC) $< -o $@\ncheck: sample\n\t./sample\n");
}

fn template(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contrib").join(name);
    serde_yaml_ng::from_str(&fs::read_to_string(path).expect("a template")).expect("YAML")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

#[test]
fn templates_of_services_build_test_and_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let tarball = pack("tarball", &folder.join("packed"), "7.1.0").display().to_string();

    // GitHub adds to PATH what a step writes to a file.
    let place = folder.join("github");
    fs::create_dir(&place).expect("writable");
    project(&place);
    let [added, summary] = ["added", "summary"].map(|name| folder.join(name));
    let inputs = [("package", tarball.as_str()), ("run", "make check"), ("fail-under", "80")];
    let filled = |value: &Value| {
        let put = |text: String, (name, input): &(&str, &str)| {
            text.replace(&format!("${{{{ inputs.{name} }}}}"), input)
        };
        inputs.iter().fold(text(value).to_owned(), put)
    };
    for step in template("github/action.yml")["runs"]["steps"].as_sequence().expect("steps") {
        let path = fs::read_to_string(&added).unwrap_or_default();
        let path = format!("{}:{}", path.trim(), std::env::var("PATH").expect("set"));
        let mut command = Command::new(text(&step["shell"]));
        command
            .args(["-eo", "pipefail", "-c", &filled(&step["run"])])
            .current_dir(&place)
            .env_remove("PATHCC_PROFILE");
        command.env("PATH", path).env("RUNNER_TEMP", folder);
        command.env("GITHUB_PATH", &added).env("GITHUB_STEP_SUMMARY", &summary);
        for (name, value) in step["env"].as_mapping().into_iter().flatten() {
            command.env(text(name), filled(value));
        }
        let output = command.output().expect("a shell");
        assert!(output.status.success(), "{}: {output:?}", text(&step["name"]));
    }
    let summary = fs::read_to_string(summary).expect("written");
    assert!(summary.contains("sample.c") && summary.contains("4/5"), "{summary}");
    assert!(fs::read_to_string(place.join("coverage.info")).expect("written").contains("DA:3,0"));

    let place = folder.join("gitlab");
    fs::create_dir(&place).expect("writable");
    project(&place);
    let job = &template("gitlab/pathcc.yml")[".pathcc"];
    let lines = |name: &str| {
        job[name].as_sequence().expect("lines").iter().map(text).collect::<Vec<_>>().join("\n")
    };
    let shell = |lines: &str| {
        let mut command = Command::new("bash");
        command
            .args(["-eo", "pipefail", "-c", lines])
            .current_dir(&place)
            .env_remove("PATHCC_PROFILE");
        for (name, value) in job["variables"].as_mapping().expect("variables") {
            command.env(text(name), text(value));
        }
        command.env("PATHCC_PACKAGE", &tarball).output().expect("a shell")
    };
    let own = "make check; pathprof coverage --fail-under";
    assert!(!shell(&format!("{}\n{own} 81 .", lines("before_script"))).status.success());
    let done = shell(&format!("{}\n{own} 80 .", lines("before_script")));
    assert!(done.status.success(), "{done:?}");
    // `grep` prints what stands between \K and what only has to follow.
    let pattern = text(&job["coverage"]).trim_matches('/').replace("(\\d", "\\K(\\d");
    let (number, after) = pattern.split_once('%').expect("percent");
    let pattern = format!("{number}(?=%{after})");
    let done = shell(&format!(
        "{{ {}; }} | grep -oP '{pattern}'",
        lines("after_script").replace('\n', "; ")
    ));
    assert_eq!(String::from_utf8_lossy(&done.stdout), "80.0\n", "{done:?}");
}
