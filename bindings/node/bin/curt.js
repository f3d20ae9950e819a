#!/usr/bin/env node
// Starts the binary for this system, and exits with its status or by its signal.
"use strict";

const { spawn } = require("child_process");
const { constants } = require("os");
const path = require("path");
const { isatty } = require("tty");

/** Returns the binary for this system. Windows on ARM runs the one for x64. */
function binary() {
  switch (`${process.platform}-${process.arch}`) {
    case "linux-x64":
      return "linux-x64/curt";
    case "linux-arm64":
      return "linux-arm64/curt";
    case "win32-x64":
    case "win32-arm64":
      return "win32-x64/curt.exe";
    default:
      return null;
  }
}

function run(words) {
  const name = binary();
  if (name === null) {
    console.error(`curt: this package has no program for ${process.platform} ${process.arch}`);
    process.exitCode = 2;
    return;
  }
  const child = spawn(path.join(__dirname, "..", name), words, { stdio: "inherit" });
  // A terminal sends SIGINT (Ctrl-C) and SIGQUIT (Ctrl-\) to both processes, but SIGTERM and SIGHUP
  // reach only this process, which passes them on.
  const hasTerminal = [0, 1, 2].some(isatty);
  const pass = (signal) => child.kill(signal);
  const typed = (signal) => hasTerminal || pass(signal);
  const handlers = { SIGINT: typed, SIGQUIT: typed, SIGTERM: pass, SIGHUP: pass };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  child.on("error", (error) => {
    console.error(`curt: cannot start '${error.path}': ${error.message}`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
    process.exitCode = 128 + (constants.signals[signal] || 0);
    process.kill(process.pid, signal);
  });
}

module.exports = { run };

if (require.main === module) {
  run(process.argv.slice(2));
}
