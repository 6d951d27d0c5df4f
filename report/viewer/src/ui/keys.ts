// The keyboard.

import { go } from "../data/route";

/** What keys do, for the help. */
export const KEYS: [keys: string, does: string][] = [
    ["/", "go to the search field"],
    ["1 … 5", "overview, functions, calls, coverage, the last function"],
    ["j, k", "next and previous row, or path"],
    ["Enter", "open the row"],
    ["n, p", "next and previous step of the chosen path"],
    ["Esc", "clear the selection"],
    ["s, g, l", "to the source, the graph, the list of paths"],
    ["+, −, 0", "in the graph: larger, smaller, all of it"],
    ["arrows", "in the graph: move it"],
    ["?", "this help"],
];

const VIEWS: Record<string, string> = {
    1: "#/overview",
    2: "#/functions",
    3: "#/calls",
    4: "#/coverage",
};

let lastFunction = "";

/** The function that `5` leads to. */
export function remember(place: string): void {
    lastFunction = place;
}

/** Whether a key is meant for a field of text. */
export function isTyping(event: KeyboardEvent): boolean {
    const target = event.target as HTMLElement;
    return (
        /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey
    );
}

/** Keys that work in all views. */
export function onGlobalKey(event: KeyboardEvent, help: () => void): void {
    const target = event.target as HTMLElement;
    if (event.key === "Escape" && target.tagName === "INPUT") target.blur();
    if (isTyping(event)) return;
    const place = event.key === "5" ? lastFunction : VIEWS[event.key];
    if (place) go(place);
    else if (event.key === "?") help();
    else if (event.key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
    else if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
    else return;
    event.preventDefault();
}

/** Puts the focus on the next or previous link of a table. */
function move(by: number): void {
    const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
    if (rows.length === 0) return;
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
}
