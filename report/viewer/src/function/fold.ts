// Which blocks the graph shows: those that ran, up to a number, and those that were asked for.

import { near } from "../data/numbers";
import type { FunctionModel } from "./model";

/** A function of which more blocks ran is shown in part: more is no picture. */
export const MOST_SHOWN = 110;

/** Of such a function so many blocks are shown unasked: those of the hottest paths. */
const HOTTEST = 28;

/** A node of the graph. */
export interface GraphNode {
    id: string;
    /** A block; ways to blocks that ran and are not shown; ways that were not taken. */
    kind: "block" | "more" | "cold";
    /** The block, or those that the ways lead to. */
    blocks: number[];
}

export interface GraphEdge {
    from: string;
    to: string;
    /** The edges of the function that it stands for. */
    edges: number[];
    /** How often control went there; `null` if that is not known. */
    count: number | null;
}

export interface Graph {
    nodes: GraphNode[];
    edges: GraphEdge[];
}

/** The blocks that are shown unasked. */
function unasked(model: FunctionModel, ran: (block: number) => boolean): number[] {
    const all = model.data.blocks.map((_, block) => block);
    const order = all.some(ran) ? all.filter(ran) : all;
    if (order.length <= MOST_SHOWN) return order;
    const hottest = new Set<number>();
    for (const path of model.paths([], "executed")) {
        if (hottest.size > 0 && hottest.size + path.blocks.length > HOTTEST) break;
        path.blocks.forEach((block) => hottest.add(block));
    }
    const weight = (block: number) => near(model.data.blocks[block]?.count);
    if (hottest.size > 0) return [...hottest];
    return order.sort((one, other) => weight(other) - weight(one)).slice(0, HOTTEST);
}

/** Whether a function is shown in part. */
export function isLarge(model: FunctionModel): boolean {
    return (
        model.data.blocks.filter(({ count }) => count === null || near(count) > 0).length >
        MOST_SHOWN
    );
}

/** The graph without what is folded. Of a large function, if anything is asked for, only that. */
export function fold(model: FunctionModel, asked: Set<number>): Graph {
    const { blocks, edges } = model.data;
    const ran = (block: number) => blocks[block]?.count == null || near(blocks[block]?.count) > 0;
    const usual = asked.size > 0 && isLarge(model) ? [] : [0, ...unasked(model, ran)];
    const shown = new Set([...usual, ...asked].filter((block) => block < blocks.length));
    const nodes = new Map<string, GraphNode>();
    for (const block of [...shown].sort((one, other) => one - other)) {
        nodes.set(`b${block}`, { id: `b${block}`, kind: "block", blocks: [block] });
    }
    const found = new Map<string, GraphEdge>();
    edges.forEach(([from, to, count], edge) => {
        if (!shown.has(from)) return;
        let end = `b${to}`;
        if (!shown.has(to)) {
            // A way to blocks that are not shown ends in a node of its own.
            const kind = ran(to) ? "more" : "cold";
            end = `${kind}${from}`;
            const known = nodes.get(end);
            if (known) known.blocks.push(to);
            else nodes.set(end, { id: end, kind, blocks: [to] });
        }
        const key = `${from}>${end}`;
        const known = found.get(key);
        if (known) {
            known.edges.push(edge);
            known.count = known.count === null || count === null ? null : known.count + near(count);
        } else {
            const start = `b${from}`;
            found.set(key, {
                from: start,
                to: end,
                edges: [edge],
                count: count === null ? null : near(count),
            });
        }
    });
    return { nodes: [...nodes.values()], edges: [...found.values()] };
}
