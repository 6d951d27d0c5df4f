// The rooms of the viewer: what each may import. `ui` knows nothing of what is shown, `data` nothing of
// the views, a view nothing of another one.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");

/** What a room may import, its own files aside. */
function allowed(room) {
    switch (room) {
        case "ui":
            return [];
        case "data":
            return ["ui"];
        case "views/shared":
            return ["ui", "data"];
        case "app":
            return ["ui", "data", ...rooms().filter((room) => room.startsWith("views/"))];
        default:
            return ["ui", "data", "views/shared"];
    }
}

/** The folders that have code. */
function rooms() {
    const views = readdirSync(join(source, "views")).map((name) => `views/${name}`);
    return ["app", "data", "ui", ...views];
}

test("each room imports only what it may", () => {
    const folders = readdirSync(source).filter((name) => name !== "style");
    assert.deepEqual(folders.sort(), ["app", "data", "ui", "views"]);
    const wrong = [];
    let imports = 0;
    for (const room of rooms()) {
        for (const file of readdirSync(join(source, room))) {
            assert.match(file, /\.tsx?$/, `${room} holds files alone`);
            const text = readFileSync(join(source, room, file), "utf8");
            for (const [, path] of text.matchAll(/from "(\.[^"]*)"/g)) {
                const target = dirname(relative(source, join(source, room, path)));
                imports++;
                if (target !== room && !allowed(room).includes(target))
                    wrong.push(`${room}/${file} imports ${path}`);
            }
        }
    }
    assert.deepEqual(wrong, []);
    assert.ok(imports > 100);
});

test("no file imports itself by way of others", () => {
    const files = rooms().flatMap((room) =>
        readdirSync(join(source, room)).map((file) => join(room, file)),
    );
    const withoutEnd = (file) => file.replace(/\.tsx?$/, "");
    const imports = new Map(
        files.map((file) => {
            // Types are gone when the page runs, but they are read as well.
            const text = readFileSync(join(source, file), "utf8");
            const paths = [...text.matchAll(/from "(\.[^"]*)"/g)].map(([, path]) => path);
            return [withoutEnd(file), paths.map((path) => join(dirname(file), path))];
        }),
    );
    const done = new Set();
    const visit = (file, way) => {
        assert.ok(!way.includes(file), `${[...way, file].join(" → ")}`);
        if (done.has(file)) return;
        for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
        done.add(file);
    };
    for (const file of imports.keys()) visit(file, []);
});
