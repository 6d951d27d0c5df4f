"""Whole projects: where they come from, how they are configured, built and tested, by their own means.

A line of shell sees `$CC` and `$CXX`, and `$JOBS`. `results` picks from the output of the tests what each of them came to; two
builds must agree in that. `answers` are files that say what configuring found.
"""

from dataclasses import dataclass

# What automake's, CMake's and Meson's drivers of tests print for each test.
AUTOMAKE = r"^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): \S+"
CTEST = r"Test +#\d+: \S+ \.+ *\**\w+"
MESON = r"^ *\d+/\d+ (\S+(?: / \S+)?) +(OK|FAIL|SKIP|TIMEOUT|ERROR)"


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


GIT_TESTS = "t0000-basic.sh t1300-config.sh t3200-branch.sh t4013-diff-various.sh t5510-fetch.sh t6000-rev-list-misc.sh " \
    "t7061-wtstatus-ignore.sh t7300-clean.sh"

PROJECTS = (
    Project(
        "jansson",
        "jansson",
        "autoconf, libtool",
        "autoreconf -fi >/dev/null 2>&1; ./configure --disable-dependency-tracking",
        "make -j$JOBS",
        # One of its tests fails with either compiler: it does not know that nm names versions of symbols.
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
        "make -j$JOBS CC=\"$CC\" libbz2.a bzip2 bzip2recover",
        "make check CC=\"$CC\"",
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
    ),
    Project(
        "fmt",
        "fmtlib",
        "CMake, Ninja",
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo",
        "ninja -j$JOBS -C build",
        "ctest --test-dir build",
        CTEST,
    ),
    Project(
        "libxml2",
        "libxml2",
        "autoconf, libtool",
        "./configure --without-python --disable-static",
        "make -j$JOBS; make -j$JOBS testapi testchar testdict; make -j$JOBS -C doc/examples check TESTS=",
        # Debian's archive has none of the documents that most tests read: what needs none, and xmllint with its manual.
        "for test in testapi testchar testdict; do ./$test; echo \"$test: $?\"; done; make -C doc/examples tests; "
        "for file in doc/*.xml doc/*.html doc/html/*.html; do for how in --html --recover --stream --c14n --debug; do "
        "echo \"xmllint $how $file: $(./xmllint --nonet $how $file 2>&1 | md5sum)\"; done; done",
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
        "make -j$JOBS CC=\"$CC\" HOSTCC=clang-22 SKIP_STRIP=y 2>&1 | tail -5",
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
        f"cd t; for t in {GIT_TESTS}; do ./$t --root=$PWD/trash-$t 2>&1 | sed \"s/^/$t /\"; done",
        r"^\S+ (not ok|ok) \d+ .*",
        ("GIT-BUILD-OPTIONS",),
    ),
)
