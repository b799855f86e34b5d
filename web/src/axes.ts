// A box of axes around a motion in space, as papers draw it: the grid on its ground, marks with numbers along three of its
// edges, and the names of the axes. The numbers are drawn over the picture, so that they are upright and legible.
import { type PerspectiveCamera, Vector3 } from "three";
import { colour, niceStep, numberText } from "./dom";

const kNames = ["x", "y", "z"];
const kFont = '"Segoe UI", "DejaVu Sans", sans-serif';

type Put = (v: Vector3) => [number, number];

export class Box {
  readonly low: Vector3;
  readonly high: Vector3;
  readonly step: number;

  // Of the places between two corners; the box ends at whole steps. On a plane z = 0 things roll, and it stays the ground.
  constructor(low: Vector3, high: Vector3) {
    const size = new Vector3().subVectors(high, low), most = Math.max(size.x, size.y, size.z, 1e-9);
    this.step = niceStep(most, 5);
    const whole = (v: number, up: boolean) => (up ? Math.ceil(v / this.step - 1e-6) : Math.floor(v / this.step + 1e-6)) * this.step;
    this.low = new Vector3(whole(low.x, false), whole(low.y, false), whole(low.z, false));
    this.high = new Vector3(whole(high.x, true), whole(high.y, true), whole(high.z, true));
    for (const axis of [0, 1, 2]) {
      if (this.high.getComponent(axis) - this.low.getComponent(axis) > 0.5 * this.step) continue;
      this.high.setComponent(axis, this.high.getComponent(axis) + this.step);
      if (axis < 2) this.low.setComponent(axis, this.low.getComponent(axis) - this.step);
    }
  }

  get middle(): Vector3 { return this.low.clone().add(this.high).multiplyScalar(0.5); }
  get reach(): number { return Math.max(this.high.distanceTo(this.low) / 2, 1e-6); }

  private marks(axis: number): number[] {
    const out: number[] = [], last = Math.round((this.high.getComponent(axis) - this.low.getComponent(axis)) / this.step);
    for (let k = 0; k <= last; ++k) out.push(this.low.getComponent(axis) + k * this.step);
    return out;
  }

  corners(): Vector3[] {
    const { low, high } = this;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
  }

  // Pairs of ends.
  gridLines(): Vector3[] {
    const { low, high } = this, out: Vector3[] = [];
    for (const x of this.marks(0)) out.push(new Vector3(x, low.y, low.z), new Vector3(x, high.y, low.z));
    for (const y of this.marks(1)) out.push(new Vector3(low.x, y, low.z), new Vector3(high.x, y, low.z));
    return out;
  }

  // The edges that stand free: of x and y the ones in front, of z the one that is furthest left.
  private edges(camera: PerspectiveCamera, put: Put): Vector3[] {
    const { low, high, middle } = this, eye = camera.position;
    const y = eye.y < middle.y ? low.y : high.y, x = eye.x < middle.x ? low.x : high.x;
    const corners = [[low.x, low.y], [low.x, high.y], [high.x, low.y], [high.x, high.y]].map(([a, b]) => new Vector3(a, b, low.z));
    const left = corners.reduce((best, c) => (put(c)[0] < put(best)[0] ? c : best));
    return [new Vector3(low.x, y, low.z), new Vector3(x, low.y, low.z), left];
  }

  draw(ctx: CanvasRenderingContext2D, camera: PerspectiveCamera, put: Put) {
    const centre = put(this.middle), taken: [number, number][] = [];
    this.edges(camera, put).forEach((start, axis) => {
      const at = (v: number) => start.clone().setComponent(axis, v);
      const a = put(start), b = put(at(this.high.getComponent(axis)));
      // Texts stand on the side away from the box.
      let nx = b[1] - a[1], ny = a[0] - b[0];
      const size = Math.hypot(nx, ny) || 1, away = nx * ((a[0] + b[0]) / 2 - centre[0]) + ny * ((a[1] + b[1]) / 2 - centre[1]) < 0 ? -1 : 1;
      nx *= away / size;
      ny *= away / size;
      ctx.strokeStyle = colour("frame");
      ctx.lineWidth = 1.4;
      ctx.beginPath();
      ctx.moveTo(...a);
      ctx.lineTo(...b);
      const marks = this.marks(axis).map((v) => [v, put(at(v))] as const);
      for (const [, p] of marks) {
        ctx.moveTo(...p);
        ctx.lineTo(p[0] + 5 * nx, p[1] + 5 * ny);
      }
      ctx.stroke();
      ctx.fillStyle = colour("muted");
      ctx.font = `11px system-ui, ${kFont}`;
      ctx.textAlign = nx < -0.4 ? "right" : nx > 0.4 ? "left" : "center";
      ctx.textBaseline = "middle";
      for (const [v, p] of marks) {
        const place: [number, number] = [p[0] + 9 * nx, p[1] + 11 * ny];
        if (taken.some((q) => Math.abs(q[0] - place[0]) < 28 && Math.abs(q[1] - place[1]) < 14)) continue;
        taken.push(place);
        ctx.fillText(numberText(Math.abs(v) < 1e-9 * this.step ? 0 : v, 4), ...place);
      }
      ctx.fillStyle = colour("text");
      ctx.font = `italic 600 14px system-ui, ${kFont}`;
      ctx.fillText(kNames[axis], (a[0] + b[0]) / 2 + 38 * nx, (a[1] + b[1]) / 2 + 32 * ny);
    });
    ctx.textBaseline = "alphabetic";
  }
}
