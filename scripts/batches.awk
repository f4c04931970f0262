# Makes clang-tidy's work shorter: most of it is the same headers again for each file. Reads a list of files, then
# compile_commands.json as CMake writes it, and writes to `folder` batches of at most `most` files that are compiled with
# the same flags, each a file that includes them, with a compile_commands.json of their own.
#
# Files that give one name to two things of their own cannot be in one batch. Such names stand at the beginning of a line in
# our format, so they are found without a compiler; one that is overlooked costs time only, as the batch is split later.

# Fills `names` with what `file` defines: constants, types, functions without a class.
function read_names(file, names,    line, word) {
  delete names
  while ((getline line < file) > 0) {
    if (line !~ /^[a-z_A-Z]/ || line ~ /^(namespace|return|template|extern "C")/) continue
    if (line ~ /^(struct|class|enum|union|using)/) {
      word = line
      sub(/^(struct|class|enum class|enum|union|using) +/, "", word)
    } else {
      word = line
      sub(/ *[({=;[].*$/, "", word)
      if (word !~ / /) continue
      sub(/^.*[ *&]/, "", word)
    }
    sub(/[^A-Za-z0-9_:].*$/, "", word)
    if (word != "" && word !~ /::/) names[word] = 1
  }
  close(file)
}

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
  read_names(file, names)
  for (batch = 1; batch <= count; ++batch) {
    if (entry[batch] != directory "\n" flags || size[batch] == most) continue
    taken = 0
    for (name in names) if ((batch, name) in holds) { taken = 1; break }
    if (!taken) break
  }
  if (batch > count) entry[++count] = directory "\n" flags
  ++size[batch]
  for (name in names) holds[batch, name] = 1
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
