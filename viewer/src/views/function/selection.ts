// What the reader chose in a function. It stands in the address, so that each choice has a link.

import { change } from "../../ui/route";
import type { Mark, Order } from "./model";

export interface Selection {
    /** The id of the path. */
    path: string | null;
    /** The number of the step in it. */
    step: number | null;
    /** What paths are asked to go through. */
    marks: Mark[];
    /** The block whose details are shown. */
    block: number | null;
    order: Order;
}

/** The selection that an address has. */
export function selectionOf(parameters: URLSearchParams): Selection {
    const marks = (parameters.get("through") ?? "")
        .split(",")
        .filter((mark) => /^[bel]\d/.test(mark));
    const number = (name: string) => {
        const text = parameters.get(name);
        return text !== null && /^\d+$/.test(text) ? Number(text) : null;
    };
    const last = marks.findLast((mark) => mark.startsWith("b"));
    const order = parameters.get("order");
    return {
        path: parameters.get("path"),
        step: number("step"),
        marks,
        block: last ? Number(last.slice(1)) : null,
        order: order === "count" || order === "length" ? order : "executed",
    };
}

/** Chooses a block, an edge or a line; with Shift beside what is chosen. Again: not any more. */
export function toggle(selection: Selection, mark: Mark, beside: boolean): void {
    const { marks } = selection;
    const rest = marks.filter((other) => other !== mark);
    const isChosen = rest.length < marks.length;
    const next = beside
        ? isChosen
            ? rest
            : [...marks, mark]
        : isChosen && marks.length === 1
          ? []
          : [mark];
    change({ through: next.join(",") });
}

/** Chooses a path, and of it a step. */
export function choosePath(id: string | null, step: number | null = null): void {
    change({ path: id, step });
}

/** Chooses nothing. */
export function clear(): void {
    change({ path: null, step: null, through: null });
}
