"""Whole projects: where they come from, and how they are configured, built and tested.

A line of shell sees `$CC` and `$CXX`, and `$JOBS`. `results` picks from the output of the tests
what each of them came to; two builds must agree in that. `answers` are files that say what
configuring found.
"""

from dataclasses import dataclass

# What automake's, CMake's and Meson's drivers of tests print for each test.
AUTOMAKE = r"^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): \S+"
CTEST = r"Test +#\d+: \S+ \.+ *\**\w+"
MESON = r"^ *\d+/\d+ (\S+(?: / \S+)?) +(OK|FAIL|SKIP|TIMEOUT|ERROR)"

# What CMake found.
CMAKE = ("build/CMakeCache.txt",)


@dataclass(frozen=True)
class Project:
    """A project of a Debian source package."""

    name: str
    package: str
    system: str
    configure: str
    build: str
    test: str
    results: str
    answers: tuple[str, ...] = ()
    # Debian packages that building or testing takes beside those of `scripts/setup test`.
    needs: tuple[str, ...] = ()
    # Other source packages, and where in the tree they belong.
    parts: tuple[tuple[str, str], ...] = ()
    # Functions that the tests enter a known number of times, whatever becomes of the processes.
    entries: tuple[tuple[str, int], ...] = ()
    # Part of every test run.
    small: bool = False


GIT_TESTS = (
    "t0000-basic.sh t1300-config.sh t3200-branch.sh t4013-diff-various.sh t5510-fetch.sh "
    "t6000-rev-list-misc.sh t7061-wtstatus-ignore.sh t7300-clean.sh"
)

# A server of files whose workers change their user, are replaced, killed and sent home.
NGINX = """worker_processes 2; daemon off; pid logs/pid; error_log logs/error;
events { worker_connections 64; }
http { access_log off; gzip on; gzip_types text/plain; types { text/plain txt; }
       server { listen unix:socket; root files; } }"""
NGINX_TEST = """cd site
../objs/nginx -p . -c conf 2>/dev/null & for i in {1..100}; do test -S socket && break; sleep 0.1; done
ask() { curl -s -o /dev/null -w '%{http_code} %{size_download}\\n' --unix-socket socket "$@"; }
ask 'http://x/a.txt?[1-100]' --compressed; ask 'http://x/again?[1-50]'; ask 'http://x/nothing?[1-50]'
../objs/nginx -p . -c conf -s reload; sleep 2; ask 'http://x/b.txt?[1-100]'
kill -KILL $(pgrep -P $(cat logs/pid) | head -n 1); sleep 1; ask 'http://x/b.txt?[1-100]' -r 100-200
kill -TERM $(pgrep -P $(cat logs/pid) | head -n 1); sleep 1; ask 'http://x/b.txt?[1-100]' --head
../objs/nginx -p . -c conf -s quit; wait"""

REDIS_TESTS = (
    "type/string type/incr type/hash type/list type/set type/zset type/stream "
    "expire scan sort multi bitops geo hyperloglog keyspace protocol scripting"
)

# Without those of virtual tables: how many allocations one of them lets fail depends on the size of
# the environment.
SQLITE_TESTS = "{select,join,where,index,func,window,json,trigger,with,rowvalue}*.test"

# Of some 430: without those that take minutes, ask the network, or look at the machine.
CPYTHON_TESTS = (
    "array ast base64 binascii bisect builtin bytes bz2 codecs collections compile complex configparser "
    "contextlib copy coroutines csv ctypes dataclasses deque descr dict difflib enum exceptions float fork1 "
    "format fractions fstring functools generators heapq int itertools json list math memoryview minidom operator "
    "ordered_dict posix pprint pyexpat random re set sort sqlite3 string struct syntax textwrap threading "
    "tuple unicode unicodedata wait3 wait4 xml_etree zlib"
)

# Twelve frames in which everything moves.
CLIP = """python3 -c 'import sys
out = sys.stdout.buffer
out.write(b"YUV4MPEG2 W352 H288 F25:1 C420jpeg\\n")
for n in range(12):
    luma = bytes((x * x // 99 + y * n // 3 + (x + 5 * n ^ y)) % 256 for y in range(288) for x in range(352))
    out.write(b"FRAME\\n" + luma + bytes((x + y + n) % 256 for y in range(288) for x in range(176)))' >clip.y4m"""

