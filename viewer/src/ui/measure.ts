// How wide text is in the font of the page, which differs from one system to the next.

import { fitted } from "./names";

const widths = new Map<string, number>();
let context: CanvasRenderingContext2D | null | undefined;

/** The width of a text in pixels. */
export function widthOf(text: string, size: number, weight = 400): number {
    context ??= document.createElement("canvas").getContext("2d");
    if (!context) return text.length * size * 0.7;
    const key = `${weight} ${size} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
        context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
        width = context.measureText(text).width;
        if (widths.size > 20_000) widths.clear();
        widths.set(key, width);
    }
    return width;
}

/** As much of a name as there is room for, in pixels. */
export function fittedInto(name: string, room: number, size: number, weight = 400): string {
    let text = name;
    for (let letters = name.length; letters > 2; letters = text.length - 1) {
        if (widthOf(text, size, weight) <= room) return text;
        text = fitted(name, Math.min(letters, text.length - 1));
    }
    return text;
}

/** The beginning of a text, as far as there is room, in pixels. */
export function cutInto(text: string, room: number, size: number, weight = 400): string {
    if (widthOf(text, size, weight) <= room) return text;
    const letters = [...text];
    let fits = 0;
    for (let over = letters.length; over - fits > 1;) {
        const middle = (fits + over) >> 1;
        const cut = `${letters.slice(0, middle).join("")}…`;
        if (widthOf(cut, size, weight) <= room) fits = middle;
        else over = middle;
    }
    return `${letters.slice(0, fits).join("")}…`;
}
