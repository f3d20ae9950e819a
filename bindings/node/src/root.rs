use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use curt::beneath::{Aliases, OpenOptions, Scope};
use curt::fields::Follow;
use curt::list::NameBlock;
use curt::{Cancel, Error, Fields, Metadata, Next, Plan};
use napi::bindgen_prelude::{Buffer, Float64Array, ToNapiValue, TypeName};
use napi::sys::{napi_env, napi_value};
use napi::{Env, Result, ValueType};
use napi_derive::napi;

use crate::failure::{Failure, Fallible, numbers};
use crate::remove;
use crate::stat::{self, FIELDS};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Value, Work, lock};

#[napi(object)]
pub struct RootOptions {
    pub in_root: bool,
    pub strict: bool,
}

pub struct Opening {
    path: PathBuf,
    options: RootOptions,
}

impl Work for Opening {
    type Output = OpenRoot;

    fn run(&mut self, _: &Cancel) -> Fallible<OpenRoot> {
        let RootOptions { in_root, strict } = self.options;
        let root = curt::Root::open(&self.path).map_err(failed("opendir"))?;
        let root = root.scope(if in_root { Scope::InRoot } else { Scope::Beneath });
        let root = root.aliases(if strict { Aliases::Strict } else { Aliases::Open });
        Ok(OpenRoot::new(root))
    }
}

#[napi]
pub fn supports_flags(flags: i32) -> bool {
    OpenOptions::from_flags(flags).is_ok()
}

#[napi]
pub fn open_root(
    env: Env,
    path: PathArgument,
    options: RootOptions,
    control: Option<&Control>,
) -> Result<Outcome<Opening>> {
    work::start(env, Opening { path: text::path(path), options }, control)
}

type Act<T> = dyn Fn(&curt::Root, &Cancel) -> Fallible<T> + Send;

/// An operation beneath a root, which remains open until the operation ends.
pub struct Beneath<T> {
    root: Arc<curt::Root>,
    act: Box<Act<T>>,
}

impl<T: Value> Work for Beneath<T> {
    type Output = T;

    fn run(&mut self, cancel: &Cancel) -> Fallible<T> {
        (self.act)(&self.root, cancel)
    }
}

#[napi(object)]
pub struct RootRemoveOptions {
    pub recursive: bool,
    pub force: bool,
    pub threads: u32,
}

#[napi]
pub struct OpenRoot(Mutex<Option<Arc<curt::Root>>>);

impl OpenRoot {
    fn new(root: curt::Root) -> OpenRoot {
        OpenRoot(Mutex::new(Some(Arc::new(root))))
    }
}

#[napi]
impl OpenRoot {
    fn opened(&self) -> Result<Arc<curt::Root>> {
        lock(&self.0).clone().ok_or_else(|| napi::Error::from_reason("it is closed"))
    }

    fn start<T: Value>(
        &self,
        env: Env,
        control: Option<&Control>,
        act: impl Fn(&curt::Root, &Cancel) -> Fallible<T> + Send + 'static,
    ) -> Result<Outcome<Beneath<T>>> {
        work::start(env, Beneath { root: self.opened()?, act: Box::new(act) }, control)
    }

    /// Returns a second handle, closed separately, for an operation that begins later.
    #[napi]
    pub fn duplicate(&self) -> Result<OpenRoot> {
        Ok(OpenRoot(Mutex::new(Some(self.opened()?))))
    }

    #[napi]
    pub fn close(&self) {
        *lock(&self.0) = None;
    }

    #[napi]
    pub fn open(
        &self,
        env: Env,
        path: PathArgument,
        flags: i32,
        mode: u32,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<Descriptor>>> {
        let (path, mut options) = (text::path(path), OpenOptions::from_flags(flags)?);
        // Opening a FIFO must not block a pool thread until a writer opens it.
        options.mode(mode).nonblocking_open(true);
        self.start(env, control, move |root, _| {
            root.open_file(&path, &options).map(Descriptor).map_err(failed("open"))
        })
    }

    #[napi]
    pub fn open_root(
        &self,
        env: Env,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<OpenRoot>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| {
            let below = root.open_dir(&path).map_err(failed("opendir"))?;
            Ok(OpenRoot::new(below))
        })
    }

