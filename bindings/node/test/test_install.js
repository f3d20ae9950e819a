"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { promisify } = require("util");
const curt = require("curt-fs");
const { plant } = require("./helper.js");

// Functions of Node, as they were.
const before = { ...fs };
const beforePromises = { ...fs.promises };
require("curt-fs/install");

const HERE = path.join(__dirname, "..");
const keys = (module) => Object.keys(module).filter((key) => key !== "promises" && key in before);

/** Runs a program in another Node with these options, and returns what it prints. */
function output(options, program) {
  const words = [...options, "-e", program];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: HERE, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test("install: each function of Node's that curt has is curt's", () => {
  for (const [module, old, ours] of [
    [fs, before, curt],
    [fs.promises, beforePromises, curt.promises],
    [require("node:fs/promises"), beforePromises, curt.promises],
  ]) {
    const names = keys(ours);
    assert.notEqual(names.length, 0);
    for (const name of names) {
      assert.equal(module[name], ours[name], name);
      assert.notEqual(module[name], old[name], name);
    }
  }
});

test("install: functions look like Node's", () => {
  for (const [ours, old] of [[curt, before], [curt.promises, beforePromises]]) {
    for (const name of keys(ours)) {
      assert.equal(ours[name].name, old[name].name, name);
      assert.equal(ours[name].length, old[name].length, name);
    }
  }
});

test("install: a second time changes nothing", () => {
  const { rm } = fs;
  require("curt-fs/install");
  assert.equal(fs.rm, rm);
  // Another copy of the package: what curt does not take still reaches Node's own functions.
  for (const file of Object.keys(require.cache)) {
    if (file.includes("curt-fs")) delete require.cache[file];
  }
  require("curt-fs/install");
  const top = plant({ "a/b": "b" });
  fs.rmSync(path.join(top, "a"), { recursive: true });
  assert.deepEqual(fs.readdirSync(top), []);
  assert.throws(() => fs.rmSync(7), { code: "ERR_INVALID_ARG_TYPE" });
  assert.throws(() => fs.rmSync(top), { code: "ERR_FS_EISDIR" });
});

test("install: promisified functions return promises", async () => {
  const top = plant({ "a/b": "b" });
  await promisify(fs.rm)(path.join(top, "a"), { recursive: true });
  assert.deepEqual(await promisify(fs.readdir)(top), []);
  await assert.rejects(promisify(fs.rm)(path.join(top, "a"), { recursive: true }), { code: "ENOENT" });
  const dir = await promisify(fs.opendir)(top);
  assert.equal(await dir.read(), null);
  await dir.close();
});

const PRINT = `console.log(require("fs").rm === require("curt-fs").rm)`;

test("install: is asked for on the command line, or by import", () => {
  assert.equal(output([], PRINT), "false");
  assert.equal(output(["-r", "curt-fs/install"], PRINT), "true");
  const modules = ["--input-type=module"];
  const program = `
    import { rmSync } from "node:fs";
    import { rm } from "node:fs/promises";
    import curt from "curt-fs";
    const was = [rm, rmSync];
    await import("curt-fs/install");
    const { promises } = curt;
    console.log(rm === promises.rm, rmSync === curt.rmSync, was.includes(rm), was.includes(rmSync));
  `;
  assert.equal(output(modules, program), "true true false false");
  const [major, minor] = process.versions.node.split(".").map(Number);
  // Node has the option since then.
  if (major > 18 || minor >= 18) {
    assert.equal(output(["--import", "curt-fs/install"], PRINT), "true");
  }
});

test("install: with -r, worker threads have it, too", async () => {
  const text = `
    const { parentPort } = require("worker_threads");
    parentPort.postMessage(require("fs").rm === require("curt-fs").rm);
  `;
  const program = `
    const { Worker } = require("worker_threads");
    new Worker(${JSON.stringify(text)}, { eval: true }).on("message", (is) => console.log(is));
  `;
  assert.equal(output(["-r", "curt-fs/install"], program), "true");
});

const ALL = ["opendir", "opendirSync", "readdir", "readdirSync", "rm", "rmSync"];
ALL.push("promises.opendir", "promises.readdir", "promises.rm");
/** Ways to mock `fs`, and the functions that are not Node's own then. */
const MOCKS = [
  ["", []],
  ...ALL.map((name) => [`fs.${name} = () => {};`, [name]]),
  ["fs.rmSync = (() => {}).bind();", ["rmSync"]],
  ["fs.rmSync = new Proxy(fs.rmSync, { apply() {} });", ["rmSync"]],
  ["fs.promises.opendir = util.promisify(() => {});", ["promises.opendir"]],
  ["mockModule({ ...fs, rmSync() {} });", ["rmSync"]],
  ["mockModule({ ...noops(fs), promises: noops(fs.promises) });", ALL],
];
/** These leave all of them as they are, and replace what they call, as mock-fs does. */
const BELOW = [
  "fs.unlink = () => {};",
  "fs.rmdirSync = () => {};",
  'process.binding("fs").rmdir = (() => {}).bind();',
];
const PREPARE = `
  const Module = require("module");
  const load = Module._load;
  const mockModule = (mock) => {
    Module._load = (name, ...words) => (name === "fs" ? mock : load(name, ...words));
  };
  const noops = ({ ...module }) => {
    for (const name in module) if (/^[a-z].*(?<!s)$/.test(name)) module[name] = () => {};
    return module;
  };
  process.on("warning", ({ message }) => console.log(message));
`;
/** Prints the functions that are not curt's, and whether curt works beside them, or Node. */
const REPORT = `
  const curt = require("curt-fs");
  const now = require("fs");
  const of = (module, name) => name.split(".").reduce((found, key) => found[key], module);
  const left = ${JSON.stringify(ALL)}.filter((name) => of(now, name) !== of(curt, name));
  console.log("left: " + left);
  for (const name of ["readdirSync", "rmSync"]) {
    try {
      // Only curt refuses this option.
      curt[name]("missing", { recursive: true, threads: 0 });
      console.log("mock");
    } catch ({ code }) {
      console.log(code);
    }
  }
`;

test("install: leaves mocks alone, and says so", () => {
  const install = 'require("curt-fs/install");';
  const [CURT, NODE] = ["ERR_OUT_OF_RANGE", "ENOENT"];
  for (const [mock, left] of [...MOCKS, ...BELOW.map((mock) => [mock, ALL])]) {
    const found = output(["--no-warnings"], PREPARE + mock + install + REPORT).split("\n");
    const isBelow = BELOW.includes(mock);
    const works = (name) => (isBelow ? NODE : left.includes(name) ? "mock" : CURT);
    const expected = [`left: ${left}`, works("readdirSync"), works("rmSync")];
    if (left.length > 0) {
      const names = left.map((name) => `fs.${name}`).join(", ");
      const reason = "they, or functions that they call, are not Node's own";
      expected.push(`curt-fs/install leaves ${names} alone: ${reason}`);
    }
    assert.deepEqual(found, expected, mock);
    if (!isBelow) continue;
    const after = output([], PREPARE + install + mock + REPORT);
    assert.deepEqual(after.split("\n"), ["left: ", NODE, NODE], mock);
  }
  const automock = "mockModule({ ...noops(fs), promises: undefined });";
  const report = "catch (error) { console.log(String(error)); }";
  const found = output([], `${PREPARE + automock} try { ${install} } ${report}`);
  const advice = "unmock fs, or mock curt-fs as well";
  const missing = "cannot use a mock of fs that has no fs.promises.rm";
  assert.equal(found, `Error: curt-fs ${missing}: ${advice}`);
});

test("install: what Node's permissions refuse is refused", (t) => {
  const names = ["--permission", "--experimental-permission"];
  const name = names.find((name) => process.allowedNodeEnvironmentFlags.has(name));
  if (name === undefined) {
    t.skip("this version of Node has no permissions");
    return;
  }
  const top = plant({ "a/b": "" });
  const options = [name, "--no-warnings", "--allow-addons"];
  const program = `
    for (const name of ["rmSync", "readdirSync", "opendirSync"]) {
      try {
        fs[name](${JSON.stringify(top)}, { recursive: true });
      } catch ({ code }) {
        console.log(code);
      }
    }
  `;
  const words = [...options, `--allow-fs-read=${HERE}`, "-r", "curt-fs/install"];
  assert.equal(output(words, program), Array(3).fill("ERR_ACCESS_DENIED").join("\n"));
  assert.ok(fs.existsSync(path.join(top, "a/b")));
});
