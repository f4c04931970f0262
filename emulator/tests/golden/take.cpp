// Takes golden vectors: runs every case on the driver that EMULATOR_TESTS_DRIVER names and prints
// what came of it, with its name.
//
//   emulator_golden_take [WORDS [FOLDER]]   only the cases whose names have WORDS in them; keeps
//                                           what each leaves in memory in FOLDER, by its number
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "golden/cases.h"

namespace {

using emulator::golden::Case;
using emulator::golden::Words;

void keep(const std::string& file, const Words& words) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
}

// What cases [first, ..) give, until one ends in a fault, after which a GPU gives nothing more to
// its process. The next to take.
std::size_t take_from(const std::vector<Case>& cases, std::size_t first, int count,
                      char** arguments) {
  for (std::size_t i = first; i < cases.size(); ++i) {
    if (count > 1 && cases[i].name.find(arguments[1]) == std::string::npos) continue;
    Words words;
    const std::string outcome = outcome_of(cases[i], &words);
    fmt::print("{} {}\n", outcome, cases[i].name);
    std::fflush(stdout);
    if (count > 2) keep(fmt::format("{}/{}", arguments[2], i), words);
    if (outcome.starts_with("fault")) return i + 1;
  }
  return cases.size();
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<Case> cases = emulator::golden::all_cases();
  for (std::size_t next = 0; next < cases.size();) {
    int ends[2] = {};
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
      try {
        emulator::golden::open_driver();
        if (next == 0) fmt::print("# {}\n", emulator::golden::device_name());
        next = take_from(cases, next, count, arguments);
        return write(ends[1], &next, sizeof next) == sizeof next ? 0 : 1;
      } catch (const std::exception& failed) {
        fmt::print(stderr, "cannot take golden vectors: {}\n", failed.what());
        return 1;
      }
    }
    close(ends[1]);
    const bool told = read(ends[0], &next, sizeof next) == sizeof next;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!told) return 1;
  }
  return 0;
} catch (const std::exception& failed) {
  std::fputs(failed.what(), stderr);
  return 1;
}
