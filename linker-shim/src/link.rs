//! One link, from the arguments to the finished image.
//!
//! The inputs tell which modules there may be, so that the real linker usually runs once. Its
//! output tells which modules there are: bitcode shows its modules only then, and of an archive
//! only some members are taken. If a module is missing in the list, or the list reserves far too
//! much, it runs again with the list from the output.
//!
//! Bitcode that clang made without us is instrumented while it is optimised, by the same plugin,
//! which lld can load.
//!
//! A build never fails because of pathld: what goes wrong here is told, and the program is linked
//! uncounted.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result};
use pathformat::{ModuleId, names, tree, variables};
use wrapper::children::Children;

use crate::args::{self, CommandLine, Replacement};
use crate::content::content;
use crate::kind::{self, Kind};
use crate::pipes::Kept;
use crate::process::{self, Outcome};
use crate::real::{RealLinker, Voice};
use crate::scan::{self, Damaged, Found, Module};
use crate::workspace::Workspace;
use crate::{depfile, entry, module, neutral, response, restored, strays, words};

/// A region of this size may not fit in a program any more, whose code reaches 2 GiB.
const LARGE_REGION: u64 = 1 << 30;

/// The most bytes reserved for modules of archives that were not taken. They are never touched, so
/// they cost no memory.
const TOLERATED_EXCESS: u64 = 64 << 20;

/// The second run is final unless the real linker takes other members of archives than in the
/// first.
const MOST_ROUNDS: usize = 3;

/// The most damaged records that are reported.
const TOLD: usize = 3;

/// Links as the arguments say.
///
/// # Errors
/// The real linker cannot be found or started.
pub(crate) fn run(arguments: &[OsString]) -> Result<Outcome> {
    let real = RealLinker::find()?;
    let Some(expanded) = response::expand(arguments, &|| real.dialect()) else {
        return Err(real.exec(arguments));
    };
    let line = args::parse(&expanded);
    if is_disabled() || line.foreign.is_some() || line.inputs.is_empty() {
        return Err(real.exec(arguments));
    }
    match Kept::new(&expanded) {
        // What came from a pipe may be a response file.
        Some(kept) => match response::expand(&kept.arguments, &|| real.dialect()) {
            Some(expanded) => take_part(real, &expanded, &expanded, &args::parse(&expanded)),
            None => Err(real.exec(&kept.arguments)),
        },
        None => take_part(real, arguments, &expanded, &line),
    }
}

/// Links an image that may have counters. `expanded` are the arguments without response files, and
/// `line` is what they say.
fn take_part(
    real: RealLinker,
    arguments: &[OsString],
    expanded: &[OsString],
    line: &CommandLine,
) -> Result<Outcome> {
    let found = scan::scan_inputs(line);
    tell_damaged(&found.damaged);
    let by_pathcc = env::var_os(variables::LINKED_BY).is_some();
    if found.modules.is_empty() && !found.bitcode {
        if line.has_start_files() && !by_pathcc {
            warn(NOTHING_COUNTS);
        }
        return Err(real.exec(arguments));
    }
    let prepared = runtime().and_then(|runtime| {
        // Watched for first, so that no signal leaves the directory behind.
        let children = Children::watching_signals().context("cannot watch for signals")?;
        Ok((runtime, children, Workspace::new().context("cannot make a temporary directory")?))
    });
    let (runtime, children, workspace) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            warn_uncounted(&error);
            return Err(real.exec(arguments));
        }
    };
    let copies = match &found.discarding {
        Some(_) => copies(&workspace, &found, &found.counted, neutral::copy),
        None => copies(&workspace, &found, &found.changed, restored::copy),
    };
    let replaced = (!copies.is_empty()).then(|| args::with_files(expanded, line, &copies));
    // pathcc has instrumented its bitcode before, but not that of others.
    let lto = found.bitcode && (found.plain_bitcode || !by_pathcc);
    let lto = if lto { Lto::find(&real) } else { None };
    let counted = replaced.as_deref();
    let link = Link { real, lto, arguments, expanded, counted, line, runtime, workspace, children };
    let discarding = found.discarding.clone();
    let outcome = match &discarding {
        Some(script) => link.as_a_script_wants(script),
        None => link.link(found),
    };
    let outcome = outcome.or_else(|error| {
        let outcome = link.once(None, Voice::Loud)?;
        if outcome.success() {
            warn_uncounted(&error);
        }
        anyhow::Ok(outcome)
    })?;
    if let Some(file) = &line.dependency_file {
        depfile::name_originals(file, &copies);
        depfile::clean(
            file,
            link.workspace.path(),
            &[&link.runtime.counters, &link.runtime.threads],
        );
    }
    Ok(outcome)
}

