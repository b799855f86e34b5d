// One plot: a frame with title and tools, and uPlot inside. Plots over time share their cursor and their range of t.
import uPlot from "uplot";
import { button, colour, element, numberText, powerText, seriesBorder, seriesColour, seriesDash } from "./dom";
import { Strip } from "./strip";

export interface Curve {
  label: string;
  values: ArrayLike<number>;
}

const kLeast = 1e-17; // of sizes on a logarithmic axis
const kFont = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';

export interface Options {
  id: string;
  title: string;
  note?: string;
  curves: () => Curve[];
  scale: "linear" | "logarithmic";
  canChange?: boolean; // between the two
  whole?: boolean; // opens on the whole run: what grows slowly is seen there
}

function axis(side: "x" | "y", label: string, logarithmic = false): uPlot.Axis {
  const filter = logarithmic ? { filter: (_u: uPlot, splits: number[]) => powersOfTen(splits) } : {};
  return {
    stroke: () => colour("text"),
    font: kFont,
    labelFont: kFont,
    label,
    labelSize: 18,
    labelGap: side === "y" ? 2 : 0,
    size: side === "y" ? 62 : 36,
    gap: 4,
    grid: { stroke: () => colour("grid"), width: 1, ...filter },
    ticks: { stroke: () => colour("line"), width: 1, size: 5, ...filter },
    ...filter,
    values: (_u, splits) => splits.map((v) => (v === null ? "" : logarithmic ? powerText(Math.round(Math.log10(v))) : numberText(v, 7))),
  };
}

// The marks of a logarithmic axis: powers of ten, of many every n-th.
function powersOfTen(splits: number[]): (number | null)[] {
  const power = (v: number) => Math.round(Math.log10(v)), is = (v: number) => Math.abs(Math.log10(v) - power(v)) < 1e-6;
  const every = Math.max(1, Math.ceil(splits.filter(is).length / 7));
  return splits.map((v) => (is(v) && power(v) % every === 0 ? v : null));
}

// The largest value of each column of pixels: what is to be seen of sizes that jump between rounding errors. Where there is
// room for all points it is the curve itself.
function upperEnvelope(u: uPlot, series: number, from: number, to: number): uPlot.Series.Paths {
  const t = u.data[0], y = u.data[series] as ArrayLike<number>, path = new Path2D();
  let column = NaN, largest = -Infinity, begun = false;
  const put = () => {
    if (!(largest > -Infinity)) return;
    const py = u.valToPos(largest, "y", true);
    if (begun) path.lineTo(column, py);
    else path.moveTo(column, py);
    begun = true;
  };
  for (let i = from; i <= to; ++i) {
    const px = Math.round(u.valToPos(t[i], "x", true));
    if (px !== column) {
      put();
      column = px;
      largest = -Infinity;
    }
    if (y[i] > largest) largest = y[i];
  }
  put();
  return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 1 } as unknown as uPlot.Series.Paths;
}

// A bundle of plots with one range of t. Of a long run it begins with a window in which its oscillations can be seen.
export class Timeline {
  private plots: Plot[] = [];
  private busy = false;
  private shown: [number, number];
  readonly low: number;
  readonly high: number;
  readonly key = "rattleback";
  changed: (min: number, max: number) => void = () => {};

  constructor(readonly t: Float64Array, readonly window?: [number, number], readonly label = "t") {
    const first = t[0], last = t[t.length - 1];
    this.low = Math.min(first, last);
    this.high = Math.max(first, last);
    this.shown = window ? [Math.min(...window), Math.max(...window)] : [this.low, this.high];
  }
  add(plot: Plot) { this.plots.push(plot); }
  get range(): [number, number] { return this.shown; }

  // A plot was zoomed: all others follow.
  ranged(from: Plot | null, min: number, max: number) {
    if (this.busy) return;
    this.busy = true;
    this.shown = [min, max];
    for (const plot of this.plots) if (plot !== from) plot.setRange(min, max);
    this.busy = false;
    this.changed(min, max);
  }
  reset() { this.ranged(null, this.low, this.high); }
  zoom(from: Plot, factor: number) {
    const [a, b] = from.shown, middle = (a + b) / 2, half = ((b - a) / 2) * factor;
    this.ranged(null, Math.max(this.low, middle - half), Math.min(this.high, middle + half));
  }
  // The window moves to another place; out of the whole run one looks into a window.
  move(from: Plot, middle: number) {
    const [a, b] = from.shown, whole = this.high - this.low;
    const width = b - a < 0.98 * whole ? b - a : this.window ? Math.abs(this.window[1] - this.window[0]) : whole / 10;
    const start = Math.min(Math.max(this.low, middle - width / 2), this.high - width);
    this.ranged(null, start, start + width);
  }
  setTime(t: number) { for (const plot of this.plots) plot.setTime(t); }
  rebuild() { for (const plot of this.plots) plot.rebuild(); }
}

export class Plot {
  readonly frame: HTMLElement;
  readonly tools: HTMLElement;
  private readonly place: HTMLElement;
  private readonly head: HTMLElement;
  private logarithmic: boolean;
  private time: number | null = null;
  private range: [number, number];
  private readonly strip: Strip | null;
  chart: uPlot | null = null;

