// Any column against any other: a curve in the order of time, with zoom in both directions and the nearest record shown.
import uPlot from "uplot";
import { button, choice, colour, element, numberText, seriesColour } from "./dom";
import type { Column } from "./data";
import type { Timeline } from "./plot";

export class Phase {
  readonly frame: HTMLElement;
  private readonly place = element("div", { class: "plot" });
  private readonly readout = element("p", { class: "small readout", role: "status" });
  private chart: uPlot | null = null;
  private row: number | null = null;

  constructor(private readonly columns: Column[], private readonly line: Timeline, private x: number, private y: number, plane: boolean) {
    const names = columns.map((c) => c.name);
    const across = choice("across", names, x, (i) => { this.x = i; this.rebuild(); });
    const up = choice("up", names, y, (i) => { this.y = i; this.rebuild(); });
    across.select.id = "phase-x";
    up.select.id = "phase-y";
    const same = button("same scale", "one unit has the same length on both axes", () => {
      this.equal = !this.equal;
      same.setAttribute("aria-pressed", String(this.equal));
      this.rebuild();
    });
    this.equal = plane;
    same.setAttribute("aria-pressed", String(plane));
    this.frame = element(
      "figure", { class: "chart wide", id: "plot-phase" },
      element("figcaption", {}, element("h3", {}, "Phase portrait"),
        element("div", { class: "tools", role: "group", "aria-label": "tools of the phase portrait" },
          across.field, up.field, same, button("reset", "show all", () => this.rebuild()))),
      this.place, this.readout,
    );
    if (line.window) line.changed = () => this.chart?.redraw(false, false);
    new ResizeObserver(() => {
      if (this.chart && this.chart.width !== this.width()) this.rebuild();
    }).observe(this.place);
  }

  private equal: boolean;
  private width() { return Math.max(200, Math.floor(this.place.clientWidth)); }
  private height() { return Math.min(560, Math.max(280, Math.round(this.width() * 0.62))); }

