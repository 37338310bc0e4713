// Builds what the constructor takes from npm into modules that it ships with their licences: Vue Flow and what that needs,
// without Vue itself, and the gizmo of three.js, without three.js itself.

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const INTO = "../src/sharnir/constructor/static/vendor";
const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const { esbuild, three, ...flow } = devDependencies;

async function make(name, contents, packages, external) {
  await build({
    stdin: { contents, resolveDir: "." },
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    charset: "utf8",
    external: [external],
    define: { "process.env.NODE_ENV": '"production"' },
    banner: {
      js: `// ${Object.entries(packages).map(([one, version]) => `${one} ${version}`).join(", ")}: see ${name}-LICENSE`,
    },
    outfile: `${INTO}/${name}.js`,
  });
  const licences = Object.entries(packages).map(([one, version]) => {
    const text = readFileSync(`node_modules/${one}/LICENSE`, "utf8").trim();
    return `${one} ${version}\n\n${text}\n`;
  });
  writeFileSync(`${INTO}/${name}-LICENSE`, licences.join(`\n${"-".repeat(80)}\n\n`));
}

await make("vue-flow", 'export * from "@vue-flow/core"; export { MiniMap } from "@vue-flow/minimap";', flow, "vue");
const gizmo = 'export * from "./node_modules/three/examples/jsm/controls/TransformControls.js";';
await make("transform-controls", gizmo, { three }, "three");
writeFileSync(`${INTO}/vue-flow.css`, readFileSync("node_modules/@vue-flow/core/dist/style.css", "utf8"));
