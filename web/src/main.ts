// The report of a run: plots and the animation, drawn from the block of JSON in the page.
import "uplot/dist/uPlot.min.css";
import "./report.css";
import { type Column, readData } from "./data";
import { choice, element, kMostDistinct } from "./dom";
import { Motion } from "./motion";
import { isPlane, portraitAxes } from "./moving";
import { Phase } from "./phase";
import { type Curve, Plot, Timeline } from "./plot";

const kTogether = 8; // curves in one plot, until more are asked for

const data = readData();
const charts = document.getElementById("charts")!;
const line = new Timeline(data.t, data.window, group("t")[0]?.label);
const plots: Plot[] = [];

// What takes time is done piece by piece, so that the page can be read and scrolled from the first plot on.
const tasks: (() => void)[] = [];
function later(task: () => void) {
  tasks.push(task);
}
function work() {
  tasks.shift()?.();
  document.documentElement.dataset.drawn ??= String(Math.round(performance.now()));
  if (tasks.length) setTimeout(work);
}

function group(name: string): Column[] {
  return data.columns.filter((c) => c.group === name);
}

function add(plot: Plot) {
  plots.push(plot);
  charts.append(plot.frame);
}

// Columns of one kind. Of many, eight at a time, or as many as can be told apart.
function addColumns(id: string, title: string, columns: Column[]) {
  if (columns.length === 0) return;
  let first = 0, many = kTogether;
  const curves = (): Curve[] => columns.slice(first, first + many).map((c) => ({ label: c.label, values: c.values }));
  const plot = new Plot({ id, title, curves, scale: "linear" }, line);
  if (columns.length > kTogether) {
    const starts = Array.from({ length: Math.ceil(columns.length / kTogether) }, (_, i) => i * kTogether);
    const label = (i: number) => `${columns[i].name} \u2026 ${columns[Math.min(i + kTogether, columns.length) - 1].name}`;
    const together = columns.length <= kMostDistinct ? ["all"] : [];
    plot.tools.prepend(choice("show", [...starts.map(label), ...together], 0, (i) => {
      first = starts[i] ?? 0;
      many = i < starts.length ? kTogether : columns.length;
      plot.rebuild();
    }).field);
  }
  add(plot);
}

function addPlots() {
  if (data.t.length < 2) {
    charts.append(element("p", {}, "Nothing was integrated, so there is nothing to plot."));
    return;
  }
  const energy = group("energy")[0];
  if (energy && data.energy?.conserved) {
    const start = data.energy.initial, error = Float64Array.from(energy.values, (e) => e - start);
    add(new Plot({ id: "energy", title: "Energy error", curves: () => [{ label: "E \u2212 E(0)", values: error }], scale: "logarithmic", canChange: true, whole: true,
      note: "On the logarithmic axis: its size, the largest in each column of pixels; what is 0 is drawn with the least of the others." }, line));
  } else if (energy) {
    add(new Plot({ id: "energy", title: "Energy", curves: () => [{ label: "E", values: energy.values }], scale: "linear" }, line));
  }
  const residuals = group("residuals");
  if (residuals.length)
    add(new Plot({ id: "residuals", title: "Constraint residuals", scale: "logarithmic", canChange: true, whole: true,
      curves: () => residuals.map((c) => ({ label: c.name.replace("residual.", "") + " level", values: c.values })),
      note: "The largest residual of all constraints, at the ends of steps; on the logarithmic axis the largest in each column of pixels." }, line));
  const balance = group("balance")[0];
  if (balance)
    add(new Plot({ id: "balance", title: "Power balance of each step", scale: "logarithmic", canChange: true, whole: true,
      curves: () => [{ label: "residual", values: balance.values }], note: "stored \u2212 supplied + dissipated, in the step before each record." }, line));
  const states = group("velocities").length === 0;
  addColumns("positions", states ? "States" : "Coordinates", group("positions"));
  addColumns("velocities", "Velocities", group("velocities"));
  addColumns("multipliers", "Multipliers", group("multipliers"));
  addColumns("inputs", "Inputs", group("inputs"));
  addColumns("outputs", "Outputs", group("outputs"));
  plots.forEach((plot) => later(() => plot.rebuild()));

  const of = (...groups: string[]) => groups.flatMap(group), moves = of("positions", "velocities");
  const any = [...moves, ...of("multipliers", "inputs", "outputs", "energy", "t")];
  if (any.length < 2) return;
  const [x, y] = moves.length > 1 ? portraitAxes(moves) : [0, 1];
  const phase = new Phase(any, line, x, y, isPlane(any[x].name, any[y].name));
  charts.append(phase.frame);
  later(() => phase.rebuild());
  document.addEventListener("theme", () => {
    line.rebuild();
    phase.rebuild();
  });
}

function addMotion() {
  const stage = document.getElementById("stage")!;
  if (data.motion.clips.length === 0) {
    document.getElementById("motion")!.hidden = true;
    document.getElementById("top")!.classList.add("alone");
    return;
  }
  const motion = new Motion(data, (t) => line.setTime(t));
  stage.append(motion.frame);
  motion.show();
  document.addEventListener("theme", () => motion.recolour());
}

later(addMotion);
addPlots();
later(() => (document.documentElement.dataset.ready = "true"));
work();
