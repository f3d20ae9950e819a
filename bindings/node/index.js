"use strict";

const { expandPath } = require("./lib/expand.js");
const { rm, rmSync, promises: rmPromises } = require("./lib/rm.js");
const { statMany } = require("./lib/stat.js");
const { usage } = require("./lib/usage.js");
const { walk } = require("./lib/walk.js");
const { spawn, spawnSync } = require("./lib/spawn.js");
const { which, whichSync } = require("./lib/which.js");

module.exports = {
  rm,
  rmSync,
  expandPath,
  statMany,
  usage,
  walk,
  promises: { ...rmPromises },
  spawn,
  spawnSync,
  which,
  whichSync,
};
