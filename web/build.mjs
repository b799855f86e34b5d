// Bundles web/src into FOLDER/report.js and FOLDER/report.css, and collects the licences: node build.mjs FOLDER, where
// FOLDER/node_modules has the packages.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2]);
const source = join(dirname(fileURLToPath(import.meta.url)), "src");
const { build } = createRequire(join(folder, "package.json"))("esbuild");

const result = await build({
  entryPoints: { report: join(source, "main.ts") },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "none",
  nodePaths: [join(folder, "node_modules")],
  tsconfigRaw: {},
  outdir: folder,
  metafile: true,
  logLevel: "error",
});

// A page ends a script at the first </script, wherever it stands.
for (const file of ["report.js", "report.css"]) {
  const text = readFileSync(join(folder, file), "utf8");
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${file} contains text that would end its element`);
}

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const name = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (name) packages.add(name[1]);
}
let licences = "";
for (const name of [...packages].sort()) {
  const { version, license } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  if (license !== "MIT") throw new Error(`${name} has the licence ${license}; only MIT was looked at`);
  const text = readFileSync(join(folder, "node_modules", name, "LICENSE"), "utf8");
  licences += `${name} ${version}\n\n${text.replace(/\u00a9/g, "(c)").replace(/\r/g, "").trim()}\n\n`;
}
writeFileSync(join(folder, "licences.txt"), licences.replace(/[^\x00-\x7f]/g, "?"));
