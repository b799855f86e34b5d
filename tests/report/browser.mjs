// Opens reports in a real browser, uses them, and looks at what they show. Called by browser_long_test.sh:
//
//   node browser.mjs PACKAGES PROGRAM FOLDER
//
// PACKAGES/node_modules has playwright-core; reports and screenshots go to FOLDER.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [packages, program, folder] = process.argv.slice(2).map((p) => resolve(p));
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
const here = dirname(fileURLToPath(import.meta.url));
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.RATTLEBACK_CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

function run(name, system, ...more) {
  const page = join(folder, `${name}.html`);
  rmSync(page, { force: true });  // of an earlier test; the program would say that it replaces it
  execFileSync(program, ["run", system, ...more, "--report", page], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return page;
}

// Opens a page; whatever it says on the console or asks of the network is a fault.
async function open(file, options = {}, query = "", ready = "html[data-ready=true]") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (m) => {
    // Of the software renderer that stands in for a graphics card.
    if (!/GL Driver Message|Automatic fallback to software WebGL/.test(m.text())) page.faults.push(`console ${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => page.faults.push(`error: ${e.message}`));
  page.on("request", (r) => {
    if (!/^(file|data|blob):/.test(r.url())) page.faults.push(`request: ${r.url()}`);
  });
  page.on("dialog", (d) => { page.faults.push(`dialog: ${d.message()}`); d.dismiss(); });
  const begin = Date.now();
  await page.goto(pathToFileURL(file).href + query);
  if (ready === null) return page;
  await page.waitForSelector(ready);
  page.opened = Number(await page.locator("html").getAttribute("data-drawn"));  // since navigation, in ms
  page.complete = Date.now() - begin;
  return page;
}

async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

const seek = (page, part) => page.evaluate((p) => {
  const slider = document.querySelector(".transport input");
  slider.value = String(1000 * p);
  slider.dispatchEvent(new Event("input"));
}, part);

// A checksum of what the scene shows.
const picture = (page) => page.evaluate(() => {
  const canvas = document.querySelector("#stage canvas"), copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let sum = 0, painted = 0;
  for (let i = 0; i < data.length; i += 4) {
    sum = (sum * 31 + data[i] + 256 * data[i + 1] + 65536 * data[i + 2] + data[i + 3]) % 4294967291;
    if (data[i + 3] > 0) ++painted;
  }
  return { sum, painted };
});

const tests = [];
const test = (name, body) => tests.push([name, body]);

test("plots hold the records that were written", async () => {
  const csv = join(folder, "skate.csv");
  const page = await open(run("skate", "skate", "--until", "20", "--output", csv));
  const rows = readFileSync(csv, "utf8").trim().split("\n").map((l) => l.split(","));
  const header = rows.shift();
  const data = await page.evaluate(() => {
    const raw = JSON.parse(document.getElementById("data").textContent);
    const bytes = Uint8Array.from(atob(raw.values), (c) => c.charCodeAt(0));
    const all = new Float64Array(bytes.buffer);
    return raw.columns.map((c, i) => ({ name: c.name, values: [...all.subarray(i * raw.rows, (i + 1) * raw.rows)] }));
  });
  for (const column of data) {
    const at = header.indexOf(column.name);
    assert.ok(at >= 0, column.name);
    assert.deepEqual(column.values, rows.map((r) => Number(r[at])), column.name);
  }
  assert.ok(["t", "x", "theta'", "lambda.blade", "energy", "residual.velocity"].every((n) => data.some((c) => c.name === n)));
  await close(page);
});

test("hover shows values, drag zooms, reset shows all again, the axis changes", async () => {
  const page = await open(run("skate", "skate", "--until", "20"));
  const plot = page.locator("#plot-positions .u-over");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const shown = await page.locator("#plot-positions .u-legend .u-value").allTextContents();
  assert.ok(shown[0].startsWith("10"), shown.join(" "));  // t in the middle
  assert.equal(Number(shown[3].replace("\u2212", "-")), Number(shown[0]));  // theta = t, the exact solution
  // The other plots follow.
  assert.equal((await page.locator("#plot-velocities .u-legend .u-value").first().textContent()).trim(), shown[0].trim());
  const ticks = () => page.evaluate(() => document.querySelector("#plot-positions canvas").toDataURL());
  const before = await ticks();
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await ticks(), before);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const zoomed = Number((await page.locator("#plot-positions .u-legend .u-value").first().textContent()).trim());
  assert.ok(zoomed > 6 && zoomed < 9, String(zoomed));
  await page.mouse.move(5, 5);
  await page.locator("#plot-positions button[aria-label='show all of the run']").click();
  await page.mouse.move(5, 5);
  await page.waitForTimeout(100);
  assert.equal(await ticks(), before);
  const log = page.locator("#plot-energy button[aria-label='logarithmic axis']");
  assert.equal(await log.getAttribute("aria-pressed"), "true");
  await log.click();
  assert.equal(await log.getAttribute("aria-pressed"), "false");
  await close(page);
});

test("any pair of columns makes a phase portrait", async () => {
  const page = await open(run("skate", "skate", "--until", "20"));
  const image = () => page.evaluate(() => document.querySelector("#plot-phase canvas").toDataURL());
  const before = await image();
  await page.selectOption("#phase-x", { label: "theta" });
  await page.selectOption("#phase-y", { label: "x'" });
  assert.notEqual(await image(), before);
  assert.equal(await page.locator("#plot-phase").getAttribute("data-y"), "x'");
  await page.locator("#plot-phase .u-over").scrollIntoViewIfNeeded();
  const box = await page.locator("#plot-phase .u-over").boundingBox();
  for (let x = 0.2; x < 0.8; x += 0.02) await page.mouse.move(box.x + x * box.width, box.y + box.height / 2);
  assert.match(await page.locator("#plot-phase .readout").textContent(), /t = .*theta = .*x' = /);
  await close(page);
});

for (const [name, system, drawn] of [["rolling-disk", "rolling-disk", "webgl"], ["rolling-disk-plain", "rolling-disk", "canvas"],
  ["double-pendulum", "double-pendulum"], ["chaplygin-sleigh", "chaplygin-sleigh"], ["chain", "chain"], ["gearbox", "gearbox"]])
  test(`the animation moves: ${name}`, async () => {
    const page = await open(run(name, system), {}, drawn === "canvas" ? "?plain" : "");
    if (drawn) assert.equal(await page.locator("#stage .motion > .scene").getAttribute("data-drawn"), drawn);
    await page.locator("#stage").scrollIntoViewIfNeeded();
    await seek(page, 0.2);
    const first = await picture(page);
    assert.ok(first.painted > 2000, String(first.painted));
    await seek(page, 0.43);
    assert.notEqual((await picture(page)).sum, first.sum);
    const time = () => page.locator(".motion").getAttribute("data-time").then(Number);
    const before = await time();
    await page.locator(".play").click();
    await page.waitForTimeout(400);
    assert.ok((await time()) > before);
    await page.locator(".play").click();
    const paused = await time();
    await page.waitForTimeout(150);
    assert.equal(await time(), paused);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("ArrowRight");
    const later = await time();
    assert.ok(later > paused);
    await page.keyboard.press("ArrowLeft");
    assert.ok((await time()) < later);
    await page.keyboard.press(" ");
    await page.waitForTimeout(200);
    assert.equal(await page.locator(".motion").getAttribute("data-playing"), "true");
    await page.keyboard.press(" ");
    await close(page);
  });

test("the motion stands at the top, beside the verdicts", async () => {
  const page = await open(run("skate", "skate", "--until", "20"));
  const place = (what) => page.locator(what).boundingBox();
  const scene = await place("#stage .scene"), verdict = await place("#audit .statements li >> nth=0"), plots = await place("#plots");
  assert.ok(scene.y + scene.height < 900, `the scene ends at ${scene.y + scene.height}`);
  assert.ok(verdict.y < scene.y + scene.height && verdict.x > scene.x + scene.width);
  assert.ok(plots.y > scene.y + scene.height);
  await close(page);
});

test("a long run opens on a window, with the whole as a strip below", async () => {
  const page = await open(run("double-pendulum", "double-pendulum"));  // 24 000 steps
  const window = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).window);
  const shown = (id) => page.evaluate((i) => {
    const strip = document.querySelector(`#plot-${i} .strip`);
    return strip.getAttribute("aria-valuetext").match(/[\d.]+/g).map(Number);
  }, id);
  const near = (a, b) => assert.ok(Math.abs(a - b) < 0.01, `${a} ${b}`);
  for (const id of ["positions", "velocities", "multipliers"]) near((await shown(id))[1], window[1]);
  assert.deepEqual(await shown("energy"), [0, 240]);  // a drift is seen over the whole run
  // The shade of the strip is where the window is, and the strip is painted over all of its width.
  const [shade, strip] = [await page.locator("#plot-positions .shade").boundingBox(), await page.locator("#plot-positions .strip").boundingBox()];
  assert.ok(Math.abs(shade.width / strip.width - window[1] / 240) < 0.02);
  const painted = await page.evaluate(() => {
    const canvas = document.querySelector("#plot-positions .strip canvas"), { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const column = (x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]).filter((a) => a > 60).length;
    return [0.1, 0.5, 0.9].map((part) => column(Math.round(part * width)));
  });
  assert.ok(painted.every((n) => n > 8), String(painted));
  // A click looks elsewhere, in all plots; so does a key; reset shows all.
  await page.locator("#plot-positions .strip").scrollIntoViewIfNeeded();
  const box = await page.locator("#plot-positions .strip").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  for (const id of ["positions", "velocities", "energy"]) {
    const [a, b] = await shown(id);
    assert.ok(Math.abs((a + b) / 2 - 120) < 2 && Math.abs(b - a - window[1]) < 0.1, `${a} ${b}`);
  }
  await page.keyboard.press("ArrowRight");
  assert.ok((await shown("positions"))[0] > 116);
  await page.locator("#plot-positions button[aria-label='show all of the run']").click();
  assert.deepEqual(await shown("positions"), [0, 240]);
  await close(page);
  const short = await open(run("skate", "skate", "--until", "20"));
  assert.equal(await short.locator(".strip").count(), 0);
  await close(short);
});

