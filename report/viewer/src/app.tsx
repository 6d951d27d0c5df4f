// The frame around all views.

import { useEffect, useRef } from "preact/hooks";

import { type Report, ReportContext } from "./data/report";
import { useRoute } from "./data/route";
import { KEYS, onGlobalKey } from "./ui/keys";
import { Tip } from "./ui/tip";
import { CallsView } from "./views/calls";
import { CoverageView } from "./views/coverage";
import { FunctionsView } from "./views/functions";
import { OverviewView } from "./views/overview";
import { FunctionView } from "./function/page";

const TABS: [view: string, title: string][] = [
    ["overview", "Overview"],
    ["functions", "Functions"],
    ["calls", "Calls"],
    ["coverage", "Coverage"],
];

function View({ route }: { route: ReturnType<typeof useRoute> }) {
    switch (route.view) {
        case "functions":
            return <FunctionsView parameters={route.parameters} />;
        case "function":
            return (
                <FunctionView key={route.name} name={route.name} parameters={route.parameters} />
            );
        case "calls":
            return <CallsView parameters={route.parameters} />;
        case "coverage":
            return <CoverageView name={route.name} parameters={route.parameters} />;
        default:
            return <OverviewView />;
    }
}

function setTheme(): void {
    const root = document.documentElement;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset["theme"] ?? (isDark ? "dark" : "light");
    root.dataset["theme"] = now === "dark" ? "light" : "dark";
}

export function App({ report }: { report: Report }) {
    const route = useRoute();
    const help = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => onGlobalKey(event, () => help.current?.showModal());
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    }, []);
    const isIn = (view: string) =>
        route.view === view || (view === "functions" && route.view === "function");
    return (
        <ReportContext.Provider value={report}>
            <header class="top">
                <a class="brand" href="#/overview">
                    <svg viewBox="0 0 24 24" aria-hidden="true">
                        <path d="M5 3v6c0 5 14 1 14 7v5M19 3v3c0 3-3 4-6 5" />
                    </svg>
                    {document.title}
                </a>
                <nav aria-label="Views">
                    {TABS.map(([view, title]) => (
                        <a href={`#/${view}`} aria-current={isIn(view) ? "page" : undefined}>
                            {title}
                        </a>
                    ))}
                </nav>
                <span class="mode" data-tip="what is counted, and where in the compiler's pipeline">
                    {report.index.mode}, {report.index.stage}
                </span>
                <button type="button" class="quiet" onClick={setTheme} aria-label="Dark or light">
                    ◐
                </button>
                <button
                    type="button"
                    class="quiet"
                    onClick={() => help.current?.showModal()}
                    aria-label="Keyboard"
                >
                    ?
                </button>
            </header>
            <main>
                <View route={route} />
            </main>
            <dialog ref={help} aria-label="Keyboard">
                <h2>Keyboard</h2>
                <dl class="keys">
                    {KEYS.map(([keys, does]) => (
                        <div>
                            <dt>
                                <kbd>{keys}</kbd>
                            </dt>
                            <dd>{does}</dd>
                        </div>
                    ))}
                </dl>
                <p class="soft">
                    In a function, choose a block, an edge or a line: the paths through it are left.
                    With Shift, those through both.
                </p>
                <button type="button" onClick={() => help.current?.close()}>
                    Close
                </button>
            </dialog>
            <Tip />
        </ReportContext.Provider>
    );
}
