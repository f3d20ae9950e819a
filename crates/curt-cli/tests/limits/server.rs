//! A FUSE filesystem in a thread of the test. It lists entries without kinds, or few at a time,
//! like some rare filesystems.
//!
//! The protocol is that of `linux/fuse.h`, version 7.31. Each request begins with its length,
//! opcode, ID and node, in native byte order.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use curt_testkit::Scratch;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Quirks {
    pub(crate) kinds: bool,
    pub(crate) page: usize,
}

#[derive(Default)]
struct Node {
    name: String,
    /// The children, or `None` for a file. A removed child leaves a slot with `None`.
    children: Option<Vec<Option<usize>>>,
    size: u64,
}

#[derive(Default)]
pub(crate) struct Tree(Vec<Node>);

const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_644;
const ENOENT: i32 = 2;
const ENOTDIR: i32 = 20;
const EISDIR: i32 = 21;
const ENOSYS: i32 = 38;
const ENOTEMPTY: i32 = 39;

impl Tree {
    pub(crate) fn new() -> Tree {
        Tree(vec![Node { children: Some(Vec::new()), ..Node::default() }])
    }

    pub(crate) fn add(&mut self, path: &str, size: Option<u64>) {
        let mut at = 0;
        let names: Vec<&str> = path.split('/').collect();
        for (depth, name) in names.iter().enumerate() {
            at = self.child(at, name).unwrap_or_else(|| {
                let is_file = depth + 1 == names.len() && size.is_some();
                let children = (!is_file).then(Vec::new);
                let node = Node { name: (*name).to_owned(), children, size: size.unwrap_or(0) };
                self.0.push(node);
                let new = self.0.len() - 1;
                self.0[at].children.as_mut().unwrap().push(Some(new));
                new
            });
        }
    }

