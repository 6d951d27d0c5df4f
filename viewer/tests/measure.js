// Measures a page: node viewer/tests/measure.js PAGE FUNCTION
//
// Times are from the navigation to the first picture with content, in milliseconds: the median of
// five. Beside each stands the processor's time of the tab's main thread, which other work on the
// machine changes less. Memory is what the tab's JavaScript holds after a collection, and what its process uses.

import { execFileSync } from "node:child_process";

import { browse, go } from "./harness.js";

const [file, name] = process.argv.slice(2);
if (!file || !name) throw new Error("usage: node measure.js PAGE FUNCTION");

const median = (numbers) =>
    numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
const browser = await browse();
const times = { open: [], functions: [], function: [] };
const work = { open: [], functions: [], function: [] };
let memory;
for (let round = 0; round < 5; round++) {
    const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const devtools = await tab.context().newCDPSession(tab);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => {
        const { metrics } = await devtools.send("Performance.getMetrics");
        return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
    };
    const measure = async (what, act, ...shown) => {
        const [start, before] = [performance.now(), await busy()];
        await act();
        for (const one of shown) await tab.waitForSelector(one);
        times[what].push(performance.now() - start);
        work[what].push((await busy()) - before);
    };
    const place = `file://${file}`;
    await measure("open", () => tab.goto(place, { waitUntil: "commit" }), "h1");
    const row = ".functions .virtual [role=row]";
    await measure("functions", () => go(tab, "#/functions"), row);
    const code = ".line-code span";
    await measure("function", () => go(tab, `#/function/${name}`), ".block", code);
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    memory = usedSize;
    if (round < 4) await tab.close();
}
const list = execFileSync("ps", ["-eo", "rss,args"]).toString().split("\n");
const renderers = list.filter((line) => line.includes("--type=renderer"));
const largest = Math.max(...renderers.map((line) => Number(line.trim().split(" ")[0])));
const shown = Object.keys(times).map(
    (what) => `${what} ${median(times[what]).toFixed(0)} (${median(work[what]).toFixed(0)}) ms`,
);
const [heap, resident] = [(memory / 1e6).toFixed(1), (largest / 1e3).toFixed(0)];
console.log(`${shown.join(", ")}; heap ${heap} MB, process ${resident} MB`);
await browser.close();
