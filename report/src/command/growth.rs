//! Keeps profiles short: sums their older starts once they have become long.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};
use pathformat::variables::PROFILE_LIMIT;
use pathprof::show::style::grouped;
use profile::combine::{compact, standing, store};
use profile::escape::terminal;
use profile::inputs;

use crate::command::messages::announce;
use crate::command::progress::Progress;

/// The bytes of a mebibyte.
const MEBIBYTE: u64 = 1 << 20;

/// How long a profile may be unless [`PROFILE_LIMIT`] says otherwise.
const USUAL_LIMIT: u64 = 64 * MEBIBYTE;

/// How long a profile may be, in bytes.
pub(crate) fn profile_limit() -> Result<u64> {
    let Some(value) = env::var_os(PROFILE_LIMIT).filter(|value| !value.is_empty()) else {
        return Ok(USUAL_LIMIT);
    };
    let mebibytes: Option<u64> = value.to_str().and_then(|text| text.parse().ok());
    match mebibytes {
        Some(0) => Ok(u64::MAX),
        Some(mebibytes) => Ok(mebibytes.saturating_mul(MEBIBYTE)),
        None => bail!("{PROFILE_LIMIT} is `{}`, not a number of MiB (0: any)", value.display()),
    }
}

/// Sums the older starts of those of these profiles that are where images leave them and have
/// become longer than the limit. They must have been read: what was asked is answered from what was
/// there.
pub(crate) fn sum_long(profiles: BTreeSet<PathBuf>, limit: u64) {
    for profile in &profiles {
        // Where that is not possible they are read the next time as they were this time.
        let _ = standing::take_in(profile, store::try_lock, &Progress::default());
    }
    for profile in profiles.iter().filter(|profile| inputs::is_default(profile)) {
        if let Some(compact::Compacted { path, bytes: (before, after), .. }) =
            compact::if_long(profile, limit, &Progress::default())
        {
            let [before, after] = [before, after].map(|bytes| grouped(bytes.div_ceil(1024).into()));
            let path = path.display().to_string();
            announce(&format!(
                "summed older starts in {}: {before} KiB became {after}",
                terminal(&path)
            ));
        }
    }
}
