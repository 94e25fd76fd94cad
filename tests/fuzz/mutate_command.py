#!/usr/bin/env python3
"""Spoils files of every kind that the command reads, and gives each to the command as a person would.

    mutate_command.py COMMAND ROOT [--first N] [--count N] [--jobs N] [--keep DIR]

Each of COUNT files depends on its number alone. The command may do what it is asked for or refuse in one line. It
may not end by a signal or a sanitizer's word, and not touch anything but what it was told to write. Whoever asks for
days of motion may wait for them: what takes longer than ten seconds must end when it is told to. Files that break
the command are kept in DIR.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

MOST_SECONDS = 10  # then it is interrupted
WORDS = [b"0", b"-1", b"1e300", b"1e-300", b"nan", b"inf", b"-0.0", b"4294967296", b"{", b"}", b"[", b"]", b'"', b"\\",
         b"<", b"/>", b"\xff", b"\n\n", b"..", b"../x", b"/etc/passwd", b".hidden", b"\x1b[2J", b"1e15", b":", b",",
         b"99999999999999999999"]
DIGITS = b"0123456789.-+eE"
SHORT = ["--duration", "0.05", "--no-page"]


def commands(kind):
    """What people do with a file of this kind: argument lists, where F is the file and O the folder for results."""
    run = ["run", "F", "-o", "O/run", *SHORT]
    scene = [["convert", "F", f"O/x{end}"] for end in (".json", ".usda")]
    motion = [["convert", "F", f"O/x{end}"] for end in (".json", ".csv", ".usda", ".bvh", ".sinewt")]
    bake = ["bake", "F", "-o", "O/x.glb", "--dynamic", "*", "--duration", "0.05"]
    return {
        ".json": [run, run, run, ["check", "F"], ["info", "F"], *scene],
        ".urdf": [run, ["info", "F"], *scene],
        ".xml": [run, ["info", "F"], *scene],
        ".obj": [run, ["info", "F"]],
        ".stl": [run, ["info", "F"]],
        ".bvh": [["info", "F"], *motion, ["convert", "F", "O/x.glb"]],
        ".gltf": [["info", "F"], *motion, [*bake[:3], "O/x.gltf", *bake[4:]]],
        ".glb": [["info", "F"], *motion, bake, [*bake, "--collide"]],
        ".jsonl": [["run", "SCENE", "--replay", "F", "-o", "O/run", "--no-page"]],
        ".lines": [["run", "SCENE", "--live", "-o", "O/run", *SHORT]],
        ".bin": [["run", "--resume", "D", "-o", "O/run", *SHORT[:2], "--no-page"]],
    }[kind]


def with_other_number(data, at, word):
    """The first number from a place on becomes word(number)."""
    start = next((i for i in range(at, len(data)) if data[i:i + 1].isdigit()), None)
    if start is None:
        return data
    end = start
    while end < len(data) and data[end] in DIGITS:
        end += 1
    while start > 0 and data[start - 1] in DIGITS:
        start -= 1
    return data[:start] + word(data[start:end]) + data[end:]


def multiple(text, rng):
    try:
        return b"%g" % (float(text) * rng.choice([-1, 0.5, 1.5]) * 10 ** rng.choice([0, 0, 0, 1, -1, 3, -3, 6, -6]))
    except (ValueError, OverflowError):
        return text


def spoilt(data, others, rng, is_binary):
    if rng.random() < 0.6:  # a file that is well formed still, most of the time
        for _ in range(rng.randint(1, 2)):
            at = rng.randint(0, len(data))
            if is_binary:
                at = at // 4 * 4
                form = rng.choice("<f <d <I <Q".split())
                size = struct.calcsize(form)
                if at + size <= len(data):
                    number = struct.unpack_from(form, data, at)[0]
                    other = rng.choice([number + 1, number * 2, number * 0.5, -number, 0, rng.gauss(0, 1)])
                    if form[1] in "IQ":
                        other = int(other) % (1 << (8 * size))
                    elif form == "<f" and not abs(other) < 3e38:
                        other = float("inf")
                    data = data[:at] + struct.pack(form, other) + data[at + size:]
            else:
                data = with_other_number(data, at, lambda text: multiple(text, rng))
        return data
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        length = min(rng.randrange(16), len(data) - at)
        word = rng.choice(WORDS)
        way = rng.randrange(7)
        if way == 0:
            data = data[:at] + data[at + length:]
        elif way == 1:
            data = data[:at] + word + data[at:]
        elif way == 2:
            data = with_other_number(data, at, lambda _: word)
        elif way == 3 and at < len(data):
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
        elif way == 4 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
        elif way == 5:
            place = rng.randint(0, len(data))
            data = data[:place] + data[at:at + 8 * length] + data[place:]
        elif way == 6:  # the end of another file
            other = rng.choice(others)
            data = data[:at] + other[rng.randint(0, len(other)):]
    return data


def fnv(data):
    """The hash in a checkpoint's head: 64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
    return value


