// What readers see at first: boxes that can be read, names that say which function it is, numbers
// beside the lines that ran most, the place that was chosen. Sizes and positions are those of the
// browser, in a window of 1,400 × 900.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
    browse,
    difference,
    facts,
    folder,
    go,
    open,
    page,
    picture,
    run,
    tree,
    violations,
} from "./harness.js";

const size = [1400, 900];

let browser;
before(async () => (browser = await browse()));
after(() => browser.close());

/** A page, and what it complains about. */
function opened(make) {
    const here = {};
    before(async () => {
        here.path = make();
        here.file = here.path.endsWith(".html") ? here.path : page(here.path);
        Object.assign(here, await open(browser, here.file, { size }));
        here.known = () => facts(here.path);
    });
    after(async () => {
        assert.deepEqual(here.problems, []);
        await here.tab.close();
    });
    return here;
}

/** How many elements are inside of another one, and how many there are. */
const inside = (tab, inner, outer, margin = 0) =>
    tab.evaluate(
        ([inner, outer, margin]) => {
            const box = document.querySelector(outer).getBoundingClientRect();
            const all = [...document.querySelectorAll(inner)].filter(
                (of) => of.getClientRects().length > 0,
            );
            const isIn = (of) => {
                const { left, right, top, bottom } = of.getBoundingClientRect();
                return (
                    left >= box.left - margin &&
                    right <= box.right + margin &&
                    top >= box.top - margin &&
                    bottom <= box.bottom + margin
                );
            };
            return [all.filter(isIn).length, all.length];
        },
        [inner, outer, margin],
    );

