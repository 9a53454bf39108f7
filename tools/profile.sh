# Sourced by ./x: profile-guided optimisation of the native server (docs/adr/0040-profiles.md).

# Runs the managed server under load while the runtime counts branches and callees, and makes of that
# artifacts/profile/server.mibc.
make_profile() {
    local folder=$root/artifacts/profile server port
    configuration=Release
    need_sdk && build src/Cinnabar.Server/Cinnabar.Server.csproj && build bench/Cinnabar.Bench/Cinnabar.Bench.csproj \
        && build tools/Profile/Profile.csproj || return 1
    rm -rf "$folder" && mkdir -p "$folder/data" || return 1
    port=$((20000 + RANDOM % 10000))
    # Methods are never compiled a second time: they count to the end.
    DOTNET_TieredPGO=1 DOTNET_TieredPGO_InstrumentOnlyHotCode=0 DOTNET_TC_CallCounting=0 \
        DOTNET_WritePGOData=1 DOTNET_PGODataPath=$folder/counts.txt \
        dotnet "$(output src/Cinnabar.Server cinnabar-server.dll)" --port $port --bind 127.0.0.1 --save '' \
        --dir "$folder/data" --unixsocket "$folder/data/socket" --logfile "$folder/log" &
    server=$!
    load_for_profile "$port" "$folder" > "$folder/load" 2>&1
    local status=$?
    kill $server 2>/dev/null
    wait $server
    [ $status = 0 ] || { say "the load failed: see $folder/load"; return 1; }
    dotnet "$(output tools/Profile Profile.dll)" "$folder/counts.txt" \
        "$(dirname "$(output src/Cinnabar.Server cinnabar-server.dll)")" "$folder/server.mibc"
}

# Every command beside the one load that servers have most.
load_for_profile() { # PORT FOLDER
    local bench tries=0
    bench=$(output bench/Cinnabar.Bench cinnabar-bench)
    until (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || return 1
        sleep 0.1
    done
    "$bench" --root "$root" load -p "$1" -c 128 -P 30 --test-time 15 --populate --key-maximum 200000 -d 64 \
        --json "$2/load.json" \
        && "$bench" --root "$root" load -p "$1" -c 64 -P 1 --test-time 5 --json "$2/load.json" \
        && "$bench" --root "$root" commands --server "profiled@$2/data/socket" --quick --rounds 1 \
            --json "$2/commands.json"
}
