use curt::fields::{Follow, Time, Value};
use curt::list::Stat;
use curt::{Cancel, Fields, Metadata, Plan};
use napi::bindgen_prelude::Float64Array;
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

const WIDTH: usize = 14;

pub const FIELDS: Fields = Fields::KIND
    .union(Fields::MODE)
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::LINKS)
    .union(Fields::USER_ID)
    .union(Fields::GROUP_ID)
    .union(Fields::SIZE)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CHANGED)
    .union(Fields::CREATED)
    .union(Fields::BLOCK_SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::ATTRIBUTES)
    .union(Fields::DEVICE_NUMBER);

pub struct StatMany {
    paths: Vec<u8>,
    follow: bool,
}

impl Work for StatMany {
    type Output = Float64Array;

    fn run(&mut self, cancel: &Cancel) -> Fallible<Float64Array> {
        let follow = if self.follow { Follow::Links } else { Follow::Never };
        let mut stat = Stat::new(Plan::new(FIELDS).follow(follow));
        let mut numbers = Vec::new();
        for path in self.paths.split_inclusive(|&byte| byte == 0) {
            if cancel.is_cancelled() {
                break;
            }
            let path = path.strip_suffix(&[0]).unwrap_or(path);
            if path.is_empty() {
                numbers.extend(failed(0));
                continue;
            }
            numbers.extend(match stat.path(text::path_of(path.to_vec())) {
                // A broken symlink: only Node's own function knows the error.
                Ok(metadata) if self.follow && metadata.kind().is_link() => failed(0),
                Ok(metadata) => row(&metadata).unwrap_or_else(|error| failed(error.number)),
                Err(error) => failed(Failure::from(&error).number),
            });
        }
        Ok(numbers.into())
    }
}

fn failed(number: i32) -> [f64; WIDTH] {
    let mut row = [0.0; WIDTH];
    (row[0], row[1]) = (f64::NAN, number.into());
    row
}

pub fn row(metadata: &Metadata) -> Fallible<[f64; WIDTH]> {
    let milliseconds = |time| {
        known(time).map(|Time { seconds, nanoseconds }| {
            seconds as f64 * 1e3 + f64::from(nanoseconds) / 1e6
        })
    };
    Ok([
        known(metadata.device())? as f64,
        mode(metadata)?,
        known(metadata.links())? as f64,
        known(metadata.user_id())?.into(),
        known(metadata.group_id())?.into(),
        known(metadata.device_number())? as f64,
        block_size(metadata)?,
        known(metadata.id())? as f64,
        known(metadata.size())? as f64,
        (known(metadata.allocated())? / 512) as f64,
        milliseconds(metadata.accessed())?,
        milliseconds(metadata.modified())?,
        milliseconds(metadata.changed())?,
        milliseconds(metadata.created())?,
    ])
}

/// Like Node, returns 0 for values that the system lacks.
fn known<T: Default>(value: Value<'_, T>) -> Fallible<T> {
    match value {
        Value::Known(value) => Ok(value),
        Value::Failed(error) => Err(error.into()),
        _ => Ok(T::default()),
    }
}

#[cfg(unix)]
fn block_size(metadata: &Metadata) -> Fallible<f64> {
    known(metadata.block_size()).map(|size| size as f64)
}

/// Node uses one block size for all files on Windows.
#[cfg(windows)]
fn block_size(_: &Metadata) -> Fallible<f64> {
    Ok(4096.0)
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> Fallible<f64> {
    known(metadata.mode()).map(f64::from)
}

#[cfg(windows)]
fn mode(metadata: &Metadata) -> Fallible<f64> {
    let kind = match metadata.kind() {
        curt::Kind::Directory => 0o040_000,
        kind if kind.is_link() => 0o120_000,
        _ => 0o100_000,
    };
    let is_read_only = known(metadata.attributes())? & 1 != 0;
    Ok(f64::from(kind | if is_read_only { 0o444 } else { 0o666 }))
}

/// Queries NUL-terminated paths. Returns the numbers of each, or NaN and an errno. The errno is 0
/// for a broken symlink or an empty path, because only Node's own function knows the error.
#[napi]
pub fn stat_many(
    env: Env,
    paths: PathArgument,
    follow: bool,
    control: Option<&Control>,
) -> Result<Outcome<StatMany>> {
    work::start(env, StatMany { paths: text::bytes(paths), follow }, control)
}