  rebuild() {
    this.chart?.destroy();
    this.row = null;
    const xs = this.columns[this.x].values, ys = this.columns[this.y].values;
    const range = (values: ArrayLike<number>): [number, number] => {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < values.length; ++i) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
      if (!(low <= high)) return [0, 1];
      const room = high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)) ? 0.05 * (high - low) : low === 0 ? 1 : 0.1 * Math.abs(low);
      return [low - room, high + room];
    };
    let xr = range(xs), yr = range(ys);
    const xd = xr, yd = yr;
    if (this.equal) {
      const w = this.width() - 80, h = this.height() - 60;
      const unit = Math.min(w / (xr[1] - xr[0]), h / (yr[1] - yr[0]));
      const widen = (r: [number, number], pixels: number): [number, number] => {
        const middle = (r[0] + r[1]) / 2, half = pixels / unit / 2;
        return [middle - half, middle + half];
      };
      xr = widen(xr, w);
      yr = widen(yr, h);
    }
    const font = '12px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
    const axis = (label: string, size: number): uPlot.Axis => ({
      stroke: () => colour("text"), font, labelFont: font, label, labelSize: 18, size, gap: 4,
      grid: { stroke: () => colour("grid"), width: 1 },
      ticks: { stroke: () => colour("line"), width: 1, size: 5 },
      values: (_u, splits) => splits.map((v) => numberText(v, 7)),
    });
    const draw = (u: uPlot) => {
      const { ctx } = u, { left, top, width, height } = u.bbox, ratio = devicePixelRatio || 1;
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.strokeStyle = seriesColour(0);
      ctx.lineWidth = 1.3 * ratio;
      ctx.lineJoin = "round";
      const scale = (s: uPlot.Scale, from: number, size: number) => [size / (s.max! - s.min!), from - (s.min! * size) / (s.max! - s.min!)];
      const [ax, bx] = scale(u.scales.x, left, width), [ay, by0] = scale(u.scales.y, 0, height);
      const bottom = top + height;
      const curve = (from: number, to: number) => {
        ctx.beginPath();
        let down = false;
        for (let i = 0; i < xs.length; ++i) {
          const px = ax * xs[i] + bx, py = bottom - (ay * ys[i] + by0);
          if (t[i] < from || t[i] > to || !Number.isFinite(px + py)) { down = false; continue; }
          if (down) ctx.lineTo(px, py);
          else ctx.moveTo(px, py);
          down = true;
        }
        ctx.stroke();
      };
      // Of a long run the whole is a shade behind the stretch that the plots show.
      const { t, window, low, high, range } = this.line;
      if (window) {
        ctx.globalAlpha = 0.18;
        ctx.lineWidth = 0.6 * ratio;
      }
      curve(low, high);
      ctx.globalAlpha = 1;
      if (window && range[1] - range[0] < 0.98 * (high - low)) {
        ctx.lineWidth = 1.5 * ratio;
        curve(range[0], range[1]);
      }
      const dot = (i: number, fill: string, radius: number) => {
        ctx.beginPath();
        ctx.arc(ax * xs[i] + bx, bottom - (ay * ys[i] + by0), radius * ratio, 0, 2 * Math.PI);
        ctx.fillStyle = fill;
        ctx.fill();
      };
      if (xs.length) dot(0, colour("s2"), 4);
      if (this.row !== null) dot(this.row, colour("s1"), 5);
      ctx.restore();
    };
    this.chart = new uPlot(
      {
        width: this.width(), height: this.height(), mode: 2, padding: [10, 12, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
        scales: { x: { time: false, range: (_u, min, max) => keep(min, max, xr, xd) }, y: { range: (_u, min, max) => keep(min, max, yr, yd) } },
        axes: [axis(this.columns[this.x].label, 36), { ...axis(this.columns[this.y].label, 62), labelGap: 2 }],
        series: [{}, { facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }], paths: () => null, points: { show: false } } as uPlot.Series],
        hooks: { draw: [draw], setCursor: [(u) => this.hover(u, xs, ys)] },
      },
      [null, [xs, ys]] as unknown as uPlot.AlignedData, this.place,
    );
    const canvas = this.chart.root.querySelector("canvas")!;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${this.columns[this.y].name} against ${this.columns[this.x].name}`);
    this.readout.textContent = this.line.window
      ? "The green point is the start; the whole run is the pale curve, the stretch that the plots show the strong one. Move over it to read records; drag to zoom."
      : "The green point is the start. Move over the curve to read records; drag to zoom.";
    this.frame.dataset.x = this.columns[this.x].name;
    this.frame.dataset.y = this.columns[this.y].name;
  }

  // The record nearest to the pointer, in pixels.
  private hover(u: uPlot, xs: ArrayLike<number>, ys: ArrayLike<number>) {
    const { left, top } = u.cursor;
    if (left == null || top == null || left < 0) return;
    let best = -1, least = 40 ** 2;
    for (let i = 0; i < xs.length; ++i) {
      const dx = u.valToPos(xs[i], "x") - left, dy = u.valToPos(ys[i], "y") - top, d = dx * dx + dy * dy;
      if (d < least) { least = d; best = i; }
    }
    const row = best < 0 ? null : best;
    if (row === this.row) return;
    this.row = row;
    if (row !== null)
      this.readout.textContent = `t = ${numberText(this.line.t[row], 8)}, ${this.columns[this.x].name} = ${numberText(xs[row], 8)}, ${this.columns[this.y].name} = ${numberText(ys[row], 8)}`;
    u.redraw(false, false);
  }
}

// uPlot asks with the range of the data at first, and with a zoom later.
function keep(min: number | null, max: number | null, all: [number, number], data: [number, number]): [number, number] {
  const room = 0.06 * (data[1] - data[0]); // which the data have around them
  return min === null || max === null || !(max > min) || (min <= data[0] + room && max >= data[1] - room) ? all : [min, max];
}
