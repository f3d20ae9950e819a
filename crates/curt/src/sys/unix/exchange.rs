//! What this process writes to a child and reads from it, without waiting for one pipe while
//! another is ready.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use super::door::{Door, Pipe};
use super::values::uninterrupted;
use crate::sys::process::Exchange;

/// See [`Spawn::exchange`](crate::sys::process::Spawn::exchange).
pub(crate) fn exchange(
    door: &Door,
    exchange: &mut Exchange<'_, Pipe>,
    limit: Option<Duration>,
) -> io::Result<bool> {
    if exchange.rest().is_empty() {
        close(door, &mut exchange.pipes[0]);
    }
    // A write then takes what fits, instead of waiting until all of it fits. Set even if the caller
    // has asked for that, because other code can have changed it since.
    if let Some(input) = &exchange.pipes[0] {
        door.set_nonblocking(input.as_fd(), true)?;
    }
    let done = exchange_until(door, exchange, limit);
    if let Some(input) = exchange.pipes[0].as_ref().filter(|input| !input.is_nonblocking()) {
        door.set_nonblocking(input.as_fd(), false)?;
    }
    done
}

fn exchange_until(
    door: &Door,
    exchange: &mut Exchange<'_, Pipe>,
    limit: Option<Duration>,
) -> io::Result<bool> {
    let begun = Instant::now();
    let mut may_block = limit.is_none();
    while !exchange.is_done() {
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        let ready = match &exchange.pipes {
            // Nothing else can be missed while a read of the only pipe blocks.
            [None, Some(_), None] | [None, None, Some(_)] if may_block => [false, true, true],
            pipes => ready(door, pipes, left)?,
        };
        if ready[0] {
            write_some(door, exchange)?;
        }
        let Exchange { pipes: [_, outputs @ ..], outputs: into, .. } = exchange;
        for ((pipe, into), ready) in outputs.iter_mut().zip(into).zip(&ready[1..]) {
            match pipe {
                Some(open) if *ready => match read_some(door, open, into) {
                    Ok(0) => close(door, pipe),
                    Ok(_) => {}
                    // The caller asked for such a pipe.
                    Err(Errno::AGAIN) => may_block = false,
                    Err(error) => return Err(error.into()),
                },
                _ => {}
            }
        }
        // Also if there is always more to read.
        if left.is_some_and(|left| left.is_zero()) {
            break;
        }
    }
    Ok(exchange.is_done())
}

/// Waits until a pipe is ready or the time has passed. Returns which are.
fn ready(
    door: &Door,
    pipes: &[Option<Pipe>; 3],
    left: Option<Duration>,
) -> Result<[bool; 3], Errno> {
    let mut polls = Vec::with_capacity(pipes.len());
    for (pipe, flags) in pipes.iter().zip([PollFlags::OUT, PollFlags::IN, PollFlags::IN]) {
        polls.extend(pipe.as_ref().map(|pipe| PollFd::new(pipe, flags)));
    }
    match door.poll(&mut polls, left) {
        Err(Errno::INTR) => return Ok([false; 3]),
        answer => answer?,
    }
    let mut answers = polls.iter().map(|poll| !poll.revents().is_empty());
    Ok(pipes.each_ref().map(|pipe| pipe.is_some() && answers.next() == Some(true)))
}

/// Writes as much input as fits, and closes the pipe after all of it, or if nobody reads it.
fn write_some(door: &Door, exchange: &mut Exchange<'_, Pipe>) -> Result<(), Errno> {
    let Some(pipe) = &exchange.pipes[0] else { return Ok(()) };
    match door.write_fd(pipe.as_fd(), exchange.rest()) {
        Ok(written) => exchange.written += written,
        Err(Errno::AGAIN | Errno::INTR) => {}
        Err(Errno::PIPE) => close(door, &mut exchange.pipes[0]),
        Err(error) => return Err(error),
    }
    if exchange.rest().is_empty() {
        close(door, &mut exchange.pipes[0]);
    }
    Ok(())
}

/// Reads what has arrived. Returns how much that was: nothing at the end.
fn read_some(door: &Door, pipe: &Pipe, into: &mut Vec<u8>) -> Result<usize, Errno> {
    /// What a pipe holds at most.
    const ROOM: usize = 64 << 10;
    into.reserve(ROOM.min(into.capacity().max(4 << 10)));
    uninterrupted(|| door.read_fd(pipe.as_fd(), into))
}

fn close(door: &Door, pipe: &mut Option<Pipe>) {
    if let Some(pipe) = pipe.take() {
        door.close(pipe.fd);
    }
}
