#!/usr/bin/env bash
# Whether a package runs on a machine that has nothing: unpacks the archives of `./dev package` into an empty folder of a
# minimal Debian 12 and runs them there. Not among the tests of `./dev test`: it needs root, the network and debootstrap.
#
#   tests/package/minimal_root.sh       after ./dev package
#
# The Debian is made once, in build/minimal-root. NVRTC comes from NVIDIA's wheels, as ./dev unpacks them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly base=$PWD/build/minimal-root

fail() { echo "minimal_root: $*" >&2; exit 1; }

((EUID == 0)) || { echo "minimal_root: chroot needs root: sudo $0" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "minimal_root: apt-get install debootstrap" >&2; exit 3; }
full=$(echo build/autokernel-*-linux-x86_64.tar.xz)
gpu=$(echo build/autokernel-*-linux-x86_64-gpu.tar.xz)
[[ -e $full && -e $gpu ]] || { echo "minimal_root: there are no archives; run ./dev package" >&2; exit 3; }

if [[ ! -e $base.ready ]]; then
  rm -rf "$base"
  debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >build/debootstrap.log ||
    fail "debootstrap failed: see build/debootstrap.log"
  # A machine need not have the C++ runtime; apt has brought it along.
  rm "$base"/usr/lib/x86_64-linux-gnu/lib{stdc++,gcc_s}.so*
  touch "$base.ready"
fi
if [[ ! -d build/cuda-wheels ]]; then AUTOKERNEL_DEV_IGNORE_TOOLKIT=1 ./dev setup; fi

# Nothing of the last run is left.
rm -rf "$base/opt" && mkdir -p "$base/opt/whole" "$base/opt/gpu" "$base/opt/work"
tar -xJf "$full" -C "$base/opt/whole" --strip-components=1
tar -xJf "$gpu" -C "$base/opt/gpu" --strip-components=1

# inside COMMAND ...: in the Debian, with a /proc of its own and nothing of our environment. The folder is empty.
inside() {
  # shellcheck disable=SC2016  # for the inner shell
  unshare --mount --pid --fork sh -c \
    'mount -t proc proc "$0/proc" && cd / && exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin sh -c "cd /opt/work && exec \"\$@\"" - "$@"' \
    "$base" "$@"
}

# expect CODE WORDS COMMAND ...: it exits with CODE and prints WORDS.
expect() {
  local wanted=$1 words=$2 code=0 out
  out=$(inside "${@:3}" 2>&1) || code=$?
  [[ $code == "$wanted" && $out == *"$words"* ]] || fail "${*:3}: exit code $code, wanted $wanted and '$words':"$'\n'"$out"
  echo "ok: ${*:3}: exit code $code, $words"
}

expect 0 "autokernel " /opt/whole/bin/autokernel --version
# Without NVRTC it says what to do.
expect 3 "pip install" /opt/whole/bin/autokernel doctor --device cpu
expect 3 "pip install" /opt/whole/bin/autokernel bench --device cpu
# NVRTC beside the program, where it looks for wheels.
cp -r build/cuda-wheels "$base/opt/cuda-wheels"
expect 0 "bench can run on the emulated device" /opt/whole/bin/autokernel doctor --device cpu
expect 0 "correct:          True" /opt/whole/bin/autokernel bench --device cpu
expect 0 "autokernel " /opt/gpu/bin/autokernel --version
expect 3 "libautokernel_cpu.so" /opt/gpu/bin/autokernel doctor --device cpu
expect 0 "complete -F" /opt/gpu/bin/autokernel completion bash
