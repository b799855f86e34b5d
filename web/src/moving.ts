// Which columns show something: a default must not plot two numbers that stay what they are.

interface Named {
  name: string;
  values: ArrayLike<number>;
}

export function rangeOf(values: ArrayLike<number>): [number, number] {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; ++i) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  return [low, high];
}

// More than rounding moves a column, and it is not a millionth of what the others do.
export function moving(columns: Named[]): boolean[] {
  const ranges = columns.map((c) => rangeOf(c.values));
  const spans = ranges.map(([low, high]) => (high > low ? high - low : 0));
  const isRate = (c: Named) => c.name.endsWith("'");  // coordinates are compared with coordinates
  const largest = (rate: boolean) => Math.max(0, ...spans.filter((_, i) => isRate(columns[i]) === rate));
  const scales = [largest(false), largest(true)];
  return ranges.map(([low, high], i) =>
    spans[i] > 1e-6 * scales[isRate(columns[i]) ? 1 : 0] && spans[i] > 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
}

// Two columns for a phase portrait: places x and y of one point (of several the last, which hangs on the others), else a coordinate and its velocity, else the first two that
// move.
export function portraitAxes(columns: Named[]): [number, number] {
  const moves = moving(columns), place = new Map(columns.map((c, i) => [c.name, i]));
  const partner = (i: number, name: string) => {
    const k = place.get(name);
    return k !== undefined && k !== i && moves[k] ? k : -1;
  };
  for (let i = columns.length - 1; i >= 0; --i)
    if (moves[i] && isPlane(columns[i].name, `y${columns[i].name.slice(1)}`)) {
      const k = partner(i, `y${columns[i].name.slice(1)}`);
      if (k >= 0) return [i, k];
    }
  for (let i = 0; i < columns.length; ++i)
    if (moves[i]) {
      const k = partner(i, `${columns[i].name}'`);
      if (k >= 0) return [i, k];
    }
  const some = columns.map((_, i) => i).filter((i) => moves[i]);
  const first = some[0] ?? 0;
  return [first, some[1] ?? (first === 0 ? Math.min(1, columns.length - 1) : 0)];
}

// x and y, x1 and y1: places, for which one unit has the same length both ways.
export function isPlane(a: string, b: string): boolean {
  return a[0] === "x" && b[0] === "y" && a.slice(1) === b.slice(1) && !a.endsWith("'");
}
