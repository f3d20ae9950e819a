"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("fs");
const { test } = require("node:test");
const curt = require("curt-fs");
const { folder } = require("./helper.js");

const TABLE = require("./hostile.json");
const VERDICTS = new Map(TABLE.verdicts.map(([name, , number, text]) => [name, [+number, text]]));

function shell(name) {
  const { stdout } = spawnSync("sh", ["-c", TABLE[name].join("\n")], { encoding: "utf8" });
  return stdout.trim().replaceAll("\n", " ");
}

async function open(root, path, flags) {
  const fd = await root.open(path, flags);
  const text = flags === "r" ? fs.readFileSync(fd, "utf8") : "";
  fs.closeSync(fd);
  return text;
}

function copy(paths, options) {
  const [src, dest] = paths.split(" -> ");
  return curt.promises.cp(src, dest, { recursive: true, ...options });
}

/** Rows of copies for which Node has rules of its own. `copy` fails for an existing `dest`. */
const NODES_RULES = {
  "in/file -> nosuch/new": "creates the parent",
  "in/fifo -> in/new": "refuses named pipes",
  "in/a/back -> in/a/b/deep": "a symlink replaces no file",
};

const OPERATIONS = {
  copy_keep: (_, paths) => copy(paths, { force: false }),
  copy_replace: (_, paths) => copy(paths, { force: true }),
  "root.open": (root, path) => open(root, path, "r"),
  "root.create": (root, path) => open(root, path, "w"),
  "root.create_new": (root, path) => open(root, path, "wx"),
  "root.enter": (root, path) => root.openRoot(path),
  "root.list": (root, path) => root.readdir(path),
  "root.stat": (root, path) => root.stat(path),
  "root.lstat": (root, path) => root.lstat(path),
  "root.readlink": (root, path) => root.readlink(path),
  "root.mkdir": (root, path) => root.mkdir(path),
  "beneath.mkdir_all": (root, path) => root.mkdir(path, { recursive: true }),
  "root.symlink": (root, path) => root.symlink("file", path),
  "root.link_from": (root, path) => root.link(path, "new"),
  "root.link_to": (root, path) => root.link("file", path),
  "root.rename_from": (root, path) => root.rename(path, "new"),
  "root.rename_to": (root, path) => root.rename("file", path),
  "root.unlink": (root, path) => root.unlink(path),
  "root.rmdir": (root, path) => root.rmdir(path),
  "root.remove": (root, path) => root.rm(path, { recursive: true }),
  remove: (_, path) => curt.promises.rm(path, { recursive: true }),
  usage: (_, path) => curt.usage(path),
};

function isRight(answer, [operation, path, verdict, result = ""], changes) {
  if (!(answer instanceof Error)) {
    const text = operation.endsWith(".open") ? answer : "";
    return verdict === "ok" && text + changes === result;
  }
  const [number, text] = VERDICTS.get(verdict) ?? [];
  // Refusals of `rm` have the text of their errno, as in Node.
  const hasText = answer.message.includes(text) || /^(is|refusing)/.test(text);
  const isNamed = path.split(" -> ").some((name) => [answer.path, answer.dest].includes(name));
  // Node's refusals have positive numbers.
  return Math.abs(answer.errno) === +number && hasText && isNamed && changes === "";
}

test("hostile cases have their verdicts", async (t) => {
  const [top, before, wrong] = [folder(), process.cwd(), []];
  let changes = "all";
  for (const one of TABLE.cases) {
    const why = one[0].startsWith("copy") && (NODES_RULES[one[1]] ?? (one[0] === "copy" && "merges"));
    if (why) {
      t.diagnostic(`skipped: ${one.join(" ")}: Node ${why}`);
      continue;
    }
    const [scope] = one[0].split(".");
    const pattern = one[0].replace(/^(inroot|strict)/, "root").replace("*", ".*");
    const names = Object.keys(OPERATIONS).filter((name) => RegExp(`^${pattern}$`).test(name));
    for (const name of names) {
      process.chdir(top);
      if (changes !== "") shell("setup");
      process.chdir("t");
      const how = { inRoot: scope === "inroot", strict: scope === "strict" };
      const root = await curt.Root.open("in", how);
      const answer = await OPERATIONS[name](root, one[1]).catch((error) => error);
      root.close();
      const isTime = !(answer instanceof Error) || name === names.at(-1);
      changes = isTime ? shell("look") : "";
      if (!isRight(answer, one, changes)) wrong.push([name, one, answer, changes]);
    }
  }
  process.chdir(before);
  assert.deepEqual(wrong, []);
});
