# Sourced by ./x: `./x test`. The stages run one after another, a failing one does not stop the rest; their
# closing counts are summed and are the last line printed.
#
# All that is managed is built in the configuration Checked: optimized, with assertions. The tests that start a
# server start the native binary (CINNABAR_SERVER); "Checked" repeats some of them with a native binary that has
# assertions and the checked allocator, and "Native" runs property tests that were compiled ahead themselves.
#
# Tests that run for as long as they are given read CINNABAR_TEST_SECONDS; --long multiplies it, and ends with
# the tests on Linux 6.1 (tools/kernel.sh) where these can run. The limit of a stage is far above its budget:
# it only ends a stage that hangs.

source "$root/tools/node.sh"

passed=0 failed=0 skipped=0 long_seconds=60
# stage, its project, seconds its open-ended tests may use together, seconds after which it counts as hung
stages='Unit Unit 0 900
Property Property 30 900
Native Property 15 900
Simulation Simulation 40 1200
Differential Differential 40 1200
EndToEnd EndToEnd 60 1200
Checked Differential 20 1200
Checked EndToEnd 20 1200
Lab Lab 0 1200'

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Another program may be installing too: it is waited for.
apt_fetch() { # PACKAGE...
    local wait='-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3'
    as_root apt-get update -qq $wait >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wait "$@" >&2
}

apt_install() {
    local status policy=/usr/sbin/policy-rc.d own_policy=
    say "installing $*"
    # Debian starts a daemon when its package is installed; the tests start their own, on their own ports.
    if [ ! -e $policy ]; then
        own_policy=1
        printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null && as_root chmod 755 $policy
    fi
    persist apt_fetch "$@"
    status=$?
    [ -z "$own_policy" ] || as_root rm -f $policy
    case " $* " in *' redis-server '*) as_root update-rc.d redis-server disable >/dev/null 2>&1 ;; esac
    return $status
}

missing_packages() {
    can_compile_c || echo gcc libc6-dev
    command -v objdump >/dev/null || echo binutils
    command -v qemu-x86_64-static >/dev/null || echo qemu-user-static
    command -v redis-server >/dev/null || echo redis-server
    command -v openssl >/dev/null || echo openssl
    command -v lua5.1 >/dev/null || echo lua5.1
    command -v redis-cli >/dev/null && command -v redis-benchmark >/dev/null || echo redis-tools
    /usr/bin/python3 -c 'import redis' 2>/dev/null || echo python3-redis
    /usr/bin/python3 -c 'import celery' 2>/dev/null || echo python3-celery
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
    command -v chromium >/dev/null || echo chromium
}

# What cannot be installed makes its tests skip on a person's machine, and is a failure in CI.
prepare() {
    local packages
    packages=$(missing_packages)
    if [ -n "$packages" ]; then
        if command -v apt-get >/dev/null; then apt_install $packages; fi
        packages=$(missing_packages)
        [ -z "$packages" ] || absent "$(echo $packages)"
    fi
    install_node_packages tests/EndToEnd/node || absent "the node clients (tests/EndToEnd/node)"
    install_node_packages lab/report || absent "what makes the lab's report (lab/report)"
}

absent() {
    if [ -n "${CI:-}" ]; then say "FAILED: not installed: $1"; failed=$((failed + 1))
    else say "not installed, its tests will be skipped: $1"; fi
}

# Adds the last "Total: 9, Errors: 0, Failed: 0, Skipped: 0, Not Run: 0" of a stage's log. A stage that ended
# without one, with another exit code than its counts explain, or that ran nothing, has failed.
count() { # STAGE LOG EXIT_CODE
    local line total bad skips
    line=$(grep -E '^ +[A-Za-z]+ +Total: [0-9]+' "$2" | tail -n 1)
    if [ -z "$line" ]; then
        say "FAILED: $1 ended with exit code $3 and without a summary"
        failed=$((failed + 1))
        return
    fi
    total=$(number Total "$line")
    bad=$(($(number Failed "$line") + $(number Errors "$line")))
    skips=$(number Skipped "$line")
    passed=$((passed + total - $(number Failed "$line") - skips - $(number 'Not Run' "$line")))
    failed=$((failed + bad))
    skipped=$((skipped + skips))
    if [ "$3" != 0 ] && [ $bad = 0 ]; then
        say "FAILED: $1 ended with exit code $3"
        failed=$((failed + 1))
    elif [ "$total" = 0 ] && [ -z "$filter" ]; then
        say "FAILED: $1 ran no test"
        failed=$((failed + 1))
    fi
}

number() { # NAME LINE: the number after NAME, 0 where the line has none
    local found
    found=$(grep -oE "$1: [0-9]+" <<<"$2" | grep -oE '[0-9]+$')
    printf '%s' "${found:-0}"
}

run_stage() { # STAGE LIMIT_SECONDS COMMAND...
    local stage=$1 limit=$2 status log
    shift 2
    log=$(mktemp)
    say "== $stage"
    timeout --kill-after=20 "$limit" "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    [ "$status" != 124 ] || say "FAILED: $stage was ended after $limit s"
    count "$stage" "$log" "$status"
    rm -f "$log"
}

