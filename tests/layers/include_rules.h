// Which layer may include what. The rules work on the text of a file, so that a test can plant a
// violation without touching the tree; that headers compile alone is the compiler's to say (see
// CMakeLists.txt here).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace layers {

struct SourceFile {
  std::string path;  // from the root of the repository: "src/trial/runner/runner.cpp"
  std::string text;
};

struct Violation {
  std::string path;
  int line = 0;
  std::string what;  // the include or the name, and the rule it breaks
};

// Everything in the file that breaks a rule, top to bottom.
[[nodiscard]] std::vector<Violation> violations_in(const SourceFile& file);

// The files of ours that the rules hold for: those under include/, src/ and tests/, ours and
// the emulator's, of the
// repository at `root`.
[[nodiscard]] std::vector<SourceFile> source_files(const std::filesystem::path& root);

// For the message of a failing test: one line for each, "path:line: what".
[[nodiscard]] std::string listed(const std::vector<Violation>& violations);

}  // namespace layers
