// Motion in space: points with rods, or a disk that rolls on a plane. Drawn by three.js; where the browser has no WebGL the
// same lines are drawn on a plain canvas. Drag turns the view.
import {
  AmbientLight, BufferGeometry, Color, CylinderGeometry, DirectionalLight, Group, type InterleavedBufferAttribute,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, PerspectiveCamera, Quaternion, Scene as ThreeScene, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Box } from "./axes";
import { Canvas } from "./canvas";
import type { Clip, View } from "./data";
import { button, colour, mark, seriesColour } from "./dom";
import type { Moment, Scene } from "./motion";
import { nameOf, pathsText, Traces } from "./trace";

const kTrail = 400;

export class SpaceScene implements Scene {
  readonly element = document.createElement("div");
  readonly tools: HTMLElement[];
  readonly about: string;
  private readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer | null;
  private readonly plain: Canvas | null;
  private moment: Moment | null = null;
  private box = new Box(new Vector3(), new Vector3(1, 1, 1));
  private follow = false;
  private turned = false; // by hand
  private aimed = 0; // the width for which the view was chosen
  private readonly traces: Traces;
  private readonly labels = new Canvas(); // over the picture

  // With WebGL.
  private scene = new ThreeScene();
  private disk: Group | null = null;
  private balls: { ball: Mesh; point: number }[] = [];
  private bars: { mesh: Mesh; from: number; to: number | Vector3 }[] = [];
  private trails: { line: Line2; point: number }[] = [];
  private discs: Group[] = [];

  constructor(private readonly view: View) {
    const many = view.pointsInAll;
    this.about = view.heading ? "The disk as it rolls on the plane, and the path of its contact"
      : view.discs.length ? `${view.discs.length === 1 ? "A disc" : "Discs"} in space, ${pathsText(view)}`
      : many === 1 ? "The path in space" : `${many} points${view.rods.length + view.anchors.length ? " with rods" : ""} in space, ${pathsText(view)}`;
    this.element.className = "scene space";
    let renderer: WebGLRenderer | null = null;
    if (!new URLSearchParams(location.search).has("plain")) {
      try {
        renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
      } catch {
        renderer = null; // no WebGL here
      }
    }
    this.renderer = renderer;
    this.plain = renderer ? null : new Canvas();
    const canvas = renderer ? renderer.domElement : this.plain!.element;
    canvas.style.touchAction = "pan-y";
    this.labels.element.className = "labels";
    this.labels.element.setAttribute("aria-hidden", "true");
    this.element.append(canvas, this.labels.element);
    this.element.dataset.drawn = renderer ? "webgl" : "canvas";
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableZoom = true;
    this.controls.addEventListener("change", () => this.render());
    this.controls.addEventListener("start", () => (this.turned = true));
    // A page must still scroll: only with Ctrl does the wheel zoom.
    canvas.addEventListener("wheel", (event) => { if (!event.ctrlKey) event.stopImmediatePropagation(); }, { capture: true, passive: true });
    const follow = button("follow", "keep the body in the middle", () => {
      this.follow = !this.follow;
      follow.setAttribute("aria-pressed", String(this.follow));
      this.aim();
      if (this.moment) this.draw(this.moment);
    });
    follow.setAttribute("aria-pressed", "false");
    this.tools = [follow, button("reset view", "the first view again", () => { this.aim(); this.render(); })];
    this.traces = new Traces(view, () => {
      if (!this.moment) return;
      this.build(this.moment.clip);
      this.draw(this.moment);
    });
    if (this.traces.field) this.tools.unshift(this.traces.field);
  }

  private place(values: ArrayLike<number>, p: number): Vector3 {
    const { at } = this.view.points[p];
    return new Vector3(values[at[0]], values[at[1]], at[2] >= 0 ? values[at[2]] : 0);
  }

  private row(clip: Clip, i: number, p: number): Vector3 {
    const { at } = this.view.points[p];
    return new Vector3(clip.columns[at[0]][i], clip.columns[at[1]][i], at[2] >= 0 ? clip.columns[at[2]][i] : 0);
  }

