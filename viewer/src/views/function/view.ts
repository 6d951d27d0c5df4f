// Which part of the graph is seen: as much as can be read.

import type { Layout, Placed } from "./layout";

/** Which part of the picture is seen, and how large. */
export interface View {
    x: number;
    y: number;
    scale: number;
}

export interface Size {
    width: number;
    height: number;
}

/** Around what is seen. */
const MARGIN = 12;

/** Smaller text cannot be read. */
const READABLE = 0.75;

/** All of the picture, however small. */
export function whole(layout: Layout, size: Size): View {
    return around(boundsOf(layout), size, 0);
}

interface Bounds {
    left: number;
    top: number;
    right: number;
    bottom: number;
}

const boundsOf = ({ width, height }: Layout): Bounds => ({
    left: 0,
    top: 0,
    right: width,
    bottom: height,
});

/** The bounds in the middle, not smaller than `least`. */
function around(bounds: Bounds, size: Size, least: number): View {
    const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top];
    const room = { width: size.width - 2 * MARGIN, height: size.height - 2 * MARGIN };
    const scale = Math.max(Math.min(room.width / width, room.height / height, 1), least);
    return {
        scale,
        x: size.width / 2 - ((bounds.left + bounds.right) / 2) * scale,
        y: size.height / 2 - ((bounds.top + bounds.bottom) / 2) * scale,
    };
}

/** Above the header of a loop there is the edge that closes it, with its count. */
const ABOVE_HEADER = 32;

const cornersOf = ({ x, y, width, height, isHeader }: Placed): Bounds => ({
    left: x - width / 2,
    top: y - height / 2 - (isHeader ? ABOVE_HEADER : MARGIN),
    right: x + width / 2 + MARGIN,
    bottom: y + height / 2,
});

function union(all: Bounds[]): Bounds {
    return {
        left: Math.min(...all.map(({ left }) => left)),
        top: Math.min(...all.map(({ top }) => top)),
        right: Math.max(...all.map(({ right }) => right)),
        bottom: Math.max(...all.map(({ bottom }) => bottom)),
    };
}

/**
 * As many of these boxes as can be read at once: all of the picture if that can be read, else all
 * of them, else that part with most of them. The first one is among them, unless it
 * may be far from the others, and is.
 */
export function best(layout: Layout, boxes: Placed[], size: Size, mayBeFar = false): View {
    const all = whole(layout, size);
    if (all.scale >= READABLE || boxes.length === 0) return all;
    const corners = boxes.map(cornersOf);
    const some = around(union(corners), size, 0);
    if (some.scale >= READABLE) return some;
    const room = {
        width: size.width / READABLE - 2 * MARGIN,
        height: size.height / READABLE - 2 * MARGIN,
    };
    const near = part(corners, room, corners[0]);
    const free = mayBeFar ? part(corners, room) : near;
    return around(union(free.length > 2 * near.length ? free : near), size, READABLE);
}

/** The most boxes that one part of the picture has, with one that must be among them. */
function part(corners: Bounds[], room: Size, must?: Bounds): Bounds[] {
    let found = [must ?? corners[0]!];
    // Such a part has a box at its left and one at its top.
    for (const { left } of corners) {
        if (must && (left > must.left || left + room.width < must.right)) continue;
        const column = corners.filter((of) => of.left >= left && of.right <= left + room.width);
        for (const { top } of column) {
            if (must && (top > must.top || top + room.height < must.bottom)) continue;
            const inside = column.filter((of) => of.top >= top && of.bottom <= top + room.height);
            if (inside.length > found.length) found = inside;
        }
    }
    return found;
}

/** Whether a box is seen whole. */
export function isSeen(node: Placed, view: View, size: Size): boolean {
    const { left, top, right, bottom } = cornersOf(node);
    return (
        left * view.scale + view.x >= 0 &&
        top * view.scale + view.y >= 0 &&
        right * view.scale + view.x <= size.width &&
        bottom * view.scale + view.y <= size.height
    );
}

/** The view with this box in the middle. */
export function centred(node: Placed, view: View, size: Size): View {
    return {
        ...view,
        x: size.width / 2 - node.x * view.scale,
        y: size.height / 2 - node.y * view.scale,
    };
}