# The programs that the stages start; a stage whose program cannot be compiled fails.
build_programs() { # ONLY_STAGE [--managed]
    local only=$1
    configuration=Release build_server ${2:-} || return 1
    export CINNABAR_SERVER=$server_program
    case ${2:-} in --managed) return 0 ;; esac
    case $only in ''|endtoend)
        build_native samples/Embedding embedding || return 1
        export CINNABAR_EMBEDDING=$(native_output samples/Embedding embedding)
        build_arm64 ;;
    esac
    case $only in ''|checked) build_native src/Cinnabar.Server cinnabar-server Checked || return 1 ;; esac
    case $only in ''|native) build_native tests/Property Property Checked || return 1 ;; esac
    case $only in ''|lab) configuration=Release build tests/Lab/Lab.csproj ;; esac
}

# What runs again with assertions: much of the server by chance, and every transport.
checked_part() { # PROJECT
    local tests=Cinnabar.Tests.$1
    case $1 in
        Differential) printf -- '-namespace %s\n' $tests.{Streams,Events,Tracking} ;;
        EndToEnd) printf -- '-class %s\n' $tests.Transport.{TransportTests,LeavingPeerTests,ListenChangeTests} ;;
    esac
}

run_test_stages() { # ONLY_STAGE FACTOR
    local stage project seconds limit picked=() program environment
    [ -z "$filter" ] || picked=(-method "*$filter*")
    while read -r stage project seconds limit; do
        # A stage that has no time for open-ended tests runs them on only with --long.
        [ "$2" = 1 ] || [ "$seconds" != 0 ] || seconds=$long_seconds
        [ -z "$1" ] || [ "$1" = "${stage,,}" ] || continue
        program=(dotnet "$(output "tests/$project" "$project.dll")" -noColor -noLogo)
        environment=(CINNABAR_TEST_SECONDS=$((seconds * $2)))
        case $stage in
            Native)
                is_native "$server_program" || continue
                program=("$(native_output tests/Property Property Checked)") ;;
            Checked)
                is_native "$server_program" || continue
                program+=($(checked_part "$project"))
                environment+=(CINNABAR_SERVER="$(native_output src/Cinnabar.Server cinnabar-server Checked)"
                    CINNABAR_CHECKED_MEMORY=1) ;;
            Lab) program[1]=$(configuration=Release output tests/Lab Lab.dll) ;;
        esac
        run_stage "$stage" $((limit * $2)) \
            env "${environment[@]}" "${program[@]}" ${picked[@]+"${picked[@]}"} </dev/null
    done <<<"$stages"
}

# Each project that runs there has its own closing counts.
count_part() { # PROJECT LOG EXIT_CODE
    local part
    part=$(mktemp)
    grep -E "^ +$1 +Total: " "$2" > "$part"
    count "Kernel, $1" "$part" "$3"
    rm -f "$part"
}

# The transports on Linux 6.1: in a process of its own, which it may end. Where that cannot be, all of it counts
# as one test that is skipped.
run_kernel_stage() {
    local obstacle log status before=$failed
    source "$root/tools/kernel.sh"
    obstacle=$(kernel_obstacle)
    [ -z "$obstacle" ] || { say "no test on Linux 6.1: $obstacle"; skipped=$((skipped + 1)); return; }
    log=$(mktemp)
    say "== Kernel"
    (run_on_kernel) 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    count_part Unit "$log" 0
    [ "$failed" = "$before" ] || status=0
    count_part EndToEnd "$log" "$status"
    rm -f "$log"
}

run_tests() {
    local factor=1 only= form=
    filter=
    configuration=Checked
    while [ $# -gt 0 ]; do
        case $1 in
            --long) factor=20 ;;
            --managed) form=--managed ;;
            -*) say "unknown option $1"; usage >&2; exit 2 ;;
            *) filter=$1 ;;
        esac
        shift
    done
    case ${filter,,} in
        tidy|unit|property|native|simulation|differential|endtoend|checked|lab) only=${filter,,}; filter= ;;
    esac
    if ! need_sdk; then failed=1
    elif ! { say "== build"; persist restore Cinnabar.slnx && build Cinnabar.slnx; }; then failed=1
    else
        prepare
        if [ -z "$filter" ] && [ -z "$only" ] || [ "$only" = tidy ]; then
            run_stage Tidy 120 dotnet "$(output tools/Tidy Tidy.dll)" "$root"
        fi
        if build_programs "$only" $form; then run_test_stages "$only" "$factor"
        else failed=$((failed + 1)); fi
        [ "$factor$filter$only$form" != 20 ] || run_kernel_stage
    fi
    [ "$filter" = "" ] || [ $((passed + failed)) != 0 ] || { say "no test matches $filter"; failed=1; }
    [ "$skipped" = 0 ] || echo "$skipped skipped: what they need was not there, or was not asked for"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
