#!/bin/sh
# A coding agent whose ideas are written down: scripted_agent.sh FOLDER. At its Nth call it keeps its brief in FOLDER/N.brief,
# makes FOLDER/N.cu the kernel, gives FOLDER/N.idea as its idea and does what FOLDER/N.sh says; what is not there it leaves out.
set -eu
folder=$1
turn=$(($(cat "$folder/turns" 2>/dev/null || echo 0) + 1))
echo "$turn" >"$folder/turns"
cat >"$folder/$turn.brief"
if [ -e "$folder/$turn.cu" ]; then cp "$folder/$turn.cu" "$AUTOKERNEL_KERNEL"; fi
if [ -e "$folder/$turn.idea" ]; then cp "$folder/$turn.idea" "$AUTOKERNEL_IDEA_FILE"; fi
# shellcheck source=/dev/null
if [ -e "$folder/$turn.sh" ]; then . "$folder/$turn.sh"; fi
