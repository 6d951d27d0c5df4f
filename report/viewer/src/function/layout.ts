// Where the nodes and edges of a graph are drawn.
//
// What is no loop is laid out in layers, from the entry down. An edge that closes a loop is left
// out of that, so that the loop's header stands above its body. It is then drawn at the side: from
// below the last block of the body, up along its left, into the header.

import { Graph as Layered, layout as layered } from "@dagrejs/dagre";

import type { Graph, GraphEdge } from "./fold";

export interface Point {
    x: number;
    y: number;
}

export interface Placed {
    x: number;
    y: number;
    width: number;
    height: number;
}

export interface Drawn {
    edge: GraphEdge;
    points: Point[];
    /** Whether it closes a loop. */
    back: boolean;
}

export interface Layout {
    nodes: Map<string, Placed>;
    edges: Drawn[];
    /** The nodes at which loops are entered, with the edges that lead back to them. */
    headers: Map<string, GraphEdge[]>;
    width: number;
    height: number;
}

export const SIZES = {
    block: { width: 196, height: 50 },
    more: { width: 150, height: 30 },
    cold: { width: 120, height: 24 },
} as const;

/** Between the edges that close loops around the same blocks. */
const LANE = 13;

/** The edges that lead to a node on the way to them. */
function backEdges({ nodes, edges }: Graph): Set<GraphEdge> {
    const out = new Map<string, GraphEdge[]>(nodes.map(({ id }) => [id, []]));
    for (const edge of edges) out.get(edge.from)?.push(edge);
    const back = new Set<GraphEdge>();
    const state = new Map<string, "open" | "done">();
    for (const { id } of nodes) {
        if (state.has(id)) continue;
        state.set(id, "open");
        const way = [{ id, next: 0 }];
        for (let top = way.at(-1); top; top = way.at(-1)) {
            const edge = out.get(top.id)?.[top.next++];
            if (!edge) {
                state.set(top.id, "done");
                way.pop();
            } else if (state.get(edge.to) === "open") {
                back.add(edge);
            } else if (!state.has(edge.to)) {
                state.set(edge.to, "open");
                way.push({ id: edge.to, next: 0 });
            }
        }
    }
    return back;
}

/** The nodes of the loop that an edge closes. */
function bodyOf(edge: GraphEdge, edges: GraphEdge[], back: Set<GraphEdge>): Set<string> {
    const into = new Map<string, string[]>();
    for (const one of edges) {
        if (!back.has(one)) into.set(one.to, [...(into.get(one.to) ?? []), one.from]);
    }
    const body = new Set([edge.to, edge.from]);
    const pending = edge.from === edge.to ? [] : [edge.from];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
        for (const from of into.get(id) ?? []) {
            if (!body.has(from)) {
                body.add(from);
                pending.push(from);
            }
        }
    }
    return body;
}

/**
 * How much an edge wants to be short. It is a whole number: dagre's network simplex adds weights up
 * and fails if a sum that is zero comes out a little below.
 */
const weightOf = ({ count }: GraphEdge) => 1 + Math.round(2 * Math.log2(1 + (count ?? 0)));

