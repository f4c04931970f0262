# Makes clang-tidy's work shorter: most of it is the same headers again for each file. Reads a list of files, then
# compile_commands.json as CMake writes it, and writes to `folder` batches of at most `most` files, each a file that includes
# them, with a compile_commands.json of their own.
#
# A batch has the include paths and the definitions of all its files, which are of one project: the emulator below `root`, or all
# else. It holds tests or none, so that what only a test defines changes nothing of the product, and keeps to one value for each
# definition.
#
# Files that give one name to two things of their own cannot be in one batch. Such names stand at the beginning of a line in
# our format, so they are found without a compiler; one that is overlooked costs time only, as the batch is split later.

# Fills `names` with what `file` defines: constants, types, functions without a class, each with its namespace. The value is ""
# for what has one definition in the whole program, a line that says what another name stands for, and "own" for all else that
# the file keeps to itself. A file that includes nothing has its reasons, and takes no company that does.
function read_names(file, names,    line, word, space, unnamed) {
  delete names
  names["#include"] = "own"
  while ((getline line < file) > 0) {
    if (line ~ /^#include/) names["#include"] = ""
    if (line ~ /^namespace [a-z_:]+ \{/) { space = line; sub(/^namespace /, "", space); sub(/ .*$/, "", space) }
    if (line ~ /^namespace \{/) unnamed = 1
    if (line ~ /^}  \/\/ namespace$/) unnamed = 0
    sub(/^\[\[[a-z_]+\]\] /, "", line)
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
    if (word == "" || word ~ /::/) continue
    names[space "::" word] = line ~ /^using/ ? line : unnamed || line ~ /^(static|const|constexpr) / ? "own" : ""
  }
  close(file)
}

# Fills `flags` with the include paths and the definitions of a command, and gives how many there are.
function read_flags(command, flags,    words, n, i, count) {
  n = split(command, words, " ")
  count = 0
  delete flags
  for (i = 1; i <= n; ++i) {
    if (words[i] ~ /^-[DI]/) flags[++count] = words[i]
    if (words[i] == "-isystem" || words[i] == "-include") { flags[++count] = words[i] " " words[i + 1]; ++i }
  }
  return count
}

# What a definition defines, as a key of `values`.
function defined(batch, flag) { sub(/=.*$/, "", flag); return batch SUBSEP flag }

# True where two files with these things of one name cannot be in one batch.
function clash(one, other) { return one != other || one == "own" }

function can_take(batch, part, names, flags, n,    name, i) {
  if (part_of[batch] != part || size[batch] == most) return 0
  for (name in names) if ((batch, name) in holds && clash(names[name], holds[batch, name])) return 0
  for (i = 1; i <= n; ++i)
    if (flags[i] ~ /^-D/ && defined(batch, flags[i]) in values && values[defined(batch, flags[i])] != flags[i]) return 0
  return 1
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
  sub(/ -o [^ ]+ -c .*$/, "", command)
  part = (index(file, root "emulator/") == 1 ? "emulator " : "") (file ~ /\/tests\// ? "tests" : "product")
  read_names(file, names)
  n = read_flags(command, flags)
  for (batch = 1; batch <= count; ++batch) if (can_take(batch, part, names, flags, n)) break
  if (batch > count) {
    ++count
    part_of[batch] = part
    entry[batch] = directory "\n" command
  }
  for (i = 1; i <= n; ++i) {
    if (!((batch, flags[i]) in has) && size[batch]) entry[batch] = entry[batch] " " flags[i]
    has[batch, flags[i]] = 1
    if (flags[i] ~ /^-D/) values[defined(batch, flags[i])] = flags[i]
  }
  ++size[batch]
  for (name in names) holds[batch, name] = names[name]
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
