// Replaces Node's `fs` in fdir. curt lists the whole tree at once, and this module answers fdir's
// calls for subdirectories from that listing.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import curt from "curt-fs";

export { realpath, realpathSync, stat, statSync } from "node:fs";

const TREE = { withFileTypes: true, recursive: true };
const lists = new Map();

/** Whether mock-fs is active: then this folder cannot be listed. */
function isMocked() {
  try {
    fs.readdirSync(path.dirname(fileURLToPath(import.meta.url)));
    return false;
  } catch {
    return true;
  }
}

function keep(entries) {
  for (const entry of entries) {
    const parent = path.resolve(entry.parentPath ?? entry.path);
    lists.get(parent)?.push(entry) ?? lists.set(parent, [entry]);
    const own = path.join(parent, entry.name);
    if (entry.isDirectory() && !lists.has(own)) lists.set(own, []);
  }
}

function take(directory) {
  const key = path.resolve(directory);
  const entries = lists.get(key);
  lists.delete(key);
  return entries;
}

export function readdir(directory, options, callback) {
  if (isMocked()) return fs.readdir(directory, options, callback);
  const known = take(directory);
  if (known) return process.nextTick(callback, null, known);
  curt.readdir(directory, TREE, (error, entries) => {
    if (error) return fs.readdir(directory, options, callback);
    keep(entries);
    callback(null, take(directory) ?? []);
  });
}

export function readdirSync(directory, options) {
  if (isMocked()) return fs.readdirSync(directory, options);
  const known = take(directory);
  if (known) return known;
  try {
    keep(curt.readdirSync(directory, TREE));
  } catch {
    return fs.readdirSync(directory, options);
  }
  return take(directory) ?? [];
}
