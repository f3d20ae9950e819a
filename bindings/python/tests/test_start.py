"""`curt.run` and `curt.Popen`, beside `subprocess`."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import curt
from curt import _process

PIPE = subprocess.PIPE
SHOW = "import os, sys; print(sys.argv[1:], dict(os.environ))"
# The place of a descriptor that is open anyway does not count, and neither do the signals 32 and 33.
STATUS = "read_status() { grep -E '^(Sig(Blk|Ign)|Umask)' /proc/self/status; }; read_status"


@pytest.fixture
def starts(monkeypatch) -> list[object]:
    """What curt was asked to start, each with its answer."""
    answers: list[object] = []
    start = _process._curt.start

    def counted(*arguments):
        answers.append(start(*arguments))
        return answers[-1]

    monkeypatch.setattr(_process._curt, "start", counted)
    return answers


def outcome(function, *args, **kwargs):
    """Returns what a function returns or raises, in a form that can be compared."""
    try:
        done = function(*args, **kwargs)
    except OSError as error:
        return type(error), error.errno, error.strerror, error.filename, str(error)
    except Exception as error:
        return type(error), str(error)
    return done.returncode, done.stdout, done.stderr, done.args


def same(*args, **kwargs):
    """Runs a program both ways, and returns what is the same."""
    ours, theirs = (outcome(function, *args, **kwargs) for function in (curt.run, subprocess.run))
    assert ours == theirs
    return ours


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (["echo", "a b", "$HOME", ""], {}),
        ([b"echo", "\udcff", Path("x/y")], {}),
        (("echo", "tuple"), {}),
        ("echo", {}),
        (b"true", {}),
        (Path("/bin/echo"), {}),
        (["argument zero", "-c", "echo $0"], {"executable": "/bin/sh"}),
        (["argument zero", "-c", "echo $0"], {"executable": b"sh"}),
        ("echo $0 $1; exit 3", {"shell": True}),
        (["echo $0 $1", "zero", "one"], {"shell": True}),
        ("echo $0", {"shell": True, "executable": "/bin/bash"}),
        (b"echo bytes", {"shell": True}),
        (["pwd"], {"cwd": "/"}),
        (["pwd"], {"cwd": Path("/usr")}),
        (["./sh", "-c", "pwd"], {"cwd": b"/bin"}),
        (["env", "-0"], {"env": {"Z": "1", "PATH": os.environ["PATH"], "A": "2", "": "3", "B\udcff": b"\xfe"}}),
        (["env", "-0"], {"env": {}}),
        (["env", "-0"], {"env": {b"PATH": os.environb[b"PATH"]}}),
        (["env", "-0"], {}),
        (["cat"], {"input": b"hello"}),
        (["cat"], {"input": "hello\r\n", "text": True}),
        (["cat"], {"input": "grün", "encoding": "latin-1"}),
        (["cat"], {"stdin": subprocess.DEVNULL}),
        (["sh", "-c", "echo out; echo err >&2"], {"stdout": PIPE, "stderr": subprocess.STDOUT}),
        (["sh", "-c", "echo out; echo err >&2"], {"stdout": subprocess.DEVNULL, "stderr": PIPE}),
        (["sh", "-c", "umask"], {"umask": 0o27}),
        (["sh", "-c", STATUS], {}),
        (["sh", "-c", STATUS], {"restore_signals": False}),
        (["sh", "-c", "kill -9 $$"], {}),
        (["sh", "-c", "cut -d ' ' -f 5 /proc/$$/stat | grep -qx $$ && echo leads"], {"start_new_session": True}),
        (["sh", "-c", "exit 3"], {"check": True}),
        (["sh", "-c", "echo begun; exec sleep 60"], {"timeout": 0.2}),
        (["true"], {"bufsize": 0, "pipesize": 4096}),
    ],
    ids=repr,
)
def test_results_are_those_of_cpython(starts, args, kwargs) -> None:
    if "stdout" not in kwargs:
        kwargs["capture_output"] = True
    # Readline may have set these without telling Python.
    for name in {"LINES", "COLUMNS"}.difference(os.environ):
        os.unsetenv(name)
    same(args, **kwargs)
    assert len(starts) == 1 and all(starts)


def test_options_that_exclude_each_other() -> None:
    for kwargs in (
        {"input": b"", "stdin": PIPE}, {"capture_output": True, "stdout": PIPE},
        {"capture_output": True, "stderr": PIPE}, {"text": True, "universal_newlines": False},
    ):  # fmt: skip
        assert issubclass(same(["true"], **kwargs)[0], (ValueError, subprocess.SubprocessError))


def test_iterators_are_read_once() -> None:
    for function in (curt.Popen, subprocess.Popen):
        with function(iter(["echo", "once"]), stdout=PIPE) as process:
            assert process.communicate()[0] == b"once\n"
        # What CPython starts gets them all the same.
        with function(iter(["echo", "once"]), stdout=PIPE, preexec_fn=lambda: None) as process:
            assert process.communicate()[0] == b"once\n"


def test_descriptors_of_an_iterator_are_read_once(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as file:
        text = f"test -e /dev/fd/{file.fileno()}"
        # CPython starts what may be in a relative directory.
        for path in ("/bin", "gone:/bin"):
            done = curt.run(["sh", "-c", text], pass_fds=iter([file.fileno()]), env={"PATH": path})
            assert done.returncode == 0


@pytest.mark.parametrize("program", ["gone", "/gone", "true"])
def test_what_fails_first_is_reported(program: str) -> None:
    # So large that none of CPython's own pipes gets it meanwhile.
    closed = 2**30
    for kwargs in ({"stdin": closed}, {"stderr": closed}, {"pass_fds": [closed]}):
        assert same([program], **kwargs)[:2] == (OSError, errno.EBADF)
    if sys.version_info >= (3, 11):
        assert same([program], process_group=2**31 - 1)[:2] == (PermissionError, errno.EPERM)


@pytest.mark.parametrize("cwd", [None, "/", "/no/such/directory", "/etc/passwd", "", b"/gone", Path("/gone")])
def test_exceptions_are_those_of_cpython(tmp_path: Path, monkeypatch, cwd) -> None:
    script = tmp_path / "curt-script"
    script.write_text("#!/no/such/interpreter\n")
    (tmp_path / "curt-text").write_text("echo not a program")
    (tmp_path / "curt-plain").write_text("")
    (tmp_path / "curt-loop").symlink_to("curt-loop")
    for name in ("curt-script", "curt-text"):
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    names = ["no such program", *(f"curt-{name}" for name in ("script", "text", "plain", "loop")), ".", "..", "", "x" * 300, "sh"]
    paths = [name if name == "sh" else str(tmp_path / name) for name in names]
    for program in [*names, *paths, tmp_path / "gone", str(script) + "/x", b"/gone", "y/" * 3000]:
        same([program, "-c", ""], cwd=cwd)


def test_arguments_that_are_too_long() -> None:
    found = same(["true", *["x" * 100_000] * 40])
    assert found[:2] == (OSError, errno.E2BIG)
    assert same(["/bin/true", *["x" * 100_000] * 40])[:2] == (OSError, errno.E2BIG)


NAMES = ["tool", "plain", "script", "text", "directory", "link", "broken", "gone", ".", ""]


@pytest.fixture(scope="module")
def bins(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("bins")
    for directory in ("one/directory", "two"):
        (root / directory).mkdir(parents=True)
    for name, text, mode in (
        ("one/tool", "#!/bin/sh\necho one $0\n", 0o755),
        ("two/tool", "#!/bin/sh\necho two $0\n", 0o755),
        ("one/plain", "#!/bin/sh\n", 0o644),
        ("two/plain", "#!/bin/sh\necho plain $0\n", 0o755),
        ("one/script", "#!/gone\n", 0o755),
        ("two/script", "#!/bin/sh\necho script $0\n", 0o755),
        ("one/text", "text", 0o755),
    ):
        (root / name).write_text(text)
        (root / name).chmod(mode)
    (root / "two/link").symlink_to("tool")
    (root / "two/broken").symlink_to("gone")
    (root / "file").write_text("")
    return root


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(data=st.data())
def test_programs_are_found_as_by_cpython(bins: Path, data) -> None:
    root = str(bins)
    entries = ["", ".", "one", "gone", "one//", f"{root}/one", f"{root}/two", f"{root}//two/", f"{root}/gone", f"{root}/file"]
    path = ":".join(data.draw(st.lists(st.sampled_from(entries), max_size=4)))
    cwd = data.draw(st.sampled_from([None, root, f"{root}/one"]))
    name = data.draw(st.sampled_from(NAMES))
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):
            same([name], env={"PATH": path}, cwd=cwd, stdout=PIPE)
        else:
            patch.setenv("PATH", path)
            same([name], cwd=cwd, stdout=PIPE)


def test_a_missing_search_path(monkeypatch) -> None:
    assert same(["sh", "-c", "echo found"], env={"A": "1"}, stdout=PIPE)[1] == b"found\n"
    monkeypatch.delenv("PATH")
    assert same(["sh", "-c", "echo found"], stdout=PIPE)[1] == b"found\n"
    same(["sh"], env={"PATH": "/bin", b"PATH": b"/usr/bin"})


def test_files_and_descriptors_are_passed(tmp_path: Path, starts) -> None:
    (tmp_path / "in").write_text("in")
    with open(tmp_path / "in") as source, open(tmp_path / "out", "w+") as target:
        number = source.fileno()
        text = f"cat; cat </dev/fd/{number}; echo done >&2"
        curt.run(["sh", "-c", text], stdin=source, stdout=target, stderr=target, pass_fds=[number])
        target.seek(0)
        assert target.read() == "inindone\n"
        hidden = curt.run(["sh", "-c", f"cat </dev/fd/{number}"], stderr=PIPE)
        assert hidden.returncode != 0
        os.set_inheritable(number, True)
        source.seek(0)
        shown = curt.run(["sh", "-c", f"cat </dev/fd/{number}"], stdout=PIPE, close_fds=False)
        assert shown.stdout == b"in"
        assert not source.closed and not target.closed
    assert all(starts) and len(starts) == 3
    # Its own streams, in each other's place.
    code = (
        "import os, sys, curt\n"
        "curt.run(['sh', '-c', 'echo out; echo err >&2'], stdout=2, stderr=1, check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert (done.stdout, done.stderr) == (b"err\n", b"out\n")


def test_closed_descriptors_and_odd_numbers(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as file:
        closed = os.dup(file.fileno())
    os.close(closed)
    for kwargs in (
        {"stdout": closed}, {"stdin": closed}, {"pass_fds": [closed]}, {"pass_fds": [-1]},
        {"pass_fds": [2**40]}, {"pass_fds": ["3"]}, {"pass_fds": [True]}, {"stdout": 2**40},
        {"stdout": object()}, {"umask": 2**40}, {"umask": "0"}, {"umask": -5}, {"pipesize": "x"},
    ):  # fmt: skip
        same(["true"], **kwargs)
    if sys.version_info >= (3, 11):
        for group in (-5, 2**40, "x", 2**22 - 1):
            same(["true"], process_group=group)


def test_groups_and_sessions(starts) -> None:
    show = "import os; print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())"
    command = [sys.executable, "-c", show]
    assert same(command, start_new_session=True, stdout=PIPE)[1] == b"True True\n"
    assert same(command, stdout=PIPE)[1] == b"False False\n"
    if sys.version_info >= (3, 11):
        assert same(command, process_group=0, stdout=PIPE)[1] == b"True False\n"
        assert all(starts) and len(starts) == 3
        same(command, process_group=0, start_new_session=True, stdout=PIPE)
        assert len(starts) == 3


def test_what_curt_cannot_do_is_passed_to_cpython(starts) -> None:
    for kwargs in ({"preexec_fn": lambda: os.umask(0o11)}, {"user": os.getuid()}, {"group": os.getgid()}):
        assert same(["sh", "-c", "umask; id -u"], stdout=PIPE, **kwargs)[0] == 0
    assert starts == []


@pytest.mark.parametrize("bad", [
    None, 3, 1.5, object(), [], "a\0b", b"a\0b", "\ud800", bytearray(b"x"), type, "x" * 10**6,
], ids=lambda bad: repr(bad)[:20])  # fmt: skip
def test_odd_values_anywhere(bad) -> None:
    same(bad, stdout=PIPE)
    for kwargs in (
        {"args": [bad]}, {"args": ["true", bad]}, {"args": ["true"], "cwd": bad},
        {"args": ["true"], "executable": bad}, {"args": bad, "shell": True},
        {"args": ["true"], "env": {"A": bad}}, {"args": [], "executable": bad},
    ):  # fmt: skip
        same(stdout=PIPE, **kwargs)
    if not isinstance(bad, (list, bytearray)):
        same(["true"], stdout=PIPE, env={bad: "A"})
    if not bad or type(bad) in (int, float, object):
        same(["true"], stdout=PIPE, env=bad)
    same(["true"], env={"a=b": "c"})
    same(["true"], env={"PATH": "/bin\0:/usr/bin"})


def test_paths_whose_conversion_raises() -> None:
    class Raises:
        def __fspath__(self):
            raise LookupError("from __fspath__")

    for args, kwargs in (([Raises()], {}), (["true", Raises()], {}), (["true"], {"cwd": Raises()}), (Raises(), {})):
        assert same(args, **kwargs)[0] is LookupError


TEXTS = st.one_of(st.text(max_size=8), st.binary(max_size=8), st.integers(-2, 2), st.none())


@settings(deadline=None, max_examples=60)
@given(args=st.lists(TEXTS, min_size=1, max_size=3), name=TEXTS, value=TEXTS, cwd=TEXTS)
def test_any_texts(args: list, name, value, cwd) -> None:
    """Nothing is executed: no program of this name may be there."""
    program = args[0]
    if isinstance(program, (str, bytes)):
        args[0] = "/no such directory/" + program if isinstance(program, str) else b"/no such directory/" + program
    same(args, cwd=cwd)
    same(["true", *args], env={"PATH": os.defpath, name: value}, stdout=PIPE)


NUMBERS = st.sampled_from([-(2**31), -1, 0, 1, 3, 9, 1000, 2**20, 2**31 - 1])
BYTES = st.binary(max_size=8)


@settings(deadline=None)
@given(data=st.data())
def test_the_native_function_never_crashes(data) -> None:
    """It gets anything of the right types; what it starts would have to exist."""
    name = b"no-such-" + data.draw(BYTES.filter(lambda text: b"/" not in text))
    program = data.draw(st.sampled_from([name, b"/no/such/" + name]))
    try:
        found = _process._curt.start(
            data.draw(TEXTS),
            program,
            data.draw(st.lists(BYTES, max_size=3)),
            data.draw(st.lists(st.one_of(BYTES, st.just(b"/bin")), max_size=3).map(b":".join)),
            data.draw(st.booleans()),
            data.draw(st.one_of(st.none(), st.lists(st.tuples(BYTES, BYTES), max_size=3))),
            data.draw(TEXTS),
            data.draw(st.one_of(st.none(), BYTES)),
            data.draw(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3)),
            *data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans())),
            data.draw(st.one_of(st.none(), NUMBERS)),
            data.draw(st.one_of(st.none(), NUMBERS)),
        )
    except (OSError, OverflowError):
        return
    assert found is None


@given(st.lists(st.one_of(TEXTS, st.booleans(), st.lists(TEXTS, max_size=2)), max_size=13))
def test_the_native_function_checks_types(arguments: list) -> None:
    with pytest.raises(TypeError):
        _process._curt.start(*arguments)


def test_mocks_and_settings_of_programs_are_respected(monkeypatch, starts) -> None:
    curt.install()
    try:
        with mock.patch("subprocess.Popen") as replaced:
            subprocess.Popen(["no such program"])
        replaced.assert_called_once_with(["no such program"])
        with mock.patch.object(subprocess.Popen, "communicate", return_value=("mocked", None)):
            assert subprocess.run(["true"], stdout=PIPE).stdout == "mocked"
        assert len(starts) == 1
        monkeypatch.setattr(subprocess, "_USE_VFORK", False, raising=False)
        assert subprocess.run(["true"]).returncode == 0
        assert len(starts) == 1
    finally:
        curt.uninstall()


def test_popen_is_that_of_cpython(starts) -> None:
    assert issubclass(curt.Popen, subprocess.Popen)
    with curt.Popen(["cat"], stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.poll() is None and repr(process).startswith("<Popen: returncode: None")
        with pytest.raises(subprocess.TimeoutExpired) as caught:
            process.wait(timeout=0.01)
        assert caught.value.cmd == ["cat"]
        assert process.communicate("hello") == ("hello", None)
    assert process.returncode == 0
    with curt.Popen(["sleep", "60"]) as process:
        process.terminate()
    assert process.returncode == -signal.SIGTERM
    assert starts == [starts[0], process.pid]
    with pytest.raises(ChildProcessError):
        os.waitpid(process.pid, 0)


def test_no_descriptor_and_no_child_is_left(tmp_path: Path) -> None:
    # In a process of its own: other tests leave children that help them.
    code = """
