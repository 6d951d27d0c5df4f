//! Links until the list of modules fits the image.
//!
//! The inputs show which modules there may be, so that the real linker usually runs once. Its
//! output shows which there are: bitcode has its modules only then, and of an archive only some
//! members are taken. If the list misses a module or reserves far too much, the linker runs again
//! with the list of the output.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use anyhow::Result;
use pathformat::ModuleId;

use super::command::{Additions, Link};
use super::messages::{JOINED, NOTHING_COUNTS, warn, warn_damaged};
use crate::content::content;
use crate::image_kind::{self, ImageKind};
use crate::process::Outcome;
use crate::real::Verbosity;
use crate::scan::{self, Module, ScanResult};
use crate::{entry, module, segments, strays, words};

/// A region of this size may not fit in a program any more, whose code reaches 2 GiB.
const LARGE_REGION: u64 = 1 << 30;

/// The most bytes reserved for modules of archives that were not taken. They are never touched, so
/// they cost no memory.
const TOLERATED_EXCESS: u64 = 64 << 20;

/// The second run is final unless the real linker takes other members of archives than in the
/// first.
const MOST_ROUNDS: usize = 3;

/// The image that the linker has made.
struct LinkedImage {
    /// The modules that it has.
    reached: ScanResult,
    kind: ImageKind,
    /// The modules whose counters are not in the region.
    elsewhere: Vec<ModuleId>,
}

impl Link<'_> {
    /// Links what was found, with its counters.
    ///
    /// # Errors
    /// The real linker cannot be started, or what it is given cannot be written.
    pub(super) fn link(&self, found: ScanResult) -> Result<Outcome> {
        let kind = image_kind::expected(self.line, &found);
        let has_segment = found.counts_in_segment();
        // Of a region that may be too large, find out first how much of it is needed.
        let unsure = is_large(&found.modules);
        let modules = if unsure { Vec::new() } else { found.modules };
        let mut added = Additions { modules, kind };
        let mut outcome = self.call_with(Some(&added), Verbosity::Loud)?;
        let mut strays = HashSet::new();
        for _ in 0..MOST_ROUNDS {
            let made = outcome.success().then(|| self.made(&added));
            let Some(LinkedImage { mut reached, kind, elsewhere }) = made.flatten() else { break };
            strays.extend(elsewhere);
            reached.modules.retain(|module| !strays.contains(&module.id));
            let is_stray = |module: &Module| strays.contains(&module.id);
            let better = if added.modules.iter().any(is_stray) {
                Some(reached.modules)
            } else {
                better_list(&added.modules, &reached.modules)
            };
            if better.is_some() && found.bitcode {
                warn_damaged(&reached.damaged);
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
            outcome = self.call_with(Some(&added), Verbosity::Quiet)?;
            if !outcome.success() {
                outcome = self.call_with(None, Verbosity::Loud)?;
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
            self.warn_of_strays(&strays);
            if found.bitcode && found.joined_bitcode && found.counted_bitcode {
                warn(JOINED);
            }
        }
        let adds = !added.modules.is_empty() || self.lto.is_some();
        if matches!(outcome, Outcome::Code(_)) && !outcome.success() && adds {
            return self.without_counters(outcome);
        }
        if outcome.success() && !added.modules.is_empty() {
            self.finish(&added, has_segment, !strays.is_empty());
        } else if outcome.success() && (self.lto.is_some() || found.plain_bitcode) {
            // As where no pass of a plugin's is run: thin link-time optimisation at -O0.
            warn(NOTHING_COUNTS);
        }
        Ok(outcome)
    }

    /// Links without counters, with copies of objects that do not need what a script throws away.
    pub(super) fn without_what_is_discarded(&self, script: &Path) -> Result<Outcome> {
        let arguments = self.counted.unwrap_or(self.arguments);
        let outcome = self.call(arguments, &self.real, Verbosity::Loud)?;
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

    /// The image that the linker has made of these.
    fn made(&self, added: &Additions) -> Option<LinkedImage> {
        let path = self.output();
        let data = content(&path).ok()?;
        let (reached, kind) =
            (scan::scan_image(&data, &path)?, image_kind::of_image(&data, added.kind)?);
        Some(LinkedImage { reached, kind, elsewhere: strays::of_image(&data) })
    }

    fn warn_of_strays(&self, strays: &HashSet<ModuleId>) {
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
        if self.children.stopped_by().is_some()
            || !self.call_with(None, Verbosity::Quiet)?.success()
        {
            return Ok(failure);
        }
        warn(&format!(
            "{}: the link fails with the counters, as shown above, and succeeds without them; the \
             program is linked, but its paths are not counted",
            self.output().display()
        ));
        Ok(Outcome::Code(0))
    }

    /// Changes a finished image: code may run without a thread pointer, or with another one, and
    /// that of an executable reads its words at once. Code that `has_segment` loses it where it
    /// leads elsewhere: where something else uses it, or to arrays that `are_strays`.
    fn finish(&self, Additions { modules, kind }: &Additions, has_segment: bool, are_strays: bool) {
        let output = self.output();
        let is_library = *kind == ImageKind::Library;
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
        let is_taken = modules.iter().any(|module| module.uses_segment);
        let hides = || content(&output).is_ok_and(|data| segments::has_hidden_threads(&data));
        let loses_segment = has_segment && (moves || is_taken || are_strays || hides());
        let segment = if loses_segment { segments::take_away(&output) } else { Ok(()) };
        self.warn_of_failure(before.and(words).and(segment));
    }

    /// Takes the segment from the code of a library, however it was linked: a program has one.
    pub(super) fn take_segment_from_library(&self) {
        let output = self.output();
        let kind = |data: &[u8]| image_kind::of_image(data, ImageKind::Library);
        if content(&output).is_ok_and(|data| kind(&data) == Some(ImageKind::Library)) {
            self.warn_of_failure(segments::take_away(&output));
        }
    }

    fn warn_of_failure(&self, changed: io::Result<()>) {
        if let Err(error) = changed {
            warn(&format!(
                "{}: cannot be changed: {error}; it may not run; link it elsewhere",
                self.output().display()
            ));
        }
    }
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
            in_segment: false,
            uses_segment: false,
            moves_pointer: false,
            traced: false,
            waits: false,
            changes_label: false,
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
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(better_list(&list, &list).is_none()));
        // Each with each would take an hour.
        assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(120)), Ok(true));
    }

    #[test]
    fn sizes_that_overflow_are_large() {
        assert!(is_large(&[module(1, u64::MAX)]) && is_large(&[module(1, 1 << 28)]));
        assert!(!is_large(&[module(1, 1 << 20)]));
    }
}
