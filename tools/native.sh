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

can_compile_native() { # says what is missing
    native_rid >/dev/null || { say "there is no native build for $(uname -sm): the managed one is used"; return 1; }
    native_compiler >/dev/null && return 0
    say "the native build needs gcc or clang (sudo apt-get install gcc libc6-dev): the managed one is used"
    return 1
}

# Where a project's native binary is kept; with it NAME.dbg, its symbols.
native_output() { # PROJECT_FOLDER NAME [CONFIGURATION]
    printf '%s/artifacts/native/%s/%s' "$root" "$(basename "$1")${3:+-${3,,}}" "$2"
}

# Compiling takes some 40 s of a processor: only when something it is made of is newer than the binary.
is_native_current() { # BINARY PROJECT_FOLDER
    [ -x "$1" ] && [ -z "$(find "$root/$2" "$root/src" "$root/spec" "$root/tools/Cinnabar.Generator" \
        "$root/Directory.Build.props" "$root/Native.props" "$root/global.json" \
        \( -name bin -o -name obj \) -prune -o -newer "$1" -print -quit)" ]
}

build_native() { # PROJECT_FOLDER NAME [CONFIGURATION]: quiet when it succeeds
    local binary log start
    binary=$(native_output "$1" "$2" "${3:-}")
    is_native_current "$binary" "$1" && return 0
    say "compiling $2 to native code${3:+ ($3)}"
    start=$(mktemp)
    log=$(dotnet publish "$root/$1" -c "${3:-Release}" -r "$(native_rid)" -o "$(dirname "$binary")" \
        -p:CppCompilerAndLinker="$(native_compiler)" -v q --nologo -clp:NoSummary 2>&1) \
        && touch -r "$start" "$binary" && rm "$start" && return 0
    rm "$start"
    printf '%s\n' "$log" >&2
    return 1
}
