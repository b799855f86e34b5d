// What has no picture of its own is drawn as a phase portrait with a moving point; its axes can be chosen.
import type { Clip } from "./data";
import { Canvas } from "./canvas";
import { choice, colour, niceStep, numberText, seriesColour } from "./dom";
import type { Moment, Scene } from "./motion";
import { portraitAxes } from "./moving";

export class PortraitScene implements Scene {
  private readonly canvas = new Canvas();
  readonly element = this.canvas.element;
  readonly tools: HTMLElement[];
  readonly about = "A phase portrait: two of the coordinates as they move";
  private readonly axes: [number, number];
  private ranges: [number, number][] = [];
  private moment: Moment | null = null;

  constructor(private readonly names: string[], clip: Clip) {
    this.axes = portraitAxes(names.map((name, i) => ({ name, values: clip.columns[i] })));
    const field = (label: string, k: 0 | 1) =>
      choice(label, names, this.axes[k], (i) => {
        this.axes[k] = i;
        if (this.moment) this.draw(this.moment);
      }).field;
    this.tools = [field("across", 0), field("up", 1)];
  }

  load(clip: Clip) {
    this.ranges = clip.columns.map((column) => {
      let low = Infinity, high = -Infinity;
      for (const value of column) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      const room = high > low ? 0.08 * (high - low) : Math.abs(low) * 0.1 || 1;
      return [low - room, high + room];
    });
  }

  recolour() {}

  draw(moment: Moment) {
    this.moment = moment;
    const ctx = this.canvas.begin(), { width, height } = this.canvas;
    this.element.dataset.axes = this.axes.map((c) => this.names[c]).join(" ");
    const [i, k] = this.axes, [xr, yr] = [this.ranges[i], this.ranges[k]];
    const left = 56, bottom = 34, w = width - left - 12, h = height - bottom - 12;
    const X = (x: number) => left + ((x - xr[0]) / (xr[1] - xr[0])) * w, Y = (y: number) => 12 + h - ((y - yr[0]) / (yr[1] - yr[0])) * h;
    ctx.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    ctx.fillStyle = colour("muted");
    ctx.strokeStyle = colour("grid");
    ctx.lineWidth = 1;
    ctx.beginPath();
    const xs = niceStep(xr[1] - xr[0], w / 90), ys = niceStep(yr[1] - yr[0], h / 60);
    for (let m = Math.ceil(xr[0] / xs); m * xs <= xr[1]; ++m) {
      ctx.moveTo(X(m * xs), 12);
      ctx.lineTo(X(m * xs), 12 + h);
      ctx.textAlign = "center";
      ctx.fillText(numberText(m * xs, 4), X(m * xs), 12 + h + 14);
    }
    for (let m = Math.ceil(yr[0] / ys); m * ys <= yr[1]; ++m) {
      ctx.moveTo(left, Y(m * ys));
      ctx.lineTo(left + w, Y(m * ys));
      ctx.textAlign = "right";
      ctx.fillText(numberText(m * ys, 4), left - 6, Y(m * ys) + 4);
    }
    ctx.stroke();
    ctx.fillStyle = colour("text");
    ctx.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    ctx.textAlign = "center";
    ctx.fillText(this.names[i], left + w / 2, height - 5);
    ctx.save();
    ctx.translate(11, 12 + h / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText(this.names[k], 0, 0);
    ctx.restore();
    const xv = moment.clip.columns[i], yv = moment.clip.columns[k];
    const path = (from: number, to: number) => {
      ctx.beginPath();
      for (let r = from; r <= to; ++r) ctx.lineTo(X(xv[r]), Y(yv[r]));
      ctx.stroke();
    };
    ctx.lineJoin = "round";
    ctx.strokeStyle = seriesColour(0);
    ctx.globalAlpha = xv.length > 1500 ? 0.25 : 0.45;
    path(0, xv.length - 1);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 2.2;
    path(Math.max(0, moment.frame - 400), moment.frame);
    ctx.globalAlpha = 1;
    ctx.fillStyle = seriesColour(1);
    ctx.beginPath();
    ctx.arc(X(moment.values[i]), Y(moment.values[k]), 6, 0, 2 * Math.PI);
    ctx.fill();
  }
}