def sealed(fields, version):
    return b"SINEWCKP" + struct.pack("<QQQ", version, len(fields), fnv(fields)) + fields


def content(folder):
    """Every file below a folder with its bytes' hash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or path.is_file():
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class Trials:
    def __init__(self, options):
        self.options = options
        self.command = str(options.command.resolve())
        corpus = options.root.resolve() / "tests" / "fuzz" / "corpus"
        self.scene = corpus / "step" / "arm.json"
        self.seeds = collections.defaultdict(list)
        for path in sorted([*(options.root / "scenes").glob("*.json"), *corpus.glob("scene/*"), *corpus.glob("step/*"),
                            *corpus.glob("bvh/*"), *corpus.glob("gltf/*"), *corpus.glob("mjcf/*"), *corpus.glob("obj/*"),
                            *corpus.glob("stl/*"), *corpus.glob("urdf/*")]):
            self.seeds[path.suffix].append(path.read_bytes())
        self.seeds[".lines"] = [path.read_bytes() for path in sorted(corpus.glob("live/*"))]
        self.make_runs()

    def make_runs(self):
        """A recording and a checkpoint of a run by this very command."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.command, "run", self.scene, "-o", "run", "--duration", "0.05", "--checkpoint", "0.02",
                            "--no-page"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            lines = b'{"grab": {"body": "b", "to": [1, 1, 0]}}\n{"release": true}\n'
            subprocess.run([self.command, "run", self.scene, "--live", "-o", "live", *SHORT], cwd=folder, check=True,
                           input=lines, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.run_files = {path.name: path.read_bytes() for path in (pathlib.Path(folder) / "run").iterdir()
                              if path.is_file()}
            self.seeds[".jsonl"] = [(pathlib.Path(folder) / "live" / "interaction.jsonl").read_bytes()]
        checkpoint = self.run_files["checkpoint.bin"]
        self.version = struct.unpack_from("<Q", checkpoint, 8)[0]
        self.seeds[".bin"] = [checkpoint[32:]]
        assert sealed(checkpoint[32:], self.version) == checkpoint

    def trial(self, number):
        """What is wrong with the command's answer to this file, and how it ended."""
        rng = random.Random(number)
        kind = rng.choice(sorted(self.seeds))
        data = spoilt(rng.choice(self.seeds[kind]), self.seeds[kind], rng, kind in (".bin", ".glb", ".stl"))
        with tempfile.TemporaryDirectory(prefix="sinew-mutation-") as name:
            return self.judge(pathlib.Path(name), number, kind, data, rng.choice(commands(kind)))

    def check_itself(self):
        """Files that nobody spoilt are taken: otherwise the trials would be of no use."""
        for kind in sorted(self.seeds):
            for words in commands(kind):
                if not any(self.takes(kind, data, words) for data in self.seeds[kind]):
                    sys.exit(f"no {kind} file is taken by {' '.join(words)}")

    def takes(self, kind, data, words):
        with tempfile.TemporaryDirectory(prefix="sinew-mutation-") as name:
            fault, code, _ = self.judge(pathlib.Path(name), 0, kind, data, words)
        if fault:
            sys.exit(f"a {kind} file that is not spoilt: {fault}")
        return code == 0

    def judge(self, folder, number, kind, data, words):
        for part in ("work", "home", "tmp", "out"):
            (folder / part).mkdir()
        work = folder / "work"
        file = work / f"f{kind if kind != '.lines' else '.txt'}"
        if kind == ".bin":
            for name, stored in self.run_files.items():
                (work / name).write_bytes(stored)
            file = work / "checkpoint.bin"
            data = sealed(data, self.version)
        file.write_bytes(data)
        places = {"F": str(file), "D": str(work), "SCENE": str(self.scene)}
        words = [places.get(word, word).replace("O/", f"{folder}/out/") for word in words]
        before = content(work)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"),
                       "ASAN_OPTIONS": "detect_stack_use_after_return=1:allocator_may_return_null=1", "LANG": "C.UTF-8"}
        start = time.monotonic()
        process = subprocess.Popen([self.command, *words], cwd=work, env=environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            _, told = process.communicate(data if kind == ".lines" else b"", timeout=MOST_SECONDS * self.options.patience)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.communicate(timeout=MOST_SECONDS * self.options.patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return self.keep(number, kind, data, words, "goes on when it is told to end"), "endless", MOST_SECONDS
            fault = f"exit code {process.returncode} when interrupted" if process.returncode not in (130, 3) else ""
            return (self.keep(number, kind, data, words, fault) if fault else ""), "an interrupt", MOST_SECONDS
        seconds = time.monotonic() - start
        code = process.returncode
        refusal = [line for line in told.splitlines() if not line.startswith(b"note: ")]
        fault = ""
        if b"Sanitizer" in told or b"runtime error" in told:
            fault = "a sanitizer spoke: " + told.decode(errors="replace")[:2000]
        elif code < 0 or code not in (0, 1, 2, 3):
            fault = f"exit code {code}"
        elif code == 1 and kind != ".jsonl":
            fault = "exit code 1, which is for replays"
        elif code == 2 and kind != ".lines" and len(refusal) != 1:
            fault = f"a refusal of {len(refusal)} lines: {told[:500]!r}"
        elif any(byte < 32 and byte not in b"\n\r\t" or byte == 127 for byte in told):
            fault = f"control characters in a message: {told[:500]!r}"
        elif content(work) != before:
            fault = f"touched files beside its results: {sorted(content(work).items() ^ before.items())}"
        elif content(folder / "home") or content(folder / "tmp"):
            fault = f"left files behind: {content(folder / 'home')} {content(folder / 'tmp')}"
        elif code == 2 and content(folder / "out"):
            fault = f"refused, and wrote {sorted(content(folder / 'out'))}"
        return (self.keep(number, kind, data, words, fault) if fault else ""), code, seconds

    def keep(self, number, kind, data, words, fault):
        if self.options.keep:
            self.options.keep.mkdir(parents=True, exist_ok=True)
            (self.options.keep / f"{number}{kind}").write_bytes(data)
        return f"file {number} ({' '.join(words)}): {fault}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=1, help="times ten seconds, for sanitizers and busy machines")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    trials = Trials(options)
    trials.check_itself()
    faults, codes, slowest = 0, collections.Counter(), (0.0, 0)
    with ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(options.first, options.first + options.count)
        for number, (fault, code, seconds) in zip(numbers, pool.map(trials.trial, numbers)):
            codes[code] += 1
            slowest = max(slowest, (seconds, number))
            if fault:
                faults += 1
                print(fault, flush=True)
    print(f"{options.count} files: " + ", ".join(f"{n} ended with {code}" for code, n in sorted(codes.items(), key=str)) +
          f"; the slowest, {slowest[1]}, took {slowest[0]:.1f} s; {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
