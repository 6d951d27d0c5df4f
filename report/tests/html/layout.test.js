// The layout of graphs: every graph has one, whatever its counts.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { folder, root } from "./harness.js";

const viewer = join(root, "report/viewer");
const esbuild = createRequire(join(viewer, "package.json"))("esbuild");

/** The module of the viewer, as JavaScript. */
async function load(source) {
    const file = join(folder("layout"), "layout.mjs");
    const entryPoints = [join(viewer, "src", source)];
    const options = { entryPoints, bundle: true, format: "esm", write: false };
    writeFileSync(file, esbuild.buildSync(options).outputFiles[0].contents);
    return import(pathToFileURL(file).href);
}

/** Numbers below one, the same each time. */
function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

/** A graph without an edge to some of its nodes, with counts of any size. */
function graph(seed) {
    const random = generator(seed);
    const below = (end) => Math.floor(random() * end);
    const count = 4 + below(40);
    const nodes = Array.from({ length: count }, (_, at) => ({
        id: `b${at}`,
        kind: "block",
        blocks: [at],
    }));
    const edges = new Map();
    for (let more = 0; more < (count * (1 + (seed % 3))) / 2; more++) {
        const [from, to] = [below(count), below(count)];
        const times = random() < 0.1 ? null : Math.floor(2 ** (40 * random()));
        edges.set(`${from}>${to}`, { from: `b${from}`, to: `b${to}`, edges: [], count: times });
    }
    return { nodes, edges: [...edges.values()] };
}

test("every graph has a layout, in which all nodes and edges stand inside", async () => {
    const { place } = await load("function/layout.ts");
    for (let seed = 1; seed <= 150; seed++) {
        const { nodes, edges } = graph(seed);
        const layout = place({ nodes, edges });
        assert.equal(layout.nodes.size, nodes.length, `seed ${seed}`);
        assert.equal(layout.edges.length, edges.length, `seed ${seed}`);
        const points = [...layout.nodes.values(), ...layout.edges.flatMap(({ points }) => points)];
        for (const { x, y } of points) {
            assert.ok(x >= 0 && x <= layout.width, `seed ${seed}: ${x}`);
            assert.ok(y >= 0 && y <= layout.height, `seed ${seed}: ${y}`);
        }
    }
});