/// What to say of a link by pathld in which nothing was compiled for it.
const NOTHING_COUNTS: &str = "none of the inputs counts its paths: compile them with pathcc \
    (CC=pathcc CXX=pathc++), or with the options that `pathcc --cflags` prints";

/// What to say where link-time optimisation makes one unit of what is counted and what is not.
const JOINED: &str = "full link-time optimisation joins bitcode that pathcc compiled with bitcode \
    that it did not compile, and that is not counted: compile all of it with pathcc, or use \
    -flto=thin";

fn is_disabled() -> bool {
    variables::is_on(env::var_os(variables::DISABLE).as_deref().map(OsStr::as_bytes))
}

/// Tells the user about something that does not keep the program from being linked.
fn warn(message: &str) {
    // If nobody listens, the program is linked all the same.
    let _ = writeln!(io::stderr(), "pathld: warning: {message}");
}

fn warn_uncounted(error: &Error) {
    warn(&format!("{error:#}; the program is linked, but its paths are not counted"));
}

/// The root of the installed tree.
fn root() -> Result<PathBuf> {
    let this = env::current_exe()
        .and_then(fs::canonicalize)
        .context("cannot find out where pathld is installed")?;
    Ok(this.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_path_buf())
}

/// Finds the runtime.
fn runtime() -> Result<Runtime> {
    let root = root()?;
    let [counters, threads] = [tree::RUNTIME, tree::THREADS].map(|path| root.join(path));
    for archive in [&counters, &threads] {
        fs::metadata(archive)
            .with_context(|| format!("the runtime {} is missing", archive.display()))?;
    }
    Ok(Runtime { counters, threads })
}

fn tell_damaged(damaged: &[Damaged]) {
    damaged.iter().take(TOLD).for_each(|damaged| warn(&damaged.to_string()));
    if damaged.len() > TOLD {
        warn(&format!("{} more inputs have the same problem", damaged.len() - TOLD));
    }
}

/// The archives of the runtime.
struct Runtime {
    counters: PathBuf,
    /// For static executables.
    threads: PathBuf,
}

/// What instruments bitcode while it is linked.
struct Lto {
    /// lld: no other linker loads a plugin of LLVM's passes.
    linker: RealLinker,
    plugin: PathBuf,
}

impl Lto {
    /// The real linker, if that is lld, else clang's own; `None` without either.
    fn find(real: &RealLinker) -> Option<Self> {
        let plugin = root().ok()?.join(tree::PLUGIN).canonicalize().ok()?;
        Some(Self { linker: real.as_lld()?, plugin })
    }
}

/// What the real linker is given beside the program.
struct Added {
    /// The modules that have counters; with none nothing is given.
    modules: Vec<Module>,
    /// The kind of image that they are for.
    kind: Kind,
}

impl Added {
    /// What to link with again, if there is a `better` list or the image is of another `kind`.
    fn better(&self, better: Option<Vec<Module>>, kind: Kind) -> Option<Self> {
        let is_other = kind != self.kind && !self.modules.is_empty();
        (better.is_some() || is_other)
            .then(|| Self { modules: better.unwrap_or_else(|| self.modules.clone()), kind })
    }
}

/// What the linker has made of that.
struct Made {
    /// What the image contains.
    reached: Found,
    kind: Kind,
    /// The modules whose counters are not in the region.
    elsewhere: Vec<ModuleId>,
}

