// What `pathprof diff --format html` writes: see report/src/export/html/diff.rs.

import type { Count } from "../ui/numbers";
import type { PathSteps, StepColumns } from "./pathSteps";
import type { SCHEMAS } from "./schemas";

export interface DifferenceIndex {
    schema: typeof SCHEMAS.difference;
    a: Side;
    b: Side;
    /** What counts are divided by. */
    per: "" | "run" | "entry";
    entries_of: string | null;
    /** Which functions were chosen, if not all. */
    chosen: string | null;
    /** So many units of a difference are one instruction. */
    unit: Count;
    difference: Count;
    matched: { by: Matched; functions: number; ran: number; difference: Count }[];
    parts: { list: List; differing: number; equal: number; difference: Count }[];
    pairs: Pairs;
}

export type List = "functions" | "paths" | "blocks" | "calls";

export type Matched = "hash" | "graph" | "renamed" | "changed" | "only_a" | "only_b";

export interface Side {
    images: { path: string; build_id: string }[];
    /** The first different command lines, and how many there are. */
    commands: string[];
    all_commands: number;
    runs: Count;
    incomplete: number;
    mode: string;
    stage: string;
    executed: Count;
    divisor: Count;
}

/** The numbers of parts, in columns. */
export interface Numbers {
    difference: Count[];
    a: Count[];
    b: Count[];
    count_a: Count[];
    count_b: Count[];
}

/** Columns with an entry for each pair of functions. */
export interface Pairs extends Numbers {
    symbol: string[];
    name: string[];
    short: string[];
    place: string[];
    name_a: (string | null)[];
    place_a: (string | null)[];
    matched: Matched[];
    blocks_a: (number | null)[];
    blocks_b: (number | null)[];
    other_code: boolean[];
    only_calls: ("" | "A" | "B")[];
    skipped: (string | null)[];
    ran: boolean[];
    chosen: boolean[];
}

export interface PathParts extends Numbers {
    pair: number[];
    what: ("path" | "rest" | "changed" | "not_counted")[];
    id_a: (string | null)[];
    id_b: (string | null)[];
    size_a: (number | null)[];
    size_b: (number | null)[];
    text: string[];
}

export interface BlockParts extends Numbers {
    pair: number[];
    block: (number | null)[];
    place: (string | null)[];
    line_a: (number | null)[];
    line_b: (number | null)[];
    inlined: (string | null)[];
}

export interface CallParts extends Numbers {
    caller: (number | null)[];
    /** Below zero one of the others: -1 is the first. `null` is not known. */
    callee: (number | null)[];
    others: string[];
}

/** The source of a pair, with an entry in its columns for each line that has code. */
export interface PairSource {
    path: string;
    /** Whether the file was written after the program. */
    newer: boolean;
    /** The number of the first line. */
    first: number;
    text: string[];
    line: number[];
    /** `null` where a side has no code. */
    a: (Count | null)[];
    b: (Count | null)[];
    difference: Count[];
}

/** The paths of a pair that differ, step by step. */
export interface PairPaths {
    steps: StepColumns;
    /** The row of each path in the list. */
    rows: number[];
    paths: PathSteps[];
}
