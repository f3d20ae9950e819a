"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test } = require("node:test");
const { promisify } = require("util");
const curt = require("curt-fs");
const { plant } = require("./helper.js");

const before = { ...fs };
const beforePromises = { ...fs.promises };
require("curt-fs/install");

const HERE = path.join(__dirname, "..");
const keys = (module) => Object.keys(module).filter((key) => key !== "promises" && key in before);

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

test("install: shows no warning, and leaves the process as it was", () => {
  const flag = 'JSON.stringify(Object.getOwnPropertyDescriptor(process, "noDeprecation"))';
  const program = `
    const before = ${flag};
    process.on("warning", console.log);
    require("curt-fs/install");
    console.log(before === ${flag}, fs.rm === require("curt-fs").rm);
  `;
  const [no, throws, pending] = ["no", "throw", "pending"].map((name) => `--${name}-deprecation`);
  for (const options of [[], [no], [throws], [pending], [throws, pending]]) {
    assert.equal(output(options, program), "true true", options.join(" "));
  }
});

test("install: without it, Node's own files are read once they are needed", () => {
  const program = `
    const { binding } = process;
    process.binding = (name) => console.log(name) ?? binding(name);
    const curt = require("curt-fs");
    console.log("loaded");
    for (let call = 0; call < 2; call += 1) {
      curt.rmSync("missing", { recursive: true, force: true });
    }
  `;
  assert.equal(output([], program), "loaded\nnatives\nfs");
});

