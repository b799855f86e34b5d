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

export const seriesColour = (i: number) => colour(`s${i % 8}`);

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
