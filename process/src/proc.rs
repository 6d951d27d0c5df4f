//! The description of this process in `/proc/self`: its variables, its privileges, its maps.

use core::ffi::CStr;
use core::str::FromStr;

use pathformat::{files, variables};

use crate::pattern::{self, IN_NO_DIRECTORY};
use crate::sys::File;
use crate::text::{self, LabelText, Path, Text};

/// Appends the directory for a user's state to `out`. Returns false if there is none. `home` is
/// scratch space.
pub fn read_state_directory(out: &mut Path, home: &mut Path, library: &impl Library) -> bool {
    home.clear();
    let mut scans = (VariableScan::new(variables::STATE_HOME), VariableScan::new(variables::HOME));
    for_each_initial(library, |byte| {
        scans.0.feed(byte, out);
        scans.1.feed(byte, home);
    });
    choose_state_directory(out, home)
}

/// Turns the value of `XDG_STATE_HOME` into the directory for the user's state. Returns false if
/// there is none.
///
/// By the XDG base directory specification a path that is not absolute counts as none, and the
/// directory is then below the home.
fn choose_state_directory(state: &mut Path, home: &Path) -> bool {
    if !state.as_bytes().starts_with(b"/") {
        if !home.as_bytes().starts_with(b"/") {
            return false;
        }
        state.copy(home);
        state.push(b'/');
        state.push_all(files::STATE_IN_HOME.as_bytes());
    }
    !state.overflowed()
}

/// A C library that may have the variables of the program.
pub trait Library {
    /// Returns the list of the variables, which ends with a null; null if there is no such library.
    fn environment(&self) -> *const *const u8;
}

/// Passes each byte of the variables with which the program was started to `take`, as far as the
/// program has not overwritten them. A NUL closes each variable. If the kernel does not give them,
/// those of the library are taken. Returns true if the kernel does.
fn for_each_initial(library: &impl Library, mut take: impl FnMut(u8)) -> bool {
    let file = File::open(c"/proc/self/environ");
    match &file {
        Ok(environ) => for_each_byte(environ, |byte| {
            take(byte);
            true
        }),
        Err(_) => for_each_present(library, take),
    }
    file.is_ok()
}

/// Passes each byte of the library's variables to `take`.
fn for_each_present(library: &impl Library, mut take: impl FnMut(u8)) {
    let mut next = library.environment();
    // SAFETY: the library's list of texts ends with a null.
    unsafe {
        while !next.is_null() && !(*next).is_null() {
            text::c_string(*next).to_bytes_with_nul().iter().for_each(|&byte| take(byte));
            next = next.add(1);
        }
    }
}

/// Returns the values of variables of a few bytes, as at the start of the program, as far as it has
/// not overwritten them.
pub fn values<const N: usize>(names: [&'static str; N]) -> [Option<Text<8>>; N] {
    let mut scans = names.map(|name| (VariableScan::new(name), Text::new()));
    for_each_initial(&NoLibrary, |byte| {
        scans.iter_mut().for_each(|(scan, value)| scan.feed(byte, value));
    });
    scans.map(|(scan, value)| scan.found.then_some(value))
}

/// The absence of a C library with variables.
#[derive(Clone, Copy, Debug)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn environment(&self) -> *const *const u8 {
        core::ptr::null()
    }
}

/// The variables that the runtime reads.
pub struct Variables<'a> {
    /// The value of `PATHCC_PROFILE`.
    pub pattern: &'a mut Path,
    /// The value of `PATHCC_LABEL`.
    pub label: &'a mut LabelText,
    /// The value of `PWD`.
    pub directory: &'a mut Path,
    /// True if every entry was a variable.
    pub sane: bool,
}

impl Variables<'_> {
    /// Reads the variables with which the program was started, as far as it has not overwritten
    /// them. Returns true if there is a pattern.
    pub fn read_process(&mut self, library: &impl Library) -> bool {
        let mut scan = self.scan();
        let mut sane = Sane::new();
        let is_read = for_each_initial(library, |byte| {
            sane.feed(byte);
            self.feed(&mut scan, byte);
        });
        self.sane = is_read && sane.is();
        scan[0].found
    }

    /// Reads the variables of the C library.
    pub fn read_library(&mut self, library: &impl Library) {
        let mut scan = self.scan();
        for_each_present(library, |byte| self.feed(&mut scan, byte));
    }

    fn feed(&mut self, scan: &mut [VariableScan; 3], byte: u8) {
        let [pattern, directory, label] = scan;
        pattern.feed(byte, self.pattern);
        directory.feed(byte, self.directory);
        label.feed(byte, self.label);
    }

    fn scan(&mut self) -> [VariableScan; 3] {
        self.directory.clear();
        self.label.clear();
        [variables::PROFILE, "PWD", variables::LABEL].map(VariableScan::new)
    }
}

/// A check that a stream of NUL-closed entries holds variables only.
struct Sane {
    named: bool,
    empty: bool,
    sane: bool,
}

