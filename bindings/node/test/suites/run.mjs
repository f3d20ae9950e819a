// Runs the tests of rimraf and fdir with curt as their engine.
//
// usage: node run.mjs PLACE TARGET [SUITE…]
//
// PLACE is a folder with the installed package, TARGET a folder for the suites. rimraf runs with
// `curt-fs/install`, because it calls `fs.rm` unless options require more; fdir lists through
// `lists.mjs`. A test that passes without curt must pass with it.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const [place, target, ...chosen] = process.argv.slice(2);

// The suites, with the fewest passing tests and the fewest calls of the addon to accept.
const SUITES = {
  rimraf: {
    source: ["https://github.com/isaacs/rimraf", "v6.1.0"],
    words: ["tap", "run", "--disable-coverage", "--reporter=tap", "--timeout=120"],
    tests: 200,
    calls: { remove: 100 },
    replace() {},
  },
  fdir: {
    source: ["https://github.com/thecodrr/fdir", "v6.5.0"],
    words: ["vitest", "run", "--reporter=tap-flat", "__tests__/"],
    tests: 100,
    calls: { list: 1000 },
    replace(folder) {
      fs.copyFileSync(path.join(here, "lists.mjs"), path.join(folder, "src/api/lists.mjs"));
      const file = path.join(folder, "src/api/walker.ts");
      const text = fs.readFileSync(file, "utf8");
      const changed = text.replace('nativeFs from "fs"', 'nativeFs from "./lists.mjs"');
      if (changed === text) throw new Error(`${file}: fdir has no such import`);
      fs.writeFileSync(file, changed);
    },
  },
};

function fetch([url, tag], folder) {
  if (fs.existsSync(folder)) return null;
  const made = `${folder}.partial`;
  fs.rmSync(made, { recursive: true, force: true });
  for (const [program, ...words] of [
    ["git", "-c", "advice.detachedHead=false", "clone", "-q", "--depth=1", "-b", tag, url, made],
    ["npm", "--prefix", made, "ci", "--silent", "--no-audit", "--no-fund"],
  ]) {
    const { status } = spawnSync(program, words, { stdio: "inherit", timeout: 600_000 });
    if (status !== 0) return `${program} cannot fetch its source, or what it needs`;
  }
  fs.renameSync(made, folder);
  return null;
}

function run(folder, [program, ...words], env) {
  const calls = path.join(folder, "calls");
  fs.rmSync(calls, { force: true });
  const { stdout, stderr } = spawnSync(path.join(folder, "node_modules/.bin", program), words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env, CURT_CALLS: calls },
    maxBuffer: 1 << 30,
    timeout: 900_000,
  });
  const passed = stdout.matchAll(/^ *ok \d+ - (.*?)(?: # time=.*| \{)?$/gm);
  const total = {};
  for (const call of fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").split("\n") : []) {
    if (call !== "") total[call] = (total[call] || 0) + 1;
  }
  return {
    passed: new Set([...passed].map(([, name]) => name)),
    calls: total,
    failed: `${stdout}${stderr}`.split("\n").filter((line) => /^ *not ok/.test(line)),
  };
}

function compare(name, { source, words, tests, calls, replace }, folder) {
  const reset = () => spawnSync("git", ["checkout", "-q", "."], { cwd: folder, stdio: "inherit" });
  reset();
  const plain = run(folder, words, {});
  const link = path.join(folder, "node_modules/curt-fs");
  fs.rmSync(link, { recursive: true, force: true });
  fs.symlinkSync(path.join(place, "node_modules/curt-fs"), link);
  replace(folder);
  const preload = path.join(place, "test/node/count.js");
  const ours = run(folder, words, { NODE_OPTIONS: `-r ${JSON.stringify(preload)}` });
  reset();
  console.log(
    `${name} ${source[1]}: ${plain.passed.size} tests pass without curt,`,
    `${ours.passed.size} with it, which is called ${JSON.stringify(ours.calls)}`,
  );
  const wrong = [...plain.passed].filter((test) => !ours.passed.has(test));
  if (plain.passed.size < tests) wrong.push(`${name}: too few tests pass without curt`);
  for (const [call, least] of Object.entries(calls)) {
    if (!(ours.calls[call] >= least)) wrong.push(`${name}: too few calls of ${call}`);
  }
  return wrong.length > 0 ? [...wrong, ...ours.failed] : [];
}

const wrong = Object.entries(SUITES).flatMap(([name, suite]) => {
  if (chosen.length > 0 && !chosen.includes(name)) return [];
  const folder = path.join(target, "node-suites", `${name}-${suite.source[1]}`);
  const reason = fetch(suite.source, folder);
  if (reason === null) return compare(name, suite, folder);
  console.log(`skipped: the tests of ${name}: ${reason}`);
  return [];
});
if (wrong.length > 0) throw new Error(wrong.join("\n"));
