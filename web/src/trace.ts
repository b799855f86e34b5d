// Which points leave a path, and which colours points and paths have: the same in a plane and in space.
import type { Clip, Point, View } from "./data";
import { choice, colour, kMostDistinct, seriesColour } from "./dom";
import { rangeOf } from "./moving";

const kNamed = 16; // points whose names are written beside them

export class Traces {
  private chosen: number[];
  private inks: number[] = []; // of each point; -1: it stands still
  readonly field: HTMLElement | null = null;

  constructor(private readonly view: View, changed: () => void) {
    this.chosen = view.paths;
    const all = view.points.map((_, i) => i);
    if (view.heading || all.length === 1) return;
    const said = view.paths.map((p) => nameOf(view.points[p]));
    const options: [string, number[]][] = [["of all points", all], ["none", []]];
    if (view.paths.length < all.length) options.unshift([said.includes("") ? "of chosen points" : `of ${said.join(", ")}`, view.paths]);
    this.field = choice("paths", options.map((o) => o[0]), 0, (i) => {
      this.chosen = options[i][1];
      changed();
    }).field;
  }

  load(clip: Clip) {
    let next = 0;
    this.inks = this.view.points.map((point) => {
      const moves = point.at.some((c) => {
        if (c < 0) return false;
        const [low, high] = rangeOf(clip.columns[c]);
        return high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1e-9);
      });
      return moves ? next++ : -1;
    });
  }

  // Points that move and whose path is drawn.
  get paths(): number[] { return this.chosen.filter((p) => this.inks[p] >= 0); }
  get many(): boolean { return this.view.points.length > kMostDistinct; }
  get named(): boolean { return this.view.points.length <= kNamed; }
  stands(i: number): boolean { return this.inks[i] < 0; }
  ink(i: number): number { return this.many ? 0 : this.inks[i]; }
  pointColour(i: number): string { return this.stands(i) ? colour("muted") : seriesColour(this.ink(i)); }
}

// What follows the letter of its coordinates: "1", "2", "[3]"; or what [view] calls it.
export function nameOf(point: Point): string { return point.name.replace(/^_/, ""); }

// What is drawn, in words.
export function pathsText(view: View): string {
  const names = view.paths.map((p) => nameOf(view.points[p]));
  if (view.paths.length === view.points.length) return "and their paths";
  if (names.includes("")) return names.length === 1 ? "and the path of one" : `and the paths of ${names.length}`;
  return `and the path${names.length === 1 ? "" : "s"} of ${names.join(", ")}`;
}