impl Sane {
    fn new() -> Self {
        Self { named: false, empty: true, sane: true }
    }

    fn feed(&mut self, byte: u8) {
        match byte {
            0 => {
                self.sane &= self.named;
                (self.named, self.empty) = (false, true);
            }
            b'=' => (self.named, self.empty) = (!self.empty, false),
            _ => self.empty = false,
        }
    }

    fn is(&self) -> bool {
        self.sane && self.empty
    }
}

/// The status of a process, from its file `stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The number of the process, in the name space of `/proc`.
    pub process: u32,
    /// The number of its parent.
    pub parent: u32,
    /// The time of its start, in clock ticks since boot.
    pub start: u64,
}

impl Status {
    /// Returns the status of this process.
    pub fn own() -> Option<Self> {
        Self::read(c"/proc/self/stat")
    }

    /// Returns the status of the process with a number.
    pub fn of(process: u32) -> Option<Self> {
        let mut path = Text::<32>::new();
        path.push_all(b"/proc/");
        path.push_decimal(process);
        path.push_all(b"/stat");
        Self::read(path.as_path()?)
    }

    fn read(path: &CStr) -> Option<Self> {
        // The kernel gives the whole file at once.
        let mut bytes = [0; 1024];
        let length = File::open(path).ok()?.read(&mut bytes);
        Self::parse(bytes.get(..length)?)
    }

    /// Parses the file. The command's name in the middle may hold any bytes.
    fn parse(status: &[u8]) -> Option<Self> {
        let end = status.iter().rposition(|&byte| byte == b')')?;
        let process = status.split(|&byte| byte == b' ').next()?;
        // The fields behind the name begin with the third; the parent is the fourth, and the time
        // the 22nd.
        let mut fields = status.get(end + 2..)?.split(|&byte| byte == b' ').skip(1);
        let parent = fields.next()?;
        let start = fields.nth(17)?;
        Some(Self { process: number(process)?, parent: number(parent)?, start: number(start)? })
    }
}

/// Parses a number in decimal.
fn number<N: FromStr>(digits: &[u8]) -> Option<N> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}

/// A search for the value of a variable in a stream of NUL-closed entries. The first entry counts,
/// as for `getenv`.
struct VariableScan {
    /// The variable's name.
    name: &'static str,
    /// The length of the part of the current entry that agrees with the name and an equals sign;
    /// `None` after a difference.
    matched: Option<usize>,
    /// True if the value is complete, and true if it has begun.
    done: bool,
    found: bool,
}

impl VariableScan {
    fn new(name: &'static str) -> Self {
        Self { name, matched: Some(0), done: false, found: false }
    }

    /// Takes a byte.
    fn feed<const N: usize>(&mut self, byte: u8, value: &mut Text<N>) {
        match self.matched {
            _ if self.done => {}
            Some(matched) if matched > self.name.len() => {
                if byte == 0 {
                    self.done = true;
                } else {
                    value.push(byte);
                }
            }
            _ if byte == 0 => self.matched = Some(0),
            Some(matched) if self.name.as_bytes().get(matched).unwrap_or(&b'=') == &byte => {
                self.matched = Some(matched + 1);
                if matched == self.name.len() {
                    self.found = true;
                    value.clear();
                }
            }
            _ => self.matched = None,
        }
    }
}

/// Returns the path at the end of a line of `/proc/self/maps`, if `address` is in its range.
pub fn mapped_path(line: &[u8], address: usize) -> Option<&[u8]> {
    let (start, rest) = hexadecimal(line);
    let (end, _) = hexadecimal(rest.strip_prefix(b"-")?);
    if !(start..end).contains(&address) {
        return None;
    }
    let slash = line.iter().position(|&byte| byte == b'/')?;
    let path = line.get(slash..)?;
    Some(if pattern::is_in_memory(path) {
        path
    } else {
        path.strip_suffix(IN_NO_DIRECTORY).unwrap_or(path)
    })
}

/// Cuts off the kernel's mark behind the path of a file that has no name any more.
pub fn cut_deleted(path: &mut Path) {
    if !pattern::is_in_memory(path.as_bytes()) {
        path.cut_end(IN_NO_DIRECTORY);
    }
}

/// Returns the hexadecimal number at the front of `text`, and the bytes that follow it.
fn hexadecimal(text: &[u8]) -> (usize, &[u8]) {
    let mut value = 0usize;
    let mut rest = text;
    while let Some((&digit, after)) = rest.split_first() {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => break,
        };
        value = value << 4 | usize::from(digit);
        rest = after;
    }
    (value, rest)
}

/// Appends a path as the kernel prints it, where a newline in a name is `\012`.
pub fn unescape(text: &[u8], out: &mut Path) {
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(b"\\012") {
            out.push(b'\n');
            rest = after;
        } else {
            out.push(byte);
            rest = after;
        }
    }
}

