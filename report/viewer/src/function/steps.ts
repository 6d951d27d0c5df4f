// The steps of a path as people read them: a segment for each change of the inlined function.

import type { FunctionData } from "../data/types";
import type { PathData } from "../data/types";
import type { FunctionModel } from "./model";

export interface Step {
    /** Its number in the path. */
    index: number;
    block: number;
    file: number | null;
    line: number;
    column: number;
    /** What it says: a line, or the block's name. */
    text: string;
    /** The instance of inlined code that it is in: the location of the call. */
    inlinedAt: number | null;
}

/** Steps in the same function. */
export interface Segment {
    /** The inlined functions around it; empty in the function itself. */
    stack: string[];
    steps: Step[];
    /** The file of its lines. */
    file: number | null;
}

function step(data: FunctionData, number: number, index: number): Step {
    const [block, location] = data.steps[number] ?? [0, null];
    const at = location === null ? undefined : data.locations[location];
    if (!at) {
        return {
            index,
            block,
            file: null,
            line: 0,
            column: 0,
            text: `bb${block}`,
            inlinedAt: null,
        };
    }
    return {
        index,
        block,
        file: at[0],
        line: at[1],
        column: at[2],
        text: String(at[1]),
        inlinedAt: at[4],
    };
}

/** The steps of a path. Where two in a row are on one line, they have their columns. */
export function stepsOf(model: FunctionModel, path: PathData): Step[] {
    const steps = path.steps.map((number, index) => step(model.data, number, index));
    steps.forEach((one, at) => {
        const last = steps[at - 1];
        const isSame =
            last && last.line !== 0 && last.line === one.line && last.inlinedAt === one.inlinedAt;
        if (isSame && one.column > 0) one.text = `${one.line}:${one.column}`;
    });
    return steps;
}

/** The segments of a path. */
export function segmentsOf(model: FunctionModel, path: PathData): Segment[] {
    const segments: (Segment & { at: number | null })[] = [];
    for (const one of stepsOf(model, path)) {
        const location = model.data.steps[path.steps[one.index]!]?.[1] ?? null;
        let last = segments.at(-1);
        // A block without a line belongs to where control is.
        if (!last || (location !== null && last.at !== one.inlinedAt)) {
            const stack = location === null ? [] : model.stack(location);
            last = { stack, steps: [], at: one.inlinedAt, file: one.file };
            segments.push(last);
        }
        last.steps.push(one);
    }
    return segments;
}
