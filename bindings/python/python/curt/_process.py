from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, AnyStr

from curt import _curt, _originals

# Without the GIL, another thread may change the environment while it is copied from the C library.
IS_FREE_THREADED = "t" in sys.abiflags


def execute_child(
    self: Any,
    args: Any,
    executable: Any,
    preexec_fn: Any,
    close_fds: Any,
    pass_fds: Any,
    cwd: Any,
    env: Any,
    startupinfo: Any,
    creationflags: Any,
    shell: Any,
    p2cread: int,
    p2cwrite: int,
    c2pread: int,
    c2pwrite: int,
    errread: int,
    errwrite: int,
    restore_signals: Any,
    gid: Any,
    gids: Any,
    uid: Any,
    umask: int,
    start_new_session: Any,
    process_group: int = -1,
    *more: Any,
) -> None:
    """Starts the program of a `Popen`, in the place of its method `_execute_child`.

    `Popen` has made the pipes, and does all that follows. What curt cannot do is passed to
    CPython's method, and so is most of what it could not start, for CPython's exception.
    """
    if not isinstance(args, (str, bytes, os.PathLike)):
        # It may be an iterator.
        args = list(args)
    pass_fds = list(pass_fds)
    needs_cpython = (
        preexec_fn is not None
        or (gid, gids, uid) != (None, None, None)
        or (start_new_session and process_group != -1)
        or (shell and isinstance(args, os.PathLike))
        # A program sets this to have itself copied.
        or getattr(subprocess, "_USE_VFORK", True) is False
        or more
        or not _curt.starts_without_copy()
    )
    pid = None
    if not needs_cpython:
        streams = [(p2cread, 0), (c2pwrite, 1), (errwrite, 2)]
        descriptors = [(fd, fd) for fd in pass_fds] + [pair for pair in streams if pair[0] != -1]
        options = (bool(close_fds), bool(restore_signals), bool(start_new_session))
        pid = _start(args, executable, shell, cwd, env, descriptors, options, process_group, umask)
    if pid is None:
        # Python 3.10 has no process groups here.
        groups = () if sys.version_info < (3, 11) else (process_group,)
        _originals.execute_child(
            self, args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo,
            creationflags, shell, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite,
            restore_signals, gid, gids, uid, umask, start_new_session, *groups, *more,
        )  # fmt: skip
        return
    self.pid = pid
    self._child_created = True
    self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)


def _start(
    args: Any,
    executable: Any,
    shell: Any,
    cwd: Any,
    env: Any,
    descriptors: list[tuple[int, int]],
    options: tuple[bool, bool, bool],
    process_group: int,
    umask: int,
) -> int | None:
    """Starts a program, and returns its process number; `None` if CPython has to do it."""
    words = [args] if isinstance(args, (str, bytes, os.PathLike)) else args
    if shell:
        words = [executable or "/bin/sh", "-c", *words]
    if not words:
        return None
    if executable is None:
        executable = words[0]
    try:
        program = _encode(executable)
        arguments = [_encode(word) for word in words]
        directory = None if cwd is None else _encode(cwd)
        variables = None
        if env is not None or IS_FREE_THREADED:
            items = _environment() if env is None else env.items()
            variables = [(_encode(name), _encode(value)) for name, value in items]
            if any(b"=" in name for name, _ in variables):
                return None
        search, is_whole = b"", True
        if b"/" not in program:
            search, is_whole = _search_path(env)
            if not search:
                return None
        descriptors = [(_number(fd), number) for fd, number in descriptors]
        numbers = [None if number == -1 else _number(number) for number in (process_group, umask)]
    except Exception:
        # CPython converts it all again, for its exception.
        return None
    # Where curt cannot say why it starts nothing, CPython raises this event again.
    sys.audit("subprocess.Popen", executable, words, cwd, env)
    return _curt.start(
        executable, program, arguments, search, is_whole, variables, cwd, directory, descriptors,
        *options, *numbers,
    )  # fmt: skip


def _environment() -> list[tuple[str, str]]:
    """Returns a copy of `os.environ`, which another thread may change meanwhile."""
    found = ((name, os.environ.get(name)) for name in os.environ)
    return [(name, value) for name, value in found if value is not None]


def _encode(path: Any) -> bytes:
    """Returns the bytes of a text or path that the system gets."""
    text = os.fsencode(path)
    if b"\0" in text:
        raise ValueError("embedded null byte")
    return text


def _number(number: Any) -> int:
    """Returns a number that the system takes."""
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError("not a number of the system")
    return number


def _search_path(env: Any) -> tuple[bytes, bool]:
    """Returns the search path as far as its directories are absolute and normal, and whether that
    is all.

    A script sees in its name the directory in which it was found, and curt would make it so.
    """
    entries = [_encode(entry) for entry in os.get_exec_path(env)]
    known = entries
    for index, entry in enumerate(entries):
        normal = os.path.normpath(entry)
        if entry[:1] != b"/" or entry[:2] == b"//" or entry not in (normal, normal + b"/"):
            known = entries[:index]
            break
    return b":".join(known), len(known) == len(entries)


class Popen(subprocess.Popen[AnyStr]):
    """Starts a program, as `subprocess.Popen` does, whose subclass it is.

    curt looks the program up and starts it; pipes, waiting and everything else are CPython's. So is
    the start with `preexec_fn`, `user`, `group` or `extra_groups`.

    >>> import curt, subprocess
    >>> with curt.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
    ...     process.communicate(b"hello")
    (b'hello', None)
    """

    _execute_child = execute_child


def run(
    *popenargs: Any,
    input: Any = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **kwargs: Any,
) -> subprocess.CompletedProcess[Any]:
    """Runs a program and waits for it, as `subprocess.run` does.

    >>> import curt
    >>> curt.run(["echo", "hello"], capture_output=True, text=True).stdout
    'hello\\n'
    """
    if input is not None:
        if kwargs.get("stdin") is not None:
            raise ValueError("stdin and input arguments may not both be used.")
        kwargs["stdin"] = subprocess.PIPE
    if capture_output:
        if kwargs.get("stdout") is not None or kwargs.get("stderr") is not None:
            raise ValueError("stdout and stderr arguments may not be used with capture_output.")
        kwargs["stdout"] = kwargs["stderr"] = subprocess.PIPE
    process: subprocess.Popen[Any]
    with Popen(*popenargs, **kwargs) as process:
        try:
            stdout, stderr = process.communicate(input, timeout=timeout)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                process.wait()
            raise
        code = process.returncode
    if check and code:
        raise subprocess.CalledProcessError(code, process.args, stdout, stderr)
    return subprocess.CompletedProcess(process.args, code, stdout, stderr)
