# Makes clang-tidy's work shorter: most of it is the same headers again for each file. Reads a list of files, then
# compile_commands.json as CMake writes it, and writes to `folder` batches of at most `most` files that are compiled with
# the same flags, each a file that includes them, with a compile_commands.json of their own.
FILENAME == ARGV[1] { wanted[$0] = 1; next }
/"directory":/ { directory = $0 }
/"command":/ { command = $0 }
/"file":/ {
  file = $0
  sub(/^.*"file": "/, "", file)
  sub(/",?$/, "", file)
  if (!(file in wanted)) next
  delete wanted[file]
  flags = command
  sub(/ -o [^ ]+ -c .*$/, "", flags)
  if (!(flags in current) || size[current[flags]] == most) {
    current[flags] = ++count
    entry[count] = directory "\n" flags
  }
  batch = current[flags]
  ++size[batch]
  print "#include \"" file "\"" > (folder "/" batch ".cpp")
}
END {
  for (file in wanted) print "not checked, since it is not part of this build: " file > "/dev/stderr"
  commands = folder "/compile_commands.json"
  print "[" > commands
  for (batch = 1; batch <= count; ++batch) {
    unit = folder "/" batch ".cpp"
    printf "{\n%s -o /dev/null -c %s\",\n  \"file\": \"%s\"\n}%s\n", entry[batch], unit, unit, batch < count ? "," : "" > commands
  }
  print "]" > commands
}
