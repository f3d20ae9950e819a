// The addon: beside these files in a checkout, or else the package for this system.
"use strict";

const { platform, arch } = process;

/** Names of what holds the addon, in the order in which they are tried. */
const places = ["../curt.node"];
if (platform === "linux") {
  places.push(`curt-fs-linux-${arch}-gnu`, `curt-fs-linux-${arch}-musl`);
} else {
  places.push(`curt-fs-${platform}-${arch}`);
}

function load() {
  const reasons = [];
  for (const place of places) {
    try {
      return require(place);
    } catch (error) {
      reasons.push(`${place}: ${error.message.split("\n")[0]}`);
    }
  }
  throw new Error(`curt-fs cannot load its addon for ${platform} ${arch}:\n${reasons.join("\n")}`);
}

module.exports = load();
