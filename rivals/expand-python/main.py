"""posixpath.normpath(join(base, path)): FLAVOR ROUNDS BASES PATHS."""
import sys
from posixpath import join, normpath


def main():
    flavor, rounds, bases, paths = sys.argv[1:5]
    if flavor != "posix":
        return 2
    bases, paths = bases.split("|"), paths.split("|")
    total = 0
    for _ in range(int(rounds)):
        for base in bases:
            for path in paths:
                total += len(normpath(join(base, path)))
    print(total)
    return 0


sys.exit(main())
