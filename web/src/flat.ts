// Motion in a plane: points with rods, or a body on a blade, with its path. One unit has the same length both ways.
import type { Clip, View } from "./data";
import { Canvas } from "./canvas";
import { button, colour, niceStep, numberText, seriesColour } from "./dom";
import type { Moment, Scene } from "./motion";

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

  constructor(private readonly view: View) {
    const many = view.pointsInAll;
    this.about = view.heading
      ? "The body on its blade, seen from above, and the path of its contact"
      : view.rods.length + view.anchors.length > 0
        ? `${many === 1 ? "A point" : `${many} points`} with ${view.rods.length + view.anchors.length === 1 ? "a rod" : "rods"}, and the path of ${many > 1 && view.paths[0] === many - 1 ? "the last" : view.paths.length === 1 ? "one of them" : "some"}`
        : many === 1 ? "The path in the plane" : `${many} points in the plane`;
    if (many > view.points.length) this.about += `; ${view.points.length} of the ${many} points are drawn`;
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

    const traced = view.paths[view.paths.length - 1] ?? -1;
    ctx.lineJoin = "round";
    ctx.lineCap = "round";
    view.paths.forEach((p, k) => {
      const xs = moment.clip.columns[view.points[p].at[0]], ys = moment.clip.columns[view.points[p].at[1]];
      const path = (from: number, to: number, end?: [number, number]) => {
        ctx.beginPath();
        for (let i = from; i <= to; ++i) ctx.lineTo(X(xs[i]), Y(ys[i]));
        if (end) ctx.lineTo(X(end[0]), Y(end[1]));
        ctx.stroke();
      };
      ctx.strokeStyle = seriesColour(view.paths.length - 1 - k);
      ctx.globalAlpha = 0.25;
      ctx.lineWidth = 1;
      path(0, xs.length - 1);
      ctx.globalAlpha = 0.9;
      ctx.lineWidth = 1.6;
      path(Math.max(0, moment.frame - kTrail), moment.frame, at(p));
      ctx.globalAlpha = 1;
    });

    if (view.heading) {
      const [x, y] = at(0);
      this.sleigh(ctx, X(x), Y(y), moment.values[view.heading.angle], Math.max(9, this.body * unit));
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
    view.points.forEach((_, i) => {
      const [x, y] = at(i);
      ctx.fillStyle = view.points.length > 8 ? seriesColour(0) : seriesColour(i === traced ? 0 : 1 + (i % 7));
      ctx.beginPath();
      ctx.arc(X(x), Y(y), radius, 0, 2 * Math.PI);
      ctx.fill();
      if (radius > 5) {
        ctx.strokeStyle = colour("page");
        ctx.lineWidth = 1.5;
        ctx.stroke();
      }
    });
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
