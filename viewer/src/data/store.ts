// Finds payloads and inflates them when they are shown.

import type { DifferenceIndex, PairPaths, PairSource } from "./differenceTypes";
import { SCHEMAS } from "./schemas";
import type { TaskColumns, TaskEdges, TasksIndex } from "./tasksTypes";
import type { FileCoverage, FunctionData, Index } from "./types";
import { type PackedFunction, unpack } from "./unpack";

/** In a directory: which script has which payload, and what the scripts brought. */
let parts: Record<string, number> | null = null;
const taken = new Map<string, string>();
const scripts = new Map<number, Promise<void>>();
const inflated = new Map<string, Promise<unknown>>();

declare global {
    interface Window {
        pathprof: { take(name: string, text: string): void };
    }
}

window.pathprof = { take: (name, text) => void taken.set(name, text) };

function decode(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return bytes;
}

/** What payloads of functions refer back to. */
let dictionary: Uint8Array<ArrayBuffer> = new Uint8Array();

/** A piece of a compressed stream that is not compressed itself: not the last one, its length. */
function stored(bytes: Uint8Array<ArrayBuffer>): BlobPart[] {
    const length = bytes.length;
    const head = [0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255];
    return length === 0 ? [] : [new Uint8Array(head), bytes];
}

async function inflate(text: string, before: Uint8Array<ArrayBuffer>): Promise<string> {
    const blob = new Blob([...stored(before), decode(text)]);
    const stream = blob.stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const all = await new Response(stream).arrayBuffer();
    return new TextDecoder().decode(new Uint8Array(all, before.length));
}

function script(part: number): Promise<void> {
    let loaded = scripts.get(part);
    if (!loaded) {
        loaded = new Promise((resolve, reject) => {
            const element = document.createElement("script");
            element.src = `data/${part}.js`;
            element.onload = () => resolve();
            element.onerror = () => reject(new Error(`cannot read data/${part}.js`));
            document.head.append(element);
        });
        scripts.set(part, loaded);
    }
    return loaded;
}

async function text(name: string): Promise<string | null> {
    const element = document.getElementById(name);
    if (element?.tagName === "SCRIPT") return element.textContent;
    const part = parts?.[name];
    if (part === undefined) return null;
    await script(part);
    return taken.get(name) ?? null;
}

/** A payload; `null` if there is none of that name. */
function payload<T>(name: string): Promise<T | null> {
    let found = inflated.get(name) as Promise<T | null> | undefined;
    if (!found) {
        found = text(name).then(async (packed) =>
            packed === null
                ? null
                : (JSON.parse(
                      await inflate(packed, name.startsWith("f") ? dictionary : new Uint8Array()),
                  ) as T),
        );
        inflated.set(name, found);
    }
    return found;
}

/** What an index is of. */
type AnyIndex = Index | DifferenceIndex | TasksIndex;

/** The index, with which everything begins: of a report, a difference, or a task graph. */
export async function readIndex(): Promise<AnyIndex> {
    dictionary = decode(document.getElementById("dictionary")?.textContent ?? "");
    parts = await payload<Record<string, number>>("parts");
    const index = await payload<AnyIndex>("index");
    if (index && Object.values(SCHEMAS).includes(index.schema)) return index;
    throw new Error("this page has no data");
}

/** A function; `null` if it has no blocks. */
export async function readFunction(number: number): Promise<FunctionData | null> {
    const packed = await payload<PackedFunction>(`f${number}`);
    return packed && unpack(packed);
}

/** A list of parts that differ. */
export const readParts = <T>(list: string) => payload<T>(`list.${list}`);

/** The paths of a pair of functions that differ; `null` if none does. */
export const readPair = (pair: number) => payload<PairPaths>(`f${pair}`);

/** The source of a pair of functions; `null` if it could not be read, or nothing differs. */
export const readSource = (pair: number) => payload<PairSource>(`t${pair}`);

/** The tasks of a task graph, and the edges between them. */
export async function readTasks(): Promise<[TaskColumns, TaskEdges]> {
    const columns = await payload<TaskColumns>("tasks.columns");
    const edges = await payload<TaskEdges>("tasks.edges");
    if (!columns || !edges) throw new Error("this page has no tasks");
    return [columns, edges];
}

/** What was covered of a file. */
export const readCoverage = (file: number) => payload<FileCoverage>(`c${file}`);

/** So many lines are in a payload. */
const PIECE = 500;

/** Lines of a file, from `first` (1 is the file's first) to `last`. */
export async function readLines(file: number, first: number, last: number): Promise<string[]> {
    const from = Math.floor((Math.max(first, 1) - 1) / PIECE);
    const to = Math.floor((Math.max(last, 1) - 1) / PIECE);
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    const pieces = await Promise.all(numbers.map((at) => payload<string>(`s${file}.${at}`)));
    const lines = pieces.flatMap((piece) => (piece === null ? [] : piece.split("\n")));
    const skip = Math.max(first, 1) - 1 - from * PIECE;
    return lines.slice(skip, skip + last - Math.max(first, 1) + 1);
}
