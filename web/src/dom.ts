// Small helpers for elements. Texts are always set as text, never as HTML.

type Attributes = Record<string, string | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) out.setAttribute(name, "");
    else if (value !== false) out.setAttribute(name, value);
  }
  out.append(...children);
  return out;
}

export function button(text: string, label: string, action: () => void): HTMLButtonElement {
  const out = element("button", { type: "button", "aria-label": label, title: label }, text);
  out.addEventListener("click", action);
  return out;
}

// A select with a label in front. Values are the places in the list.
export function choice(label: string, options: string[], chosen: number, action: (i: number) => void) {
  const select = element("select");
  options.forEach((text, i) => select.append(element("option", { value: String(i), selected: i === chosen }, text)));
  select.addEventListener("change", () => action(Number(select.value)));
  return { field: element("label", { class: "field" }, `${label} `, select), select };
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Eight colours that stay apart for colour-blind eyes, too (tests/plot/palette_test.cpp); what comes behind them differs by
// its dashes, or by the shape of its mark.
const kColours = 8;
const kDashes: number[][] = [[], [9, 4], [2, 3]];
const kBorders = ["solid", "dashed", "dotted"];
export const kMostDistinct = kColours * kDashes.length;
export const seriesColour = (i: number) => colour(`s${i % kColours}`);
export const seriesDash = (i: number): number[] => kDashes[Math.floor(i / kColours) % kDashes.length];
export const seriesBorder = (i: number): string => kBorders[Math.floor(i / kColours) % kBorders.length];

// A mark of a point: a disc, a square, a diamond, a triangle.
export function mark(ctx: CanvasRenderingContext2D, i: number, x: number, y: number, r: number) {
  const corners = [0, 4, 4, 3][Math.floor(i / kColours) % 4], turn = [0, Math.PI / 4, 0, Math.PI / 2][Math.floor(i / kColours) % 4];
  ctx.beginPath();
  if (corners === 0) ctx.arc(x, y, r, 0, 2 * Math.PI);
  for (let k = 0; k < corners; ++k) {
    const a = turn + (2 * Math.PI * k) / corners;
    ctx.lineTo(x + 1.25 * r * Math.cos(a), y - 1.25 * r * Math.sin(a));
  }
  ctx.closePath();
  ctx.fill();
}

// A number for people: digits that tell something, powers of ten where they are shorter.
export function numberText(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined) return "\u2013";
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 1e-4 || size >= 1e7 ? value.toExponential(digits - 1).replace(/\.?0+e/, "e") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "\u2212");
}

const kSuperscript = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
export function powerText(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => kSuperscript[Number(d)]).join("");
  return `10${exponent < 0 ? "\u207b" : ""}${digits}`;
}

// Marks of an axis: 1, 2 or 5 times a power of ten.
export function niceStep(range: number, wanted: number): number {
  const raw = range / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
