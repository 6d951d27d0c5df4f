//! Decides which files are obeyed: those of the user we work for and those of root, as far as
//! nobody else can write them.
//!
//! A file that is found on the way upwards may be somebody else's, in `/tmp` for example, and
//! settings can break a build. Writing by a group is harmless if the user is alone in it: many
//! systems give each user such a group and a umask that lets it write. Groups are looked up in
//! `/etc` alone; one that is not there has other members.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bits of a mode.
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// A user, and what is known of others.
pub(crate) struct Trust {
    user: u32,
    passwd: String,
    group: String,
}

impl Trust {
    /// The trust of the user who runs this process.
    pub(crate) fn of_process() -> Trust {
        // Without these files every group has other members.
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        Trust {
            user: rustix::process::geteuid().as_raw(),
            passwd: read("/etc/passwd"),
            group: read("/etc/group"),
        }
    }

    /// Why the file at a path, which was opened, is not obeyed.
    pub(crate) fn objection(&self, path: &Path, opened: &Metadata) -> Option<String> {
        let link = std::fs::symlink_metadata(path).ok().filter(Metadata::is_symlink);
        link.and_then(|link| self.foreign(link.uid())).or_else(|| {
            self.foreign(opened.uid())
                .or_else(|| self.written_by_others(opened.uid(), opened.gid(), opened.mode()))
        })
    }

    fn foreign(&self, owner: u32) -> Option<String> {
        (owner != self.user && owner != 0).then(|| match name_of(&self.passwd, owner) {
            Some(name) => format!("it belongs to {name}"),
            None => format!("it belongs to user {owner}"),
        })
    }

    fn written_by_others(&self, owner: u32, group: u32, mode: u32) -> Option<String> {
        if mode & OTHERS_WRITE != 0 {
            return Some("everybody can write it".into());
        }
        if mode & GROUP_WRITES == 0 || self.is_alone(owner, group) {
            return None;
        }
        Some(match name_of(&self.group, group) {
            Some(name) => format!("the group {name} can write it"),
            None => format!("the group {group} can write it"),
        })
    }

    /// True if nobody but this user is in a group.
    fn is_alone(&self, user: u32, group: u32) -> bool {
        let Some(name) = name_of(&self.passwd, user) else { return false };
        let members = entries(&self.group)
            .find(|entry| field(entry, 2) == Some(group))
            .and_then(|entry| entry.get(3).copied());
        let no_other =
            |members: &str| members.split(',').all(|member| member.is_empty() || member == name);
        let others = || {
            entries(&self.passwd)
                .any(|entry| field(&entry, 3) == Some(group) && field(&entry, 2) != Some(user))
        };
        members.is_some_and(no_other) && !others()
    }
}

/// The lines of a file like `/etc/passwd`, in fields.
fn entries(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split(':').collect())
}

fn field(entry: &[&str], index: usize) -> Option<u32> {
    entry.get(index)?.parse().ok()
}

/// The name for a number, which is the third field.
fn name_of(text: &str, number: u32) -> Option<&str> {
    text.lines()
        .find(|line| line.split(':').nth(2).and_then(|id| id.parse().ok()) == Some(number))?
        .split(':')
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(user: u32) -> Trust {
        let passwd = "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:\nbob:x:1001:1001::/:\n\
            eve:x:1002:50::/:\nod:x:1003:1000\n";
        let group = "root:x:0:\nann:x:1000:\nbob:x:1001:bob\nstaff:x:50:\nboth:x:60:ann,bob\n";
        Trust { user, passwd: passwd.into(), group: group.into() }
    }

    #[test]
    fn files_of_others_are_not_obeyed() {
        let foreign = |user, owner| trust(user).foreign(owner);
        assert_eq!(foreign(1000, 1000), None);
        assert_eq!(foreign(1000, 0), None);
        assert_eq!(foreign(1000, 1001).as_deref(), Some("it belongs to bob"));
        assert_eq!(foreign(0, 1001).as_deref(), Some("it belongs to bob"));
        assert_eq!(foreign(1000, 77).as_deref(), Some("it belongs to user 77"));
    }

    #[test]
    fn files_that_others_can_write_are_not_obeyed() {
        let written = |owner, group, mode| trust(owner).written_by_others(owner, group, mode);
        assert_eq!(written(1001, 1001, 0o644), None);
        assert_eq!(written(1001, 1001, 0o664), None, "a group of bob's own");
        assert_eq!(written(0, 0, 0o664), None);
        assert_eq!(written(1001, 1001, 0o666).as_deref(), Some("everybody can write it"));
        assert_eq!(written(1001, 60, 0o664).as_deref(), Some("the group both can write it"));
        assert_eq!(written(1002, 50, 0o660), None, "eve is alone in her group");
        assert_eq!(
            written(1000, 1000, 0o660).as_deref(),
            Some("the group ann can write it"),
            "od is in it"
        );
        assert_eq!(
            written(1001, 50, 0o660).as_deref(),
            Some("the group staff can write it"),
            "eve is in it"
        );
        assert_eq!(written(1001, 99, 0o660).as_deref(), Some("the group 99 can write it"));
        assert_eq!(written(77, 1001, 0o660).as_deref(), Some("the group bob can write it"));
    }
}
