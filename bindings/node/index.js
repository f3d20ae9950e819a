"use strict";

const { rm, rmSync, promises: rmPromises } = require("./lib/rm.js");

module.exports = {
  rm,
  rmSync,
  promises: { ...rmPromises },
};
