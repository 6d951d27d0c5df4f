//! Durations for people.

/// So many nanoseconds, in the unit that suits them: `850 ns`, `1.2 ms`.
pub fn duration(nanoseconds: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    for (unit, name) in units {
        if nanoseconds >= unit {
            let tenths = u128::from(nanoseconds) * 10 / unit as u128;
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
    }
    format!("{nanoseconds} ns")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_unit() {
        let told = [0, 999, 1000, 1_250_000, 59_990_000_000].map(duration);
        assert_eq!(told, ["0 ns", "999 ns", "1.0 µs", "1.2 ms", "59.9 s"]);
        assert_eq!(duration(u64::MAX), "18446744073.7 s");
    }
}