  constructor(private readonly options: Options, private readonly line: Timeline) {
    this.logarithmic = options.scale === "logarithmic";
    this.range = options.whole ? [line.low, line.high] : line.range;
    this.place = element("div", { class: "plot" });
    this.tools = element("div", { class: "tools", role: "group", "aria-label": `tools of the plot: ${options.title}` });
    this.head = element("div", { class: "playhead", "aria-hidden": "true" });
    if (options.canChange) {
      const change = button(this.logarithmic ? "linear" : "log", "", () => {
        this.logarithmic = !this.logarithmic;
        show();
        this.rebuild();
      });
      const show = () => {
        change.textContent = "log";
        change.setAttribute("aria-pressed", String(this.logarithmic));
        change.setAttribute("aria-label", "logarithmic axis");
        change.title = "logarithmic axis";
      };
      show();
      this.tools.append(change);
    }
    this.tools.append(
      button("+", "zoom in", () => line.zoom(this, 0.5)),
      button("\u2212", "zoom out", () => line.zoom(this, 2)),
      button("reset", "show all of the run", () => line.reset()),
    );
    this.frame = element(
      "figure", { class: "chart", id: `plot-${options.id}` },
      element("figcaption", {}, element("h3", {}, options.title), this.tools),
      this.place,
    );
    this.strip = line.window ? new Strip(options.title, [line.low, line.high], (middle) => line.move(this, middle)) : null;
    if (this.strip) this.frame.append(this.strip.frame);
    if (options.note) this.frame.append(element("p", { class: "small muted" }, options.note));
    line.add(this);
    new ResizeObserver(() => this.resize()).observe(this.place);
  }

  get shown(): [number, number] { return this.range; }
  private width() { return Math.max(200, Math.floor(this.place.clientWidth)); }
  private height() { return this.width() < 500 ? 230 : 280; }

  private resize() {
    if (this.chart && this.chart.width !== this.width()) this.chart.setSize({ width: this.width(), height: this.height() });
  }

  rebuild() {
    this.chart?.destroy();
    const curves = this.options.curves();
    // A size that is exactly 0 has no place on a logarithmic axis: it is drawn with the least of the others.
    let floor = Infinity;
    if (this.logarithmic)
      for (const c of curves)
        for (let i = 0; i < c.values.length; ++i) if (c.values[i] !== 0) floor = Math.min(floor, Math.abs(c.values[i]));
    floor = Number.isFinite(floor) ? Math.max(floor, kLeast) : kLeast;
    const shown = (v: number) => (this.logarithmic ? Math.max(Math.abs(v), floor) : v);
    const data = [this.line.t, ...curves.map((c) => Float64Array.from(c.values as ArrayLike<number>, shown))];
    const options: uPlot.Options = {
      width: this.width(),
      height: this.height(),
      padding: [10, 12, 0, 0],
      legend: { markers: { width: 3, dash: (_u, i) => seriesBorder(i - 1) } },
      cursor: {
        sync: { key: this.line.key, setSeries: false },
        drag: { x: true, y: false },
        points: { size: 7 },
      },
      scales: {
        x: { time: false },
        y: this.logarithmic
          ? { distr: 3, range: (_u, min, max) => logarithmicRange(min, max) }
          : { range: (_u, min, max) => linearRange(min, max) },
      },
      axes: [axis("x", this.line.label), axis("y", "", this.logarithmic)],
      series: [
        { label: "t", value: (_u, v) => numberText(v, 8) },
        ...curves.map((c, i) => ({
          label: c.label,
          stroke: () => seriesColour(i),
          dash: seriesDash(i),
          width: 1.5,
          points: { show: this.line.t.length <= 60 },
          ...(this.logarithmic ? { paths: upperEnvelope } : {}),
          value: (_u: uPlot, v: number | null) => numberText(v, 8),
        })),
      ],
      hooks: {
        setScale: [
          (u, key) => {
            const { min, max } = u.scales.x;
            if (key !== "x" || min == null || max == null || u !== this.chart) return;
            const known = min === this.range[0] && max === this.range[1];
            this.range = [min, max];
            this.strip?.select(min, max);
            this.showTime();
            if (!known) this.line.ranged(this, min, max);
          },
        ],
        setSize: [() => this.showTime()],
      },
    };
    const [min, max] = this.range;
    this.chart = new uPlot(options, data as unknown as uPlot.AlignedData, this.place);
    this.chart.over.append(this.head);
    this.chart.root.querySelector("canvas")!.setAttribute("role", "img");
    this.chart.root.querySelector("canvas")!.setAttribute("aria-label", `${this.options.title}, over t`);
    this.chart.setScale("x", { min, max });
    this.strip?.draw(data, this.logarithmic);
    this.strip?.select(min, max);
    this.showTime();
  }

  setRange(min: number, max: number) {
    this.range = [min, max];
    this.strip?.select(min, max);
    if (this.chart && (this.chart.scales.x.min !== min || this.chart.scales.x.max !== max))
      this.chart.setScale("x", { min, max });
  }

  setTime(t: number) {
    this.time = t;
    this.showTime();
  }

  private showTime() {
    const u = this.chart;
    if (!u || this.time === null) return;
    const x = u.valToPos(this.time, "x");
    const inside = Number.isFinite(x) && x >= 0 && x <= u.over.clientWidth;
    this.head.style.display = inside ? "block" : "none";
    if (inside) this.head.style.transform = `translateX(${x}px)`;
  }
}

function linearRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  if (max - min <= 1e-12 * Math.max(Math.abs(min), Math.abs(max))) {
    const room = min === 0 ? 1 : 0.1 * Math.abs(min);
    return [min - room, max + room];
  }
  const room = 0.06 * (max - min);
  return [min - room, max + room];
}

function logarithmicRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(min > 0) || !Number.isFinite(max)) return [0.1, 10];
  const low = Math.floor(Math.log10(min) + 1e-9), high = Math.ceil(Math.log10(max) - 1e-9);
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}