/// Calls `take` for each byte of a file until it returns false.
pub fn for_each_byte(file: &File, mut take: impl FnMut(u8) -> bool) {
    let mut chunk = [0; 2048];
    loop {
        let length = file.read(&mut chunk);
        if length == 0 {
            return;
        }
        for &byte in chunk.get(..length).unwrap_or_default() {
            if !take(byte) {
                return;
            }
        }
    }
}

/// Fills the buffer as far as the file goes. Returns the number of bytes.
pub fn read_up_to(file: &File, buffer: &mut [u8]) -> usize {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            0 => break,
            read => length += read,
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    fn variable(environ: &[u8]) -> Option<Vec<u8>> {
        let mut value = Path::new();
        value.push_all(b"<default>");
        let mut scan = VariableScan::new(variables::PROFILE);
        environ.iter().for_each(|&byte| scan.feed(byte, &mut value));
        Some(value.as_bytes().to_vec()).filter(|value| value != b"<default>")
    }

    #[test]
    fn the_users_state_is_below_a_home_or_nowhere() {
        let chosen = |state: &str, home: &str| {
            let [mut out, mut room] = [Path::new(), Path::new()];
            out.push_all(state.as_bytes());
            room.push_all(home.as_bytes());
            choose_state_directory(&mut out, &room)
                .then(|| String::from_utf8_lossy(out.as_bytes()).into_owned())
        };
        assert_eq!(chosen("/state", "/home/me").as_deref(), Some("/state"));
        assert_eq!(chosen("/state", "").as_deref(), Some("/state"));
        assert_eq!(chosen("", "/home/me").as_deref(), Some("/home/me/.local/state"));
        assert_eq!(chosen("relative", "/home/me").as_deref(), Some("/home/me/.local/state"));
        for home in ["", "relative", &format!("/{}", "x".repeat(10_000))] {
            assert_eq!(chosen("", home), None, "{home}");
        }
    }

    #[test]
    fn the_variable_is_found_anywhere() {
        assert_eq!(variable(b"PATHCC_PROFILE=a\0X=b\0"), Some(b"a".to_vec()));
        assert_eq!(
            variable(b"A=PATHCC_PROFILE=no\0PATHCC_PROFIL=x\0PATHCC_PROFILE=yes=1"),
            Some(b"yes=1".to_vec())
        );
        assert_eq!(variable(b"PATHCC_PROFILE=\0PATHCC_PROFILE=second\0"), Some(Vec::new()));
        assert_eq!(variable(b"PATHCC_PROFILER=1\0\0X=1"), None);
        assert_eq!(variable(b""), None);
    }

    #[test]
    fn an_environment_that_was_overwritten_is_noticed() {
        let sane = |environ: &[u8]| {
            let mut sane = Sane::new();
            environ.iter().for_each(|&byte| sane.feed(byte));
            sane.is()
        };
        assert!(sane(b"") && sane(b"A=1\0B=\0") && sane(b"A==\0"));
        assert!(
            !sane(b"A=1")
                && !sane(b"title of a process\0\0\0")
                && !sane(b"A=1\0\0")
                && !sane(b"=\0")
        );
    }

    #[test]
    fn a_path_is_found_by_address() {
        let line = b"55d0c000-55d0d000 r-xp 00001000 fe:00 1234   /tmp/a b/prog";
        assert_eq!(mapped_path(line, 0x55d0_c000), Some(&b"/tmp/a b/prog"[..]));
        assert_eq!(mapped_path(line, 0x55d0_d000), None);
        assert_eq!(mapped_path(b"1000-2000 rw-p 0 00:00 0 ", 0x1000), None);
        assert_eq!(
            mapped_path(b"1000-2000 r--p 0 0:0 1 /gone (deleted)", 0x1fff),
            Some(&b"/gone"[..])
        );
        assert_eq!(
            mapped_path(b"1000-2000 r--p 0 0:1 1 /memfd:a:/b (deleted)", 0x1fff),
            Some(&b"/memfd:a:/b (deleted)"[..])
        );
        assert_eq!(mapped_path(b"", 0), None);
    }

    #[test]
    fn a_newline_in_a_path_is_restored() {
        let mut out = Path::new();
        unescape(b"/a\\012b\\c", &mut out);
        assert_eq!(out.as_bytes(), b"/a\nb\\c");
    }

    #[test]
    fn parent_and_start_are_found_behind_any_name() {
        let status =
            b"7 (a) b (c)) S 5 7 7 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 123456 8192 3\n";
        assert_eq!(Status::parse(status), Some(Status { process: 7, parent: 5, start: 123_456 }));
        assert_eq!(Status::parse(b"7 (a) S 1"), None);
        assert_eq!(Status::parse(b""), None);
        assert_eq!(Status::own().map(|status| status.process), Some(sys::process()));
        assert_eq!(Status::own(), Status::of(sys::process()));
    }
}