test("the default phase portrait uses columns that move", async () => {
  const page = await open(run("mobile-robot", "mobile-robot"));  // y and theta stay 0
  const data = await page.locator("#plot-phase").evaluate((e) => [e.dataset.x, e.dataset.y]);
  assert.ok(data.every((name) => !["y", "theta", "y'", "theta'"].includes(name)), String(data));
  await close(page);
  const wheels = join(folder, "wheels.toml");
  writeFileSync(wheels, `coordinates = ["a", "b", "c"]
[lagrangian]
kinetic = "(a'^2 + b'^2 + c'^2)/2"
potential = "c^2/2"
[initial]
a = 3
c = 1
[run]
step = 0.1
until = 5
`);
  const portrait = await open(run("wheels", wheels));
  assert.equal(await portrait.locator("#stage .scene").getAttribute("data-axes"), "c c'");
  await close(portrait);
});

test("21 coordinates: every column can be chosen, more than eight curves are apart", async () => {
  const names = Array.from({ length: 7 }, (_, i) => ["x", "y", "phi"].map((n) => n + (i + 1))).flat();
  const file = join(folder, "bodies.toml"), sum = names.map((n) => `${n}'^2/2`).join(" + ");
  writeFileSync(file, `coordinates = [${names.map((n) => `"${n}"`)}]
[lagrangian]
kinetic = "${sum}"
potential = "${names.map((n, i) => `${i + 1}*${n}^2/2`).join(" + ")}"
[initial]
${names.map((n, i) => `${n} = ${i + 1}`).join("\n")}
[run]
step = 0.05
until = 5
`);
  const page = await open(run("bodies", file));
  const listed = await page.locator("#phase-x option").allTextContents();
  for (const name of names) for (const column of [name, `${name}'`]) assert.ok(listed.includes(column), column);
  await page.locator("#plot-positions select").selectOption({ label: "all" });
  const looks = await page.locator("#plot-positions .u-series .u-marker").evaluateAll((marks) =>
    marks.slice(1).map((m) => getComputedStyle(m)).map((s) => s.borderTopStyle + s.borderTopColor));
  assert.equal(looks.length, 21);
  assert.equal(new Set(looks).size, 21, looks.join("\n"));
  await close(page);
});