describe("the graph", () => {
    const here = opened(() => run("blocks", "blocks.c", ["-g", "-O1"]));
    const shown = async (name, query = "") => {
        await go(here.tab, `#/function/${name}${query}`);
        await here.tab.locator("h1", { hasText: name }).waitFor();
        await here.tab.locator(".block").first().waitFor();
    };

    test("blocks that calls cut from each other are one box", async () => {
        await shown("straight");
        const known = facts(here.path).functions.find(({ name }) => name === "straight");
        assert.ok(known.blocks.length > 4, `${known.blocks.length} blocks`);
        assert.equal(await here.tab.locator(".block").count(), 1);
        const blocks = await here.tab.locator(".block").getAttribute("data-blocks");
        assert.equal(Number(blocks), known.blocks.length);
        assert.match(await here.tab.locator(".block .title").textContent(), /^\d+–\d+$/);
        // Its details are of all of them.
        await here.tab.locator(".block .press").focus();
        await here.tab.keyboard.press("Enter");
        const last = known.blocks.length - 1;
        assert.equal(await here.tab.locator(".details h3").innerText(), `bb0 … bb${last}`);
        assert.equal(await here.tab.locator(".details code", { hasText: "step" }).count(), 5);
        assert.deepEqual(await violations(here.tab), []);
        await picture(here.tab, "graph-straight");
    });

    test("at first there are boxes to read, not white", async () => {
        for (const name of ["ladder", "loops", "cases", "main"]) {
            await shown(name);
            const [seen, all] = await inside(here.tab, ".block", ".canvas");
            assert.ok(seen >= Math.min(5, all), `${name}: ${seen} of ${all} boxes`);
            const height = await here.tab
                .locator(".block .title")
                .first()
                .evaluate((text) => text.getBoundingClientRect().height);
            assert.ok(height >= 9, `${name}: letters of ${height} pixels`);
            await picture(here.tab, `graph-${name}`);
        }
    });

    test("all of it is all of it", async () => {
        for (const name of ["ladder", "loops", "cases"]) {
            await shown(name);
            await here.tab.getByRole("button", { name: "all of it" }).click();
            await here.tab.waitForTimeout(100);
            const [seen, all] = await inside(
                here.tab,
                ".cfg .body, .cfg .ink, .cfg text",
                ".canvas",
            );
            assert.equal(seen, all, name);
        }
    });

    test("many blocks are laid out with little work", async () => {
        await shown("ladder");
        await here.tab.getByRole("button", { name: "unfold all" }).click();
        const { blocks } = facts(here.path).functions.find(({ name }) => name === "ladder");
        const many = here.tab.locator(".graph header", { hasText: `${blocks.length} blocks` });
        await many.waitFor();
        await here.tab.waitForFunction(() => document.querySelectorAll(".block").length > 100);
        // Each layer that an edge crosses is a point of it, and costs as much as a box.
        const points = await here.tab.evaluate(() => {
            const paths = [...document.querySelectorAll(".edge .ink")];
            return paths.map((path) => path.getAttribute("d").match(/[ML]/g).length);
        });
        const all = points.reduce((sum, points) => sum + points, 0);
        assert.ok(all <= 6 * points.length, `${all} points of ${points.length} edges`);
        await here.tab.getByRole("button", { name: "fold again" }).click();
    });

    test("choosing a path moves source and graph there", async () => {
        await shown("loops");
        const { tab } = here;
        const rows = tab.locator(".path-list .virtual [role=row]");
        await rows.first().waitFor();
        const scrolled = () => tab.locator(".source .virtual").evaluate((of) => of.scrollTop);
        const away = (top) =>
            tab.locator(".source .virtual").evaluate((of, top) => (of.scrollTop = top), top);
        for (const [at, top] of [
            [0, 0],
            [4, 10_000],
            [0, 0],
        ]) {
            await away(top);
            await tab.waitForTimeout(100);
            const canvas = await tab.locator(".canvas").boundingBox();
            const middle = [canvas.x + canvas.width / 2, canvas.y + canvas.height - 8];
            await tab.mouse.move(canvas.x + 20, middle[1]);
            await tab.mouse.down();
            await tab.mouse.move(canvas.x + 3000, middle[1] + 2000);
            await tab.mouse.up();
            await rows.nth(at).click();
            await tab.locator(".steps").waitFor();
            await tab.waitForTimeout(150);
            const lines = await inside(tab, ".line.on-path", ".source .virtual", 1);
            assert.ok(lines[0] > 0, `path ${at}: ${lines} lines, scrolled to ${await scrolled()}`);
            const boxes = await inside(tab, ".block.on-path", ".canvas");
            assert.ok(boxes[0] > 0 && boxes[0] === boxes[1], `path ${at}: ${boxes} boxes`);
        }
        await picture(tab, "graph-path");
        // A step has one number everywhere.
        const badges = await tab.locator(".badge text").allTextContents();
        const numbers = await tab.locator(".line.on-path .line-steps").allInnerTexts();
        const steps = await tab.locator(".steps-list button").count();
        assert.ok(badges.every((badge) => Number(badge) <= steps));
        assert.ok(
            badges.some((badge) => numbers.includes(badge)),
            `${badges} ${numbers}`,
        );
        await tab.keyboard.press("Escape");
    });

    test("a path has one name", async () => {
        const { tab } = here;
        await go(tab, "#/overview");
        const link = tab.locator("[aria-labelledby=top] tbody a").first();
        const name = await link.innerText();
        assert.match(name, /^\w+#1$/);
        assert.ok(!(await tab.locator("[aria-labelledby=top] tbody").innerText()).match(/ #\d/));
        await link.click();
        await tab.locator(".steps").waitFor();
        assert.ok((await tab.locator(".steps-head").innerText()).startsWith(name));
        assert.equal(await tab.locator(".path-list .chosen .path-rank").innerText(), "#1");
        await tab.locator(".paths select").selectOption("length");
        assert.equal(await tab.locator(".path-list .chosen .path-rank").innerText(), "#1");
        const texts = await tab.locator(".path-list .virtual .path-line").allInnerTexts();
        assert.ok(
            texts.every((text) => !text.includes("#")),
            texts.join("\n"),
        );
    });

    test("an unknown name is answered with known ones", async () => {
        for (const [name, meant] of [
            ["laddr", "ladder"],
            ["LOOPS", "loops"],
            ["straight(int)", "straight"],
        ]) {
            await go(here.tab, `#/function/${encodeURIComponent(name)}`);
            await here.tab.locator(".meant a").first().waitFor();
            assert.equal(await here.tab.locator(".meant a").first().innerText(), meant);
        }
        assert.deepEqual(await violations(here.tab), []);
        await here.tab.locator(".meant a").first().click();
        await here.tab.locator("h1", { hasText: "straight" }).waitFor();
    });
});

describe("names and lines", () => {
    const here = opened(() =>
        run("names", "names.cpp", ["-g", "-O2", "-std=c++17"], { compiler: "pathc++" }),
    );

    /** Whether a name is seen to its end. */
    const isWhole = (locator) =>
        locator.evaluate((own) => {
            let box = own.getBoundingClientRect();
            if (own.scrollWidth > own.clientWidth + 1) return false;
            for (let at = own.parentElement; at; at = at.parentElement) {
                if (getComputedStyle(at).overflowX === "visible") continue;
                if (box.right > at.getBoundingClientRect().right + 1) return false;
            }
            return true;
        });

    test("what a function is called is seen, not its template", async () => {
        const { tab } = here;
        await go(tab, "#/functions");
        const row = tab.locator(".functions .virtual [role=row]", { hasText: "insert_or_add" });
        await row.first().waitFor();
        assert.ok(await isWhole(row.first().locator(".fitted-own")));
        assert.equal(await row.first().locator(".fitted-own").innerText(), "insert_or_add");
        await row.first().locator("a").click();
        await tab.locator(".block").first().waitFor();
        assert.ok(await isWhole(tab.locator("h1 .fitted-own")));
        assert.equal(await tab.locator("h1 .fitted-own").innerText(), "insert_or_add");
        await go(tab, "#/calls");
        const call = tab.locator(".calls .virtual .fitted-own", { hasText: /^insert_or_add$/ });
        await call.first().waitFor();
        assert.ok(await isWhole(call.first()));
        const drawn = await tab.locator(".call-node text").allTextContents();
        assert.ok(
            drawn.some((name) => name.endsWith("insert_or_add")),
            drawn.join(),
        );
        await go(tab, "#/overview");
        const areas = await tab.locator(".area-name").allTextContents();
        assert.ok(
            areas.some((name) => name.endsWith("insert_or_add")),
            areas.join(),
        );
    });

    test("functions of system headers are hidden, as in the terminal", async () => {
        const { tab } = here;
        await go(tab, "#/functions");
        const names = () => tab.locator(".functions .virtual .cell-name a").allInnerTexts();
        await tab.locator(".functions .virtual .cell-name a").first().waitFor();
        assert.ok(
            !(await names()).some((name) => name.startsWith("std::")),
            (await names()).join(),
        );
        await picture(tab, "names-functions");
        await tab.getByLabel("system headers").check();
        await tab.waitForFunction(() => location.hash.includes("system"));
        assert.ok((await names()).some((name) => name.startsWith("std::")));
        await go(tab, "#/overview");
        const top = await tab.locator("[aria-labelledby=top] tbody a").allInnerTexts();
        assert.ok(top.length > 0 && !top.some((name) => name.startsWith("std::")), top.join());
        const areas = await tab
            .locator(".treemap a")
            .evaluateAll((all) => all.map((of) => of.getAttribute("aria-label")));
        assert.ok(!areas.some((label) => label.includes(": std::")), areas.join("\n"));
        await go(tab, "#/calls");
        await tab.locator(".calls .virtual [role=row]").first().waitFor();
        const callers = await tab
            .locator(".calls .virtual [role=row] [role=cell]:nth-child(4)")
            .allInnerTexts();
        assert.ok(!callers.some((name) => name.startsWith("std::")), callers.join());
        // Nor does the source show what was inlined of them.
        await go(tab, "#/function/main");
        await tab.locator(".source .line").first().waitFor();
        const inlined = () => tab.locator(".source .inline b").allInnerTexts();
        assert.ok(!(await inlined()).some((name) => name.startsWith("std::")));
        await tab.locator(".source").getByLabel("system headers").check();
        await tab.locator(".source .inline b", { hasText: "std::" }).first().waitFor();
        assert.deepEqual(await violations(tab), []);
    });

    test("the hottest line has a number, and says what it is", async () => {
        const { tab } = here;
        await go(tab, "#/function/_Z7hottesti");
        const line = tab.locator(".source .line:not(.inline)", { hasText: "add(&all, at);" });
        await line.first().waitFor();
        const text = (await line.first().locator(".line-count").innerText()).trim();
        assert.match(text, /^(↳ |~)?[1-9]/);
        const tip = await line.first().locator(".line-count").getAttribute("data-tip");
        assert.ok(!text.startsWith("↳") || tip.includes("inlined"), tip);
        // As have the heads of what was inlined.
        for (const head of await tab.locator(".source .inline .line-count").allInnerTexts())
            assert.match(head, /^\d/);
        await line.first().locator(".line-count").click();
        const status = await tab.locator(".paths [role=status]").innerText();
        assert.doesNotMatch(status, /^0 /);
        await picture(tab, "names-hottest");
    });

    test("a number that is the optimised code's has a mark, and says so", async () => {
        const { tab } = here;
        await go(tab, "#/function/main");
        await tab.locator(".source .line").first().waitFor();
        const marked = tab.locator("button.line-count", { hasText: "~" });
        assert.ok((await marked.count()) > 0);
        assert.match(await marked.first().getAttribute("aria-label"), /^~\d/);
        assert.match(await marked.first().getAttribute("data-tip"), /optimised code/);
    });

    test("callers and callees stand inside, with their numbers", async () => {
        const { tab } = here;
        for (const place of ["#/calls", "#/calls?f=main"]) {
            await go(tab, place);
            await tab.locator(".call-node").first().waitFor();
            const [seen, all] = await inside(tab, ".call-node rect", ".call-graph");
            assert.equal(seen, all, place);
            // A number is inside of its box, where no line is.
            const outside = await tab.evaluate(
                () =>
                    [...document.querySelectorAll(".call-count")].filter((text) => {
                        const [own, box] = [text, text.parentElement.querySelector("rect")].map(
                            (of) => of?.getBoundingClientRect(),
                        );
                        return !box || own.left < box.left || own.right > box.right;
                    }).length,
            );
            assert.equal(outside, 0);
            const overlapping = await tab.evaluate(
                () =>
                    [...document.querySelectorAll(".call-node:has(.call-count)")].filter((node) => {
                        const [name, count] = [".call-name", ".call-count"].map((part) =>
                            node.querySelector(part).getBoundingClientRect(),
                        );
                        return name.right > count.left;
                    }).length,
            );
            assert.equal(overlapping, 0);
            await picture(tab, "names-calls");
        }
    });
});

test("a path of a file reads from left to right, and its end is seen", async () => {
    const path = folder("upwards");
    mkdirSync(join(path, "build"));
    const long = "a_folder_with_a_name_that_is_long".repeat(4);
    mkdirSync(join(path, long));
    const text = "int main(int c, char **v) { (void)v; return c > 5; }\n";
    writeFileSync(join(path, "a.c"), text);
    writeFileSync(join(path, long, "b.c"), text);
    for (const [file, program] of [
        ["../a.c", "a"],
        [`../${long}/b.c`, "b"],
    ]) {
        const cwd = join(path, "build");
        execFileSync(join(tree, "bin/pathcc"), ["-g", file, "-o", program], { cwd, stdio: "pipe" });
        spawnSync(`./${program}`, { cwd });
        const report = page(cwd, program);
        const { tab, problems } = await open(browser, report, { size, place: "#/function/main" });
        const note = tab.locator(".source .pane-note");
        await note.waitFor();
        const [first, last, box] = await note.evaluate((of) => {
            const texts = document.createTreeWalker(of, NodeFilter.SHOW_TEXT);
            const text = texts.nextNode();
            const at = (from) => {
                const range = document.createRange();
                range.setStart(text, from);
                range.setEnd(text, from + 1);
                return range.getBoundingClientRect().x;
            };
            const { x, width } = of.getBoundingClientRect();
            return [at(0), at(text.length - 1), [x, x + width]];
        });
        assert.ok(first < last, `${file}: its first letter is at ${first}, its last at ${last}`);
        assert.ok(last < box[1], `${file}: its end at ${last} is cut at ${box[1]}`);
        assert.deepEqual(problems, []);
        await tab.close();
    }
});

test("a function of several images has the name of its image", async () => {
    const path = folder("images");
    writeFileSync(
        join(path, "part.c"),
        "static int twice(int x) { return x > 4 ? x * 2 : x; }\n" +
            "int NAME(int x) { return twice(x) + twice(x + 1); }\n",
    );
    writeFileSync(
        join(path, "main.c"),
        "int one(int), other(int);\nint main(void) { return one(9) + other(8) == 0; }\n",
    );
    const compile = (...words) =>
        execFileSync(join(tree, "bin/pathcc"), ["-g", "-O0", ...words], {
            cwd: path,
            stdio: "pipe",
        });
    compile("-shared", "-fPIC", "-DNAME=one", "part.c", "-o", "libone.so");
    compile("-shared", "-fPIC", "-DNAME=other", "part.c", "-o", "libother.so");
    compile("main.c", "-L.", "-lone", "-lother", "-Wl,-rpath,$ORIGIN", "-o", "images");
    spawnSync("./images", { cwd: path });
    const { tab, problems } = await open(browser, page(path, "images"), { size });
    await go(tab, "#/functions?q=twice");
    const rows = tab.locator(".functions .virtual [role=row] .cell-name");
    await tab.waitForFunction(() => document.querySelectorAll(".cell-name").length === 2);
    const texts = await rows.allInnerTexts();
    assert.ok(
        texts.some((text) => text.includes("libone.so")),
        texts.join(),
    );
    assert.ok(
        texts.some((text) => text.includes("libother.so")),
        texts.join(),
    );
    await rows.first().locator("a").click();
    await tab.locator(".block").first().waitFor();
    assert.match(await tab.locator(".function-name").innerText(), /in lib(one|other)\.so/);
    await go(tab, "#/calls");
    const calls = tab.locator(".calls .virtual [role=row]", { hasText: "twice" });
    await calls.first().waitFor();
    for (const call of await calls.allInnerTexts()) assert.match(call, /lib(one|other)\.so/);
    await go(tab, "#/function/twixe");
    await tab.locator(".meant li").first().waitFor();
    assert.match(await tab.locator(".meant li").first().innerText(), /lib(one|other)\.so/);
    assert.deepEqual(problems, []);
    await tab.close();
});

test("sides of a difference have commands, and bars go the way of their shares", async () => {
    const source = (more, less) =>
        `#include <stdlib.h>
__attribute__((noinline)) int more(int x) { return x > 3 ? x * 2 : x + 1; }
__attribute__((noinline)) int less(int x) { return x > 5 ? x * 3 : x + 2; }
int main(int c, char **v) {
    (void)c;
    int sum = 0;
    for (int at = 0; at < ${more} + atoi(v[1]); at++) sum += more(at);
    for (int at = 0; at < ${less}; at++) sum ^= less(at);
    return sum == 1;
}
`;
    const sides = [
        ["before", source(50, 900)],
        ["after", source(150, 100)],
    ].map(([name, text]) => {
        const path = folder(`sides-${name}`);
        writeFileSync(join(path, "a.c"), text);
        const words = ["-g", "-O0", "a.c", "-o", name];
        execFileSync(join(tree, "bin/pathcc"), words, { cwd: path, stdio: "pipe" });
        spawnSync(`./${name}`, ["7", "two words"], { cwd: path });
        return join(path, name);
    });
    const { file } = difference("sides", ...sides);
    const { tab, problems } = await open(browser, file, { size });
    for (const [side, name] of [
        ["A", "before"],
        ["B", "after"],
    ]) {
        const commands = tab.getByLabel(`Commands of ${side}`);
        assert.match(await commands.innerText(), new RegExp(`^\\$ ./${name} 7 .*two words`));
    }
    const cells = await tab.evaluate(() =>
        [...document.querySelectorAll(".delta-share")].map((of) => {
            const [track, bar] = [".delta-track", ".delta-bar"].map((part) =>
                of.querySelector(part).getBoundingClientRect(),
            );
            const middle = track.x + track.width / 2;
            return [of.querySelector(".number").textContent, bar.x + bar.width / 2 - middle];
        }),
    );
    assert.ok(
        cells.some(([share]) => share.startsWith("−")),
        cells.join(" "),
    );
    for (const [share, way] of cells) {
        assert.equal(way < 0, /^>?−/.test(share), `${share} beside a bar to ${way}`);
    }
    await picture(tab, "sides");
    assert.deepEqual(await violations(tab), []);
    assert.deepEqual(problems, []);
    await tab.close();
});

describe("names that are long or shared", () => {
    const here = opened(() =>
        run("overloads", "overloads.cpp", ["-g", "-O2"], { compiler: "pathc++" }),
    );

    test("a box has room for its title and its count", async () => {
        const { tab } = here;
        await go(tab, "#/functions?q=OrderedList");
        await tab.locator(".functions .virtual a").first().click();
        await tab.locator(".block").first().waitFor();
        const gaps = await tab.locator(".block").evaluateAll((blocks) =>
            blocks.map((block) => {
                const [title, count] = [".title", ".count"].map((part) =>
                    block.querySelector(part).getBoundingClientRect(),
                );
                return [block.querySelector(".title").textContent, count.left - title.right];
            }),
        );
        assert.ok(
            gaps.some(([title]) => title.includes("FindG")),
            gaps.join(" "),
        );
        for (const [title, gap] of gaps) assert.ok(gap >= 4, `${title}: ${gap}`);
    });

    test("a title is cut only where there is no room", async () => {
        const cut = await here.tab
            .locator(".function-head .fitted > *")
            .evaluateAll((parts) => parts.filter((of) => of.scrollWidth > of.clientWidth).length);
        assert.equal(cut, 0);
    });

    test("the open path is read as a whole", async () => {
        const { tab } = here;
        await tab.locator(".path-list .virtual [role=row]").first().click();
        await tab.locator(".steps-list").waitFor();
        const hidden = await tab
            .locator(".steps-list")
            .evaluate((of) => of.scrollHeight - of.clientHeight);
        assert.ok(hidden <= 0, `${hidden}`);
    });

    test("calls begin at the function that executed most, and say so", async () => {
        const { tab } = here;
        await go(tab, "#/calls");
        await tab.locator(".call-graph svg").waitFor();
        const most = here
            .known()
            .functions.reduce((one, other) =>
                other.instructions > one.instructions ? other : one,
            );
        const focus = await tab.locator(".call-node.focus").getAttribute("data-tip");
        assert.match(most.demangled.replace(/\(.*/, ""), new RegExp(focus.slice(0, 12)));
        await tab.getByText("which executed most instructions").waitFor();
    });

    test("functions that share a name are told apart", async () => {
        const { tab } = here;
        await go(tab, "#/calls?f=main");
        await tab.locator(".call-node.focus", { hasText: "main" }).waitFor();
        const names = await tab.locator(".call-name").allTextContents();
        const shared = names.filter((name) => name.startsWith("agree"));
        assert.ok(shared.length > 1, names.join());
        assert.equal(new Set(shared).size, shared.length, names.join());
        const cells = await tab
            .locator(".calls .virtual [role=row]", { hasText: "agree" })
            .allInnerTexts();
        assert.ok(cells.length > 1 && cells.every((text) => /overloads\.cpp:\d+/.test(text)));
    });

    test("coverage says what it covers", async () => {
        await go(here.tab, "#/coverage");
        await here.tab.getByText(/Covered by .*overloads/).waitFor();
    });
});

describe("a narrow window", () => {
    const narrow = [480, 800];

    /** Elements that are not whole in the window. */
    const outside = (tab, what) =>
        tab.locator(what).evaluateAll((all) =>
            all
                .filter((of) => {
                    const { left, right, top, height } = of.getBoundingClientRect();
                    return left < 0 || right > innerWidth + 0.5 || top < 0 || height > 44;
                })
                .map((of) => of.textContent),
        );

    test("the bar has the program, and each tab in one line", async () => {
        const sides = ["one", "other"].map((name) =>
            join(run(`narrow-${name}`, "words.c", ["-g", "-O1"]), `narrow-${name}`),
        );
        const { file } = difference("narrow", ...sides);
        for (const width of [480, 640, 800, 1000]) {
            const { tab, problems } = await open(browser, file, { size: [width, 800] });
            assert.deepEqual(await outside(tab, ".top nav a, .top button, .brand"), []);
            const shown = await tab
                .locator(".brand span")
                .evaluate((of) => [of.clientWidth, of.textContent]);
            assert.ok(shown[0] >= 90, `${width}: ${shown}`);
            await picture(tab, `narrow-difference-${width}`);
            assert.deepEqual(await violations(tab), []);
            assert.deepEqual(problems, []);
            await tab.close();
        }
    });

    test("calls are seen with their callers and callees", async () => {
        const file = page(run("narrow-calls", "words.c", ["-g", "-O1"]));
        const { tab, problems } = await open(browser, file, { size: narrow, place: "#/calls" });
        await tab.locator(".calls .virtual [role=row]").first().waitFor();
        assert.deepEqual(await outside(tab, ".call-node rect"), []);
        for (const title of ["Calls", "Caller", "Callee"]) {
            const { x, width } = await tab
                .getByRole("columnheader", { name: title, exact: true })
                .boundingBox();
            assert.ok(x >= 0 && x + width <= narrow[0], `${title}: ${x} and ${width}`);
        }
        await picture(tab, "narrow-calls");
        assert.deepEqual(await violations(tab), []);
        assert.deepEqual(problems, []);
        await tab.close();
    });
});
