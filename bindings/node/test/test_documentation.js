"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const curt = require("curt-fs");
const { plant } = require("./helper.js");

const PACKAGE = path.dirname(require.resolve("curt-fs/package.json"));
const TYPES = fs.readFileSync(path.join(PACKAGE, "index.d.ts"), "utf8");
const PROJECT = {
  "project/README": "",
  "project/package.json": "{}",
  "project/src/main.js": "",
  "project/build/a.o": "",
  "project/build/b.o": "",
  "node_modules/m/index.js": "",
  "public/index.html": "hello\n",
};

function printed(program) {
  const folder = plant(PROJECT);
  const env = { ...process.env, NODE_PATH: path.dirname(PACKAGE) };
  const done = spawnSync(process.execPath, ["-e", program], { cwd: folder, env, encoding: "utf8" });
  assert.equal(done.stderr, "");
  assert.equal(done.status, 0);
  return done.stdout;
}

function check(name) {
  const page = fs.readFileSync(name, "utf8");
  const programs = [...page.matchAll(/```js\n([^]*?)```\n\n```console\n([^$][^]*?)```/g)];
  assert.equal(programs.length, page.split("```js\n").length - 1);
  for (const [, program, output] of programs) assert.equal(printed(program), output);
}

test("the programs of the README print what it says", () => {
  check(path.join(PACKAGE, "README.md"));
});

test("the program of the cookbook prints what it says", () => {
  check(path.join(__dirname, "cookbook.md"));
});

function examples() {
  const found = [...TYPES.matchAll(/ \* @example\n((?: \*(?: .*)?\n)+?) \*\//g)];
  return found.map(([, lines]) => lines.replace(/^ \* ?/gm, ""));
}

test("the examples of the types run", () => {
  const names = Object.keys(curt).join(", ");
  const head = `const { ${names} } = require("curt-fs"); const response = process.stdout;`;
  const outputs = examples().map((body) => printed(`${head} (async () => { ${body} })();`));
  assert.ok(outputs.length >= 3);
  assert.ok(outputs.some((output) => output.includes("project/src/main.js\n")));
});

test("the types name all exports, and no others", async () => {
  const declared = TYPES.matchAll(/^export (?:function|const|class|namespace) (\w+)/gm);
  const names = [...new Set([...declared].map(([, name]) => name))].sort();
  assert.deepEqual(Object.keys(curt).sort(), names);
  const module = await import("curt-fs");
  assert.deepEqual(Object.keys(module).sort(), ["default", ...names].sort());
  for (const name of names) assert.equal(module[name], curt[name]);
});

const MODULES = process.env.CURT_TYPES;
const skip = MODULES ? false : "only with --all: wants packages of npm";

test("programs with the types compile", { skip }, () => {
  const folder = plant({});
  const names = Object.keys(curt).join(", ");
  const head = `import * as fs from "node:fs";\nimport { ${names} } from "curt-fs";\n`;
  const response = "declare const response: NodeJS.WritableStream;\n";
  const unused = `export const all = [${names}];\n`;
  for (const [at, body] of examples().entries()) {
    fs.writeFileSync(path.join(folder, `example-${at}.mts`), head + response + unused + body);
  }
  fs.copyFileSync(path.join(__dirname, "types.mts"), path.join(folder, "types.mts"));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    types: ["node"],
    typeRoots: [path.join(MODULES, "@types")],
    exactOptionalPropertyTypes: true,
  };
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  fs.symlinkSync(path.dirname(PACKAGE), path.join(folder, "node_modules"));
  const compiler = path.join(MODULES, ".bin", "tsc");
  const done = spawnSync(compiler, ["--project", folder], { encoding: "utf8" });
  assert.equal(done.stdout, "");
  assert.equal(done.status, 0);
});
