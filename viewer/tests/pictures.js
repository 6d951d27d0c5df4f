// Makes the pictures of the documents: node viewer/tests/pictures.js FOLDER

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { browse, go, open, page, run } from "./harness.js";

const target = process.argv[2];
if (!target) throw new Error("usage: node pictures.js FOLDER");
mkdirSync(target, { recursive: true });

const SIZE = [1280, 800];

/** What each picture shows: a program, a place, and what is done there. */
const PICTURES = [
    { name: "overview", of: "parse", place: "#/overview" },
    { name: "function", of: "words", place: "#/function/main" },
    {
        name: "path",
        of: "words",
        place: "#/function/main",
        // The hottest path, at its third step.
        keys: ["j", "n", "n", "n"],
        dark: true,
    },
    { name: "coverage", of: "early", place: "#/coverage/words.c", click: "↓ missed line" },
];

const browser = await browse();
// Pictures show no folder of the machine that they are made on.
const cpp = { compiler: "pathc++", copy: true };
const pages = {
    words: page(run("words", "words.c", ["-g", "-O2", "-fpath-callees=4"], { copy: true })),
    parse: page(run("parse", "parse.cpp", ["-g", "-O2", "-std=c++17"], cpp)),
    early: page(run("early", "words.c", ["-g", "-O0", "-fpath-stage=early"], { copy: true })),
};
for (const { name, of, place, keys = [], click, dark = false } of PICTURES) {
    const { tab, problems } = await open(browser, pages[of], { size: SIZE, dark });
    await go(tab, place.startsWith("#/coverage/") ? "#/coverage" : place);
    if (place.startsWith("#/coverage/"))
        await tab.locator(".coverage-table tbody a").first().click();
    if (click) await tab.getByRole("button", { name: click }).click();
    await tab.locator(".area, .line").first().waitFor();
    for (const key of keys) {
        await tab.waitForTimeout(150);
        await tab.keyboard.press(key);
    }
    // Highlighting comes after the text.
    await tab.waitForTimeout(600);
    await tab.mouse.move(0, 0);
    await tab.screenshot({ path: join(target, `${name}.png`) });
    if (problems.length > 0) throw new Error(problems.join("\n"));
    await tab.close();
}
await browser.close();