/// A link that pathld takes part in.
struct Link<'a> {
    real: RealLinker,
    lto: Option<Lto>,
    arguments: &'a [OsString],
    /// The same without response files.
    expanded: &'a [OsString],
    /// The same with copies in the place of inputs that could not be counted, if there are any.
    counted: Option<&'a [OsString]>,
    line: &'a CommandLine,
    runtime: Runtime,
    workspace: Workspace,
    children: Children,
}

impl Link<'_> {
    fn link(&self, found: Found) -> Result<Outcome> {
        let kind = kind::expected(self.line, &found);
        // Of a region that may be too large, find out first how much of it is needed.
        let unsure = is_large(&found.modules);
        let modules = if unsure { Vec::new() } else { found.modules };
        let mut added = Added { modules, kind };
        let mut outcome = self.once(Some(&added), Voice::Loud)?;
        let mut strays = HashSet::new();
        for _ in 0..MOST_ROUNDS {
            let made = outcome.success().then(|| self.made(&added));
            let Some(Made { mut reached, kind, elsewhere }) = made.flatten() else { break };
            strays.extend(elsewhere);
            reached.modules.retain(|module| !strays.contains(&module.id));
            let is_stray = |module: &Module| strays.contains(&module.id);
            let better = if added.modules.iter().any(is_stray) {
                Some(reached.modules)
            } else {
                better_list(&added.modules, &reached.modules)
            };
            if better.is_some() && found.bitcode {
                tell_damaged(&reached.damaged);
            }
            let Some(better) = added.better(better, kind) else { break };
            if is_large(&better.modules) {
                let megabytes = module::region_size(&better.modules).unwrap_or(u64::MAX) >> 20;
                warn(&format!(
                    "{}: the counters need {megabytes} MiB; if the link fails for relocations out \
                     of range, compile with a smaller -fpath-limit",
                    self.output().display()
                ));
            }
            added = better;
            outcome = self.once(Some(&added), Voice::Quiet)?;
            if !outcome.success() {
                outcome = self.once(None, Voice::Loud)?;
                if outcome.success() {
                    warn(&format!(
                        "{}: the linker failed on the second run; the program is linked, but its \
                         paths are not counted",
                        self.output().display()
                    ));
                }
                return Ok(outcome);
            }
        }
        if outcome.success() {
            self.tell_strays(&strays);
            if found.bitcode && found.joined_bitcode && found.counted_bitcode {
                warn(JOINED);
            }
        }
        let adds = !added.modules.is_empty() || self.lto.is_some();
        if matches!(outcome, Outcome::Code(_)) && !outcome.success() && adds {
            return self.without_counters(outcome);
        }
        if outcome.success() && !added.modules.is_empty() {
            self.finish(&added);
        } else if outcome.success() && (self.lto.is_some() || found.plain_bitcode) {
            // As where no pass of a plugin's is run: thin link-time optimisation at -O0.
            warn(NOTHING_COUNTS);
        }
        Ok(outcome)
    }

    /// Links without counters, with copies of objects that do not need what a script throws away.
    fn as_a_script_wants(&self, script: &Path) -> Result<Outcome> {
        let arguments = self.counted.unwrap_or(self.arguments);
        let outcome = self.call(arguments, &self.real, Voice::Loud)?;
        let script = script.display();
        if outcome.success() {
            warn(&format!(
                "{script}: this linker script discards sections that counting needs; the program \
                 is linked, but its paths are not counted"
            ));
        } else if matches!(outcome, Outcome::Code(_)) {
            warn(&format!(
                "{script}: this linker script discards sections that code of pathcc may need; \
                 compile without -flto and -fpath-mode=trace, or let the script keep .pathcc.*, \
                 .tdata* and .tbss*"
            ));
        }
        Ok(outcome)
    }

    /// What the linker has made of these.
    fn made(&self, added: &Added) -> Option<Made> {
        let path = self.output();
        let data = content(&path).ok()?;
        let (reached, kind) = (scan::scan_image(&data, &path)?, kind::of_image(&data, added.kind)?);
        Some(Made { reached, kind, elsewhere: strays::of_image(&data) })
    }

    fn tell_strays(&self, strays: &HashSet<ModuleId>) {
        if !strays.is_empty() {
            warn(&format!(
                "{}: {} of its modules cannot be counted, since a tool made their symbols local \
                 after they were compiled; link the objects as the compiler wrote them",
                self.output().display(),
                strays.len()
            ));
        }
    }

    /// After a failure: if what was added is the reason, the program is linked without it.
    fn without_counters(&self, failure: Outcome) -> Result<Outcome> {
        if self.children.stopped_by().is_some() || !self.once(None, Voice::Quiet)?.success() {
            return Ok(failure);
        }
        warn(&format!(
            "{}: the link fails with the counters, as told above, and succeeds without them; the \
             program is linked, but its paths are not counted",
            self.output().display()
        ));
        Ok(Outcome::Code(0))
    }

    /// Changes a finished image: code may run without a thread pointer, or with another one, and
    /// that of an executable reads its words at once.
    fn finish(&self, Added { modules, kind }: &Added) {
        let output = self.output();
        let is_library = *kind == Kind::Library;
        let before = if is_library {
            Ok(())
        } else {
            entry::put_before(&output, !self.line.has_c_library())
        };
        let moves = modules.iter().any(|module| module.moves_pointer && !module.traced);
        let words = match () {
            () if moves => words::take_away(&output),
            () if is_library || self.line.keeps_relocations => Ok(()),
            () => words::read_at_once(&output),
        };
        if let Err(error) = before.and(words) {
            warn(&format!(
                "{}: cannot be changed: {error}; it may not run; link it elsewhere",
                output.display()
            ));
        }
    }

    fn output(&self) -> PathBuf {
        self.line.output.clone().unwrap_or_else(|| "a.out".into())
    }

    /// Calls the real linker with what is added; with nothing, as it was meant to be called.
    fn once(&self, added: Option<&Added>, voice: Voice) -> Result<Outcome> {
        let mut arguments = Vec::new();
        let lto = self.lto.as_ref().filter(|_| added.is_some());
        if let Some(lto) = lto {
            arguments.push(OsString::from_iter([
                OsStr::new("--load-pass-plugin="),
                lto.plugin.as_os_str(),
            ]));
            // lld alone has to be told.
            arguments.extend(self.line.takes_fat_bitcode.then(|| "--fat-lto-objects".into()));
        }
        let nothing = Added { modules: Vec::new(), kind: Kind::Executable };
        let Added { modules, kind } = added.unwrap_or(&nothing);
        if !modules.is_empty() {
            let object = self
                .workspace
                .write("pathcc.o", &module::generate(modules, *kind)?)
                .context("cannot write the object with the counters")?;
            let traced = modules.iter().any(|module| module.traced);
            if traced && *kind == Kind::Executable {
                // A library that the program opens must find them, whichever it is.
                let visible = [names::TRACE_WORDS, names::TRACE_TICKETS, names::OPENMP_TOOL]
                    .into_iter()
                    .chain(names::REGION_FUNCTIONS)
                    .chain(names::SIGNAL_FUNCTIONS)
                    .chain(names::SYNCHRONISATION_FUNCTIONS);
                arguments
                    .extend(visible.map(|name| format!("--export-dynamic-symbol={name}").into()));
            }
            // In front of everything, where no option before it can change how it is read.
            arguments
                .extend([object.into_os_string(), self.runtime.counters.clone().into_os_string()]);
            if !self.line.build_id {
                arguments.push("--build-id=sha1".into());
            }
            if *kind == Kind::Static && self.line.has_c_library() && self.line.has_start_files() {
                // musl takes handlers of forks into a program only if something asks for them.
                // Without the usual start much of a C library cannot be linked.
                arguments.push("--undefined=pthread_atfork".into());
                // The C library's `exit` shall end in ours, which stands before the C library.
                arguments.push("--undefined=_exit".into());
            }
        }
        if module::counts(modules) && *kind == Kind::Static {
            let expanded = self.counted.unwrap_or(self.expanded);
            let (program, system) = expanded.split_at(args::before_system_libraries(expanded));
            arguments.extend_from_slice(program);
            arguments.push(self.runtime.threads.clone().into_os_string());
            arguments.extend_from_slice(system);
        } else {
            let counted = self.counted.filter(|_| !modules.is_empty());
            arguments.extend_from_slice(counted.unwrap_or(self.arguments));
        }
        self.call(&arguments, lto.map_or(&self.real, |lto| &lto.linker), voice)
    }

    /// Calls a linker.
    fn call(&self, arguments: &[OsString], real: &RealLinker, voice: Voice) -> Result<Outcome> {
        let command = real.prepare(arguments, &self.workspace, voice)?;
        process::run(command, &self.children)
            .with_context(|| format!("cannot start the real linker {}", real.path().display()))
    }
}

