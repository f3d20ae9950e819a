"use strict";

if (parseInt(process.versions.node, 10) < 18) {
  throw new Error(`curt-fs needs Node 18 or newer as a library, and this is ${process.version}`);
}

const { cp, cpSync, promises: cpPromises } = require("./lib/cp.js");
const { expandPath } = require("./lib/expand.js");
const { opendir, opendirSync, promises: opendirPromises } = require("./lib/opendir.js");
const { readdir, readdirSync, promises: readdirPromises } = require("./lib/readdir.js");
const { remove, removeSync } = require("./lib/remove.js");
const { rm, rmSync, promises: rmPromises } = require("./lib/rm.js");
const { Root } = require("./lib/root.js");
const { spawn, spawnSync } = require("./lib/spawn.js");
const { statMany } = require("./lib/stat.js");
const { usage } = require("./lib/usage.js");
const { paths, pathsSync, walk, walkPaths } = require("./lib/walk.js");
const { which, whichSync } = require("./lib/which.js");

module.exports = {
  Root,
  cp,
  cpSync,
  opendir,
  opendirSync,
  readdir,
  readdirSync,
  rm,
  rmSync,
  expandPath,
  paths,
  pathsSync,
  remove,
  removeSync,
  spawn,
  spawnSync,
  statMany,
  usage,
  walk,
  walkPaths,
  which,
  whichSync,
  promises: { ...cpPromises, ...opendirPromises, ...readdirPromises, ...rmPromises },
};
