# SPDX-License-Identifier: Apache-2.0
"""Running what is measured, side by side: rowline's drivers, peers, other programs."""
import json
import os
import subprocess
import sys
import time


def busy_ticks():
    """Ticks in which the machine's cores worked."""
    with open("/proc/stat") as stat:
        ticks = [int(t) for t in stat.readline().split()[1:]]
    return sum(ticks) - ticks[3] - ticks[4]


def wait_for_quiet(seconds):
    """Until others leave the machine three quarters idle for half a second, or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        before = busy_ticks()
        time.sleep(0.5)
        if (busy_ticks() - before) / os.sysconf("SC_CLK_TCK") < 0.5 * os.cpu_count() * 0.25:
            return


class Bench:
    """The places and the ways to run; counts how busy others kept the machine."""

    def __init__(self, options, data):
        self.options, self.data = options, data
        self.out = self.path("out")
        self.wall = self.ours = self.busy = 0.0
        self.tick = os.sysconf("SC_CLK_TCK")

    def files(self, *names):
        """The Parquet files of these sets, or the one file."""
        found = []
        for name in names:
            path = os.path.join(self.data, name)
            if os.path.isdir(path):
                found += sorted(os.path.join(path, f) for f in os.listdir(path) if f.endswith(".parquet"))
            else:
                found.append(path)
        return found

    def path(self, name):
        """A file of this run alone."""
        return os.path.join(self.options.work, "%s-%d.parquet" % (name, os.getpid()))

    def program(self, name):
        return os.path.join(self.options.programs, name)

    def run(self, command, environment=None):
        """Output of a command that must succeed, and what it used."""
        self.clean()
        start, busy = time.monotonic(), busy_ticks()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        out, err = child.communicate() if "--stats" in command else (child.stdout.read(), b"")
        usage = None
        if child.returncode is None:
            err = child.stderr.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError("%s: exit %d: %s" % (" ".join(command)[:200], child.returncode,
                                                    err.decode(errors="replace")[-400:]))
        wall = time.monotonic() - start
        self.wall += wall
        self.busy += (busy_ticks() - busy) / self.tick
        if usage is None:
            return out, {"stderr": err.decode()}
        self.ours += usage.ru_utime + usage.ru_stime
        return out, {"cpu": usage.ru_utime + usage.ru_stime, "user": usage.ru_utime, "wall": wall,
                     "peak": usage.ru_maxrss * 1024}

    def clean(self):
        if os.path.exists(self.out):
            os.unlink(self.out)

    def driver(self, name, *arguments):
        """A side that is one of the programs of bench/, which prints its figures."""
        return lambda: json.loads(self.run([self.program(name), *map(str, arguments)])[0])

    def peer(self, peer, work, files, threads=1, **more):
        job = dict(peer=peer, work=work, files=files, threads=threads, **more)
        python = more.pop("python", sys.executable)
        return lambda: json.loads(self.run([python, os.path.join(os.path.dirname(__file__), "parquet_peers.py"),
                                            json.dumps(job)])[0])

    def command(self, *command):
        """A side that is a program of others, start-up counted."""
        def side():
            _, figures = self.run(list(command))
            if os.path.exists(self.out):
                figures["bytes"] = os.path.getsize(self.out)
            return figures
        return side

    def others(self):
        """Cores others kept busy meanwhile, on average."""
        return max(0.0, (self.busy - self.ours) / self.wall) if self.wall else 0.0

    def compare(self, sides, rounds):
        """The cheapest of each side's runs; the sides take turns."""
        best = {}
        for _ in range(rounds):
            for name, side in sides.items():
                wait_for_quiet(self.options.wait)
                one = side()
                if name not in best or one["cpu"] < best[name]["cpu"]:
                    best[name] = one
        self.clean()
        return best
