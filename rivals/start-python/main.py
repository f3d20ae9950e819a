"""Starts programs by subprocess: SHAPE COUNT FOLDER."""
import os
import subprocess
import sys

shape, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if shape == "near":
    places = ["/bin"]
else:
    places = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    if shape != "nowhere":
        places.insert(196, "/bin")
os.environ["PATH"] = ":".join(places)
resident = bytearray(b"\1") * (1 << 30) if shape == "large" else None
program = {"path": "/bin/true", "large": "/bin/true", "nowhere": "curt-no-such-program"}.get(shape, "true")
well = 0
for _ in range(count):
    try:
        well += subprocess.call([program]) == 0 and shape != "nowhere"
    except FileNotFoundError:
        well += shape == "nowhere"
print(well)
