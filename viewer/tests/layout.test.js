// The layout of graphs: every graph has one, whatever its counts. Which parts of names are shown.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { folder, root } from "./harness.js";

const viewer = join(root, "viewer");
const esbuild = createRequire(join(viewer, "package.json"))("esbuild");

/** The module of the viewer, as JavaScript. */
async function load(source) {
    const file = join(folder("layout"), source.replaceAll("/", "-").replace(".ts", ".mjs"));
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
        blocks: [at],
        ways: at % 3 === 0 ? [{ kind: "cold", blocks: [count + at], count: 0 }] : [],
    }));
    const edges = new Map();
    for (let more = 0; more < (count * (1 + (seed % 3))) / 2; more++) {
        const [from, to] = [below(count), below(count)];
        const times = random() < 0.1 ? null : Math.floor(2 ** (40 * random()));
        edges.set(`${from}>${to}`, {
            from: `b${from}`,
            to: `b${to}`,
            edges: [],
            count: times,
            text: "12",
        });
    }
    return { nodes, edges: [...edges.values()] };
}

test("every graph has a layout, in which all nodes and edges stand inside", async () => {
    const { place } = await load("views/function/layout.ts");
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

test("edges across many layers cost no more than others", async () => {
    const { place } = await load("views/function/layout.ts");
    const count = 100;
    const nodes = Array.from({ length: count }, (_, at) => ({
        id: `b${at}`,
        blocks: [at],
        ways: [],
    }));
    const edges = [];
    const add = (from, to) =>
        edges.push({ from: `b${from}`, to: `b${to}`, edges: [], count: 1, text: "1" });
    for (let at = 0; at + 1 < count; at++) {
        add(at, at + 1);
        if (at + 2 < count - 1) add(at, count - 1);
    }
    const layout = place({ nodes, edges });
    assert.equal(layout.edges.length, edges.length);
    // Each layer that an edge crosses is a point of it.
    const points = layout.edges.reduce((sum, { points }) => sum + points.length, 0);
    assert.ok(points <= 6 * edges.length, `${points} points of ${edges.length} edges`);
    // What goes to the end shares a line beside all boxes.
    const right = Math.max(...[...layout.nodes.values()].map(({ x, width }) => x + width / 2));
    const far = layout.edges.filter(({ far }) => far);
    assert.ok(far.length > 80);
    assert.equal(new Set(far.map(({ points }) => points[3].x)).size, 1);
    assert.ok(far.every(({ points }) => points[3].x > right && points[3].x < right + 40));
});

test("names are cut where they say least", async () => {
    const { divided, fitted, shortened, withoutParameters } = await load("ui/names.ts");
    const { meant } = await load("data/names.ts");
    for (const [name, around, own] of [
        ["main", "", "main"],
        ["a::b<c::d>::e", "a::b<c::d>::", "e"],
        ["(anonymous namespace)::f<int>", "(anonymous namespace)::", "f<int>"],
        ["std::operator==<char, std::less<int> >", "std::", "operator==<char, std::less<int> >"],
        ["std::operator<<char, a::b>", "std::", "operator<<char, a::b>"],
        ["A<b::c>::operator->", "A<b::c>::", "operator->"],
        ["main::{lambda(a::b)#1}::operator()", "main::", "{lambda(a::b)#1}::operator()"],
        ["f<(a::b)3>", "", "f<(a::b)3>"],
        ["not<closed::f", "", "not<closed::f"],
    ]) {
        assert.deepEqual(divided(name), [around, own]);
    }
    assert.equal(shortened("a<b<c>>::d<e>(f<g>)"), "a<…>::d<…>(f<…>)");
    assert.equal(shortened("operator<<char>"), "operator<<…>");
    assert.equal(shortened("operator<< <char>"), "operator<< <…>");
    assert.equal(shortened("S<1>::operator>"), "S<…>::operator>");
    assert.equal(fitted("std::vector<int>::push_back", 30), "std::vector<int>::push_back");
    assert.equal(
        fitted("std::vector<int>::push_back", 25),
        "std::vector<…>::push_back".slice(0, 25),
    );
    assert.equal(fitted("std::vector<int>::push_back", 12), "…push_back");
    assert.equal(fitted("std::vector<int>::push_back", 6), "push_…");
    assert.equal(withoutParameters("a::f(int, b<c>) const"), "a::f");
    assert.equal(withoutParameters("a::operator()(int)"), "a::operator()");
    assert.equal(withoutParameters("(anonymous namespace)"), "(anonymous namespace)");
    const known = [["main"], ["_Z3addii", "add", "add(int, int)"], ["addition"], ["other"]];
    assert.deepEqual(meant("amin", known, 3), [0]);
    assert.deepEqual(meant("maim", known, 3), [0]);
    assert.deepEqual(meant("add", known, 3), [1, 2]);
    assert.deepEqual(meant("add(int,int)", known, 3)[0], 1);
});

test("times are rounded to the nearest", async () => {
    const { duration } = await load("data/taskGraph.ts");
    for (const [time, text] of [
        [0, "0 ns"],
        [999, "999 ns"],
        [1_000, "1.00 µs"],
        [1_905, "1.91 µs"],
        [9_994, "9.99 µs"],
        [9_995, "10.0 µs"],
        [149_964, "150 µs"],
        [999_499, "999 µs"],
        [999_500, "1.00 ms"],
        [1_906_949, "1.91 ms"],
        [99_950_000, "100 ms"],
        [12_345_000_000, "12.3 s"],
    ])
        assert.equal(duration(time), text, `${time}`);
    const { seconds } = await load("ui/numbers.ts");
    assert.equal(seconds(25_981_000), "0.026");
    assert.equal(seconds(25_499_999), "0.025");
});
