// What `pathprof html` writes: see report/src/export/html.

import type { Count } from "../ui/numbers";
import type { PathSteps, StepColumns } from "./pathSteps";
import type { SCHEMAS } from "./schemas";

export interface Index {
    schema: typeof SCHEMAS.report;
    mode: string;
    stage: string;
    early: boolean;
    executed: Count;
    images: { path: string; build_id: string }[];
    runs: Runs;
    files: FileEntry[];
    modules: [source: string, directory: string][];
    classes: string[];
    functions: Functions;
    calls: {
        others: string[];
        /** Caller, callee, calls, those through pointers, whether they may be off. */
        edges: [number, number | null, Count, Count, boolean][];
    };
    top: TopPath[];
    coverage: CoverageRow[];
}

export interface Runs {
    count: number;
    processes: number;
    marks: Record<string, number>;
    rows: Run[];
    /** In milliseconds since 1970. */
    first: number;
    last: number;
    /** In nanoseconds. */
    duration: number;
    hosts: string[];
}

export interface Run {
    profile: string;
    image: number;
    pid: number;
    host: string;
    command: string;
    directory: string;
    /** In milliseconds since 1970. */
    start: number;
    /** In nanoseconds. */
    duration: number;
    count: number;
    marks: string[];
}

export interface FileEntry {
    name: string;
    path: string;
    system: boolean;
    lines: number;
    state: "read" | "newer" | "missing";
}

/** Columns with an entry for each function. */
export interface Functions {
    symbol: string[];
    name: string[];
    short: string[];
    file: (number | null)[];
    line: number[];
    image: number[];
    module: number[];
    counting: ("nothing" | "paths" | "blocks" | "edges" | "calls")[];
    skipped: (string | null)[];
    made: boolean[];
    entries: Count[];
    executed: Count[];
    executed_paths: Count[];
    possible_paths: Count[];
    uncut: (string | null)[];
    blocks: number[];
    executed_blocks: number[];
    interrupted: Count[];
    bias: (number | null)[];
    opcodes: Count[][];
}

export interface TopPath {
    function: number;
    id: string;
    /** Its number in the function. */
    rank: number;
    count: Count;
    executed: Count;
    text: string;
}

export type Pair = [executed: Count, all: Count];

export interface CoverageRow {
    file: number | null;
    made: boolean;
    functions: Pair;
    lines: Pair;
    branches: Pair;
    paths: Pair;
    unknown: number;
}

export interface FileCoverage {
    lines: [line: number, count: Count][];
    branches: [line: number, column: number, ways: [label: string, count: Count | null][]][];
    functions: [line: number, name: string, entries: Count][];
    unknown: number[];
}

/** One function. */
export interface FunctionData {
    texts: string[];
    locations: [
        file: number | null,
        line: number,
        column: number,
        owner: number,
        inlinedAt: number | null,
    ][];
    blocks: BlockData[];
    edges: [from: number, to: number, count: Count | null, label: string, cut: Cut][];
    lines: [
        file: number | null,
        line: number,
        inlinedAt: number | null,
        count: Count | null,
        isVague: boolean,
    ][];
    steps: StepColumns;
    paths: PathData[];
}

export type Cut = "" | "back" | "entry" | "opaque" | "limit" | "call" | "register";

export interface BlockData {
    name: string;
    count: Count | null;
    /** Whether the count may be off. */
    doubt: boolean;
    instructions: number;
    opcodes: [text: number, count: number][];
    locations: number[];
    calls: CallData[];
    /** How it leaves the function; empty if it does not. */
    exit: string;
    /** LLVM IR; empty where the manifest has none. */
    ir: string;
}

export interface CallData {
    callee: number;
    location: number | null;
    targets?: [number, Count][];
    others?: Count;
}

export interface PathData extends PathSteps {
    id: string;
    /** Its number: the path with 1 executed most instructions. */
    rank: number;
    count: Count;
    instructions: number;
    blocks: number[];
    /** The edges, one of which ends it, if it goes on elsewhere. */
    last?: number[];
}
