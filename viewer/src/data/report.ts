// The index with what every view asks of it.

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import { near } from "../ui/numbers";
import { address } from "../ui/route";
import { Names, meant } from "./names";
import type { Index } from "./types";

/** The index, and names of functions as they stand in addresses. */
export class Report {
    readonly executed: number;
    readonly count: number;
    /** How many functions are counted, how many by their calls alone, how many by their paths. */
    readonly counted: number;
    readonly ofCalls: number;
    readonly ofPaths: number;
    private readonly names: Names;
    /** How many functions have each short name. */
    private readonly called = new Map<string, number>();

    constructor(readonly index: Index) {
        this.executed = near(index.executed);
        this.count = index.functions.symbol.length;
        const { counting, skipped, symbol } = index.functions;
        const known = counting.filter((_, number) => skipped[number] === null);
        this.counted = known.length;
        this.ofCalls = known.filter((what) => what === "calls").length;
        this.ofPaths = known.filter((what) => what === "paths").length;
        this.names = new Names(symbol);
        for (let number = 0; number < this.count; number++) {
            const name = this.short(number);
            this.called.set(name, (this.called.get(name) ?? 0) + 1);
        }
    }

    /** The number of a function by its name in addresses. */
    number(key: string): number | undefined {
        return this.names.number(key);
    }

    /** The name of a function in addresses. */
    key(number: number): string {
        return this.names.key(number);
    }

    /** The address of a function's page. */
    link(number: number, parameters: Record<string, string | number | null> = {}): string {
        return address("function", this.key(number), parameters);
    }

    /** What a function is called, without its parameters. */
    short(number: number): string {
        const { short, name } = this.index.functions;
        return short[number] || name[number] || "?";
    }

    /** What a callee is called: a function, one of the others, or `null` for what is not known. */
    callee(number: number | null): string {
        if (number === null) return "(not known, through a pointer)";
        return number < 0 ? (this.index.calls.others[-1 - number] ?? "?") : this.short(number);
    }

    /** Whether other functions have the same short name, as those that are overloaded. */
    isOneOfSeveral(number: number): boolean {
        return (this.called.get(this.short(number)) ?? 0) > 1;
    }

    /** The last part of a file's name. */
    base(file: number | null): string {
        const name = file === null ? "" : (this.index.files[file]?.name ?? "");
        return name.slice(name.lastIndexOf("/") + 1);
    }

    /** Where a function is: `list.c:12`; of several images, in which one. */
    place(number: number): string {
        const { file, line } = this.index.functions;
        const base = this.base(file[number] ?? null);
        const place = base ? `${base}:${line[number]}` : "";
        return [place, this.image(number)].filter(Boolean).join(" in ");
    }

    /** The image of a function, if there are several: its name, or its path if two share a name. */
    image(number: number): string {
        const { images, functions } = this.index;
        if (images.length < 2) return "";
        const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
        const path = images[functions.image[number] ?? -1]?.path ?? "";
        const isAlone = images.filter((other) => base(other.path) === base(path)).length < 2;
        return isAlone ? base(path) : path;
    }

    /** Whether it is not known what a function executed: only its calls are counted. */
    isOfCalls(number: number): boolean {
        return this.index.functions.counting[number] === "calls";
    }

    /** Whether it is not known what any function executed. */
    get isAllOfCalls(): boolean {
        return this.counted > 0 && this.ofCalls === this.counted;
    }

    /** Whether a function is of a header of the system. */
    isSystem(number: number): boolean {
        const file = this.index.functions.file[number];
        return file != null && (this.index.files[file]?.system ?? false);
    }

    /** The functions that a reader may have meant by a name that none of them has. */
    meant(name: string): number[] {
        const { symbol, name: names, short } = this.index.functions;
        const called = symbol.map((symbol, number) => [
            ...new Set([symbol, short[number] || names[number]!, names[number]!]),
        ]);
        return meant(name, called, 8);
    }

    /** What a function executed, by class, the most first. */
    mix(number: number): { name: string; count: number }[] {
        const pairs = this.index.functions.opcodes[number] ?? [];
        const mix = [];
        for (let at = 0; at + 1 < pairs.length; at += 2) {
            const name = this.index.classes[near(pairs[at])] ?? "";
            mix.push({ name, count: near(pairs[at + 1]) });
        }
        return mix.sort((one, other) => other.count - one.count);
    }
}

export const ReportContext = createContext<Report | null>(null);

/** The report that is shown. */
export function useReport(): Report {
    const report = useContext(ReportContext);
    if (!report) throw new Error("no report");
    return report;
}
