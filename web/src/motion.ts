// The animation: a clock over the frames of a clip, its controls, and a scene that draws one moment.
import type { Clip, Data } from "./data";
import { button, choice, element, niceStep, numberText } from "./dom";
import { FlatScene } from "./flat";
import { PortraitScene } from "./portrait";
import { SpaceScene } from "./space";

// One moment of a clip: the columns between two frames.
export interface Moment {
  clip: Clip;
  frame: number; // the frame before
  values: number[];
}

export interface Scene {
  readonly element: HTMLElement;
  readonly tools: HTMLElement[];
  readonly about: string; // what is drawn, for those who cannot see it
  load(clip: Clip): void;
  draw(moment: Moment): void;
  recolour(): void;
}

export class Motion {
  private clip: Clip;
  private time = 0; // since the start of the clip
  private playing = false;
  private last = 0;
  private speed = 1;
  private readonly scene: Scene;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock: HTMLElement;
  private readonly speeds: number[];
  readonly frame: HTMLElement;

  constructor(data: Data, private readonly told: (t: number) => void) {
    const { clips } = data.motion;
    this.clip = clips[0];
    this.scene = !data.view ? new PortraitScene(data.motion.names, this.clip) : data.view.space ? new SpaceScene(data.view) : new FlatScene(data.view);
    this.play = button("Play", "play", () => this.toggle());
    this.play.classList.add("play");
    this.slider = element("input", { type: "range", min: "0", max: "1000", value: "0", step: "1", "aria-label": "time" });
    this.slider.addEventListener("input", () => {
      this.pause();
      this.seek((Number(this.slider.value) / 1000) * this.length());
    });
    this.clock = element("output", { class: "clock mono" });
    // A clip takes about a quarter of a minute at first; short and long ones in real time where that is near.
    const base = this.length() >= 4 && this.length() <= 60 ? 1 : niceStep(this.length() / 15, 1);
    this.speeds = [1 / 10, 1 / 4, 1 / 2, 1, 2, 4, 10].map((f) => f * base);
    this.speed = base;
    const speed = choice("speed", this.speeds.map((s) => `${numberText(s, 3)} t/s`), 3, (i) => (this.speed = this.speeds[i]));
    speed.select.title = "simulated time per second";
    const tools = element("div", { class: "tools", role: "group", "aria-label": "tools of the animation" }, speed.field);
    if (clips.length > 1)
      tools.append(choice("show", clips.map((c) => (c.stride > 1 ? `${c.label} (every ${c.stride}th record)` : c.label)), 0, (i) => {
        this.clip = clips[i];
        this.scene.load(this.clip);
        this.seek(0);
      }).field);
    tools.append(...this.scene.tools);
    this.scene.element.setAttribute("role", "img");
    this.scene.element.setAttribute("aria-label", `${this.scene.about}. Space plays and pauses, the arrow keys move in time.`);
    this.frame = element("div", { class: "motion" }, this.scene.element,
      element("div", { class: "transport" }, this.play, this.slider, this.clock), tools,
      element("p", { class: "small muted" }, `${this.scene.about}. Keys: space plays and pauses, arrows move in time.`));
    this.scene.load(this.clip);
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.show()).observe(this.scene.element);
  }

  private length() { return this.clip.t[this.clip.t.length - 1]; }

  private key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(target.tagName)) return;
    if (event.key === " " && target.tagName !== "BUTTON" && target.tagName !== "A") this.toggle();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      this.pause();
      const step = (event.shiftKey ? 0.1 : 0.01) * this.length();
      this.seek(this.time + (event.key === "ArrowRight" ? step : -step));
    } else if (event.key === "Home" && target === document.body) return;
    else return;
    event.preventDefault();
  }

  toggle() { if (this.playing) this.pause(); else this.start(); }

  private start() {
    if (Math.abs(this.time) >= Math.abs(this.length())) this.time = 0;
    this.playing = true;
    this.last = performance.now();
    this.label();
    requestAnimationFrame((now) => this.tick(now));
  }

  private pause() {
    this.playing = false;
    this.label();
  }

  private label() {
    this.play.textContent = this.playing ? "Pause" : "Play";
    this.play.setAttribute("aria-label", this.playing ? "pause" : "play");
    this.play.title = this.playing ? "pause" : "play";
    this.frame.dataset.playing = String(this.playing);
  }

  private tick(now: number) {
    if (!this.playing) return;
    const direction = this.length() < 0 ? -1 : 1;
    this.seek(this.time + (direction * this.speed * Math.min(100, now - this.last)) / 1000);
    this.last = now;
    if (Math.abs(this.time) >= Math.abs(this.length())) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }

  seek(time: number) {
    const length = this.length();
    this.time = length < 0 ? Math.max(length, Math.min(0, time)) : Math.min(length, Math.max(0, time));
    this.show();
  }

  show() {
    const { t, columns } = this.clip, n = t.length, back = t[n - 1] < 0;
    let low = 0, high = n - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (back ? t[middle] >= this.time : t[middle] <= this.time) low = middle;
      else high = middle;
    }
    const part = t[high] === t[low] ? 0 : Math.min(1, Math.max(0, (this.time - t[low]) / (t[high] - t[low])));
    const values = columns.map((c) => c[low] + part * (c[high] - c[low]));
    this.scene.draw({ clip: this.clip, frame: low, values });
    const now = this.clip.start + this.time;
    this.slider.value = String(Math.round((this.time / (this.length() || 1)) * 1000));
    this.slider.setAttribute("aria-valuetext", `t = ${numberText(now, 5)}`);
    this.clock.textContent = `t = ${numberText(now, 6)}`;
    this.frame.dataset.time = String(now);
    this.told(now);
  }

  recolour() {
    this.scene.recolour();
    this.show();
  }
}
