// Which blocks the graph shows, and how: those that ran, up to a number, and those that were asked
// for. Blocks that always run one after the other are one box. Ways to blocks that are not shown
// stand in the box that they leave.

import { brief, near } from "../../ui/numbers";
import type { FunctionModel } from "./model";

/** A function of which more blocks ran is shown in part: more is no picture. */
export const MOST_SHOWN = 110;

/** Of such a function so many boxes are shown unasked: those of the hottest paths. */
const HOTTEST = 28;

/** So many ways on from one block are shown unasked: the hottest. */
const FAN = 6;

/** Ways out of a box to blocks that are not shown. */
export interface Ways {
    /** To blocks that ran; to blocks that did not. */
    kind: "more" | "cold";
    blocks: number[];
    /** How often control went there; `null` if that is not known. */
    count: number | null;
}

/** A box of the graph. */
export interface GraphNode {
    id: string;
    /** One after the other: control that enters the first leaves the last. */
    blocks: number[];
    ways: Ways[];
}

export interface GraphEdge {
    from: string;
    to: string;
    /** The edges of the function that it stands for. */
    edges: number[];
    /** How often control went there; `null` if that is not known. */
    count: number | null;
    /** What stands beside it. */
    text: string;
}

export interface Graph {
    nodes: GraphNode[];
    edges: GraphEdge[];
    /** The box of each block that is shown. */
    boxes: Map<number, string>;
}

const isRan = (model: FunctionModel, block: number) => {
    const count = model.data.blocks[block]?.count;
    return count == null || near(count) > 0;
};

/**
 * The block that always follows, if there is one: control has no other way on but exceptions that
 * were not thrown, and comes there from nowhere else.
 */
function follower(model: FunctionModel, block: number, shown: Set<number>): number | undefined {
    const { blocks, edges } = model.data;
    let next: number | undefined;
    for (const edge of model.out[block] ?? []) {
        const [, to, count, label, cut] = edges[edge]!;
        if (label === "throws" && count !== null && near(count) === 0 && !shown.has(to)) continue;
        if (next !== undefined || cut !== "" || !shown.has(to)) return undefined;
        next = to;
    }
    if (next === undefined || next === block || next === 0) return undefined;
    const into = (model.into[next] ?? []).filter((edge) => shown.has(edges[edge]![0]));
    const isSame = String(blocks[next]?.count) === String(blocks[block]?.count);
    return into.length === 1 && isSame ? next : undefined;
}

/** Blocks that always run one after the other, by the first of them. */
function chains(model: FunctionModel, shown: Set<number>): number[][] {
    const next = new Map<number, number>();
    for (const block of shown) {
        const to = follower(model, block, shown);
        if (to !== undefined) next.set(block, to);
    }
    const isInside = new Set(next.values());
    const order = [...shown].sort((one, other) => one - other);
    // A circle that nothing enters has no start.
    const starts = [...order.filter((block) => !isInside.has(block)), ...order];
    const known = new Set<number>();
    const found: number[][] = [];
    for (const start of starts) {
        const chain = [];
        for (let at: number | undefined = start; at !== undefined && !known.has(at);) {
            chain.push(at);
            known.add(at);
            at = next.get(at);
        }
        if (chain.length > 0) found.push(chain);
    }
    return found.sort((one, other) => one[0]! - other[0]!);
}

/** How many boxes the blocks that ran are. */
const sizes = new WeakMap<FunctionModel, number>();

/** Whether a function is shown in part. */
export function isLarge(model: FunctionModel): boolean {
    let size = sizes.get(model);
    if (size === undefined) {
        const ran = model.data.blocks.map((_, block) => block).filter((at) => isRan(model, at));
        size = chains(model, new Set(ran)).length;
        sizes.set(model, size);
    }
    return size > MOST_SHOWN;
}

