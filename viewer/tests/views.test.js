// Every view of the pages of several programs: what they show is what `pathprof export` says, the
// browser complains of nothing, and axe-core finds no violation.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { browse, facts, go, open, page, picture, run, scratch, violations } from "./harness.js";

const digits = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** Names of programs, how to make them, and a function with several paths. */
const PROGRAMS = [
    {
        name: "words",
        function: "main",
        make: () => run("words", "words.c", ["-g", "-O2", "-fpath-callees=4"]),
    },
    {
        name: "parse",
        function: "main",
        make: () => run("parse", "parse.cpp", ["-g", "-O2", "-std=c++17"], { compiler: "pathc++" }),
    },
    {
        name: "early",
        function: "scan",
        make: () => run("early", "words.c", ["-g", "-O0", "-fpath-stage=early"]),
    },
    { name: "killed", function: "main", make: () => run("killed", "killed.c", ["-g", "-O1"]) },
    ...(process.env.PAGES_SQLITE
        ? [
              {
                  name: "sqlite",
                  function: "sqlite3VdbeExec",
                  make: () => "/",
                  profile: process.env.PAGES_SQLITE,
              },
          ]
        : []),
];

let browser;
before(async () => (browser = await browse()));
after(() => browser.close());

for (const program of PROGRAMS) {
    describe(program.name, () => {
        let file, known, tab, problems;
        before(async () => {
            const path = program.make();
            const profiles = program.profile ? [program.profile] : [];
            const { folder } = await import("./harness.js");
            file = page(program.profile ? folder(program.name) : path, ...profiles);
            known = facts(path, ...profiles);
            ({ tab, problems } = await open(browser, file));
        });
        after(() => {
            assert.deepEqual(problems, []);
            return tab.close();
        });
        const accessible = async () => assert.deepEqual(await violations(tab), []);
        const counted = () => known.functions.filter((one) => one.skipped === null);

        test("overview", async () => {
            const all = counted().reduce((sum, one) => sum + one.instructions, 0);
            await tab.getByText(digits(all), { exact: true }).first().waitFor();
            assert.ok((await tab.locator(".treemap .area").count()) > 0);
            const isIncomplete = known.profiles.some((profile) => profile.incomplete);
            assert.equal(
                (await tab.getByText("The process ended without writing a profile").count()) > 0,
                isIncomplete,
            );
            assert.equal(isIncomplete, program.name === "killed");
            await picture(tab, `${program.name}-overview`);
            await accessible();
        });

        test("functions", async () => {
            await tab.getByRole("link", { name: "Functions", exact: true }).click();
            const rows = tab.locator(".functions .virtual [role=row]");
            await rows.first().waitFor();
            const system = tab.getByLabel("system headers");
            if ((await system.count()) > 0) await system.check();
            const order = counted().sort((one, other) => other.instructions - one.instructions);
            const cells = (await rows.first().locator("[role=cell]").allInnerTexts()).map((text) =>
                text.trim(),
            );
            assert.equal(cells[1], digits(order[0].instructions));
            assert.equal(cells[3], digits(order[0].entries));
            const ended = order[0].paths.filter(({ end }) => end !== "in_flight");
            assert.equal(cells[4].split(" / ")[0], digits(ended.length));
            await tab.getByRole("button", { name: "Entries" }).click();
            const entered = counted().sort((one, other) => other.entries - one.entries);
            assert.equal(
                await rows.first().locator("[role=cell]").nth(3).innerText(),
                digits(entered[0].entries),
            );
            await tab.keyboard.press("/");
            await tab.keyboard.type(program.function);
            const matching = counted().filter(({ name, demangled }) =>
                `${name} ${demangled}`.toLowerCase().includes(program.function.toLowerCase()),
            );
            await tab
                .getByText(`${digits(matching.length)} of ${digits(known.functions.length)}`)
                .waitFor();
            await picture(tab, `${program.name}-functions`);
            await accessible();
        });

        test("a function: paths, steps, blocks, edges, lines", async () => {
            const of = counted().find(({ name }) => name === program.function);
            await go(tab, `#/function/${program.function}?order=count`);
            await tab.locator(".block").first().waitFor();
            await tab.locator(".path-list .virtual [role=row]").first().waitFor();
            const paths = [...of.paths].sort((one, other) => other.count - one.count);
            const status = tab.locator(".paths [role=status]");
            assert.equal(
                await status.innerText(),
                `${digits(paths.length)} executed path${paths.length === 1 ? "" : "s"}`,
            );
            await picture(tab, `${program.name}-function`);
            await accessible();
            // A path and its steps, by the keyboard.
            await tab.keyboard.press("j");
            await tab.locator(".steps").waitFor();
            const blocks = new Set(paths[0].blocks);
            const boxes = await tab
                .locator(".block.on-path")
                .evaluateAll((all) => all.map((of) => Number(of.dataset.blocks)));
            assert.equal(
                boxes.reduce((sum, number) => sum + number, 0),
                blocks.size,
            );
            await tab.keyboard.press("n");
            await tab.keyboard.press("n");
            assert.equal(await tab.locator(".steps [aria-current=step]").count(), 1);
            assert.match(tab.url(), /path=\d+&step=\d/);
            await tab.locator(".line.on-path").first().waitFor();
            await picture(tab, `${program.name}-path`);
            await accessible();
            // The same place again, by its link.
            const again = await open(browser, file, { place: new URL(tab.url()).hash });
            await again.tab.locator(".steps [aria-current=step]").waitFor();
            assert.deepEqual(again.problems, []);
            await again.tab.close();
            // A block, and another beside it.
            await tab.keyboard.press("Escape");
            const through = (...wanted) =>
                paths.filter((path) => wanted.every((block) => path.blocks.includes(block)));
            const runs = (some) => some.reduce((sum, { count }) => sum + count, 0);
            const expectStatus = async (some) => {
                const text =
                    some.length === paths.length
                        ? `${digits(some.length)} executed path${some.length === 1 ? "" : "s"}`
                        : `${digits(some.length)} of ${digits(paths.length)}, ${digits(runs(some))} executions`;
                await tab.waitForFunction(
                    (text) => document.querySelector(".paths [role=status]").innerText === text,
                    text,
                    { timeout: 5000 },
                );
            };
            const [first, second] = [paths[0].blocks[0], paths[0].blocks.at(-1)];
            await go(tab, `#/function/${program.function}?through=b${first}`);
            await expectStatus(through(first));
            await tab.locator(".details").waitFor();
            await accessible();
            await picture(tab, `${program.name}-block`);
            await go(tab, `#/function/${program.function}?through=b${first},b${second}`);
            await expectStatus(through(first, second));
            // An edge.
            const edge = of.edges.findIndex(
                ({ from, to, cut }) =>
                    !cut &&
                    paths[0].blocks.some(
                        (block, at) => block === from && paths[0].blocks[at + 1] === to,
                    ),
            );
            if (edge >= 0) {
                const { from, to } = of.edges[edge];
                const taken = paths.filter((path) =>
                    path.blocks.some((block, at) => block === from && path.blocks[at + 1] === to),
                );
                await go(tab, `#/function/${program.function}?through=e${edge}`);
                await expectStatus(taken);
            }
            // A line, by a click; with Shift, beside another.
            await go(tab, `#/function/${program.function}`);
            await expectStatus(paths);
            const line = tab.locator("button.line-count").nth(1);
            await line.click();
            assert.equal(await tab.locator(".mark").count(), 1);
            await tab
                .locator("button.line-count")
                .nth(2)
                .click({ modifiers: ["Shift"] });
            assert.equal(await tab.locator(".mark").count(), 2);
            await tab.keyboard.press("Escape");
            await tab.waitForFunction(() => !document.querySelector(".mark"));
            // A block of the picture, by a click: its count is the exported one.
            const block = tab.locator(".block .press").first();
            await block.focus();
            await tab.keyboard.press("Enter");
            await tab.locator(".details").waitFor();
            const number = Number(
                (await tab.locator(".details h3").innerText()).match(/bb(\d+)/)[1],
            );
            const text = await tab.locator(".details > p b").innerText();
            assert.equal(text.replace("~", ""), digits(of.blocks[number].count));
        });

        test("calls", async () => {
            await go(tab, "#/calls");
            await tab.locator(".calls .virtual").waitFor();
            const first = tab.locator(".calls .virtual [role=row]").first();
            if ((await first.count()) > 0) {
                const caller = await first.locator("[role=cell]").nth(3).textContent();
                assert.ok(known.functions.some(({ demangled }) => demangled.includes(caller)));
            }
            if (program.name === "words") {
                // What pointers led to has names.
                for (const [callee, count] of [
                    ["on_word", 6000],
                    ["on_number", 2000],
                    ["on_other", 500],
                ]) {
                    const row = tab
                        .locator(".calls .virtual [role=row]", { hasText: callee })
                        .filter({ hasText: digits(count) });
                    assert.equal(
                        await row.locator("[role=cell]").nth(2).innerText(),
                        digits(count),
                    );
                }
            }
            await picture(tab, `${program.name}-calls`);
            await accessible();
        });

        test("coverage", async () => {
            await go(tab, "#/coverage");
            await tab.locator(".coverage-table").waitFor();
            const isEarly = known.stage === "early";
            assert.equal(
                await tab.getByText("counted after optimisation").count(),
                isEarly ? 0 : 1,
            );
            const names = await tab.locator(".coverage-table tbody a").allInnerTexts();
            assert.ok(
                names.length > 0 && !names.some((name) => name.startsWith("/usr/")),
                names.join(),
            );
            await picture(tab, `${program.name}-coverage`);
            await accessible();
            await tab.locator(".coverage-table tbody a").first().click();
            await tab.locator(".line").first().waitFor();
            await tab.getByRole("button", { name: "↓ missed line" }).click();
            await picture(tab, `${program.name}-file`);
            await accessible();
        });

        test("on paper the whole graph is shown", async () => {
            const paper = await open(browser, file, { place: `#/function/${program.function}` });
            await paper.tab.locator(".block").first().waitFor();
            await paper.tab.emulateMedia({ media: "print" });
            await paper.tab.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
            await paper.tab.locator(".cfg[viewBox]").waitFor();
            const outside = await paper.tab.evaluate(() => {
                const box = document.querySelector(".cfg").getBoundingClientRect();
                return [...document.querySelectorAll(".cfg .block, .cfg .edge")].filter((part) => {
                    const { left, right, top, bottom } = part.getBoundingClientRect();
                    const [inX, inY] = [
                        box.left - 1 <= left && right <= box.right + 1,
                        box.top - 1 <= top && bottom <= box.bottom + 1,
                    ];
                    return !(inX && inY);
                }).length;
            });
            assert.equal(outside, 0);
            const inside = await paper.tab.evaluate(() => {
                const [canvas, picture] = [".canvas", ".cfg"].map((name) =>
                    document.querySelector(name).getBoundingClientRect(),
                );
                return canvas.height + 1 >= picture.height;
            });
            assert.ok(inside, "the picture is cut off");
            await paper.tab.evaluate(() => window.dispatchEvent(new Event("afterprint")));
            await paper.tab.locator(".cfg:not([viewBox])").waitFor();
            await paper.tab.emulateMedia({ media: null });
            await paper.tab.pdf({
                path: join(scratch, "pictures", `${program.name}-function.pdf`),
                format: "A4",
                printBackground: true,
            });
            assert.deepEqual(paper.problems, []);
            await paper.tab.close();
        });

        test("narrow and dark", async () => {
            const narrow = await open(browser, file, {
                size: [800, 1000],
                dark: true,
                place: "#/overview",
            });
            await picture(narrow.tab, `${program.name}-narrow-overview`);
            assert.deepEqual(await violations(narrow.tab), []);
            await go(narrow.tab, `#/function/${program.function}`);
            await narrow.tab.locator(".line").first().waitFor();
            await picture(narrow.tab, `${program.name}-narrow-function`);
            assert.deepEqual(await violations(narrow.tab), []);
            await narrow.tab.getByRole("button", { name: "Control flow", exact: true }).click();
            await picture(narrow.tab, `${program.name}-narrow-graph`);
            assert.deepEqual(await violations(narrow.tab), []);
            assert.deepEqual(narrow.problems, []);
            await narrow.tab.close();
        });
    });
}