test("long formulas wrap, on a screen and on a phone", async () => {
  for (const name of ["andrews", "rolling-disc", "bricard"]) {
    const file = run(name, name === "bricard" ? join(here, "../../bench/models/bricard-quaternions.toml") : name);
    for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 844 }]) {
      const page = await open(file, { viewport });
      const wide = await page.locator(".formula").evaluateAll((list) => list.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent.slice(0, 60)));
      assert.deepEqual(wide, [], `${name} ${viewport.width}`);
      await close(page);
    }
  }
});

test("paths can be chosen and are seen, in a plane and in space; there is a scale", async () => {
  for (const name of ["double-pendulum", "heavy-top"]) {
    const page = await open(run(name, name));
    await seek(page, 0.5);
    const coloured = () => page.evaluate(() => {
      const canvas = document.querySelector("#stage canvas"), copy = document.createElement("canvas");
      copy.width = canvas.width;
      copy.height = canvas.height;
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) ++n;
      return n;
    });
    const paths = page.locator("#stage .tools label", { hasText: "paths" }).locator("select");
    const drawn = await coloured();
    await paths.selectOption({ label: "none" });
    assert.ok(drawn > (await coloured()) + 800, `${name}: ${drawn} ${await coloured()}`);
    assert.ok(Number(await page.locator("#stage .scene").getAttribute("data-scale")) > 0);
    await close(page);
  }
});

