use crate::stats::Random;
use std::path::PathBuf;

const REACT_LEVELS: u8 = 10;

enum Files {
    Fixed(u32),
    Weight(u32),
}

struct Node {
    path: PathBuf,
    level: u8,
    children: usize,
    files: Files,
}

struct Growth {
    nodes: Vec<Node>,
    random: Random,
}

impl Growth {
    fn add(&mut self, parent: usize, name: &str, files: Files) -> usize {
        let path = self.nodes[parent].path.join(name);
        let level = self.nodes[parent].level + 1;
        self.nodes[parent].children += 1;
        self.nodes.push(Node { path, level, children: 0, files });
        self.nodes.len() - 1
    }

    fn add_inner(&mut self, parent: usize) -> usize {
        const NAMES: [&str; 16] = [
            "lib", "dist", "src", "cjs", "esm", "es", "umd", "internal", "utils", "helpers",
            "types", "build", "test", "rules", "commonjs", "locale",
        ];
        const WEIGHTS: [u32; 10] = [1, 1, 1, 2, 2, 3, 4, 8, 12, 60];
        let child = self.nodes[parent].children;
        let start = self.nodes[parent].path.as_os_str().len();
        let mut name = NAMES[(start + child) % NAMES.len()].to_owned();
        if child >= NAMES.len() {
            name = format!("{name}-{child}");
        }
        let weight = WEIGHTS[self.random.below(WEIGHTS.len())];
        self.add(parent, &name, Files::Weight(weight))
    }
}

pub(super) fn directories(count: usize, files: u32) -> Vec<(PathBuf, u32)> {
    let root = Node { path: PathBuf::new(), level: 1, children: 0, files: Files::Fixed(5) };
    let mut growth = Growth { nodes: vec![root], random: Random::new(13_073) };
    growth.add(0, "public", Files::Fixed(6));
    growth.add(0, "src", Files::Fixed(8));
    let modules = growth.add(0, "node_modules", Files::Fixed(1));
    growth.add(modules, ".bin", Files::Fixed(files / 120));
    let packages = count / 5;
    let first = add_packages(&mut growth, modules, packages);
    add_deepest(&mut growth, first);
    while growth.nodes.len() < count {
        let parent = first + growth.random.below(growth.nodes.len() - first);
        if growth.nodes[parent].level < REACT_LEVELS - 1 {
            growth.add_inner(parent);
        }
    }
    let files = share_files(&mut growth, files);
    let nodes = growth.nodes.into_iter().zip(files);
    nodes.map(|(node, files)| (node.path, files)).collect()
}

fn add_packages(growth: &mut Growth, modules: usize, packages: usize) -> usize {
    const WORDS: [&str; 8] =
        ["babel", "webpack", "jest", "postcss", "eslint", "react", "es-abstract", "workbox"];
    let scopes: Vec<usize> = (0..=packages / 25)
        .map(|scope| growth.add(modules, &format!("@scope-{scope}"), Files::Fixed(0)))
        .collect();
    let first = growth.nodes.len();
    for package in 0..packages {
        let word = WORDS[package % WORDS.len()];
        let parent = match package % 8 {
            1 => scopes[growth.random.below(scopes.len())],
            _ => modules,
        };
        growth.add(parent, &format!("{word}-plugin-{package}"), Files::Weight(4));
    }
    first
}

fn add_deepest(growth: &mut Growth, package: usize) {
    let mut node = growth.add(package, "node_modules", Files::Fixed(0));
    while growth.nodes[node].level < REACT_LEVELS {
        node = growth.add_inner(node);
    }
}

fn share_files(growth: &mut Growth, files: u32) -> Vec<u32> {
    let mut sums = Vec::with_capacity(growth.nodes.len());
    let mut counts = Vec::with_capacity(growth.nodes.len());
    let mut sum = 0;
    for node in &growth.nodes {
        let (fixed, weight) = match node.files {
            Files::Fixed(fixed) => (fixed, 0),
            Files::Weight(weight) => (0, weight as usize),
        };
        sum += weight;
        sums.push(sum);
        counts.push(fixed);
    }
    for _ in counts.iter().sum::<u32>()..files {
        let ticket = growth.random.below(sum);
        counts[sums.partition_point(|&end| end <= ticket)] += 1;
    }
    counts
}
