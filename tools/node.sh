# Sourced by ./x: packages of the npm registry, installed as their lock file says, into a folder of ours.

# Runs what fetches something. In CI up to four times, since a network may fail for a moment; a person sees why
# and tries again.
persist() { # COMMAND...
    local pause
    for pause in ${CI:+5 20 60}; do
        "$@" && return 0
        say "$1 failed; once more in $pause s"
        sleep "$pause"
    done
    "$@"
}

node_packages_are_there() { # FOLDER
    local folder=$root/$1
    [ -e "$folder/node_modules/.installed" ] && cmp -s "$folder/package-lock.json" "$folder/node_modules/.installed"
}

install_node_packages() { # FOLDER
    local folder=$root/$1
    node_packages_are_there "$1" && return 0
    command -v npm >/dev/null || return 1
    say "installing the node packages of $1"
    (cd "$folder" && persist npm ci --no-audit --no-fund --omit-lockfile-registry-resolved --loglevel=error >&2) \
        && cp "$folder/package-lock.json" "$folder/node_modules/.installed"
}
