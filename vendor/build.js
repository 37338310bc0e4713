// Builds Vue Flow and what it needs, without Vue itself, into one module that the constructor ships with its licences.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const INTO = "../src/sharnir/constructor/static/vendor";
const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const shipped = Object.entries(devDependencies).filter(([name]) => name !== "esbuild");

await build({
  stdin: {
    contents: 'export * from "@vue-flow/core"; export { MiniMap } from "@vue-flow/minimap";',
    resolveDir: ".",
  },
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  charset: "utf8",
  external: ["vue"],
  define: { "process.env.NODE_ENV": '"production"' },
  banner: { js: `// ${shipped.map(([name, version]) => `${name} ${version}`).join(", ")}: see vue-flow-LICENSE` },
  outfile: `${INTO}/vue-flow.js`,
});
writeFileSync(`${INTO}/vue-flow.css`, readFileSync("node_modules/@vue-flow/core/dist/style.css", "utf8"));
const licences = shipped.map(([name, version]) => {
  const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
  return `${name} ${version}\n\n${text}\n`;
});
writeFileSync(`${INTO}/vue-flow-LICENSE`, licences.join(`\n${"-".repeat(80)}\n\n`));