# Coded with 8 and with 10 bits, in tiles and with grain.
DAV1D_CLIPS = f"""{CLIP}
for bits in 8 10; do
    aomenc --ivf --cpu-used=6 --threads=1 --bit-depth=$bits --tile-columns=1 --film-grain-test=3 -o $bits.ivf clip.y4m
done"""

# All presets, and what none of them uses: two passes, lossless coding, fields, slices, and a row of
# frames in parallel.
X264_TEST = """code() { echo "$*: $(./x264 "$@" -o - clip.y4m 2>/dev/null | md5sum)"; }
for bits in 8 10; do
    for preset in ultrafast superfast veryfast faster fast medium slow slower veryslow placebo; do
        code --output-depth $bits --threads 3 --preset $preset
    done
    for options in '--qp 0' --tff '--slices 4 --sliced-threads' '--bff --no-cabac' '--aq-mode 3 --tune grain'; do
        code --output-depth $bits --threads 2 $options
    done
    for pass in 1 2; do code --output-depth $bits --bitrate 400 --pass $pass --stats $bits.stats; done
done
./x264 --fullhelp | md5sum"""

# A server that does not run as root, and its tests, in a tree that is its own. The second must not
# install anew, which removes the profiles of the first.
POSTGRESQL_TEST = """if [ $(id -u) = 0 ]; then chown -R nobody .; as="setpriv --reuid nobody --regid nogroup --clear-groups"; fi
$as make check MAX_CONNECTIONS=10 NO_LOCALE=1
$as make -C src/pl/plpgsql/src check NO_LOCALE=1 NO_TEMP_INSTALL=1
rm -rf src/test/regress/tmp_check src/pl/plpgsql/src/tmp_check"""

