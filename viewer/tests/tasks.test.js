// The page of a task graph: what it shows is what `pathprof trace graph --format json` says, of
// programs with POSIX threads and with OpenMP; names are text; keys do what they say; axe-core finds
// no violation; a page of half a million tasks opens.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { browse, go, open, picture, root, tasks, violations } from "./harness.js";

const parallel = (name) => join(root, "examples/parallel", name);
const digits = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** Small programs, so that the graph is seen as a whole where it says so. */
const PROGRAMS = [
    {
        name: "tasks-radix",
        of: parallel("radix.c"),
        flags: ["-O1", "-pthread"],
        line: ["3", "20000"],
    },
    {
        name: "tasks-bodies",
        of: parallel("barnes_hut.c"),
        flags: ["-O1", "-pthread", "-lm"],
        line: ["3", "64"],
    },
    {
        name: "tasks-fibonacci",
        of: parallel("fibonacci.c"),
        flags: ["-O1", "-fopenmp"],
        line: ["2", "18"],
    },
];

/** A graph of so many tasks is shown as a whole. */
const WHOLE = 150;

/** The width of the names of threads, and the heights of the axis and of a lane. */
const [GUTTER, AXIS, LANE] = [92, 26, 38];

let browser;
before(async () => (browser = await browse()));
after(() => browser.close());

/** The rows of a table by its label. */
const rows = (tab, label) =>
    tab
        .locator(`[role=group][aria-label="${label}"] tbody tr`)
        .evaluateAll((all) =>
            all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())),
        );

const described = (object, name) => [`0x${object.toString(16)}`, name].filter(Boolean);
const tenths = ({ work, span }) => (span ? (Math.floor((work * 10) / span) / 10).toFixed(1) : "–");

