//! A child that shares the memory of this process until it executes the program, while this thread
//! sleeps. It costs the same however much memory the process has, and it reports a failure in that
//! memory.
//!
//! Why this is sound, beyond what the steps promise:
//!
//! - **The child has its own stack**, an array in the frame of this thread, which stays there while
//!   the thread sleeps in the call (`CLONE_VFORK`). Returning twice on one stack, as `vfork` does,
//!   is undefined behaviour for a compiler.
//! - **No signal handler runs in the child**: the kernel clears them as it is born
//!   (`CLONE_CLEAR_SIGHAND`). So no signal is blocked around the call. A signal that the child gets
//!   in this time has the effect that it would have on the program an instant later; what is
//!   ignored stays ignored, as it does across `execve`. This thread handles signals again when the
//!   call returns.
//! - **A signal that dumps core**, if the child gets it in this time, ends all processes that share
//!   its memory on kernels before 5.16, so this one too: `SIGQUIT` to the process group, or a
//!   filter that kills with a dump. `posix_spawn` of the C library has the same window, if a
//!   shorter one.
//! - **Thread-local storage is shared** and not touched: the calls of the child go straight to the
//!   kernel.
//! - A shadow stack, if the processor has one, is shared too. The child pushes below the frames of
//!   this thread, and never returns past its own first frame.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::Errno;

use super::child_calls::{self, Raw};
use crate::sys::unix::child_steps::Steps;

/// What the child and this thread share.
struct Shared<'a, 'b> {
    steps: &'a mut Steps<'b>,
    /// The step that failed, and why.
    failure: Option<(usize, Errno)>,
}

/// A child, and whether it executed the program.
pub(super) struct Born {
    pub(super) pid: i32,
    pub(super) handle: Option<OwnedFd>,
    pub(super) failure: Option<(usize, Errno)>,
}

/// The arguments of `clone3` as of Linux 5.7; older kernels accept them if the end is zero.
#[repr(C, align(8))]
#[derive(Default)]
struct Arguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// `CLONE_CLEAR_SIGHAND`, Linux 5.5.
const CLEAR_HANDLERS: u64 = 0x1_0000_0000;

/// `CLONE_INTO_CGROUP`, Linux 5.7.
const INTO_CGROUP: u64 = 0x2_0000_0000;

/// Space for the frames of the child: a few hundred bytes, some thousand without optimisation.
const STACK: usize = 16 << 10;

#[repr(C, align(16))]
struct Stack(UnsafeCell<MaybeUninit<[u8; STACK]>>);

/// Creates a child that runs the steps. `handle` asks for a descriptor of it; `cgroup` is the
/// descriptor of the control group that it is born in.
///
/// # Errors
///
/// There is no child. After `NOSYS`, `INVAL` and `PERM` another way to start may work.
#[inline(never)]
pub(super) fn start(
    steps: &mut Steps<'_>,
    handle: bool,
    cgroup: Option<u64>,
) -> Result<Born, Errno> {
    let stack = Stack(UnsafeCell::new(MaybeUninit::uninit()));
    let mut pidfd: RawFd = -1;
    let mut shared = Shared { steps, failure: None };
    let mut flags = (libc::CLONE_VM | libc::CLONE_VFORK) as u64 | CLEAR_HANDLERS;
    if handle {
        flags |= libc::CLONE_PIDFD as u64;
    }
    if cgroup.is_some() {
        flags |= INTO_CGROUP;
    }
    let arguments = Arguments {
        flags,
        pidfd: if handle { &raw mut pidfd as u64 } else { 0 },
        exit_signal: libc::SIGCHLD as u64,
        stack: stack.0.get() as u64,
        stack_size: STACK as u64,
        cgroup: cgroup.unwrap_or(0),
        ..Arguments::default()
    };
    // SAFETY: the child has its own stack, which nothing else uses; the rest lives until the call
    // returns, and the child has left this memory by then.
    let answer = unsafe { clone3(&arguments, child, (&raw mut shared).cast()) };
    let pid = child_calls::answer(answer)?;
    // SAFETY: the kernel wrote the number of a new descriptor there, which is ours alone.
    let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
    let pid = i32::try_from(pid).map_err(|_| Errno::CHILD)?;
    Ok(Born { pid, handle: pidfd, failure: shared.failure })
}

/// The first function of the child, on its own stack.
extern "C" fn child(shared: *mut c_void) -> ! {
    // SAFETY: `start` passed this pointer, and the thread that owns the value sleeps.
    let shared = unsafe { &mut *shared.cast::<Shared<'_, '_>>() };
    shared.failure = Some(shared.steps.run::<Raw>());
    end()
}

/// Ends the child.
fn end() -> ! {
    loop {
        // SAFETY: the call takes a number, and ends this process.
        let _ = unsafe { child_calls::syscall(libc::SYS_exit_group, [127, 0, 0, 0, 0]) };
    }
}

/// `clone3`, where the child calls `begin(argument)` and never comes back.
///
/// # Safety
///
/// Nothing else uses the stack in `arguments`, which is large enough for `begin` and aligned to 16
/// at both ends. With the flags the caller sleeps until the child has left this memory.
#[cfg(target_arch = "x86_64")]
unsafe fn clone3(
    arguments: &Arguments,
    begin: extern "C" fn(*mut c_void) -> !,
    argument: *mut c_void,
) -> isize {
    let result;
    // SAFETY: the parent continues behind the label with rax, rcx and r11 changed. The child calls
    // `begin` on its own stack, which does not return; neither touches the stack of the parent. The
    // compiler must assume that memory behind the pointer was written.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r9",
            "call r8",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 as isize => result,
            in("rdi") ptr::from_ref(arguments),
            in("rsi") size_of::<Arguments>(),
            in("r8") begin,
            in("r9") argument,
            out("rcx") _,
            out("r11") _,
        );
    }
    result
}

/// `clone3`, where the child calls `begin(argument)` and never comes back.
///
/// # Safety
///
/// The stack in `arguments` is nobody else's, large enough for `begin`, and a multiple of 16 at
/// both ends. The flags have the caller sleep until the child has left this memory.
#[cfg(target_arch = "aarch64")]
unsafe fn clone3(
    arguments: &Arguments,
    begin: extern "C" fn(*mut c_void) -> !,
    argument: *mut c_void,
) -> isize {
    let result;
    // SAFETY: the parent comes out behind the label with x0 changed. The child has the same
    // registers but x0 and the stack pointer; it ends the chain of frames, makes a call that does
    // not return, and changes x30 in doing so, in its own registers. Neither touches the parent's
    // stack. What the child writes is behind a pointer that the compiler must take for written to.
    unsafe {
        std::arch::asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x10",
            "blr x9",
            "brk #1",
            "2:",
            in("x8") libc::SYS_clone3,
            inlateout("x0") ptr::from_ref(arguments) => result,
            in("x1") size_of::<Arguments>(),
            in("x9") begin,
            in("x10") argument,
        );
    }
    result
}
