// Which tasks the graph shows, and where it draws them.

import { Graph as Layered, layout as layered } from "@dagrejs/dagre";

import type { TaskGraph } from "../../data/taskGraph";

/** A graph of so many tasks is shown as a whole. */
export const WHOLE = 150;

/** Around a task so many are shown, of which so many are neighbours of one. */
const [AROUND, NEIGHBOURS] = [50, 8];

export const NODE = { width: 208, height: 46 };

export interface Point {
    x: number;
    y: number;
}

export interface DrawnEdge {
    from: number;
    to: number;
    link: number;
    points: Point[];
}

export interface Drawing {
    nodes: Map<number, Point>;
    edges: DrawnEdge[];
    width: number;
    height: number;
}

/** The tasks around one, the nearest first; all of them if the graph is small. */
export function shownAround(graph: TaskGraph, task: number): number[] {
    if (graph.count <= WHOLE) return Array.from({ length: graph.count }, (_, at) => at);
    const shown = new Set([task]);
    // A set goes on while it grows.
    for (const one of shown) {
        const nearest = (side: "before" | "behind") =>
            graph[side](one)
                .map((of) => of.task)
                .sort((a, b) => graph.isOnWay[b]! - graph.isOnWay[a]!)
                .slice(0, NEIGHBOURS);
        for (const next of [...nearest("before"), ...nearest("behind")])
            if (shown.size < AROUND) shown.add(next);
        if (shown.size >= AROUND) break;
    }
    return [...shown].sort((one, other) => one - other);
}

/** The layers of these tasks, from the first down. */
export function drawing(graph: TaskGraph, shown: number[]): Drawing {
    const engine = new Layered({});
    engine.setGraph({
        rankdir: "TB",
        nodesep: 24,
        edgesep: 12,
        ranksep: 44,
        marginx: 24,
        marginy: 24,
        ranker: shown.length > 60 ? "longest-path" : "network-simplex",
    });
    const known = new Set(shown);
    const links = [];
    for (const to of shown) {
        engine.setNode(String(to), { ...NODE });
        for (const { task: from, link } of graph.before(to))
            if (known.has(from)) links.push({ from, to, link });
    }
    for (const { from, to, link } of links) {
        const isOnWay = graph.isWayEdge(from, to);
        const isOwn = graph.link(link) === "program";
        engine.setEdge(String(from), String(to), { weight: isOnWay ? 8 : isOwn ? 4 : 1 });
    }
    layered(engine);
    const nodes = new Map<number, Point>();
    for (const task of shown) {
        const { x, y } = engine.node(String(task)) as Point;
        nodes.set(task, { x, y });
    }
    const edges = links.map((edge) => {
        const { points } = engine.edge(String(edge.from), String(edge.to)) as { points: Point[] };
        return { ...edge, points };
    });
    const { width = 0, height = 0 } = engine.graph() as { width?: number; height?: number };
    return { nodes, edges, width, height };
}
