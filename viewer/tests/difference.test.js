// The page of a difference, across a rebuild of a program in C and of one in C++: what it shows is
// what `pathprof diff --format json` says, the browser complains of nothing, and axe-core finds no
// violation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import {
    browse,
    difference,
    folder,
    go,
    open,
    pathprof,
    picture,
    run,
    scratch,
    violations,
} from "./harness.js";

const programs = join(dirname(fileURLToPath(import.meta.url)), "programs");

const digits = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const signed = (number) =>
    (number > 0 ? "+" : number < 0 ? "−" : "") + digits(number < 0 ? -number : number);

/** A source with other text in some places. */
function edited(file, ...changes) {
    let text = readFileSync(join(programs, file), "utf8");
    for (const [from, to] of changes) {
        assert.ok(text.includes(from), `${file} has no ${from}`);
        text = text.replace(from, to);
    }
    const path = join(folder(`edited-${file.replace(".", "-")}`), file);
    writeFileSync(path, text);
    return path;
}

/** Pairs of programs, and a function of which paths differ. */
const PAIRS = [
    {
        name: "diff-words",
        function: "scan",
        make: () => {
            const flags = ["-g", "-O0"];
            const code = edited(
                "words.c",
                ["#include <ctype.h>", "// This line was not there.\n#include <ctype.h>"],
                ["round < 500", "round < 430"],
                ["case '-':", "case '-': case '_':"],
                ["vowels += strchr", "if (text[at] != 'q') vowels += strchr"],
            );
            return [
                join(run("words-before", "words.c", flags), "words-before"),
                join(run("words-after", "words.c", flags, { code }), "words-after"),
            ];
        },
    },
    {
        name: "diff-parse",
        function: "number",
        make: () => {
            const flags = ["-g", "-O2", "-std=c++17"];
            const compiler = "pathc++";
            const code = edited(
                "parse.cpp",
                ["round < 200", "round < 300"],
                ['"7/0", ', '"7/0", "8/4/2", '],
                [
                    "at++;\n        return true;",
                    "at++;\n        if (wanted == '#') throw std::invalid_argument(\"#\");\n        return true;",
                ],
            );
            return [
                join(run("parse-before", "parse.cpp", flags, { compiler }), "parse-before"),
                join(run("parse-after", "parse.cpp", flags, { compiler, code }), "parse-after"),
            ];
        },
    },
];

let browser;
before(async () => {
    mkdirSync(scratch, { recursive: true });
    browser = await browse();
});
after(() => browser.close());

