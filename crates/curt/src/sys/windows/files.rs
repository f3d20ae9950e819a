//! What small files hold.

use std::io;
use std::os::windows::io::AsHandle;

use windows_sys::Wdk::Storage::FileSystem::FILE_SYNCHRONOUS_IO_NONALERT;
use windows_sys::Win32::Storage::FileSystem::{FILE_READ_DATA, SYNCHRONIZE};

use super::call::{Door, Target};
use super::dir::Dir;
use super::status::Status;
use super::{FILE, text};
use crate::name::Name;

/// Most files with rules fit into this.
const ROOM: usize = 8 << 10;

/// Reads a file to its end: opens, reads and closes.
pub(super) fn read(
    door: &Door,
    parent: &Dir,
    name: Name<'_, u16>,
    most: usize,
) -> io::Result<Vec<u8>> {
    let spelled = text::spelled(name.units(), parent.root().is_some());
    let target = Target { root: parent.root(), name: &spelled, any_case: parent.is_place };
    let options = FILE | FILE_SYNCHRONOUS_IO_NONALERT;
    let handle = door.open(target, FILE_READ_DATA | SYNCHRONIZE, options)?;
    let mut whole = vec![0; ROOM];
    let mut length = 0;
    let ended = loop {
        if length == whole.len() {
            whole.resize(length * 2, 0);
        }
        match door.read(handle.as_handle(), &mut whole[length..]) {
            Ok(0) | Err(Status::END_OF_FILE) => break Ok(()),
            Ok(more) => length += more,
            Err(status) => break Err(status.into()),
        }
        if length > most {
            break Err(io::ErrorKind::FileTooLarge.into());
        }
    };
    door.close(handle);
    whole.truncate(length);
    ended.map(|()| whole)
}
