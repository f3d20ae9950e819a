"use strict";

const { homedir } = require("os");
const { isAbsolute, resolve, sep } = require("path");
const { wrongType, wrongValue } = require("./arguments.js");
const { homeOf } = require("./native.js");

function withHome(path, name) {
  if (typeof path !== "string") throw wrongType(name, "of type string", path);
  if (path[0] !== "~") return path;
  const end = sep === "/" ? path.indexOf("/") : path.search(/[\\/]/);
  const user = end < 0 ? path.slice(1) : path.slice(1, end);
  const home = user === "" ? homedir() : homeOf(user);
  if (home !== null && isAbsolute(home)) return end < 0 ? home : home + path.slice(end);
  throw wrongValue(name, "begins with an unknown home directory", path);
}

function expandPath(path, base = "") {
  return resolve(withHome(base, "base"), withHome(path, "path"));
}

module.exports = { expandPath };
