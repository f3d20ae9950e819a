// Node's standard library in curt-bench.
const fs = require('node:fs');
const { join } = require('node:path');

const [task, tree] = process.argv.slice(2);
if (tree === undefined || !['rm', 'ls', 'long', 'walk', 'sizes', 'du'].includes(task)) {
  console.error('usage: rival-node rm|ls|long|walk|sizes|du TREE');
  process.exit(2);
}

let pending = '';
let blocks = 0;
function flush() {
  fs.writeFileSync(1, pending);
  pending = '';
}
function line(text) {
  pending += text + '\n';
  if (pending.length >= 65536) flush();
}

function tell(path) {
  if (task === 'walk') return line(path);
  const stat = fs.lstatSync(path);
  if (task === 'du') blocks += stat.blocks;
  else line(`${stat.size} ${path}`);
}

function walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    tell(path);
    if (entry.isDirectory()) walk(path);
  }
}

if (task === 'rm') {
  fs.rmSync(tree, { recursive: true });
} else if (task === 'ls') {
  fs.readdirSync(tree).forEach(line);
} else if (task === 'long') {
  for (const entry of fs.readdirSync(tree, { withFileTypes: true })) {
    const path = join(tree, entry.name);
    const target = entry.isSymbolicLink() ? ` -> ${fs.readlinkSync(path)}` : '';
    line(`${fs.lstatSync(path).size} ${entry.name}${target}`);
  }
} else {
  tell(tree);
  walk(tree);
  if (task === 'du') line(`${Math.ceil((blocks * 512) / 1024)}`);
}
flush();
