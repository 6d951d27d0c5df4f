// Builds and runs programs, writes their pages, and opens them in a browser without a window.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const viewer = createRequire(join(here, "../package.json"));
const { chromium } = viewer("playwright-core");
const axe = viewer("axe-core");

export const root = resolve(here, "../..");
/** Where pages and pictures go. */
export const scratch = resolve(process.env.PAGES ?? join(root, "target/pages"));
/** The programs with what they need. */
export const tree = resolve(process.env.PATHCC_TREE ?? join(root, "target/pathcc"));
/** The program that is tested. */
export const pathprof = process.env.PATHPROF ?? join(tree, "bin/pathprof");

// Programs leave their profiles where they are, wherever the caller wants its own.
delete process.env.PATHCC_PROFILE;

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A folder for one program. */
export function folder(name) {
    const path = join(scratch, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    return path;
}

/** Compiles a source and runs the program; the folder with its profile, and with a `copy` of it. */
export function run(
    name,
    source,
    flags,
    { compiler = "pathcc", code = source, copy = false } = {},
) {
    const path = folder(name);
    let file = existsSync(code) ? code : join(here, "programs", code);
    if (copy) {
        copyFileSync(file, join(path, basename(file)));
        file = basename(file);
    }
    execFileSync(join(tree, "bin", compiler), [...flags, file, "-o", name], {
        cwd: path,
        stdio: "pipe",
    });
    spawnSync(`./${name}`, { cwd: path });
    return path;
}

/** The page of a folder's profiles, or of those that are named. */
export function page(path, ...profiles) {
    const file = join(path, "report.html");
    const sources =
        profiles.length > 0 ? profiles : readdirSync(path).filter((name) => !name.includes("."));
    execFileSync(pathprof, ["html", ...sources, "-o", file], { cwd: path, stdio: "pipe" });
    return existsSync(file) ? file : join(path, "report/index.html");
}

/** Everything that `pathprof export` knows of the same profiles. */
export function facts(path, ...profiles) {
    const sources =
        profiles.length > 0 ? profiles : readdirSync(path).filter((name) => !/\./.test(name));
    const text = execFileSync(pathprof, ["export", "--format", "json", ...sources], {
        cwd: path,
        maxBuffer: 1 << 30,
        stdio: ["ignore", "pipe", "pipe"],
    });
    return JSON.parse(text.toString());
}

/** The page of a difference, and what `pathprof diff --format json` says of it. */
export function difference(name, before, after, ...flags) {
    const file = join(folder(name), "diff.html");
    const line = ["diff", before, after, ...flags];
    execFileSync(pathprof, [...line, "--format", "html", "-o", file], { stdio: "pipe" });
    const text = execFileSync(pathprof, [...line, "--format", "json"], { maxBuffer: 1 << 30 });
    return { file, known: JSON.parse(text.toString()) };
}

/** The page of a traced run's tasks, and what `pathprof trace graph --format json` says of it. */
export function tasks(name, source, flags, { line = [], trace } = {}) {
    const path = folder(name);
    const code = existsSync(source) ? source : join(here, "programs", source);
    const all = ["-g", "-fpath-mode=trace", ...flags, code, "-o", "program"];
    execFileSync(join(tree, "bin/pathcc"), all, { cwd: path, stdio: "pipe" });
    execFileSync("./program", line, { cwd: path, stdio: "pipe" });
    const written = readdirSync(path).find((file) => file.endsWith(".pathtrace"));
    if (trace) renameSync(join(path, written), join(path, trace));
    const graph = ["trace", "graph", `./${trace ?? written}`];
    const ask = (...more) =>
        execFileSync(pathprof, [...graph, ...more], { cwd: path, maxBuffer: 1 << 30 });
    ask("--format", "html", "-o", "tasks.html");
    const known = () => JSON.parse(ask("--format", "json").toString());
    return { file: join(path, "tasks.html"), known };
}

/** A browser. */
export function browse() {
    const executablePath = BROWSERS.find((path) => existsSync(path));
    if (!executablePath) throw new Error("no Chromium: run `make setup`");
    return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A window on a page; `problems` has what the page complains about. */
export async function open(browser, file, { size = [1440, 900], dark = false, place = "" } = {}) {
    const tab = await browser.newPage({
        viewport: { width: size[0], height: size[1] },
        colorScheme: dark ? "dark" : "light",
    });
    tab.setDefaultTimeout(15_000);
    const problems = [];
    tab.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    tab.on("pageerror", (error) => problems.push(String(error.stack)));
    tab.on("request", (request) => {
        if (!/^(file|data|blob):/.test(request.url())) problems.push(`asks for ${request.url()}`);
    });
    await tab.goto(`file://${file}${place}`);
    await tab.waitForSelector("h1");
    return { tab, problems };
}

/** Goes to a place of the page that is open, as a link does. */
export async function go(tab, place) {
    await tab.evaluate((hash) => (location.hash = hash), place);
}

/** What axe-core has against the page as it is. */
export async function violations(tab) {
    await tab.evaluate(axe.source);
    const found = await tab.evaluate(() => window.axe.run(document));
    return found.violations.map(
        ({ id, nodes }) =>
            `${id}: ${nodes
                .map(({ html }) => html.slice(0, 120))
                .slice(0, 3)
                .join(" | ")}`,
    );
}

/** A picture of the page below the scratch folder. */
export async function picture(tab, name) {
    mkdirSync(join(scratch, "pictures"), { recursive: true });
    await tab.screenshot({ path: join(scratch, "pictures", `${name}.png`) });
}
