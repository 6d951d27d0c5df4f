use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard};

use super::*;

/// A thread with a chunk of a file, in which it has written a number of bytes.
struct Thread {
    memory: Vec<u64>,
    file: Vec<u64>,
    words: Words,
}

impl Thread {
    fn new(written: usize) -> Self {
        let file = vec![0u64; CHUNK / 8];
        let start = file.as_ptr().expose_provenance();
        let words = Words { next: start + written, limit: start + CHUNK - 4096 };
        Self { memory: vec![0; CHUNK / 8], file, words }
    }

    fn state(&mut self) -> &'static mut ThreadState {
        let memory = NonNull::new(self.memory.as_mut_ptr()).expect("a place").cast::<ThreadState>();
        // SAFETY: zeros are a state, and the memory is longer and stays where it is.
        unsafe { memory.as_ptr().as_mut() }.expect("a place")
    }

    fn written(&self) -> usize {
        self.words.next - self.file.as_ptr().addr()
    }
}

/// Begins a run. There is one at a time.
fn run() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(|failed| failed.into_inner());
    PARTS.store(1, Ordering::Relaxed);
    one
}

#[test]
fn paths_go_elsewhere_between_parts() {
    let _run = run();
    let mut thread = Thread::new(64);
    let state = thread.state();
    let before = thread.words;
    switch(true);
    switch(false);
    assert!(is_recorded(), "the run is a part");
    assert_eq!(room(state, &mut thread.words), None);
    switch(false);
    switch(false);
    assert!(!is_recorded());

    pause(state, &mut thread.words);
    assert_eq!(thread.words, unread(state));
    // No path ended meanwhile, so none is missing.
    resume(state, &mut thread.words);
    assert_eq!(thread.words, before);

    pause(state, &mut thread.words);
    thread.words.next += 4;
    resume(state, &mut thread.words);
    assert_eq!(thread.written(), 68);
    assert_eq!(thread.file[8] as u32, RecordKind::Off.word(0));

    // In the memory that is never read there is always room.
    pause(state, &mut thread.words);
    thread.words.next += UNREAD_USED;
    let unread = unread(state);
    assert_eq!((room(state, &mut thread.words), thread.words), (Some(unread.next), unread));
    assert_eq!(state.current().0.is_off, 1);

    // An end without a beginning had no effect.
    switch(true);
    assert!(is_recorded());
    assert_eq!(room(state, &mut thread.words), Some(thread.words.next));
    assert_eq!((thread.written(), state.current().0.is_off), (72, 0));

    // A chunk that may be too full for the next record is not used again.
    switch(false);
    thread.words.next = thread.words.limit - LONGEST_RECORD;
    pause(state, &mut thread.words);
    thread.words.next += 4;
    switch(true);
    assert_eq!(room(state, &mut thread.words), None);
    assert_eq!(state.current().0.is_off, 1);
}

#[test]
fn the_first_image_that_waits_ends_the_part_of_the_run() {
    let _run = run();
    begin_run(None, false);
    assert!(is_recorded(), "nobody waits");
    assert!(end_run() && !is_recorded(), "a library waits");
    switch(true);
    assert!(!end_run() && is_recorded(), "another one has no say any more");
}

#[test]
fn what_is_said_wins_over_images_that_wait() {
    let _run = run();
    begin_run(Some(true), true);
    assert!(!end_run() && is_recorded());
}

#[test]
fn without_a_word_an_image_that_waits_decides() {
    let _run = run();
    begin_run(None, true);
    assert!(!is_recorded() && !end_run());
    switch(true);
    assert!(is_recorded());
}