import os, sys
from subprocess import DEVNULL, PIPE
import curt

def fails(program, **options):
    try:
        curt.Popen([program], stdout=PIPE, **options)
    except OSError:
        return
    raise AssertionError(program)

folder = sys.argv[1]
before = sorted(os.listdir("/proc/self/fd"))
for _ in range(3):
    curt.run(["cat"], input=b"x", capture_output=True)
    for program in ("no such program", "/no/such/program", folder):
        fails(program, stdin=PIPE, stderr=PIPE)
    fails("true", stdin=DEVNULL, cwd=folder + "/gone")
assert sorted(os.listdir("/proc/self/fd")) == before
try:
    raise AssertionError(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("none")
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("none\n", "")


def test_the_audit_event_is_raised_once() -> None:
    code = (
        "import sys, curt\n"
        "sys.addaudithook(lambda name, args: name == 'subprocess.Popen' and print(args, flush=True))\n"
        "curt.run(['true', 'x'], cwd='/', env={'PATH': '/bin:/usr/bin'})\n"
        "curt.run('true', shell=True, preexec_fn=lambda: None)\n"
        "try: curt.run(['no such program'])\n"
        "except FileNotFoundError: pass\n"
    )
    ours = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    theirs = subprocess.run(
        [sys.executable, "-c", code.replace("curt", "subprocess")], capture_output=True, check=True
    ).stdout
    assert ours == theirs and ours.count(b"\n") == 3


def test_many_threads_start_at_once() -> None:
    results: list[bytes] = []

    def work(number: int) -> None:
        for _ in range(5):
            results.append(curt.run(["echo", str(number)], stdout=PIPE).stdout)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(b"%d\n" % number for number in range(6) for _ in range(5))


def test_everything_starts_by_curt_once_it_is_installed(starts) -> None:
    earlier = subprocess.Popen

    class Own(subprocess.Popen):
        pass

    async def asynchronous() -> bytes:
        process = await asyncio.create_subprocess_exec("echo", "async", stdout=PIPE)
        return (await process.communicate())[0]

    curt.install()
    try:
        assert subprocess.Popen is earlier and issubclass(curt.Popen, subprocess.Popen)
        assert subprocess.run(["echo", "run"], stdout=PIPE).stdout == b"run\n"
        assert subprocess.check_output(["echo", "output"]) == b"output\n"
        assert subprocess.getoutput("echo shell") == "shell"
        assert os.popen("echo popen").read() == "popen\n"
        assert Own(["true"]).wait() == 0
        assert asyncio.run(asynchronous()) == b"async\n"
        assert len(starts) == 6 and all(starts)
    finally:
        curt.uninstall()
    assert subprocess.check_output(["echo", "output"]) == b"output\n"
    assert len(starts) == 6


needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


def traced(tmp_path: Path, code: str, *options: str, **kwargs) -> subprocess.CompletedProcess:
    command = ["strace", "-f", "-qq", "-o", str(tmp_path / "trace"), *options, sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    return done


def calls(tmp_path: Path, function: str, path: str, **kwargs) -> tuple[int, int]:
    """The calls of a start in the parent, and in the child until it executes the program.

    Without those for memory, which musl asks for more often than GNU's C library.
    """
    code = (
        "import os, subprocess, curt\n"
        f"{function}(['true'])\nos.umask(0o7123)\n{function}(['true'])\nos.umask(0o7124)\n"
    )
    traced(tmp_path, code, env={**os.environ, "PATH": path}, **kwargs)
    lines = (tmp_path / "trace").read_text().splitlines()
    marks = [index for index, line in enumerate(lines) if re.search(r"umask\(0?712[34]\)", line)]
    parent = lines[marks[0]].split()[0]
    counts, is_started = [0, 0], False
    for line in lines[marks[0] + 1 : marks[1]]:
        pid, rest = line.split(None, 1)
        if not rest.startswith(("---", "+++", "<...", "mmap(", "munmap(", "brk(")):
            counts[pid != parent] += not is_started or pid == parent
        # From here on the child's are those of the program.
        is_started |= pid != parent and "execve" in rest and rest.endswith("= 0")
    return counts[0], counts[1]


@needs_strace
def test_a_start_takes_fewer_calls_than_that_of_cpython(tmp_path: Path) -> None:
    folders = [tmp_path / f"bin{number}" for number in range(10)]
    for folder in folders:
        folder.mkdir()
    path = ":".join([*map(str, folders), "/usr/bin", "/bin"])
    assert shutil.which("true", path=path) == "/usr/bin/true"
    ours, theirs = (calls(tmp_path, name, path) for name in ("curt.run", "subprocess.run"))
    # The look-up is 11 calls for the directories and 1 for the file; the rest is the start.
    assert ours[1] <= 5 and sum(ours) <= 20, ours
    assert sum(ours) < sum(theirs) / 2, (ours, theirs)


@needs_strace
def test_other_threads_run_while_a_program_is_started(tmp_path: Path) -> None:
    code = (
        "import threading, time, curt\n"
        "longest, last, stop = 0, time.perf_counter(), False\n"
        "def tick():\n"
        "    global longest, last\n"
        "    while not stop:\n"
        "        now = time.perf_counter()\n"
        "        longest, last = max(longest, now - last), now\n"
        "thread = threading.Thread(target=tick)\n"
        "thread.start()\n"
        "curt.run(['/bin/true'])\n"
        "stop = True\n"
        "thread.join()\n"
        "print(longest)\n"
    )
    done = traced(tmp_path, code, "-e", "inject=execve:delay_enter=700000")
    # The child sleeps before it executes the program, and the thread that starts it waits.
    assert float(done.stdout) < 0.5


@needs_strace
def test_a_process_is_never_copied(tmp_path: Path) -> None:
    """Where the call that curt starts programs with is forbidden, CPython starts them."""
    code = "import curt; print(curt.run(['true']).returncode, curt.run(['sh', '-c', 'exit 3']).returncode)"
    for options in ([], ["-e", "inject=clone3:error=ENOSYS"], ["-e", "inject=clone3:error=EPERM"]):
        done = traced(tmp_path, code, *options)
        assert done.stdout == "0 3\n"
        trace = (tmp_path / "trace").read_text()
        assert len(re.findall(r"vfork\(|CLONE_VFORK", trace)) == 2, trace
        assert not re.search(r" fork\(|clone\(child_stack=NULL", trace)
