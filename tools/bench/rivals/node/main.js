// Removes one tree with fs.rmSync.
const fs = require('node:fs');

if (process.argv.length !== 3) {
  console.error('usage: rm-node TREE');
  process.exit(2);
}
fs.rmSync(process.argv[2], { recursive: true });
