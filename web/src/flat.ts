// Motion in a plane: points with rods, or a body on a blade, with its path. One unit has the same length both ways.
import type { Clip, View } from "./data";
import { Canvas } from "./canvas";
import { button, colour, mark, niceStep, numberText, seriesColour } from "./dom";
import type { Moment, Scene } from "./motion";
import { nameOf, pathsText, Traces } from "./trace";

const kTrail = 400; // frames of the path that are drawn strongly

export class FlatScene implements Scene {
  private readonly canvas = new Canvas();
  readonly element = this.canvas.element;
  readonly tools: HTMLElement[] = [];
  readonly about: string;
  private follow = false;
  private low = [0, 0];
  private high = [1, 1];
  private body = 1; // half the length of a body, in units of the plane
  private moment: Moment | null = null;
  private readonly traces: Traces;

  constructor(private readonly view: View) {
    const many = view.pointsInAll;
    const rods = view.rods.length + view.anchors.length;
    this.about = view.heading ? "The body on its blade, seen from above, and the path of its contact"
      : many === 1 ? (rods ? "A point with a rod, and its path" : "The path in the plane")
      : `${many} points${rods ? ` with ${rods === 1 ? "a rod" : "rods"}` : " in the plane"}, ${pathsText(view)}`;
    if (many > view.points.length) this.about += `; ${view.points.length} of the ${many} points are drawn`;
    this.traces = new Traces(view, () => { if (this.moment) this.draw(this.moment); });
    if (this.traces.field) this.tools.push(this.traces.field);
    if (view.heading) {
      const follow = button("follow", "keep the body in the middle", () => {
        this.follow = !this.follow;
        follow.setAttribute("aria-pressed", String(this.follow));
        if (this.moment) this.draw(this.moment);
      });
      follow.setAttribute("aria-pressed", "false");
      this.tools.push(follow);
    }
  }

  load(clip: Clip) {
    this.traces.load(clip);
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const meet = (axis: number, value: number) => {
      low[axis] = Math.min(low[axis], value);
      high[axis] = Math.max(high[axis], value);
    };
    for (const p of this.view.points)
      for (const axis of [0, 1]) for (const value of clip.columns[p.at[axis]]) meet(axis, value);
    for (const a of this.view.anchors) for (const axis of [0, 1]) meet(axis, a.at[axis]);
    const size = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
    this.body = 0.035 * size;
    const room = this.view.heading ? 2.2 * this.body : 0.08 * size;
    this.low = low.map((v) => v - room);
    this.high = high.map((v) => v + room);
  }

  recolour() {}

