//! File systems that the programs live on, mounted for one test each, and counters that fill them.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

/// Where a program lives, and how much it counts.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    system: &'static str,
    /// Whether the program has 12 MiB of counters beside its own.
    large: bool,
}

/// Programs that live in every place. Of the others each lives in one, unless `SURVIVAL_PLACES=all`
/// is set.
const EVERYWHERE: [&str; 5] =
    ["threads_posix", "fork_exact_threads", "fork_simple", "death_outside", "library_dlopen"];

/// A program that brings a file system of its own, in which 12 MiB have no room.
const ELSEWHERE: &str = "hostile_full_disk";

/// Programs that live with their own counters alone. The first gives itself so little memory that
/// its threads have no room for 12 MiB each, the second measures slots, and the third is built in
/// steps of its own.
const SMALL: [&str; 3] = ["hostile_limits", "threads_churn", "with_profilers"];

/// Shell lines that mount each file system over the folder `$PLACE`. What is needed for it goes to
/// `$UNDER`.
const SYSTEMS: [(&str, &str); 3] = [
    ("tmpfs", "mount -t tmpfs -o size=4g none $PLACE"),
    (
        "ext4",
        "truncate -s 4g $UNDER/disk; mkfs.ext4 -q $UNDER/disk; mount -o loop $UNDER/disk $PLACE",
    ),
    (
        "overlay",
        "L=$UNDER/layers; mkdir $L; mount -t tmpfs -o size=4g none $L; mkdir $L/low $L/up $L/work; \
         mount -t overlay -o lowerdir=$L/low,upperdir=$L/up,workdir=$L/work none $PLACE",
    ),
];

impl Place {
    /// The places where a program lives.
    pub(crate) fn of(program: &str) -> impl Iterator<Item = Self> {
        // Any one will do, but it shall stay the same when programs are added.
        let number =
            program.bytes().fold(0, |sum: usize, byte| sum * 31 % 1009 + usize::from(byte));
        let here = program != ELSEWHERE;
        let asked = env::var_os("SURVIVAL_PLACES").is_some_and(|all| all == "all");
        let everywhere = EVERYWHERE.contains(&program) || asked && here;
        let all = SYSTEMS
            .iter()
            .flat_map(|(system, _)| [false, true].map(|large| Self { system, large }));
        let chosen = all.enumerate().filter(move |(at, _)| everywhere || here && number % 6 == *at);
        let fits = !SMALL.contains(&program);
        chosen.map(move |(_, place)| Self { large: place.large && fits, ..place })
    }

    /// Its name in that of a test.
    pub(crate) fn name(self) -> String {
        format!("{}{}", self.system, if self.large { " large" } else { "" })
    }

    fn mount(self) -> &'static str {
        SYSTEMS
            .iter()
            .find(|(system, _)| *system == self.system)
            .map_or("false", |(_, mount)| *mount)
    }

    /// Whether this machine lets us mount it.
    pub(crate) fn can_be_had(self) -> Result<bool, Failed> {
        let folder = tempfile::tempdir()?;
        Ok(self.live("true").current_dir(folder.path()).output()?.status.success())
    }

    /// A shell that does what `script` does where the current folder is there, and brings back what
    /// that leaves.
    pub(crate) fn live(self, script: &str) -> Command {
        let mount = self.mount();
        apart(&format!(
            "PLACE=$PWD; UNDER=$(mktemp -d); mount --bind $PLACE $UNDER; {mount}; cd $PLACE\n\
             for f in $(ls -A $UNDER | grep -vxE 'disk|layers'); do cp -a $UNDER/$f .; done\n\
             set +e\n(\n{script}\n)\nstatus=$?\ncp -a . $UNDER; cd /; umount -l $PLACE; exit $status"
        ))
    }

    /// A compiler that links with the counters of this place.
    pub(crate) fn compiler(self, folder: &Path, compiler: &str) -> Result<String, Failed> {
        if !self.large {
            return Ok(compiler.to_owned());
        }
        let ballast = folder.join("ballast.c");
        fs::write(&ballast, ballast_source())?;
        let object = ballast.with_extension("o");
        let options = ["-c", "-O0", "-fPIC", "-fpath-limit=1000000", "-fpath-mode=paths", "-o"];
        let made = Command::new(compiler).args(options).arg(&object).arg(&ballast).output()?;
        if !made.status.success() {
            return Err(format!(
                "cannot compile the ballast: {}",
                String::from_utf8_lossy(&made.stderr)
            )
            .into());
        }
        let name = folder.join(Path::new(compiler).file_name().ok_or("a compiler has a name")?);
        let (object, place) = (object.display(), name.display().to_string());
        let script = format!(
            "#!/bin/sh\ncase \" $* \" in *' -c '*|*' -shared '*) exec {compiler} \"$@\";; esac\nexec {compiler} \"$@\" {object}\n"
        );
        fs::write(&name, script)?;
        fs::set_permissions(&name, fs::Permissions::from_mode(0o755))?;
        Ok(place)
    }
}

/// A shell whose mounts are its own.
fn apart(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", script]);
    command
}

/// Three functions of 2^19 paths, whose counters take 12 MiB, and which run a few times.
fn ballast_source() -> String {
    let bits: String =
        (0..19).map(|bit| format!("if (x & {}) ballast += {bit}; ", 1 << bit)).collect();
    let functions = (0..3)
        .map(|at| format!("__attribute__((noinline)) void ballast_{at}(unsigned x) {{ {bits}}}\n"));
    let functions: String = functions.collect();
    let calls: String = (0..3).map(|at| format!("ballast_{at}(x * 2654435761u >> 5); ")).collect();
    format!(
        "unsigned ballast;\n{functions}__attribute__((constructor, destructor)) static void touch(void) \
         {{ for (unsigned x = 0; x < 50; x++) {{ {calls}}} }}\n"
    )
}
