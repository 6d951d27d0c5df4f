// The steps of a path, with where each is.

import { type StepWords, stepWords } from "../../data/pathSteps";
import type { PathData } from "../../data/types";
import type { FunctionModel } from "./model";

export interface Step extends StepWords {
    /** Its number in the path. */
    index: number;
    block: number;
    file: number | null;
    line: number;
    column: number;
    /** The instance of inlined code that it is in: the location of the call. */
    inlinedAt: number | null;
}

/** The steps of a path. */
export function stepsOf({ data }: FunctionModel, path: PathData): Step[] {
    return stepWords(data.steps, path).map((words, index) => {
        const number = path.steps[index]!;
        const location = data.steps.location[number];
        const [file, line, column, , inlinedAt] = (location != null
            ? data.locations[location]
            : undefined) ?? [null, 0, 0, 0, null];
        const block = data.steps.block[number] ?? 0;
        return { ...words, index, block, file, line, column, inlinedAt };
    });
}
