// The keyboard.

import { go } from "./route";

/** What keys do in all views, for the help. */
export const KEYS: [keys: string, does: string][] = [
    ["/", "go to the search field"],
    ["j, k", "next and previous row, or path"],
    ["Enter", "open the row"],
    ["Esc", "clear the selection"],
    ["?", "this help"],
];

let lastFunction = "";

/** The function that the number behind those of the views leads to. */
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

/** Keys that work in all views, whose places are in the order of their numbers. */
export function onGlobalKey(event: KeyboardEvent, views: string[], help: () => void): void {
    const target = event.target as HTMLElement;
    if (event.key === "Escape" && target.tagName === "INPUT") target.blur();
    if (isTyping(event)) return;
    const place = /^[1-9]$/.test(event.key) ? [...views, lastFunction][Number(event.key) - 1] : "";
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