  load(clip: Clip) {
    this.traces.load(clip);
    const low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity);
    for (let p = 0; p < this.view.points.length; ++p)
      for (let i = 0; i < clip.t.length; ++i) {
        const at = this.row(clip, i, p);
        low.min(at);
        high.max(at);
      }
    for (const a of this.view.anchors) {
      low.min(new Vector3(...a.at));
      high.max(new Vector3(...a.at));
    }
    const radius = Math.abs(this.view.heading?.radius ?? 0);
    low.subScalar(radius);
    high.addScalar(radius);
    if (radius > 0) { low.z = 0; high.z = 2 * radius; }
    this.box = new Box(low, high);
    this.element.dataset.scale = String(this.box.step);
    this.build(clip);
    this.aim();
  }

  // The first view: from above and the side, all of the path in it.
  private aim() {
    this.turned = false;
    this.aimed = this.width();
    const radius = Math.abs(this.view.heading?.radius ?? 0);
    const all = this.box.reach, reach = this.follow ? Math.min(all, radius > 0 ? 4 * radius : all / 3) : all;
    const target = this.follow && this.moment ? this.place(this.moment.values, 0) : this.box.middle;
    this.camera.near = reach / 100;
    this.camera.far = all * 40;
    const direction = new Vector3(-0.45, -1, this.view.heading ? 0.75 : 0.5).normalize();
    this.camera.position.copy(target).addScaledVector(direction, reach * 3.4);
    if (!this.follow) this.fit(target, direction, reach * 3.4);
    this.controls.target.copy(target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // Moves the camera until the box fills the picture, with room for the numbers around it.
  private fit(target: Vector3, direction: Vector3, distance: number) {
    this.camera.aspect = this.width() / this.height();
    for (let round = 0; round < 4; ++round) {
      this.camera.lookAt(target);
      this.camera.updateProjectionMatrix();
      this.camera.updateMatrixWorld();
      const low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity);
      for (const corner of this.box.corners()) {
        const at = corner.project(this.camera);
        low.min(at);
        high.max(at);
      }
      const middle = new Vector3((low.x + high.x) / 2, (low.y + high.y) / 2, 0);
      const up = Math.tan((this.camera.fov * Math.PI) / 360) * distance;
      const axis = (k: number) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, k);
      target.addScaledVector(axis(0), middle.x * up * this.camera.aspect).addScaledVector(axis(1), middle.y * up);
      distance *= Math.max((high.x - low.x) / 2 / (1 - 110 / this.width()), (high.y - low.y) / 2 / (1 - 80 / this.height()));
      this.camera.position.copy(target).addScaledVector(direction, distance);
    }
    this.camera.near = distance / 100;
    this.camera.far = distance * 40;
  }

  private width() { return Math.max(200, this.element.clientWidth); }
  private height() { return Math.round(Math.min(560, Math.max(260, this.width() * 0.6))); }

  private build(clip: Clip) {
    if (!this.renderer) return;
    this.scene = new ThreeScene();
    this.balls = [];
    this.bars = [];
    const ink = (name: string) => new Color(colour(name));
    this.scene.add(new LineSegments(new BufferGeometry().setFromPoints(this.box.gridLines()), new LineBasicMaterial({ color: ink("line") })));
    this.scene.add(new AmbientLight(0xffffff, 1.6));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(-1, -2, 4);
    this.scene.add(sun);

    // Lines of WebGL are one pixel wide whatever is asked for: paths are strips, wide enough to be seen.
    const strip = (positions: Float32Array, shade: Color, linewidth: number, behind = false) => {
      const line = new Line2(new LineGeometry().setPositions(positions), new LineMaterial({ color: shade, linewidth, depthWrite: !behind }));
      line.frustumCulled = false;
      line.renderOrder = behind ? -1 : 0;
      this.scene.add(line);
      return line;
    };
    this.trails = this.traces.paths.map((point) => {
      const path = new Float32Array(3 * clip.t.length), shade = new Color(seriesColour(this.traces.ink(point)));
      for (let i = 0; i < clip.t.length; ++i) this.row(clip, i, point).toArray(path, 3 * i);
      strip(path, shade.clone().lerp(ink("page"), 0.55), clip.t.length > 1500 ? 1 : 1.5, true);
      return { line: strip(new Float32Array(3 * (kTrail + 2)), shade, 3), point };
    });
    this.discs = this.view.discs.map((disc) => {
      const radius = this.row(clip, 0, disc.rim).distanceTo(this.row(clip, 0, disc.centre));
      const group = this.makeDisk(radius);
      this.scene.add(group);
      return group;
    });

    if (this.view.heading) {
      this.disk = this.makeDisk(Math.abs(this.view.heading.radius));
      this.scene.add(this.disk);
      return;
    }
    const size = this.box.reach * (this.view.points.length > 12 ? 0.012 : 0.03);
    this.view.points.forEach((_, i) => {
      if (this.hidden(i)) return;
      const ball = new Mesh(new SphereGeometry(size, 24, 16), new MeshLambertMaterial({ color: new Color(this.traces.pointColour(i)) }));
      this.balls.push({ ball, point: i });
      this.scene.add(ball);
    });
    const bar = (from: number, to: number | Vector3) => {
      const mesh = new Mesh(new CylinderGeometry(size / 4, size / 4, 1, 12), new MeshLambertMaterial({ color: ink("muted") }));
      this.bars.push({ mesh, from, to });
      this.scene.add(mesh);
    };
    for (const [a, b] of this.view.rods) bar(a, b);
    for (const a of this.view.anchors) bar(a.point, new Vector3(...a.at));
  }

  // Its axle is y; spokes show how it turns.
  private makeDisk(radius: number): Group {
    const group = new Group();
    const wheel = new Mesh(new CylinderGeometry(radius, radius, 0.08 * radius, 64), new MeshLambertMaterial({ color: new Color(seriesColour(0)), transparent: true, opacity: 0.9 }));
    group.add(wheel);
    for (const side of [-1, 1]) {
      const points: Vector3[] = [];
      for (let k = 0; k < 3; ++k) {
        const a = (k * Math.PI) / 3;
        points.push(new Vector3(radius * Math.cos(a), side * 0.05 * radius, radius * Math.sin(a)), new Vector3(-radius * Math.cos(a), side * 0.05 * radius, -radius * Math.sin(a)));
      }
      group.add(new LineSegments(new BufferGeometry().setFromPoints(points), new LineBasicMaterial({ color: new Color(colour("page")) })));
      const mark = new Mesh(new SphereGeometry(0.09 * radius, 16, 12), new MeshLambertMaterial({ color: new Color(seriesColour(1)) }));
      mark.position.set(0, side * 0.05 * radius, -0.82 * radius);
      group.add(mark);
    }
    return group;
  }

  // Heading about z, then the turn of the wheel, which rolls forwards for a positive spin.
  private wheelPose(values: ArrayLike<number>): { at: Vector3; turn: Quaternion } {
    const heading = this.view.heading!, radius = Math.abs(heading.radius);
    const at = this.place(values, 0).add(new Vector3(0, 0, radius));
    const spin = heading.spin >= 0 ? Math.sign(heading.radius) * values[heading.spin] : 0;
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), values[heading.angle]).multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), spin));
    return { at, turn };
  }

  // Points of discs are not drawn beside them.
  private hidden(i: number): boolean { return this.view.discs.some((d) => d.rim === i || d.centre === i); }
    // The mark of a disc, which its own drawing has at -z, points to the rim.
  private discPose(values: ArrayLike<number>, k: number): { at: Vector3; turn: Quaternion; radius: number } {
    const disc = this.view.discs[k], at = this.place(values, disc.centre);
    const out = this.place(values, disc.rim).sub(at), radius = out.length();
    const y = new Vector3(values[disc.axle[0]], values[disc.axle[1]], values[disc.axle[2]]).normalize();
    const z = out.addScaledVector(y, -out.dot(y)).normalize().negate(), x = y.clone().cross(z);
    return { at, turn: new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, z)), radius };
  }

  recolour() { if (this.moment) this.build(this.moment.clip); }

  draw(moment: Moment) {
    this.moment = moment;
    if (this.follow) {
      const to = this.place(moment.values, 0), shift = to.clone().sub(this.controls.target);
      this.camera.position.add(shift);
      this.controls.target.copy(to);
    }
    if (this.renderer) this.arrange(moment);
    if (!this.turned && !this.follow && this.aimed !== this.width()) this.aim();
    this.render();
  }

  private arrange(moment: Moment) {
    if (this.view.heading && this.disk) {
      const { at, turn } = this.wheelPose(moment.values);
      this.disk.position.copy(at);
      this.disk.quaternion.copy(turn);
    }
    for (const { ball, point } of this.balls) ball.position.copy(this.place(moment.values, point));
    for (const { mesh, from, to } of this.bars) {
      const a = this.place(moment.values, from), b = typeof to === "number" ? this.place(moment.values, to) : to;
      const along = b.clone().sub(a), length = along.length();
      mesh.position.copy(a).addScaledVector(along, 0.5);
      mesh.scale.set(1, Math.max(length, 1e-9), 1);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    }
    this.discs.forEach((group, k) => {
      const { at, turn } = this.discPose(moment.values, k);
      group.position.copy(at);
      group.quaternion.copy(turn);
    });
    for (const { line, point } of this.trails) {
      const first = Math.max(0, moment.frame - kTrail), data = (line.geometry.getAttribute("instanceStart") as InterleavedBufferAttribute).data;
      let from = this.row(moment.clip, first, point), n = 0;
      for (let i = first + 1; i <= moment.frame + 1; ++i) {
        const to = i <= moment.frame ? this.row(moment.clip, i, point) : this.place(moment.values, point);
        from.toArray(data.array, 6 * n);
        to.toArray(data.array, 6 * n + 3);
        from = to;
        ++n;
      }
      data.needsUpdate = true;
      line.geometry.instanceCount = n;
    }
  }

  private render() {
    const width = this.width(), height = this.height();
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.renderer) {
      this.renderer.setPixelRatio(devicePixelRatio || 1);
      const size = this.renderer.domElement;
      if (size.clientWidth !== width || size.clientHeight !== height) this.renderer.setSize(width, height);
      this.renderer.render(this.scene, this.camera);
    } else if (this.moment) {
      this.sketch(this.moment);
    }
    this.camera.updateMatrixWorld();
    this.annotate();
  }

  private put(v: Vector3, { width, height }: Canvas): [number, number] {
    const p = v.clone().project(this.camera);
    return [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
  }

  // The axes, and the names of points.
  private annotate() {
    const ctx = this.labels.begin();
    this.box.draw(ctx, this.camera, (v) => this.put(v, this.labels));
    if (!this.moment || !this.traces.named || this.view.heading) return;
    ctx.font = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    ctx.textAlign = "left";
    ctx.lineWidth = 3;
    this.view.points.forEach((point, i) => {
      const name = nameOf(point);
      if (!name || this.hidden(i)) return;
      const [x, y] = this.put(this.place(this.moment!.values, i), this.labels);
      ctx.strokeStyle = colour("page");
      ctx.strokeText(name, x + 9, y - 9);
      ctx.fillStyle = colour("text");
      ctx.fillText(name, x + 9, y - 9);
    });
  }

  // Without WebGL: the same as lines.
  private sketch(moment: Moment) {
    const plain = this.plain!, ctx = plain.begin(), { width, height } = plain;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const stroke = (points: Vector3[], style: string, thickness: number, alpha = 1) => {
      ctx.strokeStyle = style;
      ctx.lineWidth = thickness;
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      for (const p of points) ctx.lineTo(...this.put(p, plain));
      ctx.stroke();
      ctx.globalAlpha = 1;
    };
    const grid = this.box.gridLines();
    for (let i = 0; i < grid.length; i += 2) stroke([grid[i], grid[i + 1]], colour("line"), 1);
    for (const p of this.traces.paths) {
      const path: Vector3[] = [], shade = seriesColour(this.traces.ink(p));
      for (let i = 0; i < moment.clip.t.length; ++i) path.push(this.row(moment.clip, i, p));
      stroke(path, shade, 1.4, 0.4);
      stroke([...path.slice(Math.max(0, moment.frame - kTrail), moment.frame + 1), this.place(moment.values, p)], shade, 2.4);
    }
    const wheel = ({ at, turn, radius }: { at: Vector3; turn: Quaternion; radius: number }) => {
      const on = (a: number) => new Vector3(radius * Math.cos(a), 0, radius * Math.sin(a)).applyQuaternion(turn).add(at), rim: Vector3[] = [];
      for (let k = 0; k <= 64; ++k) rim.push(on((k * Math.PI) / 32));
      stroke(rim, seriesColour(0), 3);
      for (let k = 0; k < 3; ++k) stroke([on((k * Math.PI) / 3), on((k * Math.PI) / 3 + Math.PI)], colour("muted"), 1.2);
    };
    this.view.discs.forEach((_, k) => wheel(this.discPose(moment.values, k)));
    if (this.view.heading) {
      wheel({ ...this.wheelPose(moment.values), radius: Math.abs(this.view.heading.radius) });
      return;
    }
    for (const [a, b] of this.view.rods) stroke([this.place(moment.values, a), this.place(moment.values, b)], colour("text"), 2);
    for (const a of this.view.anchors) stroke([new Vector3(...a.at), this.place(moment.values, a.point)], colour("text"), 2);
    this.view.points.forEach((_, i) => {
      if (this.hidden(i)) return;
      ctx.fillStyle = this.traces.pointColour(i);
      mark(ctx, this.traces.stands(i) ? 0 : this.traces.ink(i), ...this.put(this.place(moment.values, i), plain), 6);
    });
  }
}
