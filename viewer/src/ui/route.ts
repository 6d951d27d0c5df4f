// Where the reader is: in the part of the address behind `#`, so that every place has a link.

import { useEffect, useState } from "preact/hooks";

/** `#/function/main?path=3` is the view `function`, the name `main` and the parameter `path`. */
export interface Route {
    view: string;
    name: string;
    parameters: URLSearchParams;
}

function read(): Route {
    const [place = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const slash = place.indexOf("/");
    const view = slash < 0 ? place : place.slice(0, slash);
    let name = slash < 0 ? "" : place.slice(slash + 1);
    try {
        name = decodeURIComponent(name);
    } catch {
        // A name that was not encoded is taken as it is.
    }
    return { view: view || "overview", name, parameters: new URLSearchParams(query) };
}

/** The address of a place. Parameters without a value are left out. */
export function address(
    view: string,
    name = "",
    parameters: Record<string, string | number | null | undefined> = {},
): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters)) {
        if (value !== null && value !== undefined && value !== "") query.set(key, String(value));
    }
    const text = query.toString();
    const place = name ? `${view}/${encodeURIComponent(name)}` : view;
    return `#/${place}${text ? `?${text}` : ""}`;
}

/** Goes to a place; `replace` leaves no entry in the history. */
export function go(to: string, replace = false): void {
    if (replace) {
        history.replaceState(null, "", to);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
    } else {
        location.hash = to;
    }
}

/** A parameter of the present place, which a view that is not drawn yet may not know. */
export function parameter(name: string): string | null {
    return read().parameters.get(name);
}

/** Changes parameters of the present place. */
export function change(
    parameters: Record<string, string | number | null | undefined>,
    replace = true,
): void {
    const now = read();
    const all: Record<string, string | number | null | undefined> = {};
    now.parameters.forEach((value, key) => (all[key] = value));
    go(address(now.view, now.name, { ...all, ...parameters }), replace);
}

/** The present place. */
export function useRoute(): Route {
    const [route, set] = useState(read);
    useEffect(() => {
        const update = () => set(read());
        window.addEventListener("hashchange", update);
        return () => window.removeEventListener("hashchange", update);
    }, []);
    return route;
}
