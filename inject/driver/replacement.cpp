#include "driver/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "driver/replacement_list.h"

namespace autokernel::inject {
namespace {

[[nodiscard]] std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Of a file in the folder; empty where there is none that is usual.
[[nodiscard]] std::string code_in(const std::string& folder, const std::string& name) {
  if (name.find('/') != std::string::npos) return {};
  const std::string path = folder + "/" + name;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return {};
  struct stat status{};
  std::string code;
  constexpr off_t kMostBytes = off_t{1} << 30U;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kMostBytes) {
    code.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < code.size()) {
      const ssize_t count = ::read(file, code.data() + done, code.size() - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    code.resize(done);
  }
  close(file);
  return code;
}

[[nodiscard]] std::vector<std::uint64_t> numbers_in(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each, ',');) {
    numbers.push_back(std::strtoull(each.c_str(), nullptr, 10));
  }
  return numbers;
}

// "0,3": those of the list; none: all of them.
[[nodiscard]] std::vector<Replacement> chosen(std::vector<Replacement> all,
                                              const std::string& numbers) {
  if (numbers.empty()) return all;
  const std::vector<std::uint64_t> listed = numbers_in(numbers);
  const std::set<std::size_t> wanted(listed.begin(), listed.end());
  // The others stay, so that all keep their numbers, and replace nothing.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted.contains(i)) continue;
    all[i].kernel.clear();
    all[i].product.clear();
  }
  return all;
}

[[nodiscard]] Replacements read() {
  Replacements read;
  const std::string folder = variable("AUTOKERNEL_REPLACE");
  if (folder.empty()) return read;
  read.tallies = variable("AUTOKERNEL_REPLACE_TALLIES");
  const std::string check = variable("AUTOKERNEL_REPLACE_CHECK");
  read.checks = !check.empty() && check != "0";
  if (check.find(',') != std::string::npos) read.spots = numbers_in(check);
  read.in_graphs = variable("AUTOKERNEL_REPLACE_GRAPHS") != "0";
  try {
    std::ifstream list(folder + "/replacements.txt");
    std::vector<Replacement> all =
        replacements_in(list, [&](const std::string& name) { return code_in(folder, name); });
    read.all = chosen(std::move(all), variable("AUTOKERNEL_REPLACE_ONLY"));
  } catch (const std::exception& exception) {
    // The program runs as it is: what was counted says so.
    std::fprintf(stderr, "autokernel: no kernel is replaced: cannot read %s/replacements.txt: %s\n",
                 folder.c_str(), exception.what());
    read.all.clear();
  }
  return read;
}

}  // namespace

const Replacements& replacements() {
  static const auto* const own = new Replacements(read());
  return *own;
}

}  // namespace autokernel::inject
