// The views of a task graph.

import { type TaskGraph, TaskGraphContext } from "../data/taskGraph";
import { Frame, type Tab } from "../ui/frame";
import { plural } from "../ui/numbers";
import { useRoute } from "../ui/route";
import { GraphView } from "../views/tasks/graph";
import { OverviewView } from "../views/tasks/overview";
import { TimelineView } from "../views/tasks/timeline";

const TABS: Tab[] = [
    ["overview", "Overview"],
    ["timeline", "Timeline"],
    ["graph", "Graph"],
];

/** What keys do. */
const KEYS: [keys: string, does: string][] = [
    ["1 … 3", "overview, timeline, graph"],
    ["n, p", "next and previous task of the thread"],
    ["← →", "in the timeline and the graph: move"],
    ["↑ ↓", "in the timeline: the task of the thread above or below"],
    ["+, −, 0", "larger, smaller, all of it"],
    ["f", "in the timeline: make the chosen task fill it"],
];

function View({ route }: { route: ReturnType<typeof useRoute> }) {
    switch (route.view) {
        case "timeline":
            return <TimelineView parameters={route.parameters} />;
        case "graph":
            return <GraphView parameters={route.parameters} />;
        default:
            return <OverviewView />;
    }
}

export function TasksApp({ graph }: { graph: TaskGraph }) {
    const route = useRoute();
    return (
        <TaskGraphContext.Provider value={graph}>
            <Frame
                tabs={TABS}
                shown={route.view}
                mode={`trace, ${plural(graph.index.threads.length, "thread")}`}
                keys={KEYS}
                help={
                    <p class="soft">
                        A task is what a thread does between two operations by which threads wait
                        for each other. In the timeline the wheel with Ctrl changes the size, and
                        dragging moves.
                    </p>
                }
            >
                <View route={route} />
            </Frame>
        </TaskGraphContext.Provider>
    );
}
