#!/usr/bin/env bash
# What the repository layer costs in a repository of 10,000 files in 100 folders, with 10,000 experiments behind it.
#
#   cmake --build build/release --target autokernel_repo_speed && tests/repo/speed.sh build/release
set -euo pipefail
program=$(realpath "$1")/tests/autokernel_repo_speed
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
readonly program folder

export HOME=$folder GIT_CONFIG_NOSYSTEM=1
mkdir "$folder/repository"
cd "$folder/repository"
git init --quiet --initial-branch=main
git config user.name speed
git config user.email speed@localhost
git config gc.auto 0
for directory in {1..100}; do
  mkdir "folder$directory"
  for file in {1..99}; do echo "$directory $file" >"folder$directory/file$file"; done
  echo "__global__ void kernel() {}" >"folder$directory/kernel.cu"
done
git add --all
git commit --quiet --message files
# A commit for each experiment, as the loop leaves them.
awk -v parent="$(git rev-parse HEAD)" 'BEGIN {
  for (i = 1; i <= 10000; ++i) {
    printf "commit refs/autokernel/x/%d\ncommitter speed <speed@localhost> %d +0000\ndata 4\nidea\n", i, 1e9 + i
    printf "from %s\nM 644 inline folder1/kernel.cu\ndata <<END\n// %d\nEND\n\n", parent, i
  }
}' | git fast-import --quiet
echo "references: loose"
"$program" . folder1/kernel.cu
git status --porcelain
git pack-refs --all
echo "references: packed"
"$program" . folder1/kernel.cu
git status --porcelain
git fsck --strict --no-dangling