for (const { name, of, flags, line } of PROGRAMS) {
    describe(name, () => {
        let file, known, tab, problems;
        before(async () => {
            const made = tasks(name, of, flags, { line });
            [file, known] = [made.file, made.known()];
            ({ tab, problems } = await open(browser, file));
        });
        after(() => {
            assert.deepEqual(problems, []);
            return tab.close();
        });
        const nameOf = (task) => {
            const [thread, index] = known.tasks[task];
            return `${known.threads[thread].streams[0]}.${index}`;
        };
        const sumOf = (column) => known.tasks.reduce((sum, task) => sum + task[column], 0);

        test("the overview has the sums and tables of the text", async () => {
            await go(tab, "#/overview");
            const facts = (await tab.locator(".facts").innerText()).replaceAll("\n", " ");
            for (const text of [
                `${tenths(known.time)} times`,
                `by instructions ${tenths(known.instructions)} times`,
                `${digits(known.instructions.work)} instructions`,
                `${digits(known.instructions.span)} instructions`,
                `${digits(known.tasks.length)} of ${known.threads.length} thread`,
                `${digits(known.edges.length)} edge`,
                `${digits(known.time.way.length)} task`,
                `${digits(sumOf(5))} paths, ${digits(sumOf(8))} accesses to ${digits(sumOf(9))} bytes`,
            ])
                assert.ok(facts.includes(text), `${text} is not in ${facts}`);
            const levels = await rows(tab, "Tasks at once");
            assert.equal(levels.length, known.parallelism.levels.length);
            assert.equal(await tab.locator(".part").count(), known.parallelism.parts.length);
            const object = (cell) => cell.split(/\s*\n\s*/);
            const locks = await rows(tab, "Locks");
            assert.deepEqual(
                locks.map((row) => [...row.slice(0, 3), ...object(row[5])]),
                known.locks
                    .slice(0, 15)
                    .map(({ object, name, taken, failed, waited }) => [
                        ...[taken, failed, waited].map(digits),
                        ...described(object, name),
                    ]),
            );
            const barriers = await rows(tab, "Barriers");
            // Of where a region begins the text has the function, too.
            const line = ({ file, line }) => `${file.split("/").pop()}:${line}`;
            const place = (cell) => {
                const [barrier, of] = object(cell);
                return barrier === "end of region" ? [barrier, of.split(" ").pop()] : object(cell);
            };
            assert.deepEqual(
                barriers.map((row) => [row[0], ...place(row[3])]),
                known.barriers
                    .slice(0, 15)
                    .map(({ object, name, region, episodes }) => [
                        digits(episodes),
                        ...(region ? ["end of region", line(region)] : described(object, name)),
                    ]),
            );
            assert.deepEqual(await violations(tab), []);
            await picture(tab, `${name}-overview`);
        });

        test("the list has all tasks, and a chosen one has its edges", async () => {
            await go(tab, "#/timeline");
            await tab
                .locator("h2", { hasText: `${digits(known.tasks.length)} tasks in view` })
                .waitFor();
            const order = known.tasks.map((_, task) => task);
            order.sort((a, b) => known.tasks[a][3] - known.tasks[b][3] || a - b);
            const listed = await tab.locator(".task-list .virtual [role=row]").allInnerTexts();
            assert.ok(listed.length > 5);
            listed.forEach((text, at) => {
                const words = text.replace(/\s+/g, " ");
                const ending = known.names[known.tasks[order[at]][10]];
                assert.ok(words.includes(`${nameOf(order[at])} `), words);
                assert.ok(words.includes(` ${ending} `), words);
                assert.ok(words.endsWith(` ${digits(known.tasks[order[at]][7])}`), words);
            });
            const most = Math.max(...known.tasks.map((task) => task[7]));
            const task = known.tasks.findIndex((of) => of[7] === most);
            await go(tab, `#/timeline?task=${task}`);
            const details = tab.locator(".task-details");
            await details.locator("h2", { hasText: `Task ${nameOf(task)}, ` }).waitFor();
            const text = await details.innerText();
            for (const column of [5, 7, 8])
                assert.ok(text.includes(digits(known.tasks[task][column])), text);
            for (const [end, title] of [
                [1, "Came behind"],
                [0, "Let go on"],
            ]) {
                const wanted = known.edges.filter((edge) => edge[end] === task);
                const edges = details.locator(".task-edges", { hasText: title }).locator("button");
                assert.deepEqual(
                    (await edges.allInnerTexts()).sort(),
                    wanted
                        .map((edge) => `${nameOf(edge[1 - end])} ${edge[2]}`)
                        .sort()
                        .slice(0, 30),
                );
            }
            assert.deepEqual(await violations(tab), []);
            await picture(tab, `${name}-timeline`);
        });

        test("a click on a bar chooses its task", async () => {
            await go(tab, "#/timeline");
            const length = ([, , , begin, end]) => end - begin;
            const task = known.tasks.reduce(
                (best, of, at) => (length(of) > length(known.tasks[best]) ? at : best),
                0,
            );
            const [thread, , , begin, end] = known.tasks[task];
            const last = Math.max(...known.tasks.map((of) => of[4]));
            const start = known.parallelism.begin;
            await tab.getByRole("button", { name: "all of it" }).click();
            const canvas = tab.locator(".chart canvas");
            const { width } = await canvas.boundingBox();
            const share = ((begin + end) / 2 - start) / (last - start);
            const position = {
                x: GUTTER + share * (width - GUTTER),
                y: AXIS + thread * LANE + LANE / 2,
            };
            await canvas.hover({ position });
            await tab.locator(".tip.shown", { hasText: `${nameOf(task)}, ` }).waitFor();
            await canvas.click({ position });
            await tab.waitForURL((url) => url.hash.includes(`task=${task}`));
            const colours = await canvas.evaluate((element) => {
                const { width, height } = element;
                const { data } = element.getContext("2d").getImageData(0, 0, width, height);
                return new Set(new Uint32Array(data.buffer)).size;
            });
            assert.ok(colours > 5, `${colours} colours`);
        });

        test("keys choose, move, and change the size; the address keeps it", async () => {
            await go(tab, "#/timeline");
            await tab.keyboard.press("Escape");
            await tab.locator(".chart-box").focus();
            await tab.keyboard.press("n");
            const first = known.tasks.findIndex((task) => task[0] === 0);
            const second = known.tasks.findIndex((task) => task[0] === 0 && task[1] === 1);
            await tab.waitForURL((url) => url.hash.includes(`task=${first}`));
            await tab.keyboard.press("n");
            await tab.waitForURL((url) => url.hash.includes(`task=${second}`));
            await tab.keyboard.press("p");
            await tab.waitForURL((url) => url.hash.includes(`task=${first}`));
            await tab.keyboard.press("+");
            await tab.keyboard.press("ArrowRight");
            await tab.waitForURL((url) => /from=\d+&to=\d+/.test(url.hash));
            const seen = await tab.locator(".chart header .number").innerText();
            const other = await open(browser, file, { place: new URL(tab.url()).hash });
            assert.equal(await other.tab.locator(".chart header .number").innerText(), seen);
            await other.tab.locator("h2", { hasText: `Task ${nameOf(first)},` }).waitFor();
            assert.deepEqual(other.problems, []);
            await other.tab.close();
            await tab.keyboard.press("0");
            await tab.waitForURL((url) => !url.hash.includes("from="));
            await tab.keyboard.press("Escape");
            await tab.waitForURL((url) => !url.hash.includes("task="));
        });

        test("the graph has tasks, edges, and the critical path", async () => {
            await go(tab, "#/graph?task=3");
            await tab.locator(".task-node.chosen").waitFor();
            const [nodes, edges, on, onEdges] = await Promise.all(
                [".task-node", ".task-edge", ".task-node.on-way", ".task-edge.on-way"].map((of) =>
                    tab.locator(of).count(),
                ),
            );
            if (known.tasks.length <= WHOLE) {
                const { way } = known.time;
                assert.deepEqual([nodes, edges], [known.tasks.length, known.edges.length]);
                const isNext = ([from, to]) => way[way.indexOf(to) - 1] === from;
                const wanted = known.edges.filter((edge) => way.includes(edge[0]) && isNext(edge));
                assert.deepEqual([on, onEdges], [way.length, wanted.length]);
            } else {
                assert.ok(nodes > 3 && nodes <= 50, `${nodes} nodes`);
            }
            const next = tab.locator(".task-node:not(.chosen)").first();
            const title = await next.locator(".title").textContent();
            await next.focus();
            await tab.keyboard.press("Enter");
            const [, chosen] = title.trim().split(" ");
            await tab.locator("h2", { hasText: `Task ${chosen},` }).waitFor();
            // Its tip goes with the focus.
            await next.evaluate(() => document.activeElement.blur());
            assert.deepEqual(await violations(tab), []);
            await picture(tab, `${name}-graph`);
        });

        test("all fits on a phone, dark too", async () => {
            const phone = await open(browser, file, { size: [390, 800], dark: true });
            for (const place of ["#/overview", "#/timeline?task=2", "#/graph?task=2"]) {
                await go(phone.tab, place);
                await phone.tab.waitForTimeout(200);
                const width = await phone.tab.evaluate(() => document.documentElement.scrollWidth);
                assert.equal(width, 390, place);
                assert.deepEqual(await violations(phone.tab), [], place);
                await picture(phone.tab, `${name}-phone-${place.match(/[a-z]+/)[0]}`);
            }
            assert.deepEqual(phone.problems, []);
            await phone.tab.close();
        });
    });
}

