use windows_sys::Win32::Storage::FileSystem::GetFullPathNameW;
use windows_sys::Win32::System::Environment::SetEnvironmentVariableW;

/// Sets the working directory of a drive, in the hidden environment variable for it.
///
/// # Panics
///
/// On failure.
pub fn set_drive_directory(letter: char, directory: &str) {
    let terminated = |text: String| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (name, value) = (terminated(format!("={letter}:")), terminated(directory.to_owned()));
    // SAFETY: both strings end with NUL. Windows synchronizes access to the environment.
    let done = unsafe { SetEnvironmentVariableW(name.as_ptr(), value.as_ptr()) };
    assert!(done != 0, "hidden variables can be set");
}

/// Returns the result of `GetFullPathNameW`, or `None` on failure. `text` must not contain NUL.
pub fn full_path_name(text: &[u16]) -> Option<Vec<u16>> {
    let terminated = [text, &[0]].concat();
    let mut full = vec![0; 512];
    loop {
        let room = u32::try_from(full.len()).ok()?;
        // SAFETY: the name ends with NUL, and `room` is the length of the buffer.
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