test("axes with names and numbers stand around a motion in space", async () => {
  for (const query of ["", "?plain"]) {
    const page = await open(run("heavy-top", "heavy-top"), {}, query);
    const texts = await page.evaluate(() => new Promise((resolve) => {
      const seen = [], write = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { seen.push(text); return write.call(this, text, ...rest); };
      const slider = document.querySelector(".transport input");
      slider.value = "500";
      slider.dispatchEvent(new Event("input"));
      resolve(seen);
    }));
    for (const name of ["x", "y", "z", "joint"]) assert.ok(texts.includes(name), `${query} ${texts}`);
    assert.ok(texts.filter((t) => /^\u2212?[\d.]+$/.test(t)).length >= 8, String(texts));
    await close(page);
  }
});

test("texts of a model stay texts", async () => {
  writeFileSync(join(folder, "evil.toml"), `# <script>alert(1)</script>
name = "</script><script>alert('name')</script><img src=x onerror=alert(2)>"
coordinates = ["x"]
[parameters]
k = 1.0 # </pre><script>alert(3)</script>
[lagrangian]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[initial]
x = 1
[run]
step = 0.1
until = 3
`);
  const page = await open(run("evil", join(folder, "evil.toml")));
  assert.equal(await page.locator("h1").textContent(), "</script><script>alert('name')</script><img src=x onerror=alert(2)>");
  assert.equal(await page.locator("img").count(), 0);
  await close(page);
});

test("a million steps: less than 5 MB, open in less than 2 s", async () => {
  const file = run("million", "skate", "--steps", "1000000");
  const size = statSync(file).size;
  assert.ok(size < 5e6, String(size));
  const times = [], complete = [];
  for (let i = 0; i < 3; ++i) {
    const page = await open(file);
    assert.ok(await page.locator("#plot-energy canvas").count());
    times.push(page.opened);
    complete.push(page.complete);
    await close(page);
  }
  console.log(`    ${(size / 1e6).toFixed(2)} MB, first plot after ${times.join(", ")} ms, all after ${complete.join(", ")} ms`);
  assert.ok(Math.min(...times) < 2000, times.join(" "));
});