const COPIERS = ["cp", "cpSync", "promises.cp"];
const REMOVERS = ["rm", "rmSync", "promises.rm"];
const OPENERS = ["opendir", "opendirSync", "promises.opendir"];
const ALL = ["cp", "cpSync", "opendir", "opendirSync", "readdir", "readdirSync", "rm", "rmSync"];
ALL.push("promises.cp", "promises.opendir", "promises.readdir", "promises.rm");
const inOrder = (...names) => ALL.filter((name) => names.includes(name));
const MOCKS = [
  ["", []],
  ...ALL.filter((name) => !/readdir|opendir/.test(name)).map((name) => [`fs.${name} = () => {};`, [name]]),
  ["fs.rm = Object.create(null);", ["rm"]],
  ["fs.rmSync = (() => {}).bind();", ["rmSync"]],
  ["fs.rmSync = new Proxy(fs.rmSync, { apply() {} });", ["rmSync"]],
  ["fs.promises.cp = util.promisify(() => {});", ["promises.cp"]],
  ["fs.promises.rm = util.promisify(function* () {});", ["promises.rm"]],
  ["mockModule({ ...fs, rmSync() {} });", ["rmSync"]],
  ["mockModule({ ...noops(fs), promises: noops(fs.promises) });", ALL],
];
const BELOW = [
  ["fs.lstat = fs.lstat.bind(fs);", inOrder(...COPIERS, ...REMOVERS)],
  ["fs.promises.copyFile = fs.promises.copyFile.bind(fs);", COPIERS],
  ["fs.Dir.prototype.entries = async function* () {};", OPENERS],
  ["system.rmdir = (() => {}).bind();", ALL],
];
const UNKNOWN = [
  ["process.binding = undefined;", ALL],
  ['process.binding = (name) => { if (name === "fs") throw Error(); return natives; };', ALL],
  ["process.binding = () => ({});", ALL],
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
  const [natives, system] = ["natives", "fs"].map(process.binding);
  const native = require(path.join(path.dirname(require.resolve("curt-fs")), "lib/native.js"));
  const work = new async_hooks.AsyncLocalStorage();
  for (const name of ["copy", "remove", "list", "OpenTree"]) {
    const note = (how) => (...words) => {
      work.getStore().isCurts = true;
      return how(...words);
    };
    const { apply, construct } = Reflect;
    native[name] = new Proxy(native[name], { apply: note(apply), construct: note(construct) });
  }
  process.on("warning", ({ message }) => console.log(message));
`;
const REPORT = `
  const curt = require("curt-fs");
  const now = require("fs");
  const of = (module, name) => name.split(".").reduce((found, key) => found[key], module);
  const left = ${JSON.stringify(ALL)}.filter((name) => of(now, name) !== of(curt, name));
  const works = ${JSON.stringify(ALL)}.map((name) => {
    const done = { who: "mock", isCurts: false };
    const end = (error, dir) => {
      if (error?.code === "ENOENT" || dir) done.who = done.isCurts ? "curt" : "Node";
      dir?.closeSync();
    };
    const words = [name.includes("opendir") ? "." : "missing", { recursive: true }];
    if (name.includes("cp")) words.splice(1, 0, "copy");
    if (!/promises|Sync/.test(name)) words.push(end);
    work.run(done, () => {
      try {
        const answer = of(curt, name)(...words);
        if (answer?.then) answer.then((dir) => end(null, dir), end);
        else end(null, answer);
      } catch (error) {
        end(error);
      }
    });
    return done;
  });
  process.on("exit", () => console.log("left: " + left + "\\n" + works.map(({ who }) => who)));
`;

test("install: leaves mocks alone, and says so", () => {
  const install = 'require("curt-fs/install");';
  const works = (left, who) => `${ALL.map((name) => (left.includes(name) ? who : "curt"))}`;
  const reason = "they cannot be set, or they or functions that they call are not Node's own";
  for (const [rows, who, why] of [
    [MOCKS, "mock", reason],
    [BELOW, "Node", reason],
    [UNKNOWN, "Node", "cannot tell whether they are Node's own"],
  ]) {
    for (const [mock, left] of rows) {
      const names = left.map((name) => `fs.${name}`).join(", ");
      const warning = left.length > 0 ? [`curt-fs/install leaves ${names} alone: ${why}`] : [];
      const found = output(["--no-warnings"], PREPARE + mock + install + REPORT).split("\n");
      assert.deepEqual(found, [...warning, `left: ${left}`, works(left, who)], mock);
      if (rows !== BELOW) continue;
      const after = output([], PREPARE + install + mock + REPORT);
      assert.equal(after, `left: \n${works(left, who)}`, mock);
    }
  }
  const frozen = output(["--no-warnings"], `${PREPARE} Object.freeze(fs.promises); ${install}`);
  const names = ALL.filter((name) => name.includes(".")).map((name) => `fs.${name}`).join(", ");
  assert.equal(frozen, `curt-fs/install leaves ${names} alone: ${reason}`);
  const automock = "mockModule({ ...noops(fs), promises: undefined });";
  const report = "catch (error) { console.log(String(error)); }";
  const found = output([], `${PREPARE + automock} try { ${install} } ${report}`);
  const advice = "unmock fs, or mock curt-fs as well";
  const missing = "cannot use a mock of fs that has no fs.promises.rm";
  assert.equal(found, `Error: curt-fs ${missing}: ${advice}`);
});

const EACH = `
  const { ALL, ...GROUPS } = ${JSON.stringify({ COPIERS, REMOVERS, OPENERS, ALL })};
  const { COPIERS, REMOVERS, OPENERS } = GROUPS;
  const { getOwnPropertyDescriptor, ownKeys } = Reflect;
  const mocks = ownKeys(fs.Dir.prototype).map((key) => [fs.Dir.prototype, key, OPENERS]);
  const removing = ["chmod", "lstat", "readdir", "rmdir", "stat", "unlink"];
  const copying = ["chmod", "copyFile", "lstat", "mkdir", "opendir", "readlink", "stat", "symlink"];
  copying.push("unlink", "utimes");
  for (const name of new Set([...removing, ...copying])) {
    const names = [];
    if (copying.includes(name)) names.push(...COPIERS);
    if (removing.includes(name)) names.push(...REMOVERS);
    for (const key of [name, name + "Sync"]) mocks.push([fs, key, names, key]);
    mocks.push([fs.promises, name, names, "promises." + name]);
  }
  for (const key in system) if (typeof system[key] === "function") mocks.push([system, key, ALL]);
  const of = (module, name) => name.split(".").reduce((found, key) => found[key], module);
  const own = ALL.map((name) => of(fs, name));
  for (const [module, key, names, self] of mocks) {
    for (const isAfter of [false, true]) {
      ALL.forEach((name, index) => {
        const whole = name.includes(".") ? fs.promises : fs;
        whole[name.replace("promises.", "")] = own[index];
      });
      for (const file in require.cache) if (!/native|[.]node/.test(file)) delete require.cache[file];
      if (isAfter) require("curt-fs/install");
      const before = getOwnPropertyDescriptor(module, key);
      const part = before.get ? "get" : "value";
      Object.defineProperty(module, key, { ...before, [part]: before[part].bind(module) });
      require("curt-fs/install");
      const curt = require("curt-fs");
      const left = ALL.filter((name) => of(fs, name) !== of(curt, name));
      const forms = ["cpSync", "rmSync", "opendirSync"];
      const nodes = forms.filter((name) => {
        const done = {};
        work.run(done, () => {
          try {
            const words = name === "cpSync" ? ["missing", "copy"] : ["missing"];
            curt[name](...words, { recursive: true });
          } catch {}
        });
        return !done.isCurts;
      });
      Object.defineProperty(module, key, before);
      const isMock = (name) => names.includes(name);
      const expected = ALL.filter((name) => name === self || (!isAfter && isMock(name)));
      const isRight = String(left) === String(expected);
      const isCalled = (name) => isMock(name) || (!isAfter && name === self);
      const isNodes = String(nodes) === String(forms.filter(isCalled));
      if (!isRight || !isNodes) console.log(String(key), isAfter, left, nodes);
    }
  }
  console.log("all", mocks.length > 60);
`;

test("install: notices a mock of each function below", () => {
  assert.equal(output(["--no-warnings"], PREPARE.replace(/.*warning.*/, "") + EACH), "all true");
});

test("install: Node's permissions are enforced", (t) => {
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

test("install: without the addon, the error ends with the way to install it", () => {
  const installed = path.dirname(require.resolve("curt-fs/package.json"));
  const files = ["lib/native.js", "package.json"];
  const copies = files.map((name) => [name, fs.readFileSync(path.join(installed, name))]);
  const load = `require(${JSON.stringify(path.join(plant(Object.fromEntries(copies)), files[0]))})`;
  const print = `try { ${load} } catch ({ message }) { console.log(message) }`;
  const name = "(curt-fs-linux-\\w+-(?:gnu|musl))";
  const file = `\`npm install \\./${name}-([\\d.]+)\\.tgz\``;
  const command = new RegExp(`\n.*: ${file}, or \`npm install \\1@\\2\` once .* published$`);
  const message = output([], print);
  assert.match(message, command);
  assert.doesNotMatch(message, /curt\.node/);
  const other = `Object.defineProperty(process, "arch", { value: "mips" });`;
  const lines = output([], other + print).split("\n");
  assert.match(lines[0], /for linux mips:$/);
  assert.equal(lines.at(-1), "there is no addon for this system");
});