/** The layout of a graph. */
export function place(graph: Graph): Layout {
    const back = backEdges(graph);
    const engine = new Layered({});
    engine.setGraph({
        rankdir: "TB",
        nodesep: 26,
        edgesep: 16,
        ranksep: 46,
        marginx: 24,
        marginy: 24,
        ranker: graph.nodes.length > 60 ? "longest-path" : "network-simplex",
    });
    for (const { id, kind } of graph.nodes) engine.setNode(id, { ...SIZES[kind] });
    for (const edge of graph.edges) {
        if (back.has(edge)) continue;
        engine.setEdge(edge.from, edge.to, { weight: weightOf(edge) });
    }
    layered(engine);
    const nodes = new Map<string, Placed>();
    for (const { id, kind } of graph.nodes) {
        const { x, y } = engine.node(id) as Point;
        nodes.set(id, { x, y, ...SIZES[kind] });
    }
    const edges: Drawn[] = [];
    const headers = new Map<string, GraphEdge[]>();
    const closing = [];
    for (const edge of graph.edges) {
        if (!back.has(edge)) {
            const { points } = engine.edge(edge.from, edge.to) as { points: Point[] };
            edges.push({ edge, points, back: false });
            continue;
        }
        headers.set(edge.to, [...(headers.get(edge.to) ?? []), edge]);
        const body = [...bodyOf(edge, graph.edges, back)].map((id) => nodes.get(id)!);
        closing.push({ edge, left: Math.min(...body.map(({ x, width }) => x - width / 2)) });
    }
    // Inner loops are nearer to their bodies.
    const span = ({ edge }: { edge: GraphEdge }) => nodes.get(edge.from)!.y - nodes.get(edge.to)!.y;
    closing.sort((one, other) => span(one) - span(other));
    const lanes: { x: number; top: number; bottom: number }[] = [];
    for (const { edge, left } of closing) {
        const [from, to] = [nodes.get(edge.from)!, nodes.get(edge.to)!];
        const [top, bottom] = [to.y - to.height / 2 - 14, from.y + from.height / 2 + 14];
        let x = left - LANE;
        const isTaken = (lane: { x: number; top: number; bottom: number }) =>
            Math.abs(lane.x - x) < LANE - 1 && lane.top <= bottom && top <= lane.bottom;
        while (lanes.some(isTaken)) x -= LANE;
        lanes.push({ x, top, bottom });
        const start = from.x - from.width / 4;
        const end = to.x - to.width / 4;
        const points = [
            { x: start, y: from.y + from.height / 2 },
            { x: start, y: bottom },
            { x, y: bottom },
            { x, y: top },
            { x: end, y: top },
            { x: end, y: to.y - to.height / 2 },
        ];
        edges.push({ edge, points, back: true });
    }
    return shifted({ nodes, edges, headers, width: 0, height: 0 });
}

/** The layout from (0, 0) on, with its size. */
function shifted(layout: Layout): Layout {
    const points = [
        ...layout.edges.flatMap(({ points }) => points),
        ...[...layout.nodes.values()].flatMap(({ x, y, width, height }) => [
            { x: x - width / 2, y: y - height / 2 },
            { x: x + width / 2, y: y + height / 2 },
        ]),
    ];
    const margin = 20;
    const left = points.reduce((least, { x }) => Math.min(least, x), Infinity) - margin;
    const top = points.reduce((least, { y }) => Math.min(least, y), Infinity) - margin;
    const move = (point: Point) => {
        point.x -= left;
        point.y -= top;
    };
    // Points at which edges bend may be the same object in several edges.
    new Set<Point>([
        ...layout.edges.flatMap(({ points }) => points),
        ...layout.nodes.values(),
    ]).forEach(move);
    return {
        ...layout,
        width: points.reduce((most, { x }) => Math.max(most, x), 0) + margin,
        height: points.reduce((most, { y }) => Math.max(most, y), 0) + margin,
    };
}

/** An edge as a path of SVG: straight pieces with round corners. */
export function rounded(points: Point[], radius: number): string {
    const [first, ...rest] = points;
    if (!first) return "";
    let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
    rest.forEach((point, at) => {
        const next = rest[at + 1];
        if (!next) {
            path += `L${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
            return;
        }
        const last = at === 0 ? first : rest[at - 1]!;
        const before = towards(point, last, radius);
        const after = towards(point, next, radius);
        path += `L${before.x.toFixed(1)} ${before.y.toFixed(1)}`;
        path += `Q${point.x.toFixed(1)} ${point.y.toFixed(1)} ${after.x.toFixed(1)} ${after.y.toFixed(1)}`;
    });
    return path;
}

function towards(from: Point, to: Point, by: number): Point {
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const part = length === 0 ? 0 : Math.min(by, length / 2) / length;
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
