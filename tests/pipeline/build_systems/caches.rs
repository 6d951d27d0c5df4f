//! Compiler caches, and machines that compile for others.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pathtests::tree::bin;

use crate::project::{Project, SOURCE};

#[test]
fn a_compiler_cache_behind_pathcc_sees_every_setting() {
    let project = Project::new();
    project.put("sample.c", SOURCE);
    let [pathcc, pathprof] = ["pathcc", "pathprof"].map(|name| bin(name).display().to_string());
    let compile = |variables: &str, options: &str| {
        let [cached, plain] =
            [("ccache clang-22", "cached"), ("clang-22", "plain")].map(|(compiler, name)| {
                let line = format!("{pathcc} {compiler} -g {options} -c sample.c -o");
                project
                    .shell(&format!("export CCACHE_DIR=$PWD/cache; {variables} {line} {name}.o"));
                fs::read(project.path(&format!("{name}.o"))).expect("it is compiled")
            });
        assert!(cached == plain, "{variables} {options}");
        cached
    };
    let hits = || {
        let counters = project.shell("CCACHE_DIR=$PWD/cache ccache --print-stats");
        let count = |name: &str| {
            counters.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok())
        };
        count("direct_cache_hit").expect("a counter")
            + count("preprocessed_cache_hit").expect("a counter")
    };
    let weights = || {
        project.shell(&format!(
            "{pathcc} -g sample.c -o sample; PATHCC_PROFILE=run.pathprof ./sample"
        ));
        project.shell(&format!("{pathprof} weights -o sample.weights *.pathprof"));
    };
    let paths = compile("", "");
    assert!(compile("", "") == paths);
    assert_eq!(hits(), 1, "the same again is in the cache");
    project.put("pathcc.toml", "mode = \"blocks\"\n");
    let blocks = compile("", "");
    assert!(
        blocks != paths
            && compile("PATHCC_DISABLE=1", "") != blocks
            && compile("PATHCC_CONFIG=off", "") == paths
    );
    weights();
    compile("", "-fpath-use=sample.weights");
    weights();
    compile("", "-fpath-use=sample.weights");
    assert_eq!(hits(), 2, "only what was compiled with the same settings is in the cache");
}

/// Python that prints a port on which nobody listens. A server that cannot have its port is waited
/// for in vain.
const FREE_PORT: &str =
    "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])";

#[test]
fn caches_and_machines_that_compile_for_others_count() {
    let project = Project::new();
    // The daemon of distcc is another user, who must be able to reach the tree.
    fs::set_permissions(project.folder(), PermissionsExt::from_mode(0o755)).expect("ours");
    project.put("sample.c", SOURCE);
    let executed = |compile: &str| {
        let lines = format!(
            "mkdir -m 755 -p tree log; chmod 777 log
             cp -a $(dirname $(command -v pathcc))/../bin $(dirname $(command -v pathcc))/../lib tree/
             PATH=$PWD/tree/bin:$PATH; export PATH
             free_port() {{ python3 -c {FREE_PORT:?}; }}
             {compile}
             pathcc sample.o -o sample; ./sample; pathprof report sample; rm sample.pathprof sample.o"
        );
        let report = project.shell(&lines);
        assert!(report.contains("in 1 of 1 function, once in all"), "{report}");
    };
    executed(
        "port=$(free_port); user=$(id -un); test $user != root || user=nobody
         distccd --daemon --no-detach --port $port --listen 127.0.0.1 --allow 127.0.0.1 \\
             --enable-tcp-insecure --user $user --log-file $PWD/log/log --verbose 2>/dev/null & daemon=$!
         trap 'kill $daemon' EXIT
         for i in $(seq 300); do grep -q 'daemon started' log/log 2>/dev/null && break; sleep 0.1; done
         export DISTCC_DIR=$PWD/distcc DISTCC_HOSTS=127.0.0.1:$port DISTCC_FALLBACK=0; mkdir distcc
         distcc pathcc -g -c sample.c -o sample.o
         for i in $(seq 300); do grep -q COMPILE_OK log/log && break; sleep 0.1; done; grep -q COMPILE_OK log/log",
    );
    executed(
        "export SCCACHE_DIR=$PWD/cache SCCACHE_SERVER_PORT=$(free_port)
         export SCCACHE_CONF=$PWD/sccache.toml
         echo server_startup_timeout_ms = 120000 >sccache.toml
         trap 'sccache --stop-server >/dev/null' EXIT
         sccache pathcc -g -c sample.c -o sample.o; sccache pathcc -g -c sample.c -o sample.o
         sccache --show-stats | grep -q 'Cache hits  *1$'",
    );
}
