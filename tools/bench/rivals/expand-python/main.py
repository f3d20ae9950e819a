"""normpath(join(base, path)) of posixpath and ntpath: FLAVOR ROUNDS BASES PATHS. Once as often as ROUNDS
says, and as often again by the clock."""
import ntpath
import posixpath
import sys
from time import perf_counter_ns


def expand_all(module, rounds, bases, paths):
    join, normpath = module.join, module.normpath
    total = 0
    for _ in range(rounds):
        for base in bases:
            for path in paths:
                total += len(normpath(join(base, path)))
    return total


def main():
    flavor, rounds, bases, paths = sys.argv[1:5]
    module = ntpath if flavor == "windows" else posixpath
    rounds, bases, paths = int(rounds), bases.split("|"), paths.split("|")
    expand_all(module, rounds, bases, paths)
    begin = perf_counter_ns()
    total = expand_all(module, rounds, bases, paths)
    each = (perf_counter_ns() - begin) / (rounds * len(bases) * len(paths))
    print(total // rounds, f"{each:.3f}")


main()
