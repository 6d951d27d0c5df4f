//! The programs that run for us as children. Signals that end us are handed on to them.
//!
//! A signal that is to end us is handed on to every running child, and no further one is
//! started. The caller then cleans up and dies by the same signal, as the program that it stands
//! before would. A signal that was ignored when we were started (`nohup`) stays ignored.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The signals that end us.
const STOPPING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// The most time between a signal that ended a child and our own copy: a terminal sends both at
/// once.
const SIGNAL_DELAY: Duration = Duration::from_millis(200);

/// The set of running children; clones are the same set.
#[derive(Debug, Clone, Default)]
pub struct Children {
    state: Arc<Mutex<ChildSet>>,
    /// Set if signals have their usual effect again.
    released: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct ChildSet {
    stopped_by: Option<i32>,
    running: Vec<Pid>,
}

impl Children {
    /// An empty set that watches for signals from now on.
    ///
    /// # Errors
    /// The system has no room for a handler or a thread.
    pub fn watching_signals() -> io::Result<Children> {
        let children = Children::default();
        let ignored = ignored_signals();
        let is_heeded = |signal: &i32| ignored & (1 << (signal - 1)) == 0;
        let stopping: Vec<i32> = STOPPING.into_iter().filter(is_heeded).collect();
        for &signal in &stopping {
            let released = Arc::clone(&children.released);
            signal_hook::flag::register_conditional_default(signal, released)?;
        }
        let mut signals = signal_hook::iterator::Signals::new(stopping)?;
        let listener = children.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                listener.stop(signal);
            }
        })?;
        Ok(children)
    }

    /// Gives signals their usual effect again.
    pub fn release(&self) {
        self.released.store(true, Ordering::SeqCst);
    }

    /// The signal that ends us, once there was one.
    pub fn stopped_by(&self) -> Option<i32> {
        self.state().stopped_by
    }

    /// As [`Children::stopped_by`], for when a child was ended by a signal: ours may be a moment
    /// late.
    pub fn stopped_by_soon(&self) -> Option<i32> {
        let mut waited = Duration::ZERO;
        while self.stopped_by().is_none() && waited < SIGNAL_DELAY {
            let moment = Duration::from_millis(5);
            std::thread::sleep(moment);
            waited += moment;
        }
        self.stopped_by()
    }

    /// Runs a command to its end. Nothing if a signal came before it began.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run(&self, command: &mut Command) -> io::Result<Option<ExitStatus>> {
        let (mut child, pid) = {
            // Started under the lock: a signal finds either no such child, or its number.
            let mut state = self.state();
            if state.stopped_by.is_some() {
                return Ok(None);
            }
            let child = command.spawn()?;
            let pid = Pid::from_child(&child);
            state.running.push(pid);
            (child, pid)
        };
        // The number is the child's until it is waited for, so it leaves the set in between.
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {
        }
        self.state().running.retain(|running| *running != pid);
        child.wait().map(Some)
    }

    fn stop(&self, signal: i32) {
        let mut state = self.state();
        state.stopped_by.get_or_insert(signal);
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        for child in &state.running {
            // It may just have ended.
            let _ = rustix::process::kill_process(*child, signal);
        }
    }

    fn state(&self) -> MutexGuard<'_, ChildSet> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The set of ignored signals, bit n−1 for signal n.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn codes_and_signals_come_through() {
        let children = Children::default();
        let run = |script| children.run(&mut shell(script)).expect("a shell").expect("not stopped");
        assert_eq!(run("exit 7").code(), Some(7));
        assert!(run("true").success());
        assert_eq!(run("kill -SEGV $$").signal(), Some(11));
        assert!(children.run(&mut Command::new("/does/not/exist")).is_err());
    }

    #[test]
    fn a_signal_is_handed_on_and_no_further_child_starts() {
        let children = Children::default();
        let listener = children.clone();
        let running = std::thread::spawn(move || listener.run(&mut shell("exec sleep 60")));
        while children.state().running.is_empty() {
            std::thread::yield_now();
        }
        children.stop(SIGTERM);
        let status = running.join().expect("no panic").expect("a shell").expect("it was started");
        assert_eq!(status.signal(), Some(SIGTERM));
        assert_eq!(children.run(&mut shell("true")).expect("nothing is started"), None);
        children.stop(SIGINT);
        assert_eq!(children.stopped_by_soon(), Some(SIGTERM), "the first signal counts");
    }
}
