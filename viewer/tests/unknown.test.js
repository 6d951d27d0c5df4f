// What is not counted is shown as not known, never as nothing: pages of programs that count calls
// or blocks alone.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browse, difference, folder, go, open, page, picture, run, violations } from "./harness.js";

const SOURCE = `#include <stdio.h>
__attribute__((noinline)) int twice(int x) { return x > 3 ? x * 2 : x + 1; }
int main(int count, char **words) {
    (void)words;
    int sum = 0;
    for (int at = 0; at < count * 7; at++)
        sum += twice(at);
    printf("%d\\n", sum);
    return 0;
}
`;

let browser;
before(async () => (browser = await browse()));
after(() => browser.close());

/** The folder of the source's program, counted in some mode, with its profile. */
function made(mode) {
    const source = join(folder(`unknown-source-${mode}`), "a.c");
    writeFileSync(source, SOURCE);
    const name = `unknown-${mode}`;
    const flags = ["-g", "-O1", `-fpath-mode=${mode}`];
    return run(name, name, flags, { code: source });
}

const opened = (mode) => open(browser, page(made(mode)));

/** The large number, and what stands beside it, of a fact of the page. */
const fact = (tab, title) =>
    tab.locator(".fact", { hasText: title }).locator("dd").first().innerText();

test("where only calls are counted, nothing says that nothing ran", async () => {
    const { tab, problems } = await opened("calls");
    assert.match(await fact(tab, "Executed"), /^–\s+not known: only calls/);
    assert.match(await fact(tab, "Paths that ran"), /^–\s+not known/);
    assert.equal(await tab.locator(".treemap").count(), 0);
    assert.match(await tab.locator(".remarks").innerText(), /only calls are counted/);
    await picture(tab, "unknown-overview");
    assert.deepEqual(await violations(tab), []);

    await go(tab, "#/functions");
    const row = tab.locator(".functions .virtual [role=row]", { hasText: "main" });
    const cells = (await row.locator("[role=cell]").allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(cells.slice(1), ["–", "–", "1", "–", "–", "–"]);

    await go(tab, "#/function/main");
    await tab.locator(".block").first().waitFor();
    const facts = await tab.locator(".function-head .facts dd").allInnerTexts();
    assert.match(facts[2], /^–\s*$/);
    assert.match(facts[3], /^–\s+of/);
    // The line of the loop has blocks of which nothing is known; that of the call says it.
    const counts = new Map(
        await tab
            .locator(".source .line")
            .evaluateAll((lines) =>
                lines.map((of) => [
                    of.querySelector(".line-number").textContent,
                    of.querySelector(".line-count").textContent,
                ]),
            ),
    );
    assert.equal(counts.get("6"), "?");
    assert.equal(counts.get("7"), "~7");
    assert.match(await tab.locator(".paths .empty").innerText(), /not counted|mode paths alone/);
    await picture(tab, "unknown-function");
    assert.deepEqual(await violations(tab), []);

    await go(tab, "#/coverage");
    await tab.locator(".coverage-table").waitFor();
    assert.match(await fact(tab, "lines"), /^–\s+not known/);
    assert.deepEqual(problems, []);
    await tab.close();
});

test("where blocks are counted, paths are not known", async () => {
    const { tab, problems } = await opened("blocks");
    assert.match(await fact(tab, "Executed"), /^\d+\s+LLVM/);
    assert.match(await fact(tab, "Paths that ran"), /^–\s+not known/);
    assert.ok((await tab.locator(".treemap .area").count()) > 0);
    await go(tab, "#/function/main");
    await tab.locator(".block").first().waitFor();
    const facts = await tab.locator(".function-head .facts dd").allInnerTexts();
    assert.match(facts[2], /^–\s*$/);
    assert.doesNotMatch(facts[3], /–/);
    assert.deepEqual(problems, []);
    await tab.close();
});

test("where a side counted only calls, the difference is not known", async () => {
    const [before, after] = ["blocks", "calls"].map((mode) => join(made(mode), `unknown-${mode}`));
    const { file } = difference("unknown-difference", before, after);
    const { tab, problems } = await open(browser, file);
    assert.match(await fact(tab, "A executed"), /^\d+\s+LLVM/);
    assert.match(await fact(tab, "B executed"), /^–\s+not known/);
    assert.match(await fact(tab, "Difference"), /^–\s+not known: B counted only calls/);
    assert.deepEqual(await violations(tab), []);
    assert.deepEqual(problems, []);
    await tab.close();
});
