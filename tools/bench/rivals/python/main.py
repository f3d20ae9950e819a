"""Removes one tree with shutil.rmtree."""

import shutil
import sys

if len(sys.argv) != 2:
    sys.exit("usage: rm-python TREE")
shutil.rmtree(sys.argv[1])