for (const pair of PAIRS) {
    describe(pair.name, () => {
        let sides, file, known, tab, problems;
        before(async () => {
            sides = pair.make();
            ({ file, known } = difference(pair.name, ...sides));
            ({ tab, problems } = await open(browser, file));
        });
        after(() => {
            assert.deepEqual(problems, []);
            return tab.close();
        });
        const accessible = async () => assert.deepEqual(await violations(tab), []);
        const pathOf = () => {
            const is = ({ what, function: symbol }) =>
                what === "path" && symbol.includes(pair.function);
            const found = known.paths.find(is);
            assert.ok(found, `no path of ${pair.function} differs`);
            return found;
        };
        const rows = () => tab.locator(".parts .virtual [role=row]");
        const cells = async (row) =>
            (await row.locator("[role=cell]").allInnerTexts()).map((text) => text.trim());
        const number = async (row) => (await cells(row))[0].replace(/^[▲▼]\s*/, "");

        test("overview", async () => {
            const facts = await tab.locator(".fact").allInnerTexts();
            assert.ok(facts[0].includes(signed(known.difference)), facts[0]);
            assert.ok(facts[1].includes(digits(known.a.instructions)), facts[1]);
            assert.ok(facts[2].includes(digits(known.b.instructions)), facts[2]);
            assert.ok(facts[3].includes(digits(known.functions.length)), facts[3]);
            await tab.locator("#top-paths").waitFor();
            const sums = await tab.locator("[aria-labelledby=ways] tbody tr").allInnerTexts();
            assert.equal(sums.filter((text) => text.includes("all of it")).length, 4);
            const matched = tab.locator("[aria-labelledby=matching] tbody tr");
            assert.equal(await matched.count(), Object.keys(known.matched).length);
            const changed = await matched.filter({ hasText: "another graph" }).innerText();
            assert.ok(changed.includes(digits(known.matched.changed.functions)), changed);
            await picture(tab, `${pair.name}-overview`);
            await accessible();
        });

        test("the lists have what is exported, in its order, and its sum", async () => {
            for (const list of ["functions", "paths", "blocks", "calls"]) {
                await go(tab, `#/${list}`);
                await tab.getByLabel(`Search ${list}`).waitFor();
                const parts = known[list];
                await tab.waitForFunction(
                    (text) => document.querySelector("[role=status]")?.innerText.startsWith(text),
                    `${digits(parts.length)} of `,
                );
                for (const at of [0, 1, 2].filter((at) => at < parts.length)) {
                    assert.equal(await number(rows().nth(at)), signed(parts[at].difference), list);
                    const shown = (await cells(rows().nth(at))).slice(3);
                    const expected = [...parts[at].instructions, ...parts[at].count].map(digits);
                    assert.deepEqual(shown, expected, list);
                }
                const foot = await tab.locator(".grid-foot").innerText();
                assert.ok(foot.includes(signed(known.difference)), foot);
                assert.ok(foot.includes("add up to the whole difference"), foot);
                await picture(tab, `${pair.name}-${list}`);
                await accessible();
            }
        });

        test("a list is searched, sorted and linked", async () => {
            await go(tab, "#/functions");
            await tab.getByRole("button", { name: "Share" }).click();
            const order = [...known.functions].sort(
                (one, other) => other.difference - one.difference,
            );
            await tab.waitForFunction(
                (text) =>
                    document.querySelector(".parts .virtual .delta")?.textContent.endsWith(text),
                signed(order[0].difference),
            );
            await tab.getByRole("button", { name: "Share" }).click();
            await tab.waitForFunction(
                (text) =>
                    document.querySelector(".parts .virtual .delta")?.textContent.endsWith(text),
                signed(order.at(-1).difference),
            );
            await tab.keyboard.press("/");
            await tab.keyboard.type(pair.function);
            const matching = known.functions.filter(({ function: symbol, a, b }) =>
                [symbol, a?.demangled, b?.demangled].some((name) =>
                    name?.toLowerCase().includes(pair.function),
                ),
            );
            await tab.waitForFunction(
                (text) => document.querySelector("[role=status]").innerText.startsWith(text),
                `${digits(matching.length)} of `,
            );
            const again = await open(browser, file, { place: new URL(tab.url()).hash });
            assert.match(
                await again.tab.locator("[role=status]").innerText(),
                new RegExp(`^${digits(matching.length)} of `),
            );
            assert.deepEqual(again.problems, []);
            await again.tab.close();
            // What could not be matched is listed.
            await go(tab, "#/functions?show=only_b");
            const only = known.matched.only_b?.functions ?? 0;
            await tab.waitForFunction(
                (text) => document.querySelector("[role=status]").innerText.startsWith(text),
                `${digits(only)} of `,
            );
        });

        test("a function has what differs in it", async () => {
            const symbol = pathOf().function;
            const paths = known.paths.filter(({ function: of }) => of === symbol);
            const blocks = known.blocks.filter(({ function: of }) => of === symbol);
            await go(tab, `#/function/${encodeURIComponent(symbol)}`);
            const heading = async (id) => (await tab.locator(`#section-${id}`).innerText()).trim();
            await tab.locator("#section-calls").waitFor();
            assert.match(await heading("paths"), new RegExp(`${digits(paths.length)}$`));
            assert.match(await heading("blocks"), new RegExp(`${digits(blocks.length)}$`));
            // By the keyboard: to the first path, and its steps.
            await tab.keyboard.press("j");
            await tab.keyboard.press("Enter");
            await tab.locator(".chosen-path .path-words").waitFor();
            assert.match(tab.url(), /path=[ab]\d+/);
            const text = await tab.locator(".chosen-path .path-words").innerText();
            assert.match(text, /\d.*→/);
            const row = await tab.locator(".parts .chosen code").innerText();
            const plain = (text) => text.replace(/\s+/g, "").replace(/^loop:?/, "");
            if (!row.includes(" … ")) assert.equal(plain(text), plain(row));
            await picture(tab, `${pair.name}-function`);
            await accessible();
            await tab.keyboard.press("Escape");
            await tab.waitForFunction(() => !document.querySelector(".chosen-path"));
        });

        test("a function has its source with both counts", async () => {
            const symbol = pathOf().function;
            await go(tab, `#/function/${encodeURIComponent(symbol)}`);
            await tab.locator("#section-source").waitFor();
            const lines = await tab.locator(".both-source .line:not(.both-head)").all();
            const rows = await Promise.all(
                lines.map(async (line) => ({
                    counts: await line.locator(".both-count").allInnerTexts(),
                    number: await line.locator(".line-number").innerText(),
                    code: await line.locator(".line-code").innerText(),
                })),
            );
            // The line that a function begins on ran as often as it was entered.
            const { count, b } = known.functions.find(({ function: of }) => of === symbol);
            const first = rows.find(({ number }) => Number(number) === b.line);
            assert.ok(first, `no line ${b.line}`);
            assert.ok(first.code.includes(pair.function), first.code);
            assert.deepEqual(first.counts, count.map(digits));
            const differ = await tab.locator(".both-source .differs .delta").allInnerTexts();
            assert.ok(differ.length > 0);
            await tab.locator("#section-source").scrollIntoViewIfNeeded();
            await picture(tab, `${pair.name}-source`);
            await accessible();
        });

        test("a chosen function, and counts per run and per entry", async () => {
            const choices = [
                ["--function", `*${pair.function}*`],
                ["--per-run"],
                ["--per-entry", "main"],
            ];
            for (const flags of choices) {
                const chosen = difference(`${pair.name}-chosen`, ...sides, ...flags);
                const { tab, problems } = await open(browser, chosen.file, {
                    place: "#/functions",
                });
                await tab.locator(".grid-foot").waitFor();
                const status = await tab.locator("[role=status]").innerText();
                assert.ok(
                    status.startsWith(`${digits(chosen.known.functions.length)} of `),
                    `${flags}: ${status}`,
                );
                const sum = chosen.known.functions.reduce((sum, of) => sum + of.difference, 0);
                const foot = await tab.locator(".grid-foot .delta").innerText();
                assert.equal(foot.replace(/^[▲▼]\s*/, ""), signed(sum));
                assert.deepEqual(problems, []);
                await tab.close();
            }
        });

        test("standard output, and what there is no page of", () => {
            const page = execFileSync(pathprof, ["diff", ...sides, "--format", "html"]).toString();
            assert.ok(page.startsWith("<!doctype html>") && page.includes('id="list.paths"'));
            const spectra = ["--spectra", sides[0], "--against", sides[1], "--format", "html"];
            assert.throws(
                () => execFileSync(pathprof, ["diff", ...spectra], { stdio: "pipe" }),
                /its formats are text, markdown, csv and json/,
            );
            assert.throws(
                () => execFileSync(pathprof, ["diff", ...sides, "--open"], { stdio: "pipe" }),
                /--format html/,
            );
        });

        test("narrow, dark, and on paper", async () => {
            const size = [800, 1000];
            const narrow = await open(browser, file, { size, dark: true, place: "#/overview" });
            await narrow.tab.locator("#top-paths").waitFor();
            await picture(narrow.tab, `${pair.name}-narrow-overview`);
            assert.deepEqual(await violations(narrow.tab), []);
            for (const place of ["#/paths", `#/function/${pathOf().function}`]) {
                await go(narrow.tab, place);
                await narrow.tab.locator(".parts .virtual [role=row]").first().waitFor();
                await picture(narrow.tab, `${pair.name}-narrow-${place.split("/")[1]}`);
                assert.deepEqual(await violations(narrow.tab), []);
            }
            assert.deepEqual(narrow.problems, []);
            for (const place of ["overview", "paths", `function/${pathOf().function}`]) {
                await go(narrow.tab, `#/${place}`);
                await narrow.tab.waitForTimeout(200);
                await narrow.tab.pdf({
                    path: join(scratch, "pictures", `${pair.name}-${place.split("/")[0]}.pdf`),
                    format: "A4",
                    printBackground: true,
                });
            }
            await narrow.tab.close();
        });
    });
}
