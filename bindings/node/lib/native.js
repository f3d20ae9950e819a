// Loads the addon: in a checkout from `curt.node`, otherwise from the package for this system.
"use strict";

const { platform, arch } = process;

const candidates = ["../curt.node"];
if (platform === "linux") {
  candidates.push(`curt-fs-linux-${arch}-gnu`, `curt-fs-linux-${arch}-musl`);
} else {
  candidates.push(`curt-fs-${platform}-${arch}`);
}

function load() {
  const reasons = [];
  for (const candidate of candidates) {
    try {
      return require(candidate);
    } catch (error) {
      reasons.push(`${candidate}: ${error.message.split("\n")[0]}`);
    }
  }
  throw new Error(`curt-fs cannot load its addon for ${platform} ${arch}:\n${reasons.join("\n")}`);
}

module.exports = load();