PROJECTS = (
    Project(
        "jansson",
        "jansson",
        "autoconf, libtool",
        "autoreconf -fi >/dev/null 2>&1; ./configure --disable-dependency-tracking",
        "make -j$JOBS",
        # One of its tests fails with either compiler: it does not know that nm names versions of
        # symbols.
        "make check VERBOSE=1 >/dev/null; cat test/run-suites.log",
        r"^\S+\.\.\. (ok|FAILED|skipped)",
        ("jansson_private_config.h", "src/jansson_config.h"),
        small=True,
    ),
    Project(
        "jsoncpp",
        "libjsoncpp",
        "Meson, Ninja",
        "meson setup --buildtype=debugoptimized build",
        "ninja -j$JOBS -C build",
        "meson test -C build --print-errorlogs",
        MESON,
        small=True,
    ),
    Project(
        "bzip2",
        "bzip2",
        "make",
        "true",
        'make -j$JOBS CC="$CC" libbz2.a bzip2 bzip2recover',
        'make check CC="$CC"',
        r"^(\./bzip2 .*|cmp .*|.*in business.*)",
        small=True,
    ),
    Project(
        "googletest",
        "googletest",
        "CMake, Ninja",
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -Dgtest_build_tests=ON -Dgmock_build_tests=ON",
        "ninja -j$JOBS -C build",
        "ctest --test-dir build",
        CTEST,
        CMAKE,
    ),
    Project(
        "fmt",
        "fmtlib",
        "CMake, Ninja",
        # Debian's archive lacks the copy of googletest. Optimised, its templates take a quarter of
        # an hour.
        "printf '%s\n' 'cmake_policy(SET CMP0079 NEW)' 'add_subdirectory(googletest)' "
        "'target_link_libraries(gtest INTERFACE gmock)' >test/gtest/CMakeLists.txt; "
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug",
        "ninja -j$JOBS -C build",
        "ctest --test-dir build",
        CTEST,
        CMAKE,
        parts=(("googletest", "test/gtest/googletest"),),
    ),
    Project(
        "leveldb",
        "leveldb",
        "CMake, make",
        # Its submodules: googletest as a part of the tree, benchmark as Debian built it.
        "mkdir -p third_party/benchmark; touch third_party/benchmark/CMakeLists.txt; "
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLEVELDB_BUILD_BENCHMARKS=OFF",
        "make -j$JOBS -C build",
        # This one waits too short for a thread of its own: it fails in 22 of 100 runs with plain
        # clang, too.
        "GTEST_FILTER=-DBTest.HiddenValuesAreRemoved ctest --test-dir build",
        CTEST,
        CMAKE,
        needs=("libbenchmark-dev",),
        parts=(("googletest", "third_party/googletest"),),
    ),
    Project(
        "re2",
        "re2",
        "CMake, make",
        # Debian's archive lacks the tables, which are made from Unicode's data.
        "sed -i 's|https://.*/ucd|/usr/share/unicode|; s/^from six.moves import/import/' re2/unicode.py; "
        "make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc; "
        "cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_SHARED_LIBS=ON",
        "make -j$JOBS -C build",
        # Those that try all expressions take minutes.
        "ctest --test-dir build -E '^exhaustive'",
        CTEST,
        CMAKE,
        needs=("unicode-data",),
    ),
    Project(
        "libxml2",
        "libxml2",
        "autoconf, libtool",
        "./configure --without-python --disable-static",
        "make -j$JOBS; make -j$JOBS testapi testchar testdict; make -j$JOBS -C doc/examples check TESTS=",
        # Debian's archive has none of the documents that most tests read: what needs none, and
        # xmllint with its manual.
        'for test in testapi testchar testdict; do ./$test; echo "$test: $?"; done; make -C doc/examples tests; '
        "for file in doc/*.xml doc/*.html doc/html/*.html; do for how in --html --recover --stream --c14n --debug; do "
        'echo "xmllint $how $file: $(./xmllint --nonet $how $file 2>&1 | md5sum)"; done; done',
        r"^test\w+: \d+|^Total:? .*|^## .*|^xmllint .*",
        ("config.h", "include/libxml/xmlversion.h"),
    ),
    Project(
        "grep",
        "grep",
        "autoconf, gnulib",
        "./configure --disable-nls",
        "make -j$JOBS",
        "make -k check",
        AUTOMAKE,
        ("config.h",),
    ),
    Project(
        "busybox",
        "busybox",
        "Kconfig, make",
        "make defconfig >/dev/null; sed -i 's/CONFIG_TC=y/# CONFIG_TC is not set/' .config; "
        "yes '' | make oldconfig CC=\"$CC\" HOSTCC=clang-22 >/dev/null",
        'make -j$JOBS CC="$CC" HOSTCC=clang-22 SKIP_STRIP=y 2>&1 | tail -5',
        "cd testsuite; ./runtest 2>&1",
        r"^(PASS|FAIL|SKIPPED|UNTESTED): .*",
        (".config",),
    ),
    Project(
        "git",
        "git",
        "make",
        "true",
        "make -j$JOBS CC=\"$CC\" CFLAGS='-g -O2' NO_GETTEXT=1 NO_TCLTK=1 NO_PERL=1 NO_PYTHON=1 NO_CURL=1 NO_EXPAT=1 "
        "NO_OPENSSL=1",
        f'cd t; for t in {GIT_TESTS}; do ./$t --root=$PWD/trash-$t 2>&1 | sed "s/^/$t /"; done',
        r"^\S+ (not ok|ok) \d+ .*",
        ("GIT-BUILD-OPTIONS",),
    ),
    Project(
        "zstd",
        "libzstd",
        "make",
        "true",
        # The name of the folder is the checksum of the flags and the compiler.
        "make -j$JOBS -C programs zstd HASH_DIR=conf; "
        "make -j$JOBS -C tests datagen fuzzer zstreamtest invalidDictionaries legacy poolTests HASH_DIR=conf",
        "cd tests; ./cli-tests/run.py --zstd=../programs/zstd --datagen=./datagen; "
        "for test in 'fuzzer -s1 -i300' 'zstreamtest -s1 -i200' invalidDictionaries legacy poolTests; do "
        './$test >/dev/null 2>&1; echo "$test: $?"; done',
        r"^(PASS|FAIL|SKIP): \S+|^[^:]+: \d+$",
    ),
    Project(
        "redis",
        "redis",
        "make, autoconf",
        "true",
        "make -j$JOBS",
        f"TERM=dumb ./runtest --clients 2 $(printf ' --single unit/%s' {REDIS_TESTS})",
        r"^\[(ok|err|exception|skip|ignore)\]: .*?(?= \(\d+ ms\)$|$)",
        (
            "deps/jemalloc/include/jemalloc/internal/jemalloc_internal_defs.h",
            "deps/lua/src/luaconf.h",
        ),
    ),
    Project(
        "nginx",
        "nginx",
        "configure, make",
        "./configure --without-http_rewrite_module --without-pcre; mkdir -p site/logs site/files/again; "
        f"echo '{NGINX}' >site/conf; seq 3 >site/files/a.txt; seq 50000 >site/files/b.txt",
        "make -j$JOBS",
        NGINX_TEST,
        r"^\d{3} \d+$",
        ("objs/ngx_auto_config.h",),
        entries=(("ngx_http_create_request", 500),),
    ),
    Project(
        "curl",
        "curl",
        "autoconf, libtool",
        "./configure --with-openssl",
        "make -j$JOBS; make -j$JOBS -C tests/server",
        # From 500 on they are programs of their own.
        "cd tests; srcdir=. perl -I. ./runtests.pl -a -am -n 1 to 400",
        r"^(PASS|FAIL|SKIP): \d+|^TESTDONE: .* reported .*|^TESTFAIL: .*",
        ("lib/curl_config.h",),
    ),
    Project(
        "coreutils",
        "coreutils",
        "autoconf, gnulib",
        # Configuring must be told that root is meant. The test that is left out skips itself on a
        # busy machine.
        "sed -i '/^  tests.misc.timeout-group.sh/d' Makefile.in; FORCE_UNSAFE_CONFIGURE=1 ./configure --disable-nls",
        "make -j$JOBS",
        # Without those that mount, and those that factor for minutes. sort-debug-keys fails with
        # either compiler.
        "make -j$JOBS -k check SUBDIRS=. all_root_tests= factor_tests=",
        # The driver tells once more of those that do not pass.
        r"^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): \S+\.\w+$",
        ("lib/config.h",),
    ),
    Project(
        "PostgreSQL",
        "postgresql-15",
        "autoconf, make",
        "./configure --enable-debug --with-openssl --with-libxml",
        "make -j$JOBS",
        POSTGRESQL_TEST,
        r"^(?:test)? +\S+ +\.\.\. (?:ok|FAILED|failed)",
        ("src/include/pg_config.h",),
        needs=("bison", "flex", "libssl-dev", "libxml2-dev"),
    ),
    Project(
        "sqlite",
        "sqlite3",
        "autoconf, libtool, Tcl",
        "mkdir build; cd build; ../configure --enable-all",
        "make -j$JOBS -C build testfixture",
        f"cd build; for test in ../test/{SQLITE_TESTS}; do ./testfixture $test; done",
        r"^\S+\.\.\. Ok$|^! .*|^\d+ errors out of \d+ tests",
        ("build/sqlite_cfg.h",),
    ),
    Project(
        "dav1d",
        "dav1d",
        "Meson, Ninja",
        f"meson setup --buildtype=debugoptimized -Denable_asm=false build; {DAV1D_CLIPS}",
        "ninja -j$JOBS -C build",
        # Debian's archive lacks the streams that the tests decode.
        "for bits in 8 10; do for threads in {1..9}; do for grain in 0 1; do "
        'echo "$bits $threads $grain: $(build/tools/dav1d -q --muxer md5 --threads $threads --filmgrain $grain '
        '-i $bits.ivf -o -)"; done; done; done',
        r"^\d+ \d [01]: \w{32}",
        needs=("aom-tools",),
    ),
    Project(
        "x264",
        "x264",
        "configure, make",
        f"./configure --disable-asm --extra-cflags=-g; {CLIP}",
        "make -j$JOBS",
        X264_TEST,
        r"^--.*: \w{32}|^\w{32}  -$",
        ("x264_config.h", "config.h"),
    ),
    Project(
        "CPython",
        "python3.11",
        "autoconf, setup.py",
        "./configure",
        "make -j$JOBS",
        f"./python -m test -v $(printf ' test_%s' {CPYTHON_TESTS})",
        r"^.* \.\.\. (?:ok|FAIL|ERROR|skipped .*|expected failure)$|^Ran \d+ tests",
        ("pyconfig.h",),
    ),
)
