"""A judge with a simulated fleet: devices that only sleep (sleeping_relay.cpp), real queue, ledger and sockets.

    fleet.py AUTOKERNEL SLEEPING_RELAY cost  [--devices 1000] [--trials 100000] [--ms 100]
    fleet.py AUTOKERNEL SLEEPING_RELAY queue [--trials 100000]
    fleet.py AUTOKERNEL SLEEPING_RELAY kills [--devices 20] [--trials 2000] [--ms 20] [--kills 200]

cost prints what the judge itself uses for a trial: processor time and memory. queue prints its memory when all of
them wait, and how long the next judge takes to take them up. kills ends the judge, devices and
connections at random while trials are handed in, and exits with 1 if one is lost, or has not exactly one result.
"""

import argparse
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "fleet-0123456789abcdef"
SOURCE = "// a kernel of a few hundred bytes\n" * 10


class Judge:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.port = 0
        self.process = None
        self.cpu_seconds = 0.0
        relay = subprocess.run([options.autokernel, "relay"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        greeting = relay.stdout.splitlines()[0]
        self.launcher = f"'{options.relay}' '{greeting}' {options.ms}"
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w") as file:
            file.write(f"fleet {TOKEN}\n")
        os.chmod(tokens, 0o600)

    def environment(self):
        return {**os.environ, "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "AUTOKERNEL_RESIDENT": "0"}

    def start(self):
        self.process = subprocess.Popen(
            [self.options.autokernel, "serve", "--cases", self.options.case, "--store", os.path.join(self.folder, "store"),
             "--devices", f"{self.options.devices}*launcher:{self.launcher}/cuda", "--listen", f"127.0.0.1:{self.port}",
             "--tokens", os.path.join(self.folder, "tokens"), "--most-waiting", "1000000", "--rate", "1000000"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "log"), "a"), text=True,
            env=self.environment())
        for line in self.process.stdout:
            if line.startswith("url:"):
                self.port = int(line.rsplit(":", 1)[1])
            if line.startswith("devices:"):
                return
        sys.exit("the judge does not start: " + open(os.path.join(self.folder, "log")).read())

    def used(self):
        """Seconds of processor time, and the most bytes of memory."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{self.process.pid}/status") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak * 1024

    def relays(self):
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
        return [int(word) for word in found.stdout.split()]


class Client:
    """Hands trials in by their keys, again and again until it was told that they are there."""

    def __init__(self, judge):
        self.judge = judge
        self.connection = None

    def request(self, method, path, body=None):
        while True:
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.judge.port, timeout=30)
                self.connection.request(method, path, body, {"Authorization": "Bearer " + TOKEN})
                answer = self.connection.getresponse()
                text = answer.read()
                if answer.status < 500 and answer.status != 429:
                    return answer.status, json.loads(text)
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.cut()
            time.sleep(0.02)

    def cut(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()

    def submit(self, key):
        status, body = self.request("POST", "/v1/trials", json.dumps(
            {"case": os.path.basename(self.judge.options.case), "size": "check", "source": SOURCE, "key": key}))
        if status != 202:
            sys.exit(f"a trial was refused: {status} {body}")


def rows(folder):
    with sqlite3.connect(f"file:{folder}/store/ledger.sqlite?mode=ro", uri=True) as ledger:
        return ledger.execute("SELECT key, state, attempts, length(answer) FROM tasks").fetchall()


def wait_until_done(client, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _, status = client.request("GET", "/v1/status")
        if status["waiting"] == 0 and status["running"] == 0:
            return
        time.sleep(0.2)
    sys.exit(f"trials are not done in time: {status['waiting']} wait, {status['running']} run")


def verify(folder, keys):
    found = rows(folder)
    states = {key: (state, size) for key, state, _, size in found}
    lost = [key for key in keys if key not in states]
    twice = len(found) - len(states)
    unfinished = [key for key in keys if states.get(key, (2, 1))[0] != 2 or not states.get(key, (2, 1))[1]]
    print(f"trials: {len(keys)}  lost: {len(lost)}  counted twice: {twice}  without a result: {len(unfinished)}")
    print(f"attempts: {sum(attempts for _, _, attempts, _ in found)}")
    return not lost and not twice and not unfinished and len(found) == len(keys)


def cost(judge, options):
    judge.start()
    client = Client(judge)
    ready_by = time.monotonic() + 300
    while idle(client) < options.devices:
        if time.monotonic() > ready_by:
            sys.exit("the devices are not ready in time")
        time.sleep(0.5)
    before, _ = judge.used()
    began = time.monotonic()
    keys = [f"trial {i}" for i in range(options.trials)]
    threads = [threading.Thread(target=lambda part=part: hand_in(judge, keys[part::4])) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    handed_in = time.monotonic() - began
    wait_until_done(client, 3600)
    seconds = time.monotonic() - began
    used, peak = judge.used()
    print(f"devices: {options.devices}  milliseconds of a trial: {options.ms}")
    print(f"handed in after {handed_in:.1f} s, done after {seconds:.1f} s")
    print(f"processor time of the judge, a trial: {(used - before) / options.trials * 1000:.3f} ms")
    print(f"memory of the judge, at most: {peak / 1e6:.0f} MB")
    size = sum(os.path.getsize(os.path.join(options.folder, "store", name)) for name in os.listdir(os.path.join(options.folder, "store"))
               if name.startswith("ledger"))
    print(f"ledger, a trial: {size / options.trials:.0f} bytes")
    return verify(options.folder, keys)


def queue(judge, options):
    judge.start()
    keys = [f"trial {i}" for i in range(options.trials)]
    threads = [threading.Thread(target=lambda part=part: hand_in(judge, keys[part::4])) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _, status = Client(judge).request("GET", "/v1/status")
    _, peak = judge.used()
    print(f"waiting: {status['waiting']}  memory of the judge, at most: {peak / 1e6:.0f} MB")
    judge.process.kill()
    judge.process.wait()
    began = time.monotonic()
    judge.start()
    _, status = Client(judge).request("GET", "/v1/status")
    print(f"the next judge serves after {time.monotonic() - began:.2f} s, waiting: {status['waiting']}, "
          f"memory: {judge.used()[1] / 1e6:.0f} MB")
    return status["waiting"] + status["running"] == options.trials


def idle(client):
    _, status = client.request("GET", "/v1/status")
    return sum(device["healthy"] for device in status["devices"])


def hand_in(judge, keys):
    client = Client(judge)
    for key in keys:
        client.submit(key)


def kills(judge, options):
    judge.start()
    keys = [f"trial {i}" for i in range(options.trials)]
    clients = [Client(judge) for _ in range(4)]
    done = [0] * len(clients)

    def work(number):
        for key in keys[number::len(clients)]:
            clients[number].submit(key)
            done[number] += 1
            time.sleep(options.pause)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(clients))]
    for thread in threads:
        thread.start()
    dice = random.Random(options.seed)
    counts = {"judge": 0, "device": 0, "connection": 0}
    for _ in range(options.kills):
        time.sleep(dice.uniform(0, 2 * options.between))
        what = dice.choice(list(counts))
        counts[what] += 1
        if what == "judge":
            judge.process.kill()
            judge.process.wait()
            judge.process.stdout.close()
            judge.start()
        elif what == "device":
            relays = judge.relays()
            if relays:
                try:
                    os.kill(dice.choice(relays), signal.SIGKILL)
                except ProcessLookupError:
                    pass
        else:
            connection = dice.choice(clients).connection
            if connection is not None and connection.sock is not None:
                try:
                    connection.sock.shutdown(2)
                except OSError:
                    pass
    for thread in threads:
        thread.join()
    wait_until_done(Client(judge), 600)
    print(f"kills: {options.kills} ({', '.join(f'{count} of a {what}' for what, count in counts.items())}), seed {options.seed}")
    return verify(options.folder, keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("autokernel")
    parser.add_argument("relay")
    parser.add_argument("what", choices=["cost", "queue", "kills"])
    parser.add_argument("--case", required=True)
    parser.add_argument("--devices", type=int)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--ms", type=int)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--between", type=float, default=0.3, help="seconds between kills, on average")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between trials of a client")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    options.autokernel, options.relay, options.case = map(os.path.abspath, (options.autokernel, options.relay, options.case))
    usual = {"cost": (1000, 100000, 100), "queue": (1, 100000, 10**8), "kills": (20, 2000, 20)}[options.what]
    for name, value in zip(("devices", "trials", "ms"), usual):
        if getattr(options, name) is None:
            setattr(options, name, value)
    with tempfile.TemporaryDirectory() as folder:
        options.folder = folder
        judge = Judge(options, folder)
        try:
            good = {"cost": cost, "queue": queue, "kills": kills}[options.what](judge, options)
        finally:
            if judge.process is not None:
                judge.process.kill()
                judge.process.wait()
    sys.exit(0 if good else 1)


main()
