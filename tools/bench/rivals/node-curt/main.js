// Times functions of Node and their replacements in curt. Each task writes its answer once, then
// repeats, and writes the nanoseconds per run to standard error. With `once` it runs a single time,
// and also writes the longest event loop delay (in milliseconds) and the peak memory (in MiB).
"use strict";

const fs = require("fs");
const { monitorEventLoopDelay } = require("perf_hooks");
const { setTimeout } = require("timers/promises");
const { fdir } = require("fdir");
const { rimraf } = require("rimraf");
const curt = require("curt-fs");

const tasksOf = (library, more) => ({
  rm: (tree) => library.promises.rm(tree, { recursive: true, ...more }),
  "rm-sync": (tree) => library.rmSync(tree, { recursive: true, ...more }),
  cp: (tree, to) => library.promises.cp(tree, to, { recursive: true, ...more }),
  "cp-sync": (tree, to) => library.cpSync(tree, to, { recursive: true, ...more }),
  readdir: (tree) => library.promises.readdir(tree, { recursive: true, ...more }),
  dirents: (tree) =>
    library.promises.readdir(tree, { recursive: true, withFileTypes: true, ...more }),
});
const crawl = (tree) => new fdir().withBasePath().withDirs().crawl(tree);
const LIBRARIES = {
  node: tasksOf(fs, {}),
  curt: tasksOf(curt, {}),
  "curt-1": tasksOf(curt, { threads: 1 }),
  rimraf: { rm: (tree) => rimraf(tree), "rm-sync": (tree) => rimraf.sync(tree) },
  fdir: { readdir: (tree) => crawl(tree).withPromise() },
  "fdir-sync": { readdir: (tree) => crawl(tree).sync() },
};
const LEAST = 50_000_000n;
const RESOLUTION = 2;

/** Older versions of Node lack `parentPath`. */
const pathOf = (entry) =>
  typeof entry === "string" ? entry : `${entry.parentPath ?? entry.path}/${entry.name}`;

/** Returns the ns per run, of at least `fewest` runs in at least `least` ns. */
async function timed(task, tree, fewest, least) {
  let count = 0;
  const begin = process.hrtime.bigint();
  while (count < fewest || process.hrtime.bigint() - begin < least) {
    await task(tree);
    count += 1;
  }
  return Number(process.hrtime.bigint() - begin) / count;
}

async function once(task, tree) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  await setTimeout(10 * RESOLUTION);
  delay.reset();
  const took = await timed(task, tree, 1, 0n);
  await setTimeout(2 * RESOLUTION);
  delay.disable();
  const late = delay.max / 1e6 - RESOLUTION;
  const memory = process.resourceUsage().maxRSS / 1024;
  console.error(`took ${took} ${late.toFixed(1)} ${memory.toFixed(0)}`);
}

/** `last` is `once`, or the destination of a copy. */
async function main(library, name, tree, last) {
  const task = (tree) => LIBRARIES[library][name](tree, last);
  if (last === "once") return once(task, tree);
  const isWriting = /^(rm|cp)/.test(name);
  if (!isWriting) {
    const entries = await task(tree);
    fs.writeFileSync(1, entries.map((entry) => `${pathOf(entry)}\n`).join(""));
  }
  const took = isWriting ? timed(task, tree, 1, 0n) : timed(task, tree, 3, LEAST);
  console.error(`took ${await took}`);
}

main(...process.argv.slice(2));