    fn child(&self, parent: usize, name: &str) -> Option<usize> {
        let children = self.0[parent].children.as_ref()?.iter().flatten();
        children.copied().find(|&child| self.0[child].name == name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0[0].children.iter().flatten().all(Option::is_none)
    }

    fn attributes(&self, node: usize) -> Vec<u8> {
        let Node { children, size, .. } = &self.0[node];
        let mode = if children.is_some() { DIRECTORY } else { FILE };
        let mut bytes = longs(&[node as u64 + 1, *size, size.div_ceil(512), 1, 1, 1]);
        bytes.extend(words(&[0, 0, 0, mode, 1, 0, 0, 0, 4096, 0]));
        bytes
    }

    fn look_up(&self, parent: usize, name: &str) -> Result<Vec<u8>, i32> {
        let node = self.child(parent, name).ok_or(ENOENT)?;
        // Lifetimes of zero disable caching, so that every query reaches the server.
        let head = longs(&[node as u64 + 1, 0, 0, 0, 0]);
        Ok([head, self.attributes(node)].concat())
    }

    fn list(&self, node: usize, from: usize, capacity: usize, quirks: Quirks) -> Vec<u8> {
        let children = self.0[node].children.iter().flatten();
        let dots = [Some(("..", node)), Some((".", node))];
        let named = children.map(|child| child.map(|child| (self.0[child].name.as_str(), child)));
        let mut bytes = Vec::new();
        let mut listed = 0;
        for (at, entry) in dots.into_iter().chain(named).enumerate().skip(from) {
            let Some((name, child)) = entry else { continue };
            let length = 24 + name.len().next_multiple_of(8);
            if listed == quirks.page || bytes.len() + length > capacity {
                break;
            }
            let is_directory = self.0[child].children.is_some();
            let kind = if !quirks.kinds {
                0
            } else if is_directory {
                4
            } else {
                8
            };
            let end = bytes.len() + length;
            bytes.extend(longs(&[child as u64 + 1, at as u64 + 1]));
            bytes.extend(words(&[name.len() as u32, kind]));
            bytes.extend(name.as_bytes());
            bytes.resize(end, 0);
            listed += 1;
        }
        bytes
    }

    fn remove(&mut self, parent: usize, name: &str, wants_directory: bool) -> Result<Vec<u8>, i32> {
        let node = self.child(parent, name).ok_or(ENOENT)?;
        match (&self.0[node].children, wants_directory) {
            (None, true) => return Err(ENOTDIR),
            (Some(_), false) => return Err(EISDIR),
            (Some(children), true) if children.iter().any(Option::is_some) => {
                return Err(ENOTEMPTY);
            }
            _ => {}
        }
        let children = self.0[parent].children.iter_mut().flatten();
        children.filter(|child| **child == Some(node)).for_each(|child| *child = None);
        Ok(Vec::new())
    }

    fn answer(
        &mut self,
        code: u32,
        node: usize,
        body: &[u8],
        quirks: Quirks,
    ) -> Option<Result<Vec<u8>, i32>> {
        let name = || {
            let end = body.iter().position(|&byte| byte == 0).unwrap_or(body.len());
            std::str::from_utf8(&body[..end]).unwrap_or_default()
        };
        let long = |at: usize| u64::from_ne_bytes(body[at..at + 8].try_into().unwrap()) as usize;
        Some(match code {
            1 => self.look_up(node, name()),
            2 | 42 => return None,
            3 => Ok([longs(&[0, 0]), self.attributes(node)].concat()),
            10 => self.remove(node, name(), false),
            11 => self.remove(node, name(), true),
            17 => Ok([longs(&[0; 5]), words(&[4096, 255, 4096]), vec![0; 28]].concat()),
            // INIT, without optional features.
            26 => Ok([words(&[7, 31, 0, 0, 0, 64 << 10, 1]), vec![0; 36]].concat()),
            27 | 29 => Ok(longs(&[0, 0])),
            28 => {
                let capacity = u32::from_ne_bytes(body[16..20].try_into().unwrap()) as usize;
                Ok(self.list(node, long(8), capacity, quirks))
            }
            _ => Err(ENOSYS),
        })
    }
}

fn longs(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// Serves until the filesystem is unmounted, or the script has ended.
fn serve(mut device: &File, tree: &Mutex<Tree>, quirks: Quirks, has_ended: &AtomicBool) {
    const NO_DEVICE: i32 = 19;
    let mut request = vec![0; 256 << 10];
    loop {
        let length = match device.read(&mut request) {
            Ok(length) => length,
            Err(error) if error.raw_os_error() == Some(NO_DEVICE) => return,
            // The filesystem is not mounted yet, or a request was interrupted.
            Err(_) if has_ended.load(Ordering::Relaxed) => return,
            Err(_) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        let word = |at: usize| u32::from_ne_bytes(request[at..at + 4].try_into().unwrap());
        let (code, node) = (word(4), word(16) as usize);
        let body = &request[40..length];
        let answer = tree.lock().unwrap().answer(code, node.saturating_sub(1), body, quirks);
        let Some(answer) = answer else { continue };
        let (error, body) = answer.map_or_else(|error| (error, Vec::new()), |body| (0, body));
        let mut whole = words(&[16 + body.len() as u32, error.wrapping_neg() as u32]);
        whole.extend_from_slice(&request[8..16]);
        whole.extend(body);
        // A write fails if the requesting process has ended.
        let _ = device.write(&whole);
    }
}

/// Runs a script in the root of the tree, in its own mount namespace. Returns its output and the
/// remaining tree.
pub(crate) fn on_server(
    scratch: &Scratch,
    tree: Tree,
    quirks: Quirks,
    text: &str,
) -> (Output, Tree) {
    let device = File::options().read(true).write(true).open("/dev/fuse").unwrap();
    let mounted = scratch.dir("mounted");
    let text = format!(
        "mount -i -t fuse -o fd=0,rootmode=40000,user_id=0,group_id=0 server \"{}\" || exit 99; \
         exec </dev/null; cd mounted; {text}",
        mounted.display()
    );
    let mut command = crate::mounting_script(scratch, &text);
    command.current_dir(scratch.path()).stdin(device.try_clone().unwrap());
    let tree = Arc::new(Mutex::new(tree));
    let shared = Arc::clone(&tree);
    let has_ended = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&has_ended);
    let server = std::thread::spawn(move || serve(&device, &shared, quirks, &gone));
    let output = command.output().unwrap();
    has_ended.store(true, Ordering::Relaxed);
    // Drop the command, because it also holds the device open.
    drop(command);
    server.join().unwrap();
    assert_ne!(output.status.code(), Some(99), "not mounted: {output:?}");
    let tree = Arc::into_inner(tree).unwrap().into_inner().unwrap();
    (output, tree)
}

pub(crate) fn may_serve() -> bool {
    let has_device = Path::new("/dev/fuse").exists();
    if !has_device {
        curt_testkit::skip("there is no /dev/fuse");
    }
    has_device && super::may_mount()
}