test("what others wrote is text in a task graph, too", async () => {
    const trace = `t<b onclick="alert(1)">\u202E<\u2215title><script>window.pathprofBroken=1<\u2215script>.pathtrace`;
    const { file } = tasks("tasks-hostile", "locks.c", ["-O1", "-pthread"], {
        line: ["3", "20"],
        trace,
    });
    const { tab, problems } = await open(browser, file);
    for (const place of [
        "#/overview",
        "#/timeline?task=</script><img src=x>&from=x&to=-1",
        "#/timeline?task=5&from=1e400&to=NaN",
        "#/graph?task=99999999999",
        "#/nothing/</script><img src=x onerror=window.pathprofBroken=1>",
    ]) {
        await go(tab, place);
        await tab.waitForTimeout(150);
        assert.equal(await tab.evaluate(() => window.pathprofBroken), undefined, place);
        assert.equal(await tab.locator("img, b[onclick]").count(), 0, place);
        assert.doesNotMatch(await tab.evaluate(() => document.body.innerText), /\u202E/, place);
        assert.deepEqual(await violations(tab), [], place);
    }
    await go(tab, "#/overview");
    await tab.locator("code", { hasText: "work</td><img src=x" }).first().waitFor();
    assert.deepEqual(problems, []);
    await tab.close();
});

test("of more than half a million tasks the longest are shown, at once", async () => {
    const [threads, rounds] = [4, 75_000];
    const { file } = tasks("tasks-many", "locks.c", ["-O1", "-pthread"], {
        line: [String(threads), String(rounds)],
    });
    const start = performance.now();
    const { tab, problems } = await open(browser, file);
    const opened = performance.now() - start;
    // The locks' tasks, and those that make and await threads.
    await tab.locator(".remark", { hasText: "500,000 of 600," }).waitFor();
    await go(tab, "#/timeline");
    await tab.locator("h2", { hasText: "500,000 tasks in view" }).waitFor();
    const frames = await tab.evaluate(async () => {
        const times = [];
        const box = document.querySelector(".chart canvas");
        for (let turn = 0; turn < 20; turn++) {
            const begin = performance.now();
            box.dispatchEvent(
                new WheelEvent("wheel", {
                    deltaY: -60,
                    ctrlKey: true,
                    clientX: 700,
                    bubbles: true,
                }),
            );
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
            times.push(performance.now() - begin);
        }
        return times.sort((a, b) => a - b);
    });
    const size = (statSync(file).size / 1e6).toFixed(1);
    const [median, worst] = [frames[10], frames.at(-1)].map((time) => time.toFixed(0));
    console.log(
        `500,000 tasks: ${size} MB, opened in ${opened.toFixed(0)} ms, a frame in ${median} ms (${worst} at most)`,
    );
    await picture(tab, "tasks-many");
    assert.deepEqual(problems, []);
    await tab.close();
});
