#!/bin/bash
# A query is a process start: what one costs beside that of Python doing nothing, in turns, so that
# both see the same machine.
#   usage: startup.sh [--check] [BINARY]   --check: exit 1 above a fifth of the time, or 16 MiB
set -euo pipefail
exec /usr/bin/python3 -I - "$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)" "$@" <<'PYTHON'
import os, statistics, subprocess, sys, time

root, arguments = sys.argv[1], sys.argv[2:]
check = "--check" in arguments
binary = next((a for a in arguments if a != "--check"), root + "/build/release/napkin")
napkin = [binary, "decode", "llama-3.1-70b", "--on", "2xh100", "--json"]
python = ["/usr/bin/python3", "-I", "-c", "pass"]
runs, most_of_the_time, most_memory = 50, 0.2, 16

if not os.access(binary, os.X_OK):
    sys.exit(f"no program at {binary}: give its path, or build the preset `release`")
environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
nowhere = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]

def once(command):
    """Seconds from start to end, and the most KiB resident."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return seconds, usage.ru_maxrss

def memory_of(command):
    """Peak MiB, and how it is known: a process is charged with what its parent held as well, so
    GNU time, which is small, tells more than this script can."""
    if os.path.exists("/usr/bin/time"):
        run = subprocess.run(["/usr/bin/time", "-f", "%M", *command], env=environment, check=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return int(run.stderr.split()[-1]) / 1024, "peak"
    return once(command)[1] / 1024, "peak at most (GNU time, package `time`, is exact)"

for command in (napkin, python):  # fills the page cache
    once(command)
pairs = [(once(napkin)[0], once(python)[0]) for _ in range(runs)]
ours = statistics.median(a for a, _ in pairs)
theirs = statistics.median(b for _, b in pairs)
memory, how = memory_of(napkin)
ratio = ours / theirs

print(f"napkin  {ours * 1e3:8.2f} ms   median of {runs}")
print(f"python  {theirs * 1e3:8.2f} ms   python3 -I -c pass")
print(f"ratio   {ratio:8.3f}      at most {most_of_the_time} wanted")
print(f"memory  {memory:8.1f} MiB  {how}; at most {most_memory} wanted")
if check and (ratio > most_of_the_time or memory > most_memory):
    sys.exit("too slow or too large")
PYTHON
