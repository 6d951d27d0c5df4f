//! The processes that are running for us, and what happens to them when we are told to stop.
//!
//! SIGINT, SIGTERM and SIGHUP are handed on to every running job; no further one is started. The caller
//! then cleans up and dies by the same signal, as the driver would. A signal that was ignored when we
//! were started (`nohup`) stays ignored.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The signals that mean: stop.
const STOPPING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// How long our own copy of a signal may be behind the one that ended a job (a terminal sends both at once).
const SIGNAL_DELAY: Duration = Duration::from_millis(200);

/// The set of running jobs; clones are the same set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running {
    state: Arc<Mutex<State>>,
    /// Whether signals do again what they always do.
    released: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    stopped_by: Option<i32>,
    jobs: Vec<Pid>,
}

impl Running {
    /// A set that is told of signals from now on.
    ///
    /// # Errors
    /// If no handler can be installed; nothing has changed then.
    pub(crate) fn watching_signals() -> io::Result<Running> {
        let running = Running::default();
        let ignored = ignored_signals();
        let stopping: Vec<i32> = STOPPING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect();
        for &signal in &stopping {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&running.released))?;
        }
        let mut signals = signal_hook::iterator::Signals::new(stopping)?;
        let told = running.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                told.stop(signal);
            }
        })?;
        Ok(running)
    }

    /// From now on signals are not watched for.
    pub(crate) fn release(&self) {
        self.released.store(true, Ordering::SeqCst);
    }

    /// The signal that has told us to stop.
    pub(crate) fn stopped_by(&self) -> Option<i32> {
        self.state().stopped_by
    }

    /// As [`Running::stopped_by`], for when a job was ended by a signal: ours may be a moment late.
    pub(crate) fn stopped_by_soon(&self) -> Option<i32> {
        let mut waited = Duration::ZERO;
        while self.stopped_by().is_none() && waited < SIGNAL_DELAY {
            let moment = Duration::from_millis(5);
            std::thread::sleep(moment);
            waited += moment;
        }
        self.stopped_by()
    }

    /// Runs a command to its end. Nothing if we have been told to stop before it began.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn run(&self, command: &mut Command) -> io::Result<Option<ExitStatus>> {
        let (mut child, pid) = {
            // Started under the lock: a signal finds either no such job, or its number.
            let mut state = self.state();
            if state.stopped_by.is_some() {
                return Ok(None);
            }
            let child = command.spawn()?;
            let pid = Pid::from_child(&child);
            state.jobs.push(pid);
            (child, pid)
        };
        // The number belongs to the job until it is waited for, so it leaves the set in between.
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
        self.state().jobs.retain(|job| *job != pid);
        child.wait().map(Some)
    }

    fn stop(&self, signal: i32) {
        let mut state = self.state();
        state.stopped_by.get_or_insert(signal);
        for job in &state.jobs {
            let signal = match signal {
                SIGINT => Signal::INT,
                SIGHUP => Signal::HUP,
                _ => Signal::TERM,
            };
            // It may just have ended.
            let _ = rustix::process::kill_process(*job, signal);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The set of ignored signals, bit n−1 for signal n.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
