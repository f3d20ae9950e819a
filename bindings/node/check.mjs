#!/usr/bin/env node
// Builds the addon and the package, and runs the tests.
//
// usage: node bindings/node/check.mjs [--all] [TEST.js …]
//
// Needs Rust and Node 18 or newer. `--all`: also what takes long or wants packages of npm, and Node's
// own tests with curt installed.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(process.env.CARGO_TARGET_DIR || path.join(here, "target"));
// Where the tests run: a folder in which the package is installed, with the addon of this system.
const place = path.join(target, "node");

function run(program, words, options = {}) {
  console.log("+", program, ...words);
  const { status, error } = spawnSync(program, words, { cwd: here, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function install() {
  const folder = path.join(place, "node_modules", "curt-fs");
  const { files } = JSON.parse(fs.readFileSync(path.join(here, "package.json")));
  fs.rmSync(folder, { recursive: true, force: true });
  for (const name of ["package.json", ...files.filter((name) => !name.includes("*"))]) {
    fs.cpSync(path.join(here, name), path.join(folder, name), { recursive: true });
  }
  fs.copyFileSync(path.join(place, "debug", "libcurt_node.so"), path.join(folder, "curt.node"));
  for (const name of ["examples", "test"]) {
    fs.rmSync(path.join(place, name), { recursive: true, force: true });
    fs.cpSync(path.join(here, name), path.join(place, name), { recursive: true });
  }
}

const words = process.argv.slice(2);
const isAll = words[0] === "--all";
if (isAll) words.shift();
const cargo = { env: { ...process.env, CARGO_TARGET_DIR: place } };

run("cargo", ["fmt", "--check"]);
run("cargo", ["clippy", "--locked", "--quiet", "--", "-D", "warnings"], cargo);
run("cargo", ["build", "--locked", "--quiet"], cargo);
install();
const all = fs.readdirSync(path.join(place, "test")).filter((name) => name.startsWith("test_"));
const tests = words.length > 0 ? words : all;
run(process.execPath, ["--test", "--expose-gc", ...tests.map((name) => `test/${name}`)], {
  cwd: place,
  env: { ...process.env, CURT_ALL: isAll ? "1" : "" },
});
if (isAll) run(process.execPath, ["test/node/run.mjs", place, target]);
