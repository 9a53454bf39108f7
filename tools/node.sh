# Sourced by ./x: packages of the npm registry, installed as their lock file says, into a folder of ours.

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