    #[napi]
    pub fn readdir(
        &self,
        env: Env,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<Buffer>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| {
            let mut names = NameBlock::default();
            let mut list = root.read_dir(&path).map_err(failed("scandir"))?.list(Fields::KIND);
            while let Some(entry) = list.next() {
                names.push(entry.map_err(failed("scandir"))?.name().as_encoded_bytes());
            }
            Ok(names.into_units().into())
        })
    }

    #[napi]
    pub fn stat(
        &self,
        env: Env,
        path: PathArgument,
        follow: bool,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<Float64Array>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| {
            Ok(stat::row(&metadata(root, &path, follow)?)?.to_vec().into())
        })
    }

    #[napi]
    pub fn readlink(
        &self,
        env: Env,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<String>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| {
            let target = root.read_link(&path).map_err(failed("readlink"))?;
            Ok(target.to_string_lossy().into_owned())
        })
    }

    #[napi]
    pub fn mkdir(
        &self,
        env: Env,
        path: PathArgument,
        recursive: bool,
        mode: u32,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<Option<String>>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| {
            if recursive {
                return make_directories(root, &path, mode);
            }
            make_directory(root, &path, mode).map(|()| None)
        })
    }

    #[napi]
    pub fn rename(
        &self,
        env: Env,
        from: PathArgument,
        to: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let (from, to) = (text::path(from), text::path(to));
        self.start(env, control, move |root, _| root.rename(&from, &to).map_err(failed("rename")))
    }

    #[napi]
    pub fn symlink(
        &self,
        env: Env,
        target: PathArgument,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let (target, path) = (text::path(target), text::path(path));
        self.start(env, control, move |root, _| {
            root.symlink(&target, &path).map_err(failed("symlink"))
        })
    }

    #[napi]
    pub fn link(
        &self,
        env: Env,
        existing: PathArgument,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let (existing, path) = (text::path(existing), text::path(path));
        self.start(env, control, move |root, _| {
            root.hard_link(&existing, &path).map_err(failed("link"))
        })
    }

    #[napi]
    pub fn unlink(
        &self,
        env: Env,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| root.remove_file(&path).map_err(failed("unlink")))
    }

    #[napi]
    pub fn rmdir(
        &self,
        env: Env,
        path: PathArgument,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let path = text::path(path);
        self.start(env, control, move |root, _| root.remove_dir(&path).map_err(failed("rmdir")))
    }

    #[napi]
    pub fn rm(
        &self,
        env: Env,
        path: PathArgument,
        options: RootRemoveOptions,
        control: Option<&Control>,
    ) -> Result<Outcome<Beneath<()>>> {
        let path = text::path(path);
        self.start(env, control, move |root, cancel| remove(root, &path, &options, cancel))
    }
}

fn failed(function: &'static str) -> impl Fn(Error) -> Failure {
    move |error| Failure::new(&error, function)
}

/// A file whose descriptor goes to JavaScript, or that is closed if the promise is dropped.
pub struct Descriptor(File);

impl Descriptor {
    #[cfg(unix)]
    fn number(self) -> Fallible<i32> {
        Ok(std::os::fd::IntoRawFd::into_raw_fd(self.0))
    }

    #[cfg(windows)]
    fn number(self) -> Fallible<i32> {
        crate::windows::descriptor(self.0).map_err(|number| Failure {
            number,
            function: "open",
            ..Failure::default()
        })
    }
}

impl TypeName for Descriptor {
    fn type_name() -> &'static str {
        i32::type_name()
    }

    fn value_type() -> ValueType {
        i32::value_type()
    }
}

