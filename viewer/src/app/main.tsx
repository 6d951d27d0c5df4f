// Reads the index, then shows the first view of a report, a difference or a task graph.

import { render } from "preact";

import { Difference } from "../data/difference";
import { Report } from "../data/report";
import { SCHEMAS } from "../data/schemas";
import { readIndex, readTasks } from "../data/store";
import { TaskGraph } from "../data/taskGraph";
import { DifferenceApp } from "./difference";
import { App } from "./report";
import { TasksApp } from "./tasks";

const root = document.getElementById("root");
if (root) {
    readIndex()
        .then(async (index) => {
            if (index.schema === SCHEMAS.tasks) {
                const graph = new TaskGraph(index, ...(await readTasks()));
                root.textContent = "";
                render(<TasksApp graph={graph} />, root);
                return;
            }
            root.textContent = "";
            if (index.schema === SCHEMAS.report) render(<App report={new Report(index)} />, root);
            else render(<DifferenceApp difference={new Difference(index)} />, root);
        })
        .catch((error: unknown) => {
            root.textContent = `This page cannot be shown: ${String(error)}`;
        });
}