/** The blocks that are shown unasked. */
function unasked(model: FunctionModel): number[] {
    const all = model.data.blocks.map((_, block) => block);
    const ran = all.filter((block) => isRan(model, block));
    if (!isLarge(model)) return ran.length > 0 ? ran : all.slice(0, MOST_SHOWN);
    const hottest = new Set<number>();
    for (const path of model.paths([], "executed")) {
        if (path.blocks.every((block) => hottest.has(block))) continue;
        const more = new Set([...hottest, ...path.blocks]);
        if (hottest.size > 0 && chains(model, more).length > HOTTEST) break;
        path.blocks.forEach((block) => hottest.add(block));
    }
    if (hottest.size > 0) return [...hottest];
    const weight = (block: number) => near(model.data.blocks[block]?.count);
    return ran.sort((one, other) => weight(other) - weight(one)).slice(0, HOTTEST);
}

/**
 * Blocks without the colder ways of large switches, and without what only those lead to: a picture
 * that is as wide as a switch shows nothing.
 */
function narrowed(model: FunctionModel, blocks: number[]): number[] {
    const { edges } = model.data;
    const shown = new Set(blocks);
    const next = (block: number) =>
        (model.out[block] ?? []).filter((of) => shown.has(edges[of]![1]));
    const isOnlyFrom = (block: number, from: number) =>
        (model.into[block] ?? []).every((of) => [from, block].includes(edges[of]![0]));
    const dropped = new Set<number>();
    for (const block of blocks) {
        const ways = next(block).sort(
            (one, other) => near(edges[other]![2]) - near(edges[one]![2]),
        );
        for (const edge of ways.slice(FAN)) {
            const to = edges[edge]![1];
            if (to !== 0 && isOnlyFrom(to, block)) dropped.add(to);
        }
    }
    if (dropped.size === 0) return blocks;
    const roots = blocks.filter((block) =>
        (model.into[block] ?? []).every((of) => !shown.has(edges[of]![0])),
    );
    const reached = new Set([0, ...roots]);
    const pending = [...reached];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        for (const edge of next(at)) {
            const to = edges[edge]![1];
            if (reached.has(to) || dropped.has(to)) continue;
            reached.add(to);
            pending.push(to);
        }
    }
    return blocks.filter((block) => reached.has(block));
}

/** The graph without what is folded. Of a large function, if anything is asked for, only that. */
export function fold(model: FunctionModel, asked: Set<number>): Graph {
    const { blocks, edges } = model.data;
    const usual = asked.size > 0 && isLarge(model) ? [] : [0, ...narrowed(model, unasked(model))];
    const shown = new Set([...usual, ...asked].filter((block) => block < blocks.length));
    const boxes = new Map<number, string>();
    const nodes: GraphNode[] = chains(model, shown).map((chain) => {
        const id = `b${chain[0]}`;
        chain.forEach((block) => boxes.set(block, id));
        return { id, blocks: chain, ways: [] };
    });
    const known = new Map(nodes.map((node) => [node.id, node]));
    const found = new Map<string, GraphEdge>();
    const add = (one: number | null, other: number | null) =>
        one === null || other === null ? null : one + other;
    edges.forEach(([from, to, times, label], edge) => {
        const box = boxes.get(from);
        if (box === undefined) return;
        const count = times === null ? null : near(times);
        const end = boxes.get(to);
        if (end === undefined) {
            const kind = isRan(model, to) ? "more" : "cold";
            const { ways } = known.get(box)!;
            const way = ways.find((way) => way.kind === kind);
            if (way === undefined) ways.push({ kind, blocks: [to], count });
            else {
                if (!way.blocks.includes(to)) way.blocks.push(to);
                way.count = add(way.count, count);
            }
            return;
        }
        const isInside = box === end && end !== `b${to}`;
        if (isInside) return;
        const key = `${box}>${end}`;
        const same = found.get(key);
        if (same) {
            same.edges.push(edge);
            same.count = add(same.count, count);
        } else {
            found.set(key, { from: box, to: end, edges: [edge], count, text: label });
        }
    });
    for (const edge of found.values()) {
        const label = edge.edges.length === 1 && edge.text.length < 18 ? edge.text : "";
        edge.text = edge.count === 0 ? "" : `${brief(edge.count)} ${label}`.trim();
    }
    return { nodes, edges: [...found.values()], boxes };
}
