//! Programs that the command waits for: what asks it to end is passed on to them, each once. A
//! terminal sends its signals to them, too.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use curt::process::Child;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, getpgrp, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook_registry::register_sigaction;

use super::signals::{is_from_kernel, is_ignored};
use super::{heed, interrupt};

/// The numbers of the programs that were not told yet; 0 is a free place.
static RUNNING: OnceLock<Box<[AtomicI32]>> = OnceLock::new();
/// The signal that arrived was for this process alone.
static IS_PASSED_ON: AtomicBool = AtomicBool::new(false);

/// Passes signals on from now on, to at most so many programs at a time.
pub(crate) fn pass_signals_on(programs: usize) {
    RUNNING.get_or_init(|| (0..programs).map(|_| AtomicI32::new(0)).collect());
    heed(SIGQUIT);
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
        if !is_ignored(number) {
            // SAFETY: the handler makes system calls and changes atomics, which handlers may do.
            let _ = unsafe {
                register_sigaction(number, move |info| tell_all(number, is_from_kernel(info)))
            };
        }
    }
}

pub(crate) struct Running(i32);

impl Running {
    pub(crate) fn begin(child: &Child) -> Running {
        let program = i32::try_from(child.id()).unwrap_or(0);
        for place in places() {
            let order = Ordering::SeqCst;
            if place.compare_exchange(0, program, order, order).is_ok() {
                // A signal may have arrived since it was started.
                if let Some(number) = interrupt::signal().filter(|_| IS_PASSED_ON.load(order)) {
                    tell(place, i32::try_from(number).unwrap_or(0), false);
                }
                break;
            }
        }
        Running(program)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for place in places() {
            let _ = place.compare_exchange(self.0, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }
}

fn places() -> impl Iterator<Item = &'static AtomicI32> {
    RUNNING.get().into_iter().flatten()
}

fn tell_all(number: i32, is_from_kernel: bool) {
    IS_PASSED_ON.fetch_or(!is_from_kernel, Ordering::SeqCst);
    places().for_each(|place| tell(place, number, is_from_kernel));
}

/// Sends a signal to a program, unless the terminal did.
fn tell(place: &AtomicI32, number: i32, is_from_kernel: bool) {
    let program = Pid::from_raw(place.swap(0, Ordering::SeqCst));
    let Some((program, signal)) = program.zip(Signal::from_named_raw(number)) else { return };
    if is_from_kernel && getpgid(Some(program)).is_ok_and(|group| group == getpgrp()) {
        return;
    }
    // It may have been waited for meanwhile, and its number given to another process. The
    // descriptor is of a child of this process if the number is one afterwards, or of none.
    #[cfg(target_os = "linux")]
    let descriptor = rustix::process::pidfd_open(program, rustix::process::PidfdFlags::empty());
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::Pid(program), options).is_err() {
        return;
    }
    #[cfg(target_os = "linux")]
    if let Ok(descriptor) = descriptor {
        let _ = rustix::process::pidfd_send_signal(descriptor, signal);
        return;
    }
    let _ = kill_process(program, signal);
}
