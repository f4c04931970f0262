#include "adversarial/kernel_file.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComment = "// ";

// "row 3", "does it" of "row 3: does it".
struct Statement {
  std::string key;
  std::string value;
};
Statement statement(const std::string& text) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return {};
  return {text.substr(0, colon), text.substr(colon + 2)};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// What stands before the first comma, and after it.
Statement parts(const std::string& text) {
  const std::size_t comma = text.find(", ");
  if (comma == std::string::npos) return {text, ""};
  return {text.substr(0, comma), text.substr(comma + 2)};
}

bool take(const Statement& line, KernelFile& kernel) {
  if (line.key.starts_with("row ")) {
    kernel.row = std::stoi(line.key.substr(4));
  } else if (line.key == "honest") {
    kernel.honest = true;
  } else if (line.key == "must be") {
    const Statement both = parts(line.value);
    kernel.verdict = both.key;
    kernel.words = both.value;
  } else if (line.key == "source") {
    kernel.source = fs::path(AUTOKERNEL_SOURCES) / line.value;
  } else if (line.key == "case") {
    kernel.problem = line.value;
  } else if (line.key == "size") {
    kernel.size = line.value;
  } else if (line.key == "arguments") {
    kernel.arguments = words_of(line.value);
  } else if (line.key == "against") {
    kernel.against = line.value;
  } else if (line.key == "needs" && line.value == "Landlock") {
    kernel.needs_landlock = true;
  } else if (line.key == "needs" && line.value.starts_with("sm_")) {
    kernel.architecture = line.value;
  } else if (line.key == "only on a GPU") {
    kernel.gpu_only = line.value;
  } else if (line.key == "on a GPU against") {
    // For tests/gpu/adversarial.sh.
  } else if (line.key == "on a GPU") {
    if (parts(line.value).key != "not run") static_cast<void>(exit_codes(parts(line.value).key));
  } else if (line.key.starts_with("without ")) {
    std::string defences = line.key.substr(8);
    std::ranges::replace(defences, ',', ' ');
    kernel.without.push_back({words_of(defences), line.value});
  } else {
    return false;
  }
  return true;
}

}  // namespace

KernelFile read_kernel_file(const fs::path& file) {
  KernelFile kernel;
  kernel.file = file;
  kernel.source = file;
  std::ifstream stream(file);
  int number = 0;
  for (std::string line; std::getline(stream, line) && line.starts_with(kComment);) {
    ++number;
    // What describes the kernel goes on over several lines.
    const bool known = take(statement(line.substr(kComment.size())), kernel);
    if (number == 1 && !known) {
      throw std::runtime_error(file.string() +
                               ": the first line must be '// row N: ...' or '// honest: ...'");
    }
  }
  if (kernel.verdict.empty() && kernel.honest) kernel.verdict = "correct";
  if (kernel.honest == (kernel.row > 0) || kernel.verdict.empty()) {
    throw std::runtime_error(
        file.string() + ": it must say its row, or that it is honest, and '// must be: VERDICT'");
  }
  static_cast<void>(exit_codes(kernel.verdict));
  if (kernel.against.empty() && kernel.verdict == "not faster")
    kernel.against = kernel.problem / "kernel.cu";
  return kernel;
}

std::vector<fs::path> kernel_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<int> exit_codes(const std::string& verdict) {
  // A kernel that is not kept is either not faster or not known to be.
  static const std::map<std::string, std::vector<int>> kCodes = {
      {"correct", {0}},           {"faster", {0}},
      {"not faster", {10, 16}},   {"incorrect", {11}},
      {"does not compile", {12}}, {"timed out", {13}},
      {"crashed", {14}}};
  return kCodes.at(verdict);
}

}  // namespace autokernel::test
