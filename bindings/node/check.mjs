#!/usr/bin/env node
// Builds the addon and the package, and runs the tests.
//
// usage: node bindings/node/check.mjs [--all] [TEST.js …]
//
// Needs Linux, Rust, and Node 18 or newer. `--all` adds slow tests and those that need npm
// packages: each maintained version of Node with its types, Node's own tests, rimraf and fdir on
// curt, and AddressSanitizer, with a nightly Rust.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(process.env.CARGO_TARGET_DIR || path.join(here, "target"));
const work = path.join(target, "node");

function run(program, words, options = {}) {
  console.log("+", program, ...words);
  const { status, error } = spawnSync(program, words, { cwd: here, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function install(addon) {
  const folder = path.join(work, "node_modules", "curt-fs");
  const { files } = JSON.parse(fs.readFileSync(path.join(here, "package.json")));
  fs.rmSync(folder, { recursive: true, force: true });
  const made = files.filter((name) => fs.existsSync(path.join(here, name)));
  for (const name of ["package.json", "README.md", ...made]) {
    fs.cpSync(path.join(here, name), path.join(folder, name), { recursive: true });
  }
  fs.copyFileSync(path.join(work, addon, "libcurt_node.so"), path.join(folder, "curt.node"));
  // Inside a package's own folder, `require` of its name would not find the installed one.
  fs.writeFileSync(path.join(work, "package.json"), "{}");
  for (const name of ["examples", "test"]) {
    fs.rmSync(path.join(work, name), { recursive: true, force: true });
    fs.cpSync(path.join(here, name), path.join(work, name), { recursive: true });
  }
  for (const name of ["tests/hostile.json", "docs/cookbook.md"]) {
    fs.copyFileSync(path.join(here, "../..", name), path.join(work, "test", path.basename(name)));
  }
}

const words = process.argv.slice(2);
const isAll = words[0] === "--all";
if (isAll) words.shift();
const cargo = { env: { ...process.env, CARGO_TARGET_DIR: work } };

run(process.execPath, ["reference.mjs", "--check"]);
run("cargo", ["fmt", "--check"]);
run("cargo", ["clippy", "--locked", "--quiet", "--", "-D", "warnings"], cargo);
run("cargo", ["build", "--locked", "--quiet"], cargo);
install("debug");
const all = fs.readdirSync(path.join(work, "test")).filter((name) => name.startsWith("test_"));
const tests = (words.length > 0 ? words : all).map((name) => `test/${name}`);

// The tests' temporary folder, writable for all users like the system's. They must leave it empty.
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "curt-node-check-"));
fs.chmodSync(temporary, 0o1777);
process.on("exit", () => fs.rmSync(temporary, { recursive: true, force: true }));

function test(node, environment) {
  const env = { ...process.env, TMPDIR: temporary, CURT_ALL: "", ...environment };
  run(node, ["--test", "--expose-gc", ...tests], { cwd: work, env });
  const names = fs.readdirSync(temporary);
  if (names.length > 0) throw new Error(`the tests have left behind: ${names.join(" ")}`);
}

test(process.execPath, { CURT_ALL: isAll ? "1" : "" });
for (const version of isAll ? ["18.20.8", "20.20.2", "22.23.3", "24.21.0"] : []) {
  const folder = path.join(work, "nodes", version);
  const node = `node-linux-${process.arch}`;
  const types = `@types/node@${parseInt(version, 10)}`;
  const words = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder];
  const packages = [`${node}@${version}`, types, "typescript@5.9.3"];
  if (spawnSync("npm", [...words, ...packages], { stdio: "inherit" }).status !== 0) {
    console.log(`skipped: Node ${version}: npm cannot install it here`);
    continue;
  }
  const modules = path.join(folder, "node_modules");
  test(path.join(modules, node, "bin", "node"), { CURT_TYPES: modules });
}
if (isAll) run(process.execPath, ["test/node/run.mjs", work, target]);
if (isAll) run(process.execPath, ["test/suites/run.mjs", work, target]);
if (isAll) testSanitized();

function testSanitized() {
  const nightly = spawnSync("cargo", ["+nightly", "--version"]);
  if (nightly.status !== 0) {
    console.log("skipped: node: AddressSanitizer: there is no nightly Rust");
    return;
  }
  const triple = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;
  const env = { ...cargo.env, RUSTFLAGS: "-Zsanitizer=address" };
  run("cargo", ["+nightly", "build", "--locked", "--quiet", "--target", triple], { env });
  install(path.join(triple, "debug"));
  const found = spawnSync("cc", ["-print-file-name=libasan.so"], { encoding: "utf8" });
  test(process.execPath, { LD_PRELOAD: found.stdout.trim(), ASAN_OPTIONS: "detect_leaks=0" });
}
