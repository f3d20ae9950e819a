"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const curt = require("curt-fs");
const { folder, plant } = require("./helper.js");

const VERSION = "20";
const FILE = path.join(__dirname, "linux-calls.txt");
const TRACED = "trace=%file,close,fstat,fchmod,flistxattr,fremovexattr,getdents64";
const MARK = "/curt marks ";

const recursive = true;
const namesIn = (top) => fs.readdirSync(top, { recursive }).map((name) => path.join(top, name));
const WAYS = {
  cp: [
    (top) => curt.promises.cp(top, `${top}, copied`, { recursive, threads: 1 }),
    (top) => fs.promises.cp(top, `${top}, copied`, { recursive }),
  ],
  rmSync: [
    (top) => curt.rmSync(top, { recursive, threads: 1 }),
    (top) => fs.rmSync(top, { recursive }),
  ],
  readdirSync: [
    (top) => curt.readdirSync(top, { recursive, threads: 1 }),
    (top) => fs.readdirSync(top, { recursive }),
  ],
  "readdirSync, Dirents": [
    (top) => curt.readdirSync(top, { recursive, withFileTypes: true, threads: 1 }),
    (top) => fs.readdirSync(top, { recursive, withFileTypes: true }),
  ],
  pathsSync: [
    (top) => curt.pathsSync(top),
    (top) => fs.readdirSync(top, { recursive }),
  ],
  walk: [
    async (top) => {
      for await (const { files } of curt.walk(top)) assert.ok(files);
    },
    async (top) => {
      for await (const { name } of await fs.promises.opendir(top, { recursive })) assert.ok(name);
    },
  ],
  usage: [
    (top) => curt.usage(top, { threads: 1 }),
    (top) => Promise.all([top, ...namesIn(top)].map((name) => fs.promises.lstat(name))),
  ],
  statMany: [
    (top) => curt.statMany(Array(50).fill(top)),
    (top) => Promise.all(Array(50).fill(top).map((name) => fs.promises.stat(name))),
  ],
};

function plantTen(top) {
  const names = Array.from({ length: 40 }, (_, at) => `${at % 10}/${at}`);
  return plant(Object.fromEntries(names.map((name) => [name, ""])), top);
}

async function run(folder) {
  for (const [way, functions] of Object.entries(WAYS)) {
    for (const [index, take] of functions.entries()) {
      const name = `${["curt", "Node"][index]} ${way}`;
      await take(plantTen(path.join(folder, `${name}, first`)));
      const top = plantTen(path.join(folder, name));
      fs.existsSync(`${MARK}${name}`);
      await take(top);
      fs.existsSync(`${MARK}`);
    }
  }
}

function countsIn(trace) {
  const counts = {};
  let now = {};
  for (const line of trace.split("\n")) {
    const mark = line.split(MARK)[1]?.split('"')[0];
    if (mark !== undefined) now = mark ? (counts[mark] = {}) : {};
    const call = /^\d+ +(\w+)\(/.exec(line)?.[1];
    if (mark === undefined && call) now[call] = (now[call] ?? 0) + 1;
  }
  return counts;
}

const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);

async function compare(t) {
  const top = folder();
  const log = path.join(top, "log");
  const program = [process.execPath, __filename, "run", top];
  const words = ["-f", "-qq", "-e", TRACED, "-o", log, ...program];
  const env = { ...process.env, MALLOC_ARENA_MAX: "1" };
  const traced = spawnSync("strace", words, { encoding: "utf8", env });
  if (traced.error || /PTRACE|ptrace/.test(traced.stderr)) {
    t.skip("strace is not installed, or may not trace");
    return;
  }
  assert.equal(traced.status, 0, traced.stderr);
  const counts = countsIn(fs.readFileSync(log, "utf8"));
  let [text, known] = ["", fs.readFileSync(FILE, "utf8")];
  for (const way of Object.keys(WAYS)) {
    const [ours, theirs] = [counts[`curt ${way}`], counts[`Node ${way}`]];
    assert.ok(total(ours) <= total(theirs), way);
    const calls = Object.keys(ours).sort().map((name) => `${name} ${ours[name]}`);
    text += `${way}: ${calls.join(", ")}; Node ${VERSION}: ${total(theirs)}\n`;
  }
  if (process.versions.node.split(".")[0] !== VERSION) {
    [text, known] = [text, known].map((lines) => lines.replace(/;.*/g, ""));
  }
  assert.equal(text, known);
}

if (process.argv[2] === "run") run(process.argv[3]);
else test("calls: a tree costs as many as are in linux-calls.txt", compare);
