//! Lines of shell as a user types them, with the programs of the tree under test.

use std::path::Path;
use std::process::Command;

use crate::tree::bin;

/// Runs lines of shell in a folder; gives what they print to standard output.
///
/// The tree's programs come first in `PATH`, no profile's name is set, and the user's state is in
/// the folder.
///
/// # Panics
/// If a line fails.
pub fn shell(folder: &Path, lines: &str) -> String {
    let tree = bin("pathcc").parent().expect("a program is in a folder").display().to_string();
    let mut command = Command::new("sh");
    command.args(["-ec", &format!("PATH={tree}:$PATH\n{lines}")]).current_dir(folder);
    command.env_remove("PATHCC_PROFILE").env("XDG_STATE_HOME", folder.join("state"));
    let output = command.output().expect("there is a shell");
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{lines}\n{out}{err}");
    out
}