test("a phone: nothing is wider than the screen", async () => {
  for (const name of ["rolling-disk", "double-pendulum", "chaplygin-sleigh", "andrews"]) {
    const page = await open(run(name, name), { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide[0] <= 390 && wide[1] <= 390, `${name}: ${wide}`);
    await close(page);
  }
});

test("dark: by the system, and by the button", async () => {
  const file = run("chaplygin-sleigh", "chaplygin-sleigh");
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  let page = await open(file, { colorScheme: "dark" });
  assert.equal(await ground(page), "rgb(13, 17, 23)");
  await close(page);
  page = await open(file);
  assert.equal(await ground(page), "rgb(255, 255, 255)");
  await page.locator("#theme").click();
  assert.equal(await ground(page), "rgb(13, 17, 23)");
  await close(page);
});

test("words and signs are legible, controls have names", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(run("chaplygin-sleigh", "chaplygin-sleigh"), { colorScheme });
    const faults = await page.evaluate(() => {
      const out = [];
      const parse = (c) => c.match(/[\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
      const behind = (e) => {
        for (; e; e = e.parentElement) {
          const c = parse(getComputedStyle(e).backgroundColor);
          if (c.length < 4 || c[3] > 0.5) return c;
        }
        return [255, 255, 255];
      };
      for (const e of document.querySelectorAll("p, dt, dd, li, td, th, h1, h2, h3, button, .mark, a, label, summary, footer")) {
        if (!e.textContent.trim() || !e.getClientRects().length || e.matches(".skip")) continue;
        const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) out.push(`${e.tagName}.${e.className} "${e.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
      }
      for (const e of document.querySelectorAll("button, select, input")) {
        const name = e.getAttribute("aria-label") || e.closest("label")?.textContent || e.textContent;
        if (!name.trim()) out.push(`no name: ${e.outerHTML.slice(0, 80)}`);
      }
      for (const e of document.querySelectorAll("canvas"))
        if (!e.closest("[role=img]")) out.push("a canvas without a description");
      return out;
    });
    assert.deepEqual(faults, []);
    await close(page);
  }
});

test("the index of experiments filters, and its figures are there", async () => {
  for (const [kind, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }]]) {
    const page = await open(join(folder, "index.html"), options, "", null);
    assert.equal(await page.locator(".experiment:visible").count(), 4);
    assert.ok(await page.evaluate(async () => {
      const images = [...document.images];
      for (const i of images) i.loading = "eager";
      await Promise.all(images.map((i) => i.decode()));
      return images.length === 3 && images.every((i) => i.naturalWidth > 100);
    }));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= (options.viewport?.width ?? 1280));
    await page.screenshot({ path: join(folder, `index-${kind}.png`), fullPage: true });
    await page.selectOption("select[name=verdict]", "agrees");
    assert.equal(await page.locator(".experiment:visible").count(), 1);
    assert.match(await page.locator("#shown").textContent(), /1 of 4/);
    await page.selectOption("select[name=document]", "Hilden");
    assert.equal(await page.locator(".experiment:visible").count(), 0);
    await close(page);
  }
  const plain = await open(join(folder, "index.html"), { javaScriptEnabled: false }, "", null);
  assert.equal(await plain.locator(".experiment:visible").count(), 4);
  assert.equal(await plain.locator("#filters:visible").count(), 0);
  await plain.context().close();
});

test("screenshots", async () => {
  for (const name of ["rolling-disk", "double-pendulum", "chaplygin-sleigh"]) {
    const file = run(name, name);
    for (const [kind, options] of [["light", {}], ["dark", { colorScheme: "dark" }],
      ["phone", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }]]) {
      const page = await open(file, options);
      await seek(page, 0.3);
      await page.screenshot({ path: join(folder, `${name}-${kind}.png`), fullPage: true });
      await close(page);
    }
  }
});

let failed = 0;
for (const [name, body] of tests) {
  if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
  const begin = Date.now();
  try {
    await body();
    console.log(`ok    ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAIL  ${name}\n${error.stack ?? error}`);
  }
}
await browser.close();
console.log(failed ? `${failed} of ${tests.length} failed` : `${tests.length} passed; screenshots are in ${folder}`);
process.exit(failed ? 1 : 0);
