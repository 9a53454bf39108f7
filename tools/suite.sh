# Sourced by ./x: the test suite of Redis or Valkey (tests/ of their source trees, in Tcl) with cinnabar-server in
# the place of redis-server. The tree is yours to bring; it is copied, not changed. A unit runs by itself, with a
# limit, so that one which waits for ever for what is not built yet does not hide the others. Its tests of long
# scripts expect -BUSY for every command. The unit "sentinel" is the suite of its own in tests/sentinel, with
# Debian's redis-server as the Sentinels.

suite_units() { # TREE: the units of commands and types
    (cd "$1/tests" && ls unit/*.tcl unit/type/*.tcl) | sed 's/\.tcl$//' | grep -v printver
}

prepare_suite() { # TREE COPY
    local name prefix=redis
    [ ! -e "$1/src/valkey-cli.c" ] || prefix=valkey
    rm -rf "$2"
    cp -rH "$1" "$2" || return 1
    for name in server check-aof check-rdb; do
        ln -sf "$server_program" "$2/src/$prefix-$name"
    done
    # A redis-server that is called so is a Sentinel.
    ln -sf "$(command -v redis-server)" "$2/src/$prefix-sentinel"
    for name in cli benchmark; do
        ln -sf "$(command -v redis-$name)" "$2/src/$prefix-$name"
    done
}

run_sentinel_suite() { # COPY LOG
    command -v redis-server >/dev/null || { say "needs redis-server (Debian's package)"; exit 1; }
    (cd "$1" && timeout -s KILL "${CINNABAR_SUITE_SECONDS:-900}" ./runtest-sentinel) 2>&1 \
        | sed 's/\x1b\[[0-9;]*m//g' >"$2"
    printf '%-36s %4d ok %4d failed%s\n' sentinel "$(grep -ac ': OK$' "$2")" "$(grep -ac 'FAILED' "$2")" \
        "$(grep -aq 'GOOD!' "$2" || echo ', ended early')"
}

run_suite() { # [--tls] TREE [UNIT...]
    local tls=
    [ "${1:-}" != --tls ] || { tls=--tls; shift; }
    local tree=${1:?./x suite needs the source tree of Redis or Valkey} unit log port=21000
    local out=$root/artifacts/suite copy=$root/artifacts/suite/tree
    shift
    [ -x "$tree/runtest" ] || { say "$tree has no runtest: is it a source tree?"; exit 2; }
    for unit in tclsh redis-cli redis-benchmark; do
        command -v $unit >/dev/null || { say "needs $unit (Debian's packages tcl and redis-tools)"; exit 1; }
    done
    need_sdk && build_server || exit 1
    mkdir -p "$out" && prepare_suite "$tree" "$copy" || exit 1
    # The suite's own certificates; its clients are those of Debian's package tcl-tls.
    [ -z "$tls" ] || (cd "$copy" && ./utils/gen-test-certs.sh >"$out/certificates.log" 2>&1) \
        || { say "needs openssl, see artifacts/suite/certificates.log"; exit 1; }
    [ $# -gt 0 ] || set -- $(suite_units "$tree")
    for unit in "$@"; do
        log=$out/${unit//\//_}.log
        [ "$unit" != sentinel ] || { run_sentinel_suite "$copy" "$log"; continue; }
        (cd "$copy" && timeout -s KILL "${CINNABAR_SUITE_SECONDS:-150}" ./runtest --clients 1 --durable \
            --config busy-reply-scope server \
            --baseport $port $tls --single "$unit") 2>&1 | sed 's/\x1b\[[0-9;]*m//g' >"$log"
        printf '%-36s %4d ok %4d failed%s\n' "$unit" "$(grep -ac '^\[ok\]' "$log")" \
            "$(grep -ac '^\[err\]' "$log")" "$(grep -aq 'The End' "$log" || echo ', ended early')"
        port=$((port + 200))
    done
    say "the logs are in artifacts/suite"
}
