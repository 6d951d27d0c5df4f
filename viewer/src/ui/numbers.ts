// Exact counts, and how people read them.

/** A count: a number, or its digits where a number would not be exact. */
export type Count = number | string;

/** A number that is near enough to sort and to draw. */
export function near(count: Count | null | undefined): number {
    return count == null ? 0 : Number(count);
}

/** The sum, exactly. */
export function sum(counts: Iterable<Count>): Count {
    let small = 0;
    let large = 0n;
    for (const count of counts) {
        if (typeof count === "number" && small + count <= Number.MAX_SAFE_INTEGER) small += count;
        else large += BigInt(count);
    }
    const all = large + BigInt(small);
    return all <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(all) : all.toString();
}

/** The product, exactly. */
export function product(count: Count, times: number): Count {
    const all = BigInt(count) * BigInt(times);
    return all <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(all) : all.toString();
}

/** All digits in groups of three; `?` for what is not known. */
export function digits(count: Count | null | undefined): string {
    if (count == null) return "?";
    return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

const UNITS: [number, string][] = [
    [1e24, "Y"],
    [1e21, "Z"],
    [1e18, "E"],
    [1e15, "P"],
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
];

/** Three digits and a unit, for where there is little room; exact up to 9,999. */
export function brief(count: Count | null | undefined): string {
    if (count == null) return "?";
    const value = near(count);
    const unit = UNITS.find(([least]) => value >= least);
    if (!unit) return digits(count);
    const scale = unit[1] === "k" ? 1e3 : unit[0];
    const scaled = value / scale;
    return (scaled >= 100 ? scaled.toFixed(0) : scaled.toPrecision(3)) + unit[1];
}

/** A part in percent. What is not nothing is not shown as nothing, nor what is not all as all. */
export function percent(part: number, whole: number): string {
    if (whole <= 0) return "–";
    const share = (100 * part) / whole;
    if (part > 0 && share < 0.05) return "<0.1 %";
    if (part < whole && share > 99.95) return ">99.9 %";
    return `${share.toFixed(1)} %`;
}

/** Heat from 0 (did not run) to 9, by the logarithm of a share. */
export function heat(part: number, whole: number): number {
    if (part <= 0 || whole <= 0) return 0;
    const level = 9 + Math.log2(part / whole) * 0.75;
    return Math.max(1, Math.min(9, Math.round(level)));
}

/** `1 path`, `2 paths`. */
export function plural(count: Count, word: string): string {
    return `${digits(count)} ${word}${String(count) === "1" ? "" : "s"}`;
}

/** Nanoseconds as seconds, rounded to milliseconds. */
export function seconds(nanoseconds: number): string {
    return (Math.round(nanoseconds / 1e6) / 1e3).toFixed(3);
}
