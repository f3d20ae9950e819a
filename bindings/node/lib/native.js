// Loads the addon: in a checkout from `curt.node`, otherwise from the package for this system.
"use strict";

const { platform, arch } = process;

const candidates = ["../curt.node"];
if (platform === "linux") {
  candidates.push(`curt-fs-linux-${arch}-gnu`, `curt-fs-linux-${arch}-musl`);
} else {
  candidates.push(`curt-fs-${platform}-${arch}`);
}

/** Returns how to install the addon. Node's report has the version of glibc, but not of musl. */
function advice() {
  const { version, optionalDependencies } = require("../package.json");
  const header = process.report?.getReport().header;
  const isMusl = platform === "linux" && header && !header.glibcVersionRuntime;
  const name = candidates[isMusl ? 2 : 1];
  if (!(name in optionalDependencies)) return "there is no addon for this system";
  const file = `\`npm install ./${name}-${version}.tgz\``;
  const published = `\`npm install ${name}@${version}\``;
  return `install it from the same place as curt-fs: ${file}, or ${published} once it is published`;
}

function load() {
  const reasons = [];
  for (const candidate of candidates) {
    try {
      return require(candidate);
    } catch (error) {
      // Only a checkout has this file.
      if (candidate === candidates[0] && error.code === "MODULE_NOT_FOUND") continue;
      reasons.push(`${candidate}: ${error.message.split("\n")[0]}`);
    }
  }
  const failed = `curt-fs cannot load its addon for ${platform} ${arch}`;
  throw new Error([`${failed}:`, ...reasons, advice()].join("\n"));
}

module.exports = load();
