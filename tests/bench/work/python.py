"""Work for the CPython that is measured, of the kinds that pyperformance is made of: `python.py SIZE [JOB]…`.

Arithmetic, regular expressions, matrices, serialising, and programs made of objects, strings and containers. Prints a
checksum for each, the same on every run with a fixed PYTHONHASHSEED.
"""

import json
import math
import pickle
import re
import sys
import zlib
from collections import Counter, deque
from itertools import permutations


class Random:
    """The same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return self.state / 0x80000000


def math_bodies(size):
    """Planets that pull at each other."""
    bodies = [[math.cos(i), math.sin(i), i / 7, 0.01 * i, 0.02, -0.01 * i, 1.0 / (i + 1)] for i in range(5)]
    for _ in range(size * 60):
        for i, a in enumerate(bodies):
            for b in bodies[i + 1 :]:
                dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
                pull = 0.001 / ((dx * dx + dy * dy + dz * dz + 0.01) ** 1.5)
                for k, d in enumerate((dx, dy, dz)):
                    a[3 + k] -= d * b[6] * pull
                    b[3 + k] += d * a[6] * pull
        for body in bodies:
            for k in range(3):
                body[k] += 0.001 * body[3 + k]
    return round(sum(map(sum, bodies)), 9)


def math_integers(size):
    """Digits of pi, and a search for primes."""
    q, r, t, k, n, length = 1, 0, 1, 1, 3, 3
    digits = []
    while len(digits) < size * 3:
        if 4 * q + r - t < n * t:
            digits.append(n)
            q, r, n = 10 * q, 10 * (r - n * t), (10 * (3 * q + r)) // t - 10 * n
        else:
            q, r, t, k, n, length = q * k, (2 * q + r) * length, t * length, k + 1, (q * (7 * k + 2) + r * length) // (t * length), length + 2
    primes = [n for n in range(2, size * 60) if all(n % p for p in range(2, math.isqrt(n) + 1))]
    return sum(digits), len(primes)


def regex(size):
    """Matching, searching and replacing."""
    random = Random(7)
    words = ["".join(chr(97 + int(random.next() * 26)) for _ in range(2 + int(random.next() * 8))) for _ in range(400)]
    text = " ".join(f"{words[int(random.next() * 400)]}{'@' if i % 9 == 0 else ' '}{i}.com" for i in range(size * 40))
    patterns = [r"\b(\w+)@(\d+)\.com", r"(a|e|i|o|u)[^aeiou\s]{2,}", r"(?:ab|cd|ef)+\w*?z", r"[0-9]+(?=\.)"]
    found = [len(re.findall(pattern, text)) for pattern in patterns]
    changed = re.sub(patterns[0], lambda m: f"<{m.group(2)}:{m.group(1).upper()}>", text)
    return found, zlib.crc32(changed.encode())


def scimark(size):
    """Relaxation, LU decomposition, Monte Carlo and a sparse matrix, in lists."""
    random = Random(101)
    n = 24
    grid = [[random.next() for _ in range(n)] for _ in range(n)]
    for _ in range(size):
        for i in range(1, n - 1):
            above, row, below = grid[i - 1], grid[i], grid[i + 1]
            for j in range(1, n - 1):
                row[j] = 0.3125 * (above[j] + below[j] + row[j - 1] + row[j + 1]) - 0.25 * row[j]
    for _ in range(size // 8 + 1):
        matrix = [[random.next() + (i == j) * n for j in range(n)] for i in range(n)]
        for k in range(n):
            for i in range(k + 1, n):
                factor = matrix[i][k] = matrix[i][k] / matrix[k][k]
                for j in range(k + 1, n):
                    matrix[i][j] -= factor * matrix[k][j]
    inside = sum(random.next() ** 2 + random.next() ** 2 <= 1 for _ in range(size * 200))
    return round(sum(map(sum, grid)), 9), round(matrix[-1][-1], 9), inside


def serialise(size):
    """JSON and pickles of nested data."""
    data = [{"id": i, "name": f"näme {i}", "tags": ["a", "b" * (i % 7)], "x": i / 3, "on": i % 2 == 0, "up": None} for i in range(40)]
    total = 0
    for _ in range(size):
        text = json.dumps(data, indent=1 if size % 2 else None)
        total = zlib.crc32(text.encode(), total)
        total += len(json.loads(text)) + len(pickle.loads(pickle.dumps(data)))
        total = zlib.crc32(pickle._dumps(data[:4]), total)
    return total


class Task:
    """A task of a little operating system."""

    def __init__(self, name, work, nexts):
        self.name, self.work, self.nexts, self.inbox, self.done = name, work, nexts, deque(), 0

    def run(self, tasks):
        if not self.inbox:
            return False
        packet = self.inbox.popleft()
        self.done += 1
        packet[self.name] = packet.get(self.name, 0) + self.work(len(packet))
        if self.done % 5:
            tasks[self.nexts[self.done % len(self.nexts)]].inbox.append(packet)
        return True


def app_tasks(size):
    """Objects, methods, dictionaries and queues."""
    tasks = {i: Task(f"t{i}", lambda n, i=i: n * i % 13, [(i * 3 + 1) % 11, (i + 1) % 11]) for i in range(11)}
    for i in range(size * 40):
        tasks[i % 11].inbox.append({"n": i})
    steps = 0
    while any([task.run(tasks) for task in tasks.values()]):
        steps += 1
    return steps, sum(task.done for task in tasks.values())


def tokens(text):
    for match in re.finditer(r"\s*(?:(\d+)|(.))", text):
        yield ("n", int(match[1])) if match[1] else ("o", match[2])
    yield ("e", "")


class Parser:
    """Arithmetic by recursive descent."""

    def __init__(self, text):
        self.tokens = tokens(text)
        self.kind, self.value = next(self.tokens)

    def take(self):
        value = self.value
        self.kind, self.value = next(self.tokens)
        return value

    def atom(self):
        if self.kind == "n":
            return self.take()
        if self.value != "(":
            raise ValueError(self.value)
        self.take()
        value = self.sum()
        self.take()
        return value

    def product(self):
        value = self.atom()
        while self.value in ("*", "%"):
            operator, right = self.take(), None
            right = self.atom()
            value = value * right if operator == "*" else value % (right or 1)
        return value

    def sum(self):
        value = self.product()
        while self.value in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value


def app_text(size):
    """A parser, templates, counting and sorting of words, exceptions."""
    random = Random(5)
    total, failed, counts = 0, 0, Counter()
    for i in range(size * 3):
        parts = [str(int(random.next() * 99)) for _ in range(12)]
        text = "(" + "+".join(parts[:4]) + ")*" + "%".join(parts[4:8]) + "-(" + "*".join(parts[8:]) + (")" if i % 10 else "]+?")
        try:
            total += Parser(text).sum() % 1000003
        except (ValueError, StopIteration):
            failed += 1
        counts.update(f"{part:>4}|{part.zfill(3)}" for part in parts)
    lines = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return total, failed, zlib.crc32("\n".join(f"{word} {count}" for word, count in lines).encode())


def app_puzzles(size):
    """Queens, and a search through a graph."""
    queens = sum(
        len({q + i for i, q in enumerate(row)}) == len({q - i for i, q in enumerate(row)}) == 6 for row in permutations(range(6))
    )
    found = 0
    for start in range(size // 4 + 1):
        seen, open_ = {start}, deque([start])
        while open_ and len(seen) < 400:
            at = open_.popleft()
            for there in (at * 2 % 1009, at * 3 % 1009, at + 7):
                if there not in seen:
                    seen.add(there)
                    open_.append(there)
        found += max(seen)
    return queens, found


def main():
    size = int(sys.argv[1])
    wanted = sys.argv[2:]
    for job in (math_bodies, math_integers, regex, scimark, serialise, app_tasks, app_text, app_puzzles):
        if not wanted or job.__name__ in wanted:
            print(job.__name__, job(size))


main()
