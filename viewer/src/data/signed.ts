// Exact numbers with a sign, and how people read them.

import { type Count, digits } from "../ui/numbers";

/** The sum, exactly. */
export function signedSum(numbers: Iterable<Count>): Count {
    let all = 0n;
    for (const number of numbers) all += BigInt(number);
    const isSmall = all >= -BigInt(Number.MAX_SAFE_INTEGER) && all <= Number.MAX_SAFE_INTEGER;
    return isSmall ? Number(all) : all.toString();
}

/** A number of units, of which `unit` are 1, rounded to hundredths; with its sign if wanted. */
export function amount(number: Count, unit: Count, hasSign = false): string {
    const [all, one] = [BigInt(number), BigInt(unit)];
    const sign = all < 0n ? "−" : all > 0n && hasSign ? "+" : "";
    const size = all < 0n ? -all : all;
    if (one === 1n) return sign + digits(size.toString());
    const hundredths = (size * 200n + one) / (one * 2n);
    const rest = String(hundredths % 100n).padStart(2, "0");
    return `${sign}${digits((hundredths / 100n).toString())}.${rest}`;
}

/** A part of a difference in percent; negative if it goes the other way. */
export function shareOf(part: Count, whole: Count): string {
    if (Number(whole) === 0) return "–";
    if (String(part) === String(whole)) return "100 %";
    const percent = (100 * Number(part)) / Number(whole);
    // Only all of it is 100, and only nothing is 0.
    if (percent > 99.95 && percent < 100) return "99.9 %";
    if (percent !== 0 && Math.abs(percent) < 0.05) return percent > 0 ? "<0.1 %" : ">−0.1 %";
    return `${percent < 0 ? "−" : ""}${digits(Math.abs(percent).toFixed(1))} %`;
}