/// Changed copies of those inputs that are in a list.
fn copies(
    workspace: &Workspace,
    found: &Found,
    list: &[PathBuf],
    change: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Vec<Replacement> {
    let replacement = |(input, file): (usize, &Option<PathBuf>)| {
        let original = file.as_ref().filter(|file| list.contains(file))?;
        let copy = change(&content(original).ok()?)?;
        let copy = workspace.write_beside(input, original, &copy).ok()?;
        Some(Replacement { input, original: original.clone(), copy })
    };
    found.inputs.iter().enumerate().filter_map(replacement).collect()
}

fn is_large(modules: &[Module]) -> bool {
    module::region_size(modules).is_none_or(|size| size > LARGE_REGION)
}

/// The list to link again with, if the one that was used does not do for what reached the output.
fn better_list(used: &[Module], reached: &[Module]) -> Option<Vec<Module>> {
    if reached.is_empty() {
        return None;
    }
    let known: HashSet<&Module> = used.iter().collect();
    let missing = reached.iter().any(|module| !known.contains(module));
    let size = |modules| module::region_size(modules).unwrap_or(u64::MAX);
    let excessive = size(used).saturating_sub(size(reached)) > TOLERATED_EXCESS;
    (missing || excessive).then(|| reached.to_vec())
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;
    use pathformat::settings::Threads;

    use super::*;

    fn module(id: u8, counters: u64) -> Module {
        Module {
            id: ModuleId([id; 16]),
            counters,
            keys: 0,
            threads: Threads::Exact,
            own_base: false,
            moves_pointer: false,
            traced: false,
            waits: false,
        }
    }

    #[test]
    fn a_list_is_replaced_only_for_a_reason() {
        let list = [module(1, 10), module(2, 10)];
        assert_eq!(better_list(&list, &list), None);
        assert_eq!(better_list(&list, &list[..1]), None);
        assert_eq!(better_list(&list, &[]), None);
        assert_eq!(better_list(&list[..1], &list), Some(list.to_vec()));
        assert_eq!(better_list(&[], &list), Some(list.to_vec()));
        let huge = [module(1, 10), module(3, 16 << 20)];
        assert_eq!(better_list(&huge, &huge[..1]), Some(vec![huge[0]]));
    }

    #[test]
    fn long_lists_are_compared_at_once() {
        let list: Vec<Module> = (0..1_000_000u64)
            .map(|number| Module {
                id: ModuleId(
                    [number, 1].map(u64::to_le_bytes).as_flattened().try_into().expect("16"),
                ),
                ..module(0, 1)
            })
            .collect();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(better_list(&list, &list).is_none()));
        // Each with each would take an hour.
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(120)), Ok(true));
    }

    #[test]
    fn sizes_that_overflow_are_large() {
        assert!(is_large(&[module(1, u64::MAX)]) && is_large(&[module(1, 1 << 28)]));
        assert!(!is_large(&[module(1, 1 << 20)]));
    }
}
