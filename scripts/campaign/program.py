"""Calls of autokernel in the campaign's repository, in an environment that is the same on each machine."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

from templates import LIBRARY

# Seconds for a step that is under way when time is up, and a part of them more once it was cut off.
PATIENCE = 24
# In the folder of the campaign: of this machine, and no part of its state.
HOME = "home"
# git's settings of a user are part of a run's record.
NO_SETTINGS_OF_GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
# As in linux/prctl.h.
PR_SET_PDEATHSIG = 1


def driver_release():
    """Of NVIDIA's driver, as 580.159.04: several have the same CUDA version, which is what bench names. None where it is not known."""
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        printed = subprocess.run(query, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return printed.split("\n")[0].strip() or None


def end_with_parent():
    """A process that does this gets SIGTERM when its parent ends, even if that was killed: nobody else would save what it does."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Program:
    def __init__(self, prefix, work, out):
        self.file = prefix / "bin/autokernel"
        self.repository = work / "repository"
        self.log = out / "campaign.log"
        home = work / HOME
        home.mkdir(exist_ok=True)
        libraries = [str(prefix / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        self._environment = {
            **os.environ,
            "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}",
            "LD_LIBRARY_PATH": ":".join(libraries),
            # In the cache is what --resume needs.
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            **NO_SETTINGS_OF_GIT,
        }
        self._environment.pop("AUTOKERNEL_TURN", None)

    def say(self, text):
        print(text, flush=True)
        with self.log.open("a") as log:
            log.write(text + "\n")

    def call(self, words, timeout=None):
        """(exit code, standard output); standard error goes to the log."""
        with self.log.open("a") as log:
            log.write("$ autokernel " + " ".join(words) + "\n")
            log.flush()
            done = subprocess.run(
                [self.file, *words], cwd=self.repository, env=self._environment, stdout=subprocess.PIPE, stderr=log, text=True, timeout=timeout
            )
            if "--json" not in words:
                log.write(done.stdout)
            log.write(f"exit code {done.returncode}\n")
        return done.returncode, done.stdout

    def json_once(self, file, words, clock):
        """What the command prints goes to the file, if it is not there yet and there is time. Whether the file is there."""
        if file.exists():
            return True
        if clock.left() <= 0:
            return False
        try:
            code, printed = self.call(words, timeout=clock.left())
        except subprocess.TimeoutExpired:
            self.say(f"out of time: autokernel {' '.join(words)}")
            return False
        if not printed.startswith("{"):
            self.say(f"autokernel {' '.join(words)} ended with {code}: {self.log} says why")
            return False
        file.write_text(printed)
        return True

    def probe(self, device, size):
        """What device, driver and compiler are here: by a bench, which names them as the record does."""
        # Of a kernel that runs anywhere: the repository may have one that a kill has left there.
        kernel = str(LIBRARY / "stage_1_naive.cu")
        code, printed = self.call(["bench", "--json", "--quick", "--device", device, "--size", size, "--kernel", kernel])
        try:
            bench = json.loads(printed)
            return {
                "device": bench["device"]["name"],
                "driver": bench["versions"]["driver"],
                "driver_release": driver_release(),
                "emulated": bench["device"]["emulated"],
                "versions": bench["versions"],
                "program": bench["program"],
            }
        except (ValueError, KeyError, TypeError):
            sys.exit(f"run: bench gives no device, exit code {code}: {printed[:500]}")

    def call_until(self, words, seconds):
        """Its exit code; after so many seconds it is asked to end. What it prints goes to the log and to standard output."""
        with self.log.open("a") as log:
            log.write("$ autokernel " + " ".join(words) + "\n")
            log.flush()
            running = subprocess.Popen(
                [self.file, *words],
                cwd=self.repository,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=end_with_parent,
            )
            end = time.monotonic() + seconds
            try:
                while running.poll() is None and time.monotonic() < end:
                    time.sleep(0.2)
            finally:
                # SIGTERM is what a machine sends that goes down: the step under way is finished, a second one ends that too.
                for wait in (PATIENCE, PATIENCE / 4):
                    if running.poll() is not None:
                        break
                    running.send_signal(signal.SIGTERM)
                    try:
                        running.wait(wait)
                    except subprocess.TimeoutExpired:
                        pass
                if running.poll() is None:
                    running.kill()
                    running.wait()
            log.write(f"exit code {running.returncode}\n")
        return running.returncode
