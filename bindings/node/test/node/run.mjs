// Runs Node's own tests with curt installed.
//
// usage: node run.mjs PLACE TARGET
//
// PLACE is a folder with the installed package, TARGET a folder for the tests. Runs those tests in
// Debian 13's Node source that use a function replaced by curt, with and without curt, and if the
// caller is root also as nobody. A test that passes without curt must pass with it, unless
// `failures.txt` lists it; a listed test must fail.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const checkout = path.resolve(here, "../../../..");
const [place, target] = process.argv.slice(2);

const AT_LEAST = 25;
const MOST_LISTED = 8;
const NAMED = /\b(cpSync|(rm|rmdir|readdir|opendir)(Sync)?)\b/;
const NO_SOURCE = 77;
const NO_ROOT = 3;

function skip(reason) {
  console.log(`skipped: Node's own tests: ${reason}`);
  process.exit();
}

function fetch() {
  if (process.platform !== "linux") skip("the Debian root needs Linux");
  const script = path.relative(checkout, path.join(here, "source.sh"));
  const words = ["tools/debian-root.sh", "--with", "node-source", "--"];
  words.push("flock", "/build/target/node-tests.lock", "sh", script, "/build/target/node-tests");
  const env = { ...process.env, CARGO_TARGET_DIR: target };
  const { status } = spawnSync("bash", words, { cwd: checkout, env, stdio: "inherit" });
  if (status === NO_ROOT) skip("the Debian root cannot be used here");
  if (status === NO_SOURCE) skip("the source of Debian's Node cannot be had here");
  if (status !== 0) throw new Error(`source.sh ended with ${status}`);
  const folder = path.join(target, "debian-root", "node-tests");
  const version = fs.readFileSync(path.join(folder, "version"), "utf8").trim();
  console.log(`Tests of Node ${version}, run by ${process.version}`);
  return folder;
}

function listed() {
  const lines = fs.readFileSync(path.join(here, "failures.txt"), "utf8").split("\n");
  const names = lines.filter((line) => /^[a-z]/.test(line));
  for (const name of names) {
    if (!/^ +\S/.test(lines[lines.indexOf(name) + 1])) throw new Error(`no reason: ${name}`);
  }
  if (names.length > MOST_LISTED) throw new Error(`failures.txt: at most ${MOST_LISTED}`);
  return names;
}

function run(folder, user, whose, name) {
  const file = path.join(folder, "test", name);
  const [, flags = ""] = fs.readFileSync(file, "utf8").match(/^\/\/ Flags: (.*)$/m) || [];
  const work = fs.mkdtempSync(path.join(folder, "run-"));
  fs.chownSync(work, user.uid, user.gid);
  const calls = path.join(work, "calls");
  const words = flags.split(" ").filter(Boolean);
  if (whose === "curt") words.push("-r", path.join(folder, "count.js"));
  const env = { PATH: process.env.PATH, HOME: work, TMPDIR: work, NODE_TEST_DIR: work };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...words, file], {
    ...user,
    cwd: folder,
    encoding: "utf8",
    env: { ...env, LC_ALL: "C.UTF-8", CURT_CALLS: calls },
    timeout: 120_000,
  });
  const made = fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trim().split("\n") : [];
  fs.rmSync(work, { recursive: true });
  return {
    isPassed: status === 0 && !/^1\.\.0 # Skipped/m.test(stdout),
    output: `${stdout}${stderr}${signal ?? status}`,
    calls: made,
  };
}

function prepare(folder) {
  fs.chmodSync(folder, 0o755);
  fs.cpSync(path.join(fetch(), "test"), path.join(folder, "test"), { recursive: true });
  fs.cpSync(path.join(place, "node_modules"), path.join(folder, "node_modules"), {
    recursive: true,
  });
  fs.copyFileSync(path.join(here, "count.js"), path.join(folder, "count.js"));
  const all = ["parallel", "sequential"].flatMap((kind) =>
    fs.readdirSync(path.join(folder, "test", kind)).map((name) => `${kind}/${name}`),
  );
  return all.filter((name) => NAMED.test(fs.readFileSync(path.join(folder, "test", name), "utf8")));
}

function compare(folder, users) {
  const names = prepare(folder);
  const known = listed();
  const failed = new Set();
  const total = {};
  const unknown = known.filter((name) => !names.includes(name));
  const wrong = unknown.map((name) => `${name}: no such test`);
  for (const [who, user] of Object.entries(users)) {
    let plain = 0;
    let ours = 0;
    for (const name of names) {
      if (!run(folder, user, "plain", name).isPassed) continue;
      plain += 1;
      const { isPassed, output, calls } = run(folder, user, "curt", name);
      if (isPassed) ours += 1;
      else failed.add(name);
      if (!isPassed && !known.includes(name)) wrong.push(`${name} (${who}): fails\n${output}`);
      for (const call of calls) total[call] = (total[call] || 0) + 1;
    }
    console.log(`  ${who}: ${plain} of ${names.length} pass with Node alone, ${ours} with curt`);
    if (plain < AT_LEAST) wrong.push(`${who}: too few tests pass with Node alone`);
  }
  for (const [call, count] of Object.entries(total)) console.log(`  ${call}: ${count} calls`);
  for (const name of known) {
    if (!failed.has(name)) wrong.push(`${name}: is listed, and passes`);
  }
  return wrong;
}

const { username, uid, gid } = os.userInfo();
const users = { [username]: { uid, gid } };
if (uid === 0) users.nobody = { uid: 65534, gid: 65534 };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "curt-node-tests-"));
try {
  const wrong = compare(folder, users);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
