"""A llama.cpp server on the built-in models of this repository, asked as a client would."""
import contextlib
import json
import os
import subprocess
import sys

import others

folder = os.environ["FINDINGS_FOLDER"]
port = 18510


def gguf(name):
    file = os.path.join(folder, name + ".gguf")
    if not os.path.exists(file):
        target = [] if name in ("target", "small") else [os.path.join(others.assets, "target")]
        subprocess.run([sys.executable, os.path.join(others.here, "tiny_gguf.py"), os.path.join(others.assets, name), file, *target], check=True, stdout=subprocess.DEVNULL)
    return file


class Server:
    def __init__(self, url):
        self.url = url

    def get(self, path):
        return others.get(self.url + path)

    def counters(self):
        return others.counters(self.url)

    def props(self):
        """Without what is another thing for every process."""
        return {key: value for key, value in json.loads(self.get("/props")).items() if "media_marker" not in key}

    def completed(self, prompt, length, temperature=0, seed=5, **more):
        body = {"prompt": prompt, "n_predict": length, "temperature": temperature, "seed": seed, "top_k": 0, "top_p": 1, "min_p": 0}
        return others.post(self.url + "/completion", dict(body, cache_prompt=False, return_tokens=True, **more))


@contextlib.contextmanager
def server(kind, draft=None, *settings):
    global port
    port += 1
    url, log = "http://127.0.0.1:%d" % port, os.path.join(folder, "server.log")
    words = [sys.executable, os.path.join(others.here, "llamacpp.py"), gguf("target"), str(port), kind, *([draft, "3"] if draft else [])]
    with others.started([*words, *settings, "threads=1", "n_ctx=1024"], url, log) as there:
        assert there, others.last_words(log)
        yield Server(url)
