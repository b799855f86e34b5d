// The block of JSON in the page, with its numbers decoded.

export interface Column {
  name: string;
  label: string; // with its unit
  group: string;
  values: Float64Array;
}

export interface Clip {
  label: string;
  start: number; // time of its first frame
  stride: number;
  t: Float32Array; // since start
  columns: Float32Array[];
}

export interface Point {
  name: string;
  at: [number, number, number]; // columns of the motion; -1: none
}

export interface View {
  space: boolean;
  points: Point[];
  rods: [number, number][];
  discs: { centre: number; rim: number; axle: [number, number, number] }[];
  paths: number[]; // points whose path is drawn
  anchors: { point: number; at: [number, number, number] }[];
  heading?: { angle: number; spin: number; radius: number };
  pointsInAll: number;
}

export interface Data {
  columns: Column[];
  t: Float64Array;
  window?: [number, number]; // the stretch on which a long run opens; its records are all here
  energy?: { initial: number; conserved: boolean };
  view?: View;
  motion: { names: string[]; clips: Clip[] };
}

function bytes(text: string): ArrayBuffer {
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) out[i] = binary.charCodeAt(i);
  return out.buffer;
}

export function readData(): Data {
  const raw = JSON.parse(document.getElementById("data")!.textContent!);
  const all = new Float64Array(bytes(raw.values));
  const columns: Column[] = raw.columns.map((c: { name: string; group: string; label: string }, i: number) => ({
    ...c,
    values: all.subarray(i * raw.rows, (i + 1) * raw.rows),
  }));
  const clips = raw.motion.clips.map((c: any) => {
    const values = new Float32Array(bytes(c.values));
    const part = (i: number) => values.subarray(i * c.rows, (i + 1) * c.rows);
    return {
      label: c.label,
      start: c.start,
      stride: c.stride,
      t: part(0),
      columns: raw.motion.names.map((_: string, i: number) => part(i + 1)),
    };
  });
  const t = columns.find((c) => c.group === "t");
  return {
    columns,
    t: t ? t.values : new Float64Array(0),
    window: raw.window,
    energy: raw.energy,
    view: raw.view,
    motion: { names: raw.motion.names, clips },
  };
}
