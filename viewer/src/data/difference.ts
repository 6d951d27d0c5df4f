// The index of a difference with what every view asks of it.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

import { type Count, digits, near, plural } from "../ui/numbers";
import { address } from "../ui/route";
import type {
    BlockParts,
    CallParts,
    DifferenceIndex,
    List,
    Numbers,
    PathParts,
} from "./differenceTypes";
import { Names, meant } from "./names";
import { amount } from "./signed";
import { readParts } from "./store";

export class Difference {
    private readonly names: Names;

    constructor(readonly index: DifferenceIndex) {
        this.names = new Names(index.pairs.symbol);
    }

    /** A difference in instructions or calls, with its sign. */
    signed(number: Count): string {
        return amount(number, this.index.unit, true);
    }

    /** A number of A, brought onto the scale. */
    ofA(number: Count | undefined): string {
        return amount(number ?? 0, this.index.a.divisor);
    }

    /** A number of B. */
    ofB(number: Count | undefined): string {
        return amount(number ?? 0, this.index.b.divisor);
    }

    /** What counts are divided by, in words. */
    get per(): string {
        const { per, entries_of } = this.index;
        return per === "run" ? " per run" : per === "entry" ? ` per entry of ${entries_of}` : "";
    }

    /** A pair by its name in addresses. */
    number(key: string): number | undefined {
        return this.names.number(key);
    }

    /** The pairs that a reader may have meant by a name that none of them has. */
    meant(name: string): number[] {
        const { symbol, name: names, short } = this.index.pairs;
        const called = symbol.map((symbol, pair) => [
            ...new Set([symbol, short[pair]!, names[pair]!]),
        ]);
        return meant(name, called, 8);
    }

    /** The address of a pair's page. */
    link(pair: number, parameters: Record<string, string | number | null> = {}): string {
        return address("function", this.names.key(pair), parameters);
    }

    /** What a function is called, without its parameters. */
    short(pair: number): string {
        return this.index.pairs.short[pair] ?? "?";
    }

    /** Who calls: a function, or code that is not counted. */
    caller(pair: number | null): string {
        return pair === null ? "(elsewhere)" : this.short(pair);
    }

    /** Who is called. */
    callee(number: number | null, others: string[]): string {
        if (number === null) return "(through a pointer)";
        return number < 0 ? (others[-1 - number] ?? "?") : this.short(number);
    }

    /** How many parts of a list differ, and their sum. */
    total(list: List): { differing: number; equal: number; difference: Count } {
        const known = this.index.parts.find((part) => part.list === list);
        return known ?? { differing: 0, equal: 0, difference: 0 };
    }

    /** What is to be known of a pair. */
    remarks(pair: number): string[] {
        const { pairs } = this.index;
        const remarks = [];
        const [a, b] = [pairs.blocks_a[pair], pairs.blocks_b[pair]];
        if (pairs.matched[pair] === "changed")
            remarks.push(`another graph: ${digits(a)} → ${plural(b ?? 0, "block")}`);
        if (pairs.other_code[pair]) remarks.push("the same graph with other instructions");
        if (pairs.name_a[pair]) remarks.push(`in A ${pairs.name_a[pair]}`);
        if (pairs.place_a[pair]) remarks.push(`moved, in A at ${pairs.place_a[pair]}`);
        const side = pairs.only_calls[pair];
        if (side) remarks.push(`${side} counts only calls, so its instructions are not known`);
        const missing = { only_a: ["A", "B"], only_b: ["B", "A"] } as Record<string, string[]>;
        const [here, there] = missing[pairs.matched[pair] ?? ""] ?? [];
        const why = pairs.skipped[pair];
        if (here)
            remarks.push(`only in ${here}${why ? `: ${there} does not count it (${why})` : ""}`);
        return remarks;
    }
}

/** How functions were found again. */
export const MATCHED: Record<string, [how: string, what: string]> = {
    hash: ["the same name and CFG hash", "compared by paths"],
    graph: ["the same name and graph", "compared by paths"],
    renamed: ["the same graph under another name", "compared by paths"],
    changed: ["the same name, another graph", "compared by lines"],
    only_a: ["only in A", "nothing to compare with"],
    only_b: ["only in B", "nothing to compare with"],
};

/** The payload of each list; functions are in the index. */
interface Lists {
    paths: PathParts;
    blocks: BlockParts;
    calls: CallParts;
}

/** A list, as soon as it is read. */
export function useParts<L extends keyof Lists>(list: L): Lists[L] | null {
    const [parts, set] = useState<Lists[L] | null>(null);
    useEffect(() => {
        let isGone = false;
        void readParts<Lists[L]>(list).then((read) => !isGone && set(read));
        return () => {
            isGone = true;
        };
    }, [list]);
    return parts;
}

/** The rows of a list, in order: what explains most first. */
export function byDifference({ difference }: Numbers, rows: number[]): number[] {
    const size = (row: number) => Math.abs(near(difference[row]));
    return rows.sort((one, other) => size(other) - size(one) || one - other);
}

export const DifferenceContext = createContext<Difference | null>(null);

/** The difference that is shown. */
export function useDifference(): Difference {
    const difference = useContext(DifferenceContext);
    if (!difference) throw new Error("no difference");
    return difference;
}
