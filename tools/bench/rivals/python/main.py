"""Python's standard library in curt-bench."""

import os
import sys


def rm(tree, out):
    from shutil import rmtree

    rmtree(tree)


def ls(tree, out):
    with os.scandir(tree) as entries:
        out.writelines(entry.name + "\n" for entry in entries)


def long(tree, out):
    with os.scandir(tree) as entries:
        for entry in entries:
            target = " -> " + os.readlink(entry.path) if entry.is_symlink() else ""
            size = entry.stat(follow_symlinks=False).st_size
            out.write(f"{size} {entry.name}{target}\n")


def walk(tree, out):
    out.write(tree + "\n")
    for folder, below, files in os.walk(tree):
        prefix = folder + "/"
        out.writelines(prefix + name + "\n" for name in below)
        out.writelines(prefix + name + "\n" for name in files)


def entries_below(tree):
    folders = [tree]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)


def sizes(tree, out):
    out.write(f"{os.lstat(tree).st_size} {tree}\n")
    for entry in entries_below(tree):
        out.write(f"{entry.stat(follow_symlinks=False).st_size} {entry.path}\n")


def du(tree, out):
    total = os.lstat(tree).st_blocks
    total += sum(entry.stat(follow_symlinks=False).st_blocks for entry in entries_below(tree))
    out.write(f"{(total * 512 + 1023) // 1024}\n")


TASKS = {"rm": rm, "ls": ls, "long": long, "walk": walk, "sizes": sizes, "du": du}

if len(sys.argv) != 3 or sys.argv[1] not in TASKS:
    print("usage: rival-python rm|ls|long|walk|sizes|du TREE", file=sys.stderr)
    sys.exit(2)
with open(1, "w", buffering=65536, closefd=False, errors="surrogateescape") as stdout:
    TASKS[sys.argv[1]](sys.argv[2], stdout)
