"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");
const { after } = require("node:test");

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

function folder() {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "curt-node-")));
  after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

function plant(files, top = folder()) {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.join(top, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(top, name), text);
  }
  return top;
}

function descriptors() {
  const isFile = (fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith("/");
    } catch {
      return false;
    }
  };
  return fs.readdirSync("/proc/self/fd").filter(isFile);
}

/** Runs `begin` as nobody, because file modes do not bind root. */
async function unprivileged(begin) {
  if (!isRoot) return begin();
  process.setegid(NOBODY);
  process.seteuid(NOBODY);
  try {
    return await begin();
  } finally {
    process.seteuid(0);
    process.setegid(0);
  }
}

module.exports = { descriptors, folder, plant, unprivileged };
