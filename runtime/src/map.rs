//! The process's map, by which a report finds the functions whose addresses are keys of tables.

use process::proc::for_each_byte;
use process::sys::File;
use process::text::Text;

/// The lines of `/proc/self/maps` about code that is in files, as far as there is room: some eight
/// hundred of them.
pub(crate) struct Map {
    lines: Text<65536>,
    /// Scratch space for a line.
    line: Text<4352>,
}

impl Map {
    /// Returns an empty map, which is all zeros.
    pub(crate) const fn new() -> Self {
        Self { lines: Text::new(), line: Text::new() }
    }

    /// Reads the map again. It is empty without `/proc`.
    pub(crate) fn read(&mut self) -> &[u8] {
        // Without /proc the lines that were read before are kept.
        if let Ok(maps) = File::open(c"/proc/self/maps") {
            self.lines.clear();
            self.line.clear();
            for_each_byte(&maps, |byte| {
                self.line.push(byte);
                if byte == b'\n' {
                    let before = self.lines.as_bytes().len();
                    if is_code(self.line.as_bytes()) {
                        self.lines.push_all(self.line.as_bytes());
                    }
                    if self.line.overflowed() || self.lines.overflowed() {
                        self.lines.truncate(before);
                    }
                    self.line.clear();
                }
                true
            });
        }
        self.lines.as_bytes()
    }
}

/// Returns true if a line describes executable memory that is in a file.
fn is_code(line: &[u8]) -> bool {
    let permissions = line.split(|&byte| byte == b' ').nth(1).unwrap_or_default();
    permissions.get(2) == Some(&b'x') && line.contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_very_code_is_on_the_map() {
        let mut map = Box::new(Map::new());
        map.read();
        let text = String::from_utf8_lossy(map.read()).into_owned();
        let here = this_very_code_is_on_the_map as *const () as usize;
        let holds = |line: &str| {
            let (start, rest) = line.split_once('-').expect("a range");
            let (end, _) = rest.split_once(' ').expect("a range");
            let number = |text| usize::from_str_radix(text, 16).expect("a number");
            (number(start)..number(end)).contains(&here)
        };
        assert_eq!(text.lines().filter(|line| holds(line)).count(), 1, "{text}");
        assert!(text.lines().all(|line| line.contains(" r-xp ") && line.contains('/')), "{text}");
    }

    #[test]
    fn only_code_in_files_is_told_of() {
        assert!(is_code(b"1000-2000 r-xp 00000000 08:01 5 /lib/libc.so.6\n"));
        assert!(!is_code(b"1000-2000 r--p 00000000 08:01 5 /lib/libc.so.6\n"));
        assert!(!is_code(b"1000-2000 r-xp 00000000 00:00 0 [vdso]\n"));
    }
}
