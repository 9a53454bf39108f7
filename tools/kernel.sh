# The tests of the transports on Linux 6.1, the oldest kernel whose io_uring the server uses. QEMU starts
# Debian's kernel with this machine's files as its root: read through 9p, written to memory only. So what was
# built here runs there, and nothing that runs there leaves a trace.

kernel_modules="drivers/virtio fs/fscache fs/netfs fs/9p fs/overlayfs net/9p"

kernel_packages="qemu-system-x86 busybox-static cpio zstd"

# Prints why the tests cannot run here; nothing where they can. Installs what they need, and gets the kernel.
kernel_obstacle() {
    [ "$(uname -m)" = x86_64 ] || { echo "it is for x86-64"; return; }
    case $root in /tmp/*) echo "a memory's folder stands in place of /tmp there: work elsewhere"; return ;; esac
    native_compiler >/dev/null || { echo "it needs gcc or clang"; return; }
    command -v apt-get >/dev/null || { echo "it needs Debian 12's packages"; return; }
    dpkg -s $kernel_packages >/dev/null 2>&1 || persist apt-get install -y -qq --no-install-recommends \
        $kernel_packages >/dev/null 2>&1 || { echo "it needs $kernel_packages"; return; }
    make_kernel || echo "it needs Debian 12's linux-image-amd64, which is Linux 6.1"
}

run_on_kernel() { # [FILTER...]
    local obstacle
    obstacle=$(kernel_obstacle)
    [ -z "$obstacle" ] || { say "no test on Linux 6.1: $obstacle"; exit 1; }
    kernel=$root/artifacts/kernel configuration=Checked
    need_sdk && build tests/Unit/Unit.csproj && build tests/EndToEnd/EndToEnd.csproj || exit 1
    build_native src/Cinnabar.Server cinnabar-server || exit 1
    try_without_ring && make_first_files "$@" && start_kernel
}

# This machine's kernel refuses all rings for a moment: the server falls back to epoll, and says so.
try_without_ring() {
    local switch=/proc/sys/kernel/io_uring_disabled folder log server status=1
    [ -w $switch ] || { say "no $switch to write to: its test is left out"; return 0; }
    folder=$(mktemp -d)
    log=$folder/log
    local before
    before=$(cat $switch)
    echo 2 > $switch
    "$(native_output src/Cinnabar.Server cinnabar-server)" --port 0 --unixsocket "$folder/socket" --dir "$folder" \
        --transport io_uring > "$log" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        grep -q "Ready to accept" "$log" && break
        sleep 0.1
    done
    echo "$before" > $switch
    grep -q "io_uring cannot be used (Operation not permitted), epoll is" "$log" && grep -q "Ready to accept" "$log" \
        && status=0 || say "with $switch 2: $(cat "$log")"
    kill $server
    wait $server
    rm -r "$folder"
    return $status
}

# Unpacks the kernel's package.
make_kernel() {
    local image kernel=$root/artifacts/kernel
    [ -z "$(ls "$kernel"/boot/vmlinuz-6.1* 2>/dev/null)" ] || return 0
    mkdir -p "$kernel/package"
    image=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-6\.1\./{print $2}')
    [ -n "$image" ] || return 1
    (cd "$kernel/package" && persist apt-get download -qq "$image" 2>/dev/null) \
        && dpkg -x "$kernel/package/$image"*.deb "$kernel" && rm -r "$kernel/package"
}

# What the kernel starts with: busybox, the modules, and the commands that make the root and run the tests.
make_first_files() { # [FILTER...]
    local first=$kernel/first modules folder
    modules=$(cd "$kernel" && echo lib/modules/6.1*)
    rm -rf "$first"
    mkdir -p "$first"/{bin,lower,upper,root,proc}
    cp "$(command -v busybox)" "$first/bin/busybox"
    for folder in $kernel_modules; do
        mkdir -p "$first/$modules/kernel/$folder"
        cp "$kernel/$modules/kernel/$folder"/*.ko "$first/$modules/kernel/$folder" || return 1
    done
    busybox depmod -b "$first" "${modules##*/}" || return 1
    cat > "$first/init" <<'TEXT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
for module in virtio_pci 9pnet_virtio 9p overlay; do $b modprobe $module; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro host /lower
$b mount -t tmpfs -o size=3G upper /upper
$b mkdir /upper/files /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work files /root
$b mount -t tmpfs -o size=2G tmp /root/tmp
$b mount -t proc proc /root/proc
$b mount -t sysfs sys /root/sys
$b mount -t devtmpfs dev /root/dev
$b mkdir -p /root/dev/shm /root/dev/pts
$b mount -t tmpfs shm /root/dev/shm
$b ip link set lo up
$b cp /tests /root/tmp/tests
$b chroot /root /bin/bash /tmp/tests
$b poweroff -f
TEXT
    write_tests "$@" > "$first/tests"
    chmod +x "$first/init"
    (cd "$first" && find . | cpio -o -H newc --quiet | gzip -1) > "$kernel/first.gz"
}

# Tests of the server that are about its transport stand with those of the server.
write_tests() { # [CLASS...]
    local unit=("$@") whole=("$@")
    [ $# -gt 0 ] || unit=('*.Transport.*') whole=('*.Transport.*' '*.UnixSocketTests' '*.DescriptorLimitTests')
    printf 'export HOME=/root TMPDIR=/tmp PATH=%q DOTNET_ROOT=%q DOTNET_CLI_TELEMETRY_OPTOUT=1\n' "$PATH" "$DOTNET_ROOT"
    printf 'export CINNABAR_SERVER=%q\ncd %q\nulimit -n 65536\nuname -r\n' \
        "$(native_output src/Cinnabar.Server cinnabar-server)" "$root"
    write_run Unit "${unit[@]}"
    write_run EndToEnd "${whole[@]}"
    printf 'echo "tests on the kernel: ${failed:-passed}"\n'
}

write_run() { # PROJECT CLASS...
    printf 'dotnet %q -noColor -noLogo' "$(output "tests/$1" "$1.dll")"
    printf ' -class %q' "${@:2}"
    printf ' || failed=1\n'
}

# The kernel's console is this one. The processor is emulated: KVM is not to be had on most rented machines.
# Emulated beside other programs the timer may be late, which the kernel would take for a broken one.
start_kernel() {
    timeout 7200 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 6G -smp 2 -display none -no-reboot \
        -serial stdio -kernel "$kernel"/boot/vmlinuz-6.1* -initrd "$kernel/first.gz" \
        -append "console=ttyS0 quiet panic=-1 no_timer_check" \
        -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
        < /dev/null 2>"$kernel/errors" | tee "$kernel/log"
    grep -q "tests on the kernel: passed" "$kernel/log"
}
