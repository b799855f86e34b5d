// Draws report-motion.png (the head of a report: motion and verdicts) and report.png (its plots, of a long run) again, in a
// real browser:
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
execFileSync(program, ["run", "double-pendulum", "--report", file], { stdio: "ignore" });
const browser = await chromium.launch({
  executablePath: process.env.RATTLEBACK_CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 780 } });
await page.goto(pathToFileURL(file).href);
await page.waitForSelector("html[data-ready=true]");
await page.evaluate(() => {
  const slider = document.querySelector(".transport input");
  slider.value = "300";
  slider.dispatchEvent(new Event("input"));
});
await page.waitForTimeout(500);
await page.screenshot({ path: join(here, "report-motion.png") });
const from = await page.evaluate(() => document.getElementById("plot-positions").getBoundingClientRect().top + window.scrollY - 20);
await page.screenshot({ path: join(here, "report.png"), fullPage: true, clip: { x: 0, y: from, width: 1100, height: 780 } });
await browser.close();
rmSync(folder, { recursive: true });
