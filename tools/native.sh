# Sourced by ./x: programs compiled ahead of time to one native binary (Native.props).

native_rid() {
    case $(uname -sm) in
        'Linux x86_64') echo linux-x64 ;;
        'Linux aarch64') echo linux-arm64 ;;
        *) return 1 ;;
    esac
}

# The C compiler links the binary and compiles what is written in C.
native_compiler() { command -v gcc || command -v clang; }

# Whether there is one, with the headers of the C library.
can_compile_c() {
    native_compiler >/dev/null && echo '#include <unistd.h>' | "$(native_compiler)" -E - >/dev/null 2>&1
}

can_compile_native() { # says what is missing
    native_rid >/dev/null || { say "there is no native build for $(uname -sm): the managed one is used"; return 1; }
    can_compile_c && return 0
    say "the native build needs gcc or clang with libc's headers (sudo apt-get install gcc libc6-dev): the managed one is used"
    return 1
}

# Where a project's native binary is kept; with it NAME.dbg, its symbols.
native_output() { # PROJECT_FOLDER NAME [CONFIGURATION]
    printf '%s/artifacts/native/%s/%s' "$root" "$(basename "$1")${3:+-${3,,}}" "$2"
}

is_native() { case $1 in "$root"/artifacts/native/*) ;; *) return 1 ;; esac; } # PROGRAM

# Compiling takes some 40 s of a processor: only when something it is made of is newer than the binary.
is_native_current() { # BINARY PROJECT_FOLDER
    local shared=()
    case $2 in tests/*) shared=("$root/tests/Support" "$root/bench/Cinnabar.Load") ;; esac
    [ -x "$1" ] && [ -z "$(find "$root/$2" ${shared[@]+"${shared[@]}"} \
        "$root/src" "$root/spec" "$root/tools/Cinnabar.Generator" \
        "$root/Directory.Build.props" "$root/Native.props" "$root/global.json" \
        \( -name bin -o -name obj \) -prune -o -newer "$1" -print -quit)" ]
}

build_native() { # PROJECT_FOLDER NAME [CONFIGURATION]: quiet when it succeeds
    compile_native "$1" "$2" "${3:-Release}" "$(native_rid)" "$(native_compiler)" \
        "$(native_output "$1" "$2" "${3:-}")"
}

# The server for arm64, on another machine: with Debian's cross compiler, where that is installed.
build_arm64() {
    [ "$(native_rid)" = linux-x64 ] && command -v aarch64-linux-gnu-gcc >/dev/null || return 0
    CINNABAR_ARM64_SERVER=$root/artifacts/native/Cinnabar.Server-arm64/cinnabar-server
    compile_native src/Cinnabar.Server cinnabar-server Release linux-arm64 "$root/tools/arm64-cc" \
        "$CINNABAR_ARM64_SERVER" -p:ObjCopyName=aarch64-linux-gnu-objcopy && export CINNABAR_ARM64_SERVER
}

compile_native() { # PROJECT_FOLDER NAME CONFIGURATION RID COMPILER BINARY [OPTION]
    local binary=$6 log start
    is_native_current "$binary" "$1" && return 0
    say "compiling $2 to native code ($3, $4)"
    persist restore "$1" -p:RuntimeIdentifier="$4" || return 1
    start=$(mktemp)
    log=$(dotnet publish "$root/$1" --no-restore -c "$3" -r "$4" -o "$(dirname "$binary")" \
        -p:CppCompilerAndLinker="$5" "${@:7}" -v q --nologo -clp:NoSummary 2>&1) \
        && touch -r "$start" "$binary" && rm "$start" && return 0
    rm "$start"
    printf '%s\n' "$log" >&2
    return 1
}
