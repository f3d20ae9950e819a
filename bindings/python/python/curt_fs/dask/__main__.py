"""`python -m curt_fs.dask usage|walk|find|remove PATH`.

Exit codes: 0 done, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import curt_fs.dask
from curt_fs.dask._scan import Condition
from curt_fs.dask._worker import distributed

PROGRAM = "python -m curt_fs.dask"


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Measures, walks, searches or removes a tree on a Dask cluster.",
        epilog="Exit: 0 done, 1 something failed, 2 wrong usage.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    usage = commands.add_parser("usage", help="report disk usage: bytes on disk and the path")
    usage.add_argument("--max-depth", type=depth, default=0, help="report directories down to here")
    walk = commands.add_parser("walk", help="print the paths of all entries, in order")
    find = commands.add_parser("find", help="print the paths of the entries that match")
    commands.add_parser("remove", help="remove a directory with everything in it")
    for command in (usage, walk, find, commands.choices["remove"]):
        command.add_argument("path", metavar="PATH")
        command.add_argument(
            "--scheduler", metavar="ADDRESS", type=scheduler, help="default: a local cluster"
        )
    find.add_argument(
        "condition",
        metavar="CONDITION",
        type=condition,
        help="a Python expression of the entry's fields (name, kind, size, owner, mtime, …), for "
        "example: size > 10**9 and name.endswith('.o')",
    )
    for command in (walk, find):
        command.add_argument("-0", "--null", action="store_true", help="end each path with NUL")
    return parser


def scheduler(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def depth(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("it must not be negative")
    return number


def condition(text: str) -> Condition:
    try:
        return Condition(text)
    except (SyntaxError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"not an expression: {error}") from None
    except NameError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def visible(path: str) -> str:
    """Escapes characters that a terminal would obey or could not show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)


def write(paths: Iterable[str], ends_with_nul: bool) -> None:
    if sys.stdout.isatty():
        paths = map(visible, paths)
    end = b"\0" if ends_with_nul else b"\n"
    for path in paths:
        sys.stdout.buffer.write(os.fsencode(path) + end)
    sys.stdout.buffer.flush()


def failed(errors: Iterable[OSError], verb: str) -> int:
    code = 0
    for error in errors:
        code = 1
        where = "" if error.filename is None else f" '{visible(os.fsdecode(error.filename))}'"
        text = f"cannot {verb}{where}: {error.strerror}" if error.strerror else str(error)
        print(f"{PROGRAM}: {text}", file=sys.stderr)
    return code


def usage(options: argparse.Namespace, client: Any) -> int:
    report = curt_fs.dask.usage(options.path, max_depth=options.max_depth, client=client)
    write((f"{record.allocated}\t{record.path}" for record in report.records), False)
    return failed(report.errors, "measure")


def walk(options: argparse.Namespace, client: Any) -> int:
    frame = curt_fs.dask.walk(options.path, client=client)
    code = 0
    for partition in frame.partitions:
        rows = partition[["path", "kind", "error"]].compute()
        entries = rows[rows.kind != "error"]
        write(entries.path, options.null)
        errors = rows[rows.kind == "error"]
        code |= failed((OSError(0, e.error, e.path) for e in errors.itertuples()), "walk")
    return code


def find(options: argparse.Namespace, client: Any) -> int:
    found = curt_fs.dask.find(options.path, options.condition, client=client)
    write((entry.path for entry in found.entries), options.null)
    return failed(found.errors, "search")


def remove(options: argparse.Namespace, client: Any) -> int:
    return failed(curt_fs.dask.remove(options.path, client=client).errors, "remove")


def connect(scheduler: str | None) -> Any:
    if scheduler is None:
        return distributed.Client(threads_per_worker=1, dashboard_address=":0")
    try:
        return distributed.Client(scheduler)
    except Exception as error:
        raise ConnectionError(f"cannot connect to '{scheduler}': {error}") from error


def dashboard(client: Any, scheduler: str | None) -> str:
    """Returns a line about the dashboard. An external scheduler's page reports missing bokeh."""
    if scheduler is None and find_spec("bokeh") is None:
        return "no dashboard: `pip install bokeh` gives one, which shows the progress"
    return f"dashboard: {client.dashboard_link}"


def main() -> int:
    options = arguments().parse_args()
    commands = {"usage": usage, "walk": walk, "find": find, "remove": remove}
    verbs = {"usage": "measure", "find": "search"}
    try:
        with connect(options.scheduler) as client:
            print(dashboard(client, options.scheduler), file=sys.stderr)
            return commands[options.command](options, client)
    except KeyboardInterrupt:
        # End the program by the signal, without a traceback.
        sys.excepthook = lambda *_: None
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError, RuntimeError, ImportError, TimeoutError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            return failed([error], verbs.get(options.command, options.command))
        print(f"{PROGRAM} {options.command}: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        text = error.args[0] if error.args else type(error).__name__
        print(f"{PROGRAM} {options.command}: {text}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
