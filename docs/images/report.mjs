// Draws report.png (the head of a report) and report-motion.png (its animation) again, in a real browser:
//
//   node docs/images/report.mjs build/rattleback build/web-test
//
// The second folder has playwright-core; `./test --full` makes it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [program, packages] = process.argv.slice(2).map((p) => resolve(p));
const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "rattleback-report-"));
const file = join(folder, "report.html");
execFileSync(program, ["run", "double-pendulum", "--until", "20", "--report", file], { stdio: "ignore" });
const browser = await chromium.launch({
  executablePath: process.env.RATTLEBACK_CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
await page.goto(pathToFileURL(file).href);
await page.waitForSelector("html[data-ready=true]");
const from = await page.evaluate(() => {
  const heading = [...document.querySelectorAll("h2")].find((h) => h.textContent.includes("The model"));
  return heading.getBoundingClientRect().top + window.scrollY - 20;
});
await page.screenshot({ path: join(here, "report.png"), fullPage: true, clip: { x: 0, y: from, width: 900, height: 640 } });
await page.evaluate(() => {
  const slider = document.querySelector(".transport input");
  slider.value = "400";
  slider.dispatchEvent(new Event("input"));
});
await page.waitForTimeout(500);
const motion = await page.evaluate(() => {
  const heading = [...document.querySelectorAll("h2")].find((h) => h.textContent.includes("Motion"));
  return heading.getBoundingClientRect().top + window.scrollY - 20;
});
await page.screenshot({ path: join(here, "report-motion.png"), fullPage: true, clip: { x: 0, y: motion, width: 900, height: 640 } });
await browser.close();
rmSync(folder, { recursive: true });
