//! Calls the real linker, with what counting needs added to its command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Context, Result};
use pathformat::names;
use wrapper::children::Children;

use super::installed::{Lto, Runtime};
use crate::allocator::Allocator;
use crate::args::{self, CommandLine};
use crate::image_kind::ImageKind;
use crate::module;
use crate::process::{self, Outcome};
use crate::real::{RealLinker, Verbosity};
use crate::scan::Module;
use crate::workspace::Workspace;

/// The modules for which the real linker is given counters.
pub(super) struct Additions {
    /// With none nothing is added.
    pub(super) modules: Vec<Module>,
    /// The kind of image that they are for.
    pub(super) kind: ImageKind,
}

impl Additions {
    /// The additions for another round, if there is a `better` list or the image is of another
    /// `kind`.
    pub(super) fn better(&self, better: Option<Vec<Module>>, kind: ImageKind) -> Option<Self> {
        let is_other = kind != self.kind && !self.modules.is_empty();
        (better.is_some() || is_other)
            .then(|| Self { modules: better.unwrap_or_else(|| self.modules.clone()), kind })
    }
}

/// A link that pathld takes part in.
pub(super) struct Link<'a> {
    pub(super) real: RealLinker,
    pub(super) lto: Option<Lto>,
    pub(super) arguments: &'a [OsString],
    /// The same without response files.
    pub(super) expanded: &'a [OsString],
    /// The same with copies in the place of inputs that could not be counted, if there are any.
    pub(super) counted: Option<&'a [OsString]>,
    pub(super) line: &'a CommandLine,
    /// The files of the inputs, in no order, if all are known.
    pub(super) files: Option<Vec<PathBuf>>,
    pub(super) runtime: Runtime,
    pub(super) workspace: Workspace,
    pub(super) children: Children,
}

impl Link<'_> {
    /// Where the image goes.
    pub(super) fn output(&self) -> PathBuf {
        self.line.output.clone().unwrap_or_else(|| "a.out".into())
    }

    /// Calls the real linker with additions; without them, as it was meant to be called.
    pub(super) fn call_with(
        &self,
        additions: Option<&Additions>,
        voice: Verbosity,
    ) -> Result<Outcome> {
        let mut arguments = Vec::new();
        let lto = self.lto.as_ref().filter(|_| additions.is_some());
        if let Some(lto) = lto {
            arguments.push(OsString::from_iter([
                OsStr::new("--load-pass-plugin="),
                lto.plugin.as_os_str(),
            ]));
            // lld alone needs the option.
            arguments.extend(self.line.takes_fat_bitcode.then(|| "--fat-lto-objects".into()));
        }
        let nothing = Additions { modules: Vec::new(), kind: ImageKind::Executable };
        let Additions { modules, kind } = additions.unwrap_or(&nothing);
        if !modules.is_empty() {
            let is_traced = *kind == ImageKind::Executable && module::traces(modules);
            let files = self.files.as_ref().filter(|_| is_traced);
            let allocator = files.map_or(Allocator::Other, |files| Allocator::of(files));
            let object = self
                .workspace
                .write("pathcc.o", &module::generate(modules, *kind, allocator)?)
                .context("cannot write the object with the counters")?;
            if is_traced {
                // A library that the program opens must find them, whichever it is.
                let visible = names::SHARED_BY_TRACED_IMAGES
                    .into_iter()
                    .chain([names::OPENMP_TOOL])
                    .chain(names::REGION_FUNCTIONS)
                    .chain(names::SIGNAL_FUNCTIONS)
                    .chain(names::SYNCHRONISATION_FUNCTIONS)
                    .chain(names::ALLOCATION_FUNCTIONS);
                arguments
                    .extend(visible.map(|name| format!("--export-dynamic-symbol={name}").into()));
            }
            // In front of everything, where no option before it can change how it is read.
            arguments
                .extend([object.into_os_string(), self.runtime.counters.clone().into_os_string()]);
            if !self.line.build_id {
                arguments.push("--build-id=sha1".into());
            }
            if *kind == ImageKind::Static
                && self.line.has_c_library()
                && self.line.has_start_files()
            {
                // musl takes handlers of forks into a program only if something asks for them.
                // Without the usual start much of a C library cannot be linked.
                arguments.push("--undefined=pthread_atfork".into());
                // The C library's `exit` shall end in ours, which stands before the C library.
                arguments.push("--undefined=_exit".into());
            }
        }
        if module::counts(modules) && *kind == ImageKind::Static {
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
    pub(super) fn call(
        &self,
        arguments: &[OsString],
        real: &RealLinker,
        voice: Verbosity,
    ) -> Result<Outcome> {
        let command = real.prepare(arguments, &self.workspace, voice)?;
        process::run(command, &self.children)
            .with_context(|| format!("cannot start the real linker {}", real.path().display()))
    }
}
