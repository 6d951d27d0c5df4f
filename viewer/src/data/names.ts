// Names of functions: as they stand in addresses, and those that a reader may have meant.

import { divided, shortened } from "../ui/names";

/** For each function its symbol, with a number where others have the same one. */
export class Names {
    private readonly keys: string[] = [];
    private readonly numbers = new Map<string, number>();

    constructor(symbols: string[]) {
        symbols.forEach((symbol, number) => {
            let key = symbol;
            for (let copy = 2; this.numbers.has(key); copy++) key = `${symbol}~${copy}`;
            this.keys.push(key);
            this.numbers.set(key, number);
        });
    }

    /** The number of a function by its name. */
    number(key: string): number | undefined {
        return this.numbers.get(key);
    }

    /** The name of a function. */
    key(number: number): string {
        return this.keys[number] ?? "";
    }
}

/**
 * How many letters have to be changed, or swapped with the next one, so that one text becomes the
 * other; no more than `most`.
 */
function distance(one: string, other: string, most: number): number {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let rows = [[], Array.from({ length: other.length + 1 }, (_, at) => at)] as [
        number[],
        number[],
    ];
    for (let at = 1; at <= one.length; at++) {
        const [before, row] = rows;
        const next = [at];
        for (let to = 1; to <= other.length; to++) {
            const isSame = one[at - 1] === other[to - 1];
            const isSwapped =
                at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
            const swapped = isSwapped ? before[to - 2]! + 1 : Infinity;
            const changed = row[to - 1]! + (isSame ? 0 : 1);
            next.push(Math.min(row[to]! + 1, next[to - 1]! + 1, changed, swapped));
        }
        if (Math.min(...next, ...row) > most) return most + 1;
        rows = [row, next];
    }
    return rows[1][other.length]!;
}

/** Names of one thing: the first is that of addresses. */
export type Called = string[];

/** What a reader may have meant by a name that none of these things has, the likeliest first. */
export function meant(name: string, all: Called[], most: number): number[] {
    const wanted = name.toLowerCase();
    if (wanted === "") return [];
    const rank = (called: string): number => {
        const text = called.toLowerCase();
        if (text === wanted) return 0;
        const own = divided(shortened(text))[1].replace(/\(.*$/, "");
        if (own === wanted) return 1;
        const allowed = Math.floor(wanted.length / 3);
        const changed = Math.min(distance(wanted, text, allowed), distance(wanted, own, allowed));
        if (changed <= allowed) return 1 + changed;
        if (text.includes(wanted)) return 20 + Math.min(70, text.length - wanted.length);
        return own.length > 2 && wanted.includes(own) ? 95 : Infinity;
    };
    return all
        .map((names, number) => ({ number, rank: Math.min(...names.map(rank)) }))
        .filter(({ rank }) => rank < Infinity)
        .sort((one, other) => one.rank - other.rank || one.number - other.number)
        .slice(0, most)
        .map(({ number }) => number);
}
