// Makes rows of the columns in which functions are written.

import type { Count } from "../ui/numbers";
import type { StepColumns } from "./pathSteps";
import type { BlockData, CallData, Cut, FunctionData, PathData } from "./types";

/** A function as it is written. */
export interface PackedFunction {
    texts: string[];
    locations: {
        file: (number | null)[];
        line: number[];
        column: number[];
        owner: number[];
        call: (number | null)[];
    };
    blocks: {
        name: string[];
        count: (Count | null)[];
        instructions: number[];
        opcodes: number[][];
        locations: number[][];
        calls: CallData[][];
        exit: string[];
        doubt: number[];
        /** LLVM IR, where the manifest has it. */
        ir?: string[];
    };
    edges: {
        from: number[];
        to: number[];
        count: (Count | null)[];
        label: string[];
        cut: Cut[];
    };
    lines: {
        file: (number | null)[];
        line: number[];
        call: (number | null)[];
        count: (Count | null)[];
        /** Those whose counts are the code's alone. */
        vague?: number[];
    };
    steps: StepColumns;
    paths: PathData[];
}

/** Numbers of which each stands less the one before. */
function sums(differences: number[]): number[] {
    let last = 0;
    return differences.map((difference) => (last += difference));
}

/** Numbers in pairs. */
function pairs(numbers: number[]): [number, number][] {
    const found: [number, number][] = [];
    for (let at = 0; at + 1 < numbers.length; at += 2) found.push([numbers[at]!, numbers[at + 1]!]);
    return found;
}

/** The function with rows. */
export function unpack({
    texts,
    locations,
    blocks,
    edges,
    lines,
    steps,
    paths,
}: PackedFunction): FunctionData {
    const [locationLines, lineNumbers] = [sums(locations.line), sums(lines.line)];
    const doubt = new Set(blocks.doubt);
    const vague = new Set(lines.vague);
    return {
        texts,
        locations: locations.file.map((file, at) => [
            file,
            locationLines[at]!,
            locations.column[at]!,
            locations.owner[at]!,
            locations.call[at]!,
        ]),
        blocks: blocks.name.map((name, at): BlockData => ({
            name,
            count: blocks.count[at]!,
            doubt: doubt.has(at),
            instructions: blocks.instructions[at]!,
            opcodes: pairs(blocks.opcodes[at]!),
            locations: blocks.locations[at]!,
            calls: blocks.calls[at]!,
            exit: blocks.exit[at]!,
            ir: blocks.ir?.[at] ?? "",
        })),
        edges: edges.from.map((from, at) => [
            from,
            edges.to[at]!,
            edges.count[at]!,
            edges.label[at]!,
            edges.cut[at]!,
        ]),
        lines: lines.file.map((file, at) => [
            file,
            lineNumbers[at]!,
            lines.call[at]!,
            lines.count[at]!,
            vague.has(at),
        ]),
        steps,
        paths,
    };
}