impl ToNapiValue for Descriptor {
    unsafe fn to_napi_value(env: napi_env, descriptor: Descriptor) -> Result<napi_value> {
        let number = descriptor.number().map_err(|failure| failure.into_error(Env::from(env)))?;
        // SAFETY: the caller guarantees that `env` is valid.
        unsafe { i32::to_napi_value(env, number) }
    }
}

fn make_directory(root: &curt::Root, path: &Path, mode: u32) -> Fallible<()> {
    let failed = |error| Failure::new(&error, "mkdir").at(path.to_string_lossy().into_owned());
    root.create_dir_with_mode(path, mode).map_err(failed)
}

/// Creates a directory and missing parents, and returns the first one created. Splits paths as Node
/// does, also in errors.
fn make_directories(root: &curt::Root, path: &Path, mode: u32) -> Fallible<Option<String>> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_separator = |byte: &u8| std::path::is_separator(char::from(*byte));
    // The ends of the prefixes to create, longest first. On the way up, ENOENT adds a shorter
    // prefix. On the way down, ENOENT is an error, because another process has removed a parent.
    let mut ends = vec![bytes.len()];
    let (mut first, mut is_upward) = (None, true);
    while let Some(&end) = ends.last() {
        let front = &bytes[..end];
        let step = text::path_of(front.to_vec());
        if let Err(failure) = make_directory(root, &step, mode) {
            let is_missing = is_upward && failure.number == numbers::ENOENT;
            if let Some(parent) = front.iter().rposition(is_separator).filter(|_| is_missing) {
                ends.push(parent);
                continue;
            }
            entered(root, &step, failure, ends.len() == 1)?;
        } else {
            first.get_or_insert(step);
        }
        is_upward = false;
        ends.pop();
    }
    Ok(first.map(|first| first.to_string_lossy().into_owned()))
}

/// Handles a failed `mkdir`. Fails as Node does, unless the path is a directory.
fn entered(root: &curt::Root, path: &Path, failure: Failure, is_last: bool) -> Fallible<()> {
    use numbers::{EACCES, EEXIST, ENOSPC, ENOTDIR, EPERM};

    if [EACCES, ENOSPC, ENOTDIR, EPERM].contains(&failure.number) {
        return Err(failure);
    }
    let (number, reason) = match metadata(root, path, true) {
        Ok(found) if found.kind().is_dir() => return Ok(()),
        Err(refused) if refused.reason.is_some() => (refused.number, refused.reason),
        _ if failure.number == EEXIST && !is_last => (ENOTDIR, None),
        Ok(_) => (EEXIST, None),
        Err(other) => (other.number, None),
    };
    Err(Failure { number, reason, ..failure })
}

fn metadata(root: &curt::Root, path: &Path, follow: bool) -> Fallible<Metadata> {
    let (function, links) = if follow { ("stat", Follow::Links) } else { ("lstat", Follow::Never) };
    root.stat(path, Plan::new(FIELDS).follow(links)).map_err(failed(function))
}

fn remove(
    root: &curt::Root,
    path: &Path,
    options: &RootRemoveOptions,
    cancel: &Cancel,
) -> Fallible<()> {
    if cancel.is_cancelled() {
        return Ok(());
    }
    let force = options.force;
    if options.recursive {
        let removal = remove::removal(options.threads, force, cancel).on_error(|_| Next::Stop);
        return remove::to_result(&root.remove_tree(path, &removal));
    }
    let at = || path.to_string_lossy().into_owned();
    match root.stat(path, Fields::KIND) {
        Ok(found) if found.kind().is_dir() => {
            let (number, function) = (numbers::EISDIR, "rm");
            Err(Failure { number, function, path: at(), ..Failure::default() })
        }
        Ok(_) => match root.remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::new(&error, "unlink").at(at()))
            }
            _ => Ok(()),
        },
        Err(error) => match Failure::from(&error) {
            Failure { number: numbers::ENOENT, .. } if force => Ok(()),
            failure => Err(failure.at(at())),
        },
    }
}
