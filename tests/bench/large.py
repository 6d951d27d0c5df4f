"""Large programs with flat profiles: a backend of PostgreSQL, nginx under load, and git.

Small benchmarks spend their time in few functions, whose counters and code stay in the caches.
Servers and tools do not, so what counting costs them is another question.
"""

import os
import random
from pathlib import Path

from tests.bench.workloads import Workload
from tests.real.programs import Build, Program, Step, make
from tests.real.tools import environment, run

# What a profiler of a program writes while the program is prepared is of no interest.
SILENT = {"PATHCC_PROFILE": "off", "LLVM_PROFILE_FILE": "/dev/null"}

ROWS = 50000
TABLE = f"""create table t (k int primary key, v int, s text);

insert into t select g, g % 97, md5(g::text) from generate_series(1, {ROWS}) g;

vacuum analyze t;
"""


def build_postgres(tree: Path, cc: str, flags: str) -> None:
    """Builds and installs PostgreSQL, and makes a database with one table.

    It refuses to run as root, which is who builds in a container.
    """
    for source in ("src/backend/main/main.c", "src/bin/initdb/initdb.c"):
        text = (tree / source).read_text()
        (tree / source).write_text(text.replace("geteuid() == 0", "0"))
    env = environment(CC=cc, CFLAGS=flags, **SILENT)
    place = tree / "installed"
    options = ["--without-readline", "--without-zlib", "--without-icu", f"--prefix={place}"]
    run(["./configure", *options], tree, env=env)
    make_all = ["make", f"-j{os.cpu_count()}"]
    for target in (["-C", "src/backend/", "generated-headers"], [], ["install"]):
        run([*make_all, *target], tree, env=env, seconds=3000)
    data = tree / "data"
    initdb = [place / "bin/initdb", "-D", data, "-N", "--no-locale", "-E", "UTF8", "-A", "trust"]
    run(initdb, tree, env=env)
    single = [place / "bin/postgres", "--single", "-j", "-D", data, "postgres"]
    run(single, tree, env=env, stdin=TABLE.encode())


def postgres_steps(tree: Path, text: Path) -> list[Step]:
    dice = random.Random(1)
    statements = []
    for number in range(22000):
        key = dice.randrange(ROWS) + 1
        change = f"update t set v = v + 1 where k = {key}"
        statements.append(change if number % 11 == 0 else f"select v, s from t where k = {key}")
    work = "".join(f"{statement};\n\n" for statement in statements)
    argv = ["@installed/bin/postgres", "--single", "-j", "-D", "@data", "postgres"]
    return [Step(argv, work.encode())]


NGINX = """daemon off; master_process off; pid logs/pid; error_log logs/error;
events { worker_connections 64; }
http { access_log off; gzip on; gzip_types text/plain; types { text/plain txt; }
       keepalive_requests 100000;
       server { listen unix:socket; root files; } }
"""

# Waits for the server in the background, asks it, and sends it home. The socket is in the directory
# in which both are started, since its path must be short.
CLIENT = """rm -f socket "$1/logs/pid"
(for _ in $(seq 600); do test -S socket && break; sleep 0.1; done
 ask() { curl -s -o /dev/null --unix-socket socket "$@"; }
 ask 'http://x/small.txt?[1-36000]'; ask 'http://x/small.txt?[1-12000]' --compressed
 ask 'http://x/nothing?[1-12000]'; ask 'http://x/small.txt?[1-12000]' -r 10-20
 kill -QUIT $(cat "$1/logs/pid")) >/dev/null 2>&1 &"""


def build_nginx(tree: Path, cc: str, flags: str) -> None:
    options = ["--without-http_rewrite_module", "--without-pcre", f"--with-cc-opt={flags}"]
    run(["./configure", f"--with-cc={cc}", *options], tree, env=environment(**SILENT))
    make(tree, f"-j{os.cpu_count()}")
    site = tree / "site"
    (site / "logs").mkdir(parents=True)
    (site / "files").mkdir()
    (site / "conf").write_text(NGINX)
    (site / "files/small.txt").write_text("".join(f"{number}\n" for number in range(200)))


def nginx_steps(tree: Path, text: Path) -> list[Step]:
    return [
        Step(["sh", "-c", CLIENT, "sh", str(tree / "site")]),
        Step(["@objs/nginx", "-p", "@site", "-c", "conf"]),
    ]


COMMITS = 400


def history() -> str:
    """Commits that each change some lines of one of twenty files, for `git fast-import`."""
    dice = random.Random(1)
    files = {
        f"part{number % 4}/file{number}.c": [
            f"line {dice.randrange(1000)} of {number}" for _ in range(400)
        ]
        for number in range(20)
    }
    written = []
    for number in range(COMMITS):
        name = dice.choice(list(files))
        lines = files[name]
        for _ in range(10):
            lines[dice.randrange(len(lines))] = f"changed {dice.randrange(10**6)}"
        content = "\n".join(lines) + "\n"
        written.append(
            f"commit refs/heads/main\ncommitter A U Thor <a@example.com> {10**9 + number} +0000\n"
            f"data 9\nchange it\nM 100644 inline {name}\ndata {len(content)}\n{content}\n"
        )
    return "".join(written)


def build_git(tree: Path, cc: str, flags: str) -> None:
    without = ("GETTEXT", "TCLTK", "PERL", "PYTHON", "CURL", "EXPAT", "OPENSSL")
    words = [f"NO_{what}=1" for what in without]
    make(tree, f"-j{os.cpu_count()}", "git", f"CC={cc}", f"CFLAGS={flags}", *words)
    repository, git, env = tree / "repository", tree / "git", environment(**SILENT)
    run([git, "init", "-q", "-b", "main", "--template=", repository], tree, env=env)
    run([git, "fast-import", "--quiet"], repository, env=env, stdin=history().encode())
    run([git, "reset", "-q", "--hard"], repository, env=env)


def git_steps(tree: Path, text: Path) -> list[Step]:
    def git(*words: str) -> Step:
        return Step(["@git", "-C", "@repository", *words])

    # A tool is started for each question: its start is part of what it costs.
    return 5 * [
        git("log", "-p", "--stat", "--no-renames"),
        git("log", "--graph", "--format=%H %an %s", "--", "part1"),
        git("blame", "part1/file1.c"),
        git("grep", "-n", "changed 1.*7", "HEAD~50"),
        git("rev-list", "--objects", "--all"),
        *[git("status", "--short") for _ in range(10)],
    ]


def workloads() -> list[Workload]:
    """All of them."""

    def program(name: str, package: str, build: Build, image: str) -> Program:
        return Program(name, build, [image], {}, package=package)

    postgres = program("postgres", "postgresql-15", build_postgres, "installed/bin/postgres")
    return [
        Workload(postgres, postgres_steps, "large"),
        Workload(program("nginx", "nginx", build_nginx, "objs/nginx"), nginx_steps, "large"),
        Workload(program("git", "git", build_git, "git"), git_steps, "large"),
    ]
