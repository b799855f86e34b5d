// The whole run as a strip below a plot, with the stretch that the plot shows. A click or a drag looks elsewhere, and so do
// the arrow keys.
import { Canvas } from "./canvas";
import { colour, element, numberText, seriesColour } from "./dom";
import { rangeOf } from "./moving";

const kHeight = 40;

export class Strip {
  private readonly canvas = new Canvas(0, kHeight, kHeight);
  private readonly shade = element("div", { class: "shade", "aria-hidden": "true" });
  readonly frame: HTMLElement;
  private curves: ArrayLike<number>[] = [];
  private logarithmic = false;
  private selected: [number, number];

  constructor(title: string, private readonly all: [number, number], private readonly look: (middle: number) => void) {
    this.selected = all;
    this.canvas.element.className = "";
    this.canvas.element.setAttribute("aria-hidden", "true");
    this.frame = element("div", { class: "strip", tabindex: "0", role: "slider", "aria-label": `${title}: the whole run; the stretch that is shown`,
      title: "the whole run: click or drag to look elsewhere" }, this.canvas.element, this.shade);
    this.frame.addEventListener("pointerdown", (event) => {
      this.frame.setPointerCapture(event.pointerId);
      this.at(event);
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.at(event);
    });
    this.frame.addEventListener("keydown", (event) => {
      const [a, b] = this.selected, way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (way === 0) return;
      look((a + b) / 2 + (way * (b - a)) / 2);
      event.preventDefault();
      event.stopPropagation();
    });
    new ResizeObserver(() => this.paint()).observe(this.frame);
  }

  private at(event: PointerEvent) {
    const box = this.frame.getBoundingClientRect(), part = (event.clientX - box.left) / Math.max(1, box.width);
    this.look(this.all[0] + part * (this.all[1] - this.all[0]));
  }

  // t and the curves as the plot has them.
  draw(data: ArrayLike<number>[], logarithmic: boolean) {
    this.curves = data;
    this.logarithmic = logarithmic;
    this.paint();
  }

  select(min: number, max: number) {
    this.selected = [min, max];
    const whole = this.all[1] - this.all[0], part = (v: number) => (100 * (v - this.all[0])) / whole;
    this.shade.style.left = `${part(min)}%`;
    this.shade.style.width = `max(3px, ${part(max) - part(min)}%)`;
    for (const [name, value] of [["min", this.all[0]], ["max", this.all[1]], ["now", (min + max) / 2]] as const)
      this.frame.setAttribute(`aria-value${name}`, String(value));
    this.frame.setAttribute("aria-valuetext", `t from ${numberText(min, 5)} to ${numberText(max, 5)}`);
  }

  // Of each column of pixels the lowest and the highest value.
  private paint() {
    if (this.curves.length < 2 || this.frame.clientWidth === 0) return;
    const ctx = this.canvas.begin(), { width } = this.canvas, t = this.curves[0], curves = this.curves.slice(1);
    const place = this.logarithmic ? Math.log10 : (v: number) => v;
    const ranges = curves.map(rangeOf), low = place(Math.min(...ranges.map((r) => r[0]))), high = place(Math.max(...ranges.map((r) => r[1])));
    const room = high > low ? high - low : 1;
    const Y = (v: number) => kHeight - 3 - ((place(v) - low) / room) * (kHeight - 6);
    ctx.strokeStyle = colour("line");
    ctx.strokeRect(0.5, 0.5, width - 1, kHeight - 1);
    ctx.globalAlpha = 0.75;
    curves.forEach((values, k) => {
      ctx.strokeStyle = seriesColour(k);
      ctx.beginPath();
      let column = NaN, least = 0, most = 0;
      const put = () => {
        if (Number.isNaN(column)) return;
        ctx.lineTo(column, Y(most));
        ctx.lineTo(column, Y(least));
      };
      for (let i = 0; i < t.length; ++i) {
        const x = Math.round(((t[i] - this.all[0]) / (this.all[1] - this.all[0])) * width);
        if (x !== column) {
          put();
          column = x;
          least = most = values[i];
        }
        least = Math.min(least, values[i]);
        most = Math.max(most, values[i]);
      }
      put();
      ctx.stroke();
    });
    ctx.globalAlpha = 1;
  }
}
