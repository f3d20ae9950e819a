"""Unpacks an untrusted tar archive, without reading or changing anything outside the folder.

usage: python unpack.py ARCHIVE FOLDER

Entries that cannot be created beneath the folder are reported, and the others are unpacked.
Symlinks keep their targets, which other programs may follow out of the folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import tarfile

import curt_fs as curt

REFUSALS = (OSError, ValueError, OverflowError)


def unpack(archive: tarfile.TarFile, root: curt.Root) -> list[tuple[str, Exception]]:
    failed: list[tuple[str, Exception]] = []
    directories = []
    for member in archive:
        try:
            unpack_member(archive, member, root)
        except REFUSALS as error:
            failed.append((member.name, error))
        else:
            directories += [member] if member.isdir() else []
    # Directories come last, the innermost first, because they may become read-only.
    for member in sorted(directories, key=lambda member: member.name, reverse=True):
        try:
            set_metadata(member, root)
        except REFUSALS as error:
            failed.append((member.name, error))
    return failed


def unpack_member(archive: tarfile.TarFile, member: tarfile.TarInfo, root: curt.Root) -> None:
    name = member.name
    if member.isdir():
        root.makedirs(name, exist_ok=True)
        return
    if not (member.isfile() or member.issym() or member.islnk()):
        raise ValueError("no file, directory or link")
    root.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    # As tar does, replaces an existing file or symlink and never writes through it.
    try:
        root.unlink(name)
    except FileNotFoundError:
        pass
    if member.issym():
        root.symlink(member.linkname, name)
    elif member.islnk():
        root.link(member.linkname, name)
    else:
        source = archive.extractfile(member)
        assert source is not None
        with source, root.open(name, "xb") as target:
            shutil.copyfileobj(source, target)
        set_metadata(member, root)


def set_metadata(member: tarfile.TarInfo, root: curt.Root) -> None:
    """Sets the time and the permissions, without the setuid, setgid and sticky bits."""
    root.chmod(member.name, member.mode & 0o777)
    root.utime(member.name, (member.mtime, member.mtime))


if __name__ == "__main__":
    with tarfile.open(sys.argv[1]) as archive, curt.Root(sys.argv[2]) as root:
        for name, error in unpack(archive, root):
            print(f"not unpacked: {name}: {error}", file=sys.stderr)
