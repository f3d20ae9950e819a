//! Full paths as the system has them.

use windows_sys::Win32::Storage::FileSystem::GetFullPathNameW;
use windows_sys::Win32::System::Environment::SetEnvironmentVariableW;

/// Makes a directory the working directory of a drive that is not the working directory's own, as
/// command processors do: in a hidden variable of this process.
///
/// # Panics
///
/// Where that fails.
pub fn set_drive_directory(letter: char, directory: &str) {
    let terminated = |text: String| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (name, value) = (terminated(format!("={letter}:")), terminated(directory.to_owned()));
    // SAFETY: both texts are terminated. Windows guards its variables against other threads.
    let done = unsafe { SetEnvironmentVariableW(name.as_ptr(), value.as_ptr()) };
    assert!(done != 0, "hidden variables can be set");
}

/// What `GetFullPathNameW` answers; `None` where it refuses. The text contains no NUL.
pub fn full_path_name(text: &[u16]) -> Option<Vec<u16>> {
    let terminated = [text, &[0]].concat();
    let mut full = vec![0; 512];
    loop {
        let room = u32::try_from(full.len()).ok()?;
        // SAFETY: the name is terminated, the room is that of the buffer, and no last part is asked
        // for.
        let length = unsafe {
            GetFullPathNameW(terminated.as_ptr(), room, full.as_mut_ptr(), std::ptr::null_mut())
        };
        let length = usize::try_from(length).ok().filter(|&length| length > 0)?;
        if length < full.len() {
            full.truncate(length);
            return Some(full);
        }
        full.resize(length + 1, 0);
    }
}
