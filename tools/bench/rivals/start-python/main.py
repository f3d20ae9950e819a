"""Starts programs by subprocess: SHAPE COUNT FOLDER."""
import os
import subprocess
import sys

shape, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
places = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
if len(places) < 197:
    print(0)
    sys.exit()
hello = places[196] + "/hello"
if shape == "near":
    places = places[196:197]
os.environ["PATH"] = ":".join(places)
resident = bytearray(b"\1") * (1 << 30) if shape == "large" else None
programs = {"path": hello, "large": hello, "linked": "/bin/true", "nowhere": "curt-no-such-program"}
program = programs.get(shape, "hello")
well = 0
for _ in range(count):
    try:
        well += subprocess.call([program]) == 0 and shape != "nowhere"
    except FileNotFoundError:
        well += shape == "nowhere"
print(well)
