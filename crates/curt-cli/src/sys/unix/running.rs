//! When a signal ends the command, forwards it to the running programs, unless the terminal has
//! already sent it to them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use curt::process::Child;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgid, getpgrp, kill_process, waitid};
use signal_hook::consts::SIGQUIT;

use super::{handle_signal, interrupt};

/// Process IDs of programs, negative after the first signal; 0 marks a free slot.
static RUNNING: OnceLock<Box<[AtomicI32]>> = OnceLock::new();
/// Whether a signal reached only this process, so that programs need a copy.
static IS_FORWARDED: AtomicBool = AtomicBool::new(false);

pub(crate) fn forward_signals(programs: usize) {
    RUNNING.get_or_init(|| (0..programs).map(|_| AtomicI32::new(0)).collect());
    handle_signal(SIGQUIT);
}

pub(crate) struct Running(i32);

impl Running {
    pub(crate) fn begin(child: &Child) -> Running {
        let program = i32::try_from(child.id()).unwrap_or(0);
        for slot in slots() {
            let order = Ordering::SeqCst;
            if slot.compare_exchange(0, program, order, order).is_ok() {
                // A signal may have arrived before this registration.
                if IS_FORWARDED.load(order) {
                    if let Some((program, number)) = receiver(slot, false).zip(interrupt::signal())
                    {
                        send(program, number);
                    }
                }
                break;
            }
        }
        Running(program)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for slot in slots() {
            for number in [self.0, -self.0] {
                let _ = slot.compare_exchange(number, 0, Ordering::SeqCst, Ordering::SeqCst);
            }
        }
    }
}

fn slots() -> impl Iterator<Item = &'static AtomicI32> {
    RUNNING.get().into_iter().flatten()
}

/// Runs in a signal handler. After the last signal, this process ends.
pub(super) fn forward_to_all(number: i32, is_from_kernel: bool, is_last: bool) {
    IS_FORWARDED.fetch_or(!is_from_kernel, Ordering::SeqCst);
    for program in slots().filter_map(|slot| receiver(slot, is_last)) {
        // A signal from the kernel has already reached the group.
        if !is_from_kernel || getpgid(Some(program)).is_ok_and(|group| group != getpgrp()) {
            send(program, number);
        }
    }
}

/// Returns the program if it must get this signal: only the first and the last are forwarded.
fn receiver(slot: &AtomicI32, is_last: bool) -> Option<Pid> {
    let order = Ordering::SeqCst;
    let mark = |program: i32| (program > 0).then_some(-program);
    let program = match slot.fetch_update(order, order, mark) {
        Ok(first) => first,
        Err(marked) if is_last => -marked,
        Err(_) => 0,
    };
    Pid::from_raw(program)
}

fn send(program: Pid, number: i32) {
    let Some(signal) = Signal::from_named_raw(number) else { return };
    // If another thread has waited for the program, a different process may have its number. If the
    // number still belongs to a child after `pidfd_open(2)`, so does the descriptor.
    #[cfg(target_os = "linux")]
    let descriptor = rustix::process::pidfd_open(program, rustix::process::PidfdFlags::empty());
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::Pid(program), options).is_err() {
        return;
    }
    #[cfg(target_os = "linux")]
    if let Ok(descriptor) = descriptor {
        for signal in [signal, Signal::CONT] {
            let _ = rustix::process::pidfd_send_signal(&descriptor, signal);
        }
        return;
    }
    for signal in [signal, Signal::CONT] {
        let _ = kill_process(program, signal);
    }
}
