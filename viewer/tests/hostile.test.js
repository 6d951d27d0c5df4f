// Names and sources that would be markup, script, or unreadable, were they not escaped.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import {
    browse,
    difference,
    folder,
    go,
    open,
    page,
    picture,
    run,
    scratch,
    violations,
} from "./harness.js";

const FILE = `a</script><b onclick="alert(1)">'\u202Eb.c`;
const SYMBOL = `f</script><img src=x onerror=window.pathprofBroken=1>\\"'`;

/** The program: the symbol is given by an assembler's name. */
const SOURCE = [
    `/* </script><script>window.pathprofBroken = 1</script> <!-- \u202E turned \u2066 \u0000 nothing \u0007 */`,
    `__attribute__((noinline)) int f(int x) __asm__("${SYMBOL.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}");`,
    `int f(int x) { return x > 3 ? x * 2 : x; } // "quotes" & 'more' \u202E </script>`,
    `int main(void) { int sum = 0; for (int i = 0; i < 9; i++) sum += f(i); return sum == 0; }`,
    "",
].join("\n");

let browser;
before(async () => (browser = await browse()));
after(() => browser.close());

/** Goes to places and checks that nothing of what a name or a source says has an effect there. */
async function areHarmless(tab, places) {
    for (const place of places) {
        await go(tab, place);
        await tab.waitForTimeout(150);
        assert.equal(await tab.evaluate(() => window.pathprofBroken), undefined, place);
        assert.equal(await tab.locator("img, b[onclick]").count(), 0, place);
        const text = await tab.evaluate(() => document.body.innerText);
        assert.doesNotMatch(text, /[\u0000\u0007\u202E\u2066]/, place);
        assert.deepEqual(await violations(tab), [], place);
    }
}

test("what others wrote is text", async () => {
    mkdirSync(scratch, { recursive: true });
    const sources = folder("hostile-source");
    // A file's name has no slash.
    const file = join(sources, FILE.replaceAll("/", "\u2215"));
    writeFileSync(file, SOURCE);
    const path = run("hostile", file, ["-g", "-O1", "-Wno-null-character"]);
    const report = page(path);
    const { tab, problems } = await open(browser, report);
    const places = [
        "#/overview",
        "#/functions",
        `#/functions?q=${encodeURIComponent("</script>")}`,
        `#/function/${encodeURIComponent(SYMBOL)}`,
        "#/calls",
        "#/coverage",
        "#/function/</script><img src=x onerror=window.pathprofBroken=1>",
    ];
    await areHarmless(tab, places);
    await go(tab, `#/function/${encodeURIComponent(SYMBOL)}`);
    await tab.locator(".line .line-code", { hasText: "return x > 3" }).waitFor();
    await tab.locator(".hidden-character", { hasText: "U+202E" }).first().waitFor();
    await picture(tab, "hostile-function");
    await go(tab, "#/coverage");
    await tab.locator(".coverage-table tbody a").first().click();
    await tab.locator(".hidden-character", { hasText: "U+0000" }).first().waitFor();
    await tab.locator(".hidden-character", { hasText: "U+0007" }).first().waitFor();
    await picture(tab, "hostile-file");
    assert.deepEqual(problems, []);
    await tab.close();
});

test("what others wrote is text in a difference, too", async () => {
    const name = `g</script><script>window.pathprofBroken=1</script>'\u202E\u2066`;
    const sides = ["x > 3 ? x * 2 : x", "x > 4 ? x * 3 : x"].map((text, side) => {
        const folderOf = folder(`hostile-source-${side}`);
        const file = join(folderOf, FILE.replaceAll("/", "\u2215"));
        writeFileSync(
            file,
            SOURCE.replace("x > 3 ? x * 2 : x", text).replace("i < 9", `i < ${9 + side}`),
        );
        const path = run(`hostile-${side}`, file, ["-g", "-O1", "-Wno-null-character"]);
        const program = join(path, name.replaceAll("/", "\u2215"));
        renameSync(join(path, `hostile-${side}`), program);
        const profile = readdirSync(path).find((of) => of.endsWith(".pathprof"));
        return { profile: join(path, profile), program };
    });
    const { file } = difference(
        "hostile-diff",
        ...sides.map(({ profile }) => profile),
        ...sides.flatMap(({ program }) => ["--image", program]),
    );
    const { tab, problems } = await open(browser, file);
    const symbol = encodeURIComponent(SYMBOL);
    const places = [
        "#/overview",
        "#/functions",
        `#/functions?q=${encodeURIComponent("</script>")}&show=</script><img src=x>`,
        "#/paths",
        "#/blocks",
        "#/calls",
        `#/function/${symbol}`,
        `#/function/${symbol}?path=</script><img src=x onerror=window.pathprofBroken=1>`,
        "#/function/</script><img src=x onerror=window.pathprofBroken=1>",
    ];
    await areHarmless(tab, places);
    await go(tab, `#/function/${symbol}`);
    await tab.locator("h1", { hasText: "</script><img src=x" }).waitFor();
    await picture(tab, "hostile-diff");
    assert.deepEqual(problems, []);
    await tab.close();
});