  draw(moment: Moment) {
    this.moment = moment;
    const { view } = this, ctx = this.canvas.begin(), { width, height } = this.canvas;
    const at = (p: number): [number, number] => [moment.values[view.points[p].at[0]], moment.values[view.points[p].at[1]]];
    let [cx, cy] = [(this.low[0] + this.high[0]) / 2, (this.low[1] + this.high[1]) / 2];
    let unit = Math.min(width / (this.high[0] - this.low[0]), height / (this.high[1] - this.low[1]));
    if (this.follow) {
      [cx, cy] = at(0);
      unit = height / (14 * this.body);
    }
    const X = (x: number) => width / 2 + (x - cx) * unit, Y = (y: number) => height / 2 - (y - cy) * unit;
    this.grid(ctx, cx, cy, unit);

    ctx.lineJoin = "round";
    ctx.lineCap = "round";
    const long = moment.clip.t.length > 1500;
    for (const p of this.traces.paths) {
      const xs = moment.clip.columns[view.points[p].at[0]], ys = moment.clip.columns[view.points[p].at[1]];
      const path = (from: number, to: number, end?: [number, number]) => {
        ctx.beginPath();
        for (let i = from; i <= to; ++i) ctx.lineTo(X(xs[i]), Y(ys[i]));
        if (end) ctx.lineTo(X(end[0]), Y(end[1]));
        ctx.stroke();
      };
      ctx.strokeStyle = seriesColour(this.traces.ink(p));
      ctx.globalAlpha = long ? 0.25 : 0.45;
      ctx.lineWidth = long ? 1 : 1.4;
      path(0, xs.length - 1);
      ctx.globalAlpha = 1;
      ctx.lineWidth = 2.4;
      path(Math.max(0, moment.frame - kTrail), moment.frame, at(p));
    }

    if (view.heading) {
      const [x, y] = at(0);
      this.sleigh(ctx, X(x), Y(y), moment.values[view.heading.angle], Math.max(9, this.body * unit));
      this.scaleBar(ctx, unit);
      return;
    }
    const radius = view.points.length > 60 ? 2 : view.points.length > 8 ? 4 : 7;
    ctx.strokeStyle = colour("text");
    ctx.lineWidth = view.points.length > 60 ? 1.5 : 2.5;
    ctx.beginPath();
    for (const [a, b] of view.rods) {
      const p = at(a), q = at(b);
      ctx.moveTo(X(p[0]), Y(p[1]));
      ctx.lineTo(X(q[0]), Y(q[1]));
    }
    for (const a of view.anchors) {
      const p = at(a.point);
      ctx.moveTo(X(a.at[0]), Y(a.at[1]));
      ctx.lineTo(X(p[0]), Y(p[1]));
    }
    ctx.stroke();
    for (const a of view.anchors) {
      ctx.fillStyle = colour("page");
      ctx.beginPath();
      ctx.arc(X(a.at[0]), Y(a.at[1]), 5, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
    view.points.forEach((point, i) => {
      const [x, y] = at(i);
      ctx.fillStyle = this.traces.pointColour(i);
      mark(ctx, this.traces.stands(i) ? 0 : this.traces.ink(i), X(x), Y(y), this.traces.stands(i) ? 0.6 * radius : radius);
      if (radius > 5) {
        ctx.strokeStyle = colour("page");
        ctx.lineWidth = 1.5;
        ctx.stroke();
      }
      if (this.traces.named && nameOf(point)) this.label(ctx, nameOf(point), X(x) + radius + 3, Y(y) - radius - 1);
    });
    this.scaleBar(ctx, unit);
  }

  // A text that stays legible over lines.
  private label(ctx: CanvasRenderingContext2D, text: string, x: number, y: number) {
    ctx.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    ctx.textAlign = "left";
    ctx.lineWidth = 3;
    ctx.strokeStyle = colour("page");
    ctx.strokeText(text, x, y);
    ctx.fillStyle = colour("text");
    ctx.fillText(text, x, y);
  }

  // A length to compare with: about a fifth of the width. Both axes have this scale.
  private scaleBar(ctx: CanvasRenderingContext2D, unit: number) {
    const { width } = this.canvas, length = niceStep(width / unit, 5), right = width - 14, y = 24;
    const left = right - length * unit;
    ctx.lineCap = "butt";
    for (const [thickness, ink] of [[6, "page"], [2.5, "text"]] as const) {
      ctx.strokeStyle = colour(ink);
      ctx.lineWidth = thickness;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
      for (const x of [left, right]) {
        ctx.moveTo(x, y - 4);
        ctx.lineTo(x, y + 4);
      }
      ctx.stroke();
    }
    const text = numberText(length, 3);
    ctx.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    this.label(ctx, text, (left + right - ctx.measureText(text).width) / 2, y - 8);
    this.element.dataset.scale = String(length);
  }

  // A body with a bow; the blade lies along its heading, under the contact.
  private sleigh(ctx: CanvasRenderingContext2D, x: number, y: number, angle: number, size: number) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(-angle);
    ctx.beginPath();
    ctx.moveTo(-size, -0.5 * size);
    ctx.lineTo(0.9 * size, -0.5 * size);
    ctx.quadraticCurveTo(1.7 * size, 0, 0.9 * size, 0.5 * size);
    ctx.lineTo(-size, 0.5 * size);
    ctx.closePath();
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = colour("panel");
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colour("text");
    ctx.lineWidth = 1.5;
    ctx.stroke();
    ctx.strokeStyle = seriesColour(1);
    ctx.lineWidth = 3;
    ctx.beginPath();
    ctx.moveTo(-0.7 * size, 0);
    ctx.lineTo(0.7 * size, 0);
    ctx.stroke();
    ctx.fillStyle = colour("text");
    ctx.beginPath();
    ctx.arc(0, 0, 2.5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.restore();
  }

  private grid(ctx: CanvasRenderingContext2D, cx: number, cy: number, unit: number) {
    const { width, height } = this.canvas;
    const step = niceStep(Math.max(width, height) / unit, Math.max(width, height) / 90);
    ctx.lineWidth = 1;
    ctx.strokeStyle = colour("grid");
    ctx.fillStyle = colour("muted");
    ctx.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    ctx.beginPath();
    const left = cx - width / 2 / unit, bottom = cy - height / 2 / unit;
    for (let k = Math.ceil(left / step); k * step <= left + width / unit; ++k) {
      const x = (k * step - left) * unit;
      ctx.moveTo(x, 0);
      ctx.lineTo(x, height);
      if (x > 30 && x < width - 30) {
        ctx.textAlign = "center";
        ctx.fillText(numberText(k * step, 4), x, height - 6);
      }
    }
    for (let k = Math.ceil(bottom / step); k * step <= bottom + height / unit; ++k) {
      const y = height - (k * step - bottom) * unit;
      ctx.moveTo(0, y);
      ctx.lineTo(width, y);
      if (y > 12 && y < height - 20) {
        ctx.textAlign = "left";
        ctx.fillText(numberText(k * step, 4), 6, y - 3);
      }
    }
    ctx.stroke();
  }
}
