#!/usr/bin/env bash
# A finished build, installed below a new prefix and taken away again. CTest runs it.
#
#   tests/package/install_test.sh BUILD
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly build source scratch prefix=$scratch/prefix

fail() { echo "install_test: $*" >&2; exit 1; }

# As a component, so that the manifest ./dev uninstall goes by stays that of the user's own installation.
cmake --install "$build" --prefix "$prefix" --component autokernel >"$scratch/log" || fail "$(cat "$scratch/log")"
mkdir "$scratch/empty" && cd "$scratch/empty"
export TMPDIR=$scratch HOME=$scratch XDG_CACHE_HOME=$scratch/cache

for file in bin/autokernel lib/libautokernel_cpu.so include/autokernel.cuh share/autokernel/kernels/case.toml share/autokernel/systemd/autokernel-judge.service \
  share/doc/autokernel/LICENSE share/zsh/site-functions/_autokernel share/fish/vendor_completions.d/autokernel.fish; do
  [[ -e $prefix/$file ]] || fail "$file is not installed"
done
# Its own library, its own case, and CUDA wherever that is.
"$prefix/bin/autokernel" doctor --device cpu >out || fail "doctor: exit code $?: $(cat out)"
"$prefix/bin/autokernel" bench --device cpu --size check >out 2>err || fail "bench: exit code $?: $(cat out err)"
grep -q '^correct: *True$' out || fail "bench: $(cat out)"
grep -q "measuring the installed $prefix/share/autokernel/kernels" err || fail "it does not say what it measures: $(cat err)"
mkdir "$scratch/repository" && git init -q "$scratch/repository"
(cd "$scratch/repository" && "$prefix/bin/autokernel" init --from softmax) >out || fail "init: exit code $?: $(cat out)"
grep -q '^name = "Softmax"$' "$scratch/repository/kernels/case.toml" || fail "init: $(cat out)"
# shellcheck source=/dev/null
source "$prefix/share/bash-completion/completions/autokernel"
# shellcheck disable=SC2034  # read by the completion
COMP_WORDS=(autokernel doc) COMP_CWORD=1
_autokernel
[[ ${COMPREPLY[*]} == doctor ]] || fail "the installed completion offers: ${COMPREPLY[*]}"

# What is not ours stays.
touch "$prefix/share/autokernel/kernels/mine.cu"
cmake -D "MANIFEST=$build/install_manifest_autokernel.txt" -P "$source/cmake/Uninstall.cmake" >"$scratch/log"
left=$(cd "$prefix" && find . -type f | sort)
[[ $left == ./share/autokernel/kernels/mine.cu ]] || fail "uninstalling leaves: $left"
[[ ! -e $prefix/share/doc/autokernel ]] || fail "uninstalling leaves empty folders"
