#!/usr/bin/env python3
"""What idle connections and many streams cost a request to `speclens serve`: ratios within one run.

    python3 tests/measuring/idle_connections.py build/speclens [--idle 300] [--streams 64] [--turns 5]

By turns without and with so many connections open on which nothing is sent: one request alone, and so many streams at once. The
server writes one text at a time, so of streams that begin together the last should take as long as all of them one after another:
it waits for the queue only. Needs nothing but Python. No test: times are never tested (see docs/measuring.md).
"""

import argparse
import json
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

BODY = json.dumps({"prompt": "Once upon a time", "max_tokens": 24, "temperature": 0, "stream": True}).encode()


def request(port):
    """Seconds to the end of one streamed answer."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=120) as peer:
        peer.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)
        told = b""
        while b"[DONE]" not in told:
            part = peer.recv(65536)
            if not part:
                break
            told += part
    if b"[DONE]" not in told:
        raise SystemExit("an answer ended early: " + told[:200].decode("utf-8", "replace"))
    return time.monotonic() - began


def together(port, count):
    """Seconds of each of so many streams that begin at once."""
    took, gate = [], threading.Barrier(count)

    def one():
        gate.wait()
        took.append(request(port))

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(took) < count:
        raise SystemExit("%d of %d streams were answered" % (len(took), count))
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--idle", type=int, default=300)
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    server = subprocess.Popen([options.program, "serve", "--port", "0", "--drafter", "eagle3"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    try:
        port = None
        for line in server.stdout:
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                port = int(found[1])
                break
        if port is None:
            raise SystemExit("the server does not say where it listens")
        threading.Thread(target=server.stdout.read, daemon=True).start()
        for _ in range(3):
            request(port)
        alone = {0: [], options.idle: []}
        last = {0: [], options.idle: []}
        for _ in range(options.turns):
            for idle in (0, options.idle):
                peers = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(idle)]
                alone[idle].append(statistics.median(request(port) for _ in range(5)))
                last[idle].append(max(together(port, options.streams)))
                for peer in peers:
                    peer.close()
        middle = statistics.median
        one, one_idle = middle(alone[0]), middle(alone[options.idle])
        print("| | no other connection | %d idle ones | ratio |" % options.idle)
        print("|---|---|---|---|")
        print("| one request | %.1f ms | %.1f ms | %.2f |" % (1000 * one, 1000 * one_idle, one_idle / one))
        print("| the last of %d streams | %.0f ms | %.0f ms | %.2f |"
              % (options.streams, 1000 * middle(last[0]), 1000 * middle(last[options.idle]), middle(last[options.idle]) / middle(last[0])))
        print("| that, in requests one after another | %.1f | %.1f | |"
              % (middle(last[0]) / one, middle(last[options.idle]) / one_idle))
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    sys.exit(main())
