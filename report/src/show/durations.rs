//! Durations for people, rounded.

/// Returns nanoseconds in a suitable unit: `850 ns`, `1.2 ms`.
pub fn duration(nanoseconds: u64) -> String {
    if nanoseconds < 1_000 {
        return format!("{nanoseconds} ns");
    }
    let units = [(1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")];
    let tenths = units.map(|(unit, name)| ((u128::from(nanoseconds) * 10 + unit / 2) / unit, name));
    let [.., seconds] = tenths;
    let (tenths, name) = tenths.into_iter().find(|(tenths, _)| *tenths < 10_000).unwrap_or(seconds);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// Returns nanoseconds as seconds, to the millisecond: `0.026`.
pub fn seconds(nanoseconds: u64) -> String {
    let milliseconds = (u128::from(nanoseconds) + 500_000) / 1_000_000;
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_unit() {
        let texts = [0, 999, 1000, 1_250_000, 59_990_000_000].map(duration);
        assert_eq!(texts, ["0 ns", "999 ns", "1.0 µs", "1.3 ms", "60.0 s"]);
        assert_eq!(duration(u64::MAX), "18446744073.7 s");
    }

    #[test]
    fn none_is_cut() {
        assert_eq!(seconds(25_981_000), "0.026");
        assert_eq!(seconds(59_999_600_000), "60.000");
        assert_eq!([999_940_000, 999_960_000].map(duration), ["999.9 ms", "1.0 s"]);
    }
}
