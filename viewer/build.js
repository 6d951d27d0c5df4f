// Makes the viewer: one page with script and style in it, and marks where `pathprof html` puts the
// title and the data. Takes the name of the file to write.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2];
if (!target) throw new Error("usage: node build.js FILE");

const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: ["src/app/main.tsx", "src/style/main.css"],
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    charset: "utf8",
    format: "iife",
    target: ["chrome103", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "inline",
});
const text = (ending) => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending));
    return file.text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
};
const hash = (content) => `sha256-${createHash("sha256").update(content).digest("base64")}`;
const [script, style] = [text(".js"), text(".css")];
// A function, since a replacement may hold `$&`.
const page = readFileSync(join(here, "index.html"), "utf8")
    .replace("sha256-SCRIPT", () => hash(script))
    .replace("sha256-STYLE", () => hash(style))
    .replace("<style>STYLE</style>", () => `<style>${style}</style>`)
    .replace("<script>SCRIPT</script>", () => `<script>${script}</script>`);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
