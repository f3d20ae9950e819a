"""Makes the report's tree: 36,346 empty files in 4,863 directories, at most ten levels.

README.md explains the numbers per level, from the root on.
"""

import os

LEVELS = [1, 5, 850, 1122, 1150, 1055, 470, 160, 40, 10]
FILES = 36_346
# Directories larger than a buffer of 8 KiB. They contain only files.
LARGE, IN_LARGE = 15, 300


def directories():
    """Returns the paths of all directories below the root with their level, parents first."""
    above = [""]
    for level, count in enumerate(LEVELS[1:], 2):
        # A third of the directories of a level have subdirectories.
        parents = above[: max(1, len(above) // 3)]
        here = [
            os.path.join(parents[n % len(parents)], f"d{level:02}-{n:04}") for n in range(count)
        ]
        yield from here
        above = here


def make(root):
    all_of_them = [root] + [os.path.join(root, path) for path in directories()]
    for path in all_of_them:
        os.mkdir(path)
    # Parents are the first directories of their level, so the last ones have no subdirectories.
    large = all_of_them[-LARGE:]
    usual = all_of_them[:-LARGE]
    rest = FILES - LARGE * IN_LARGE
    counts = [(path, IN_LARGE) for path in large]
    counts += [(path, rest // len(usual) + (n < rest % len(usual))) for n, path in enumerate(usual)]
    for path, count in counts:
        for n in range(count):
            os.close(os.open(os.path.join(path, f"f{n:05}"), os.O_CREAT | os.O_WRONLY, 0o644))
