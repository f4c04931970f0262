// What the repository layer costs, in a repository given on the command line: the median of 20
// calls of each operation, in milliseconds. Experiments are made and taken back below
// refs/autokernel/speed.
//
//   build/release/tests/autokernel_repo_speed REPOSITORY FILE
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "autokernel/repo/repository.h"

namespace {

using autokernel::repo::Repository;

constexpr int kCalls = 20;

void report(const std::string& what, const std::function<void(int)>& call) {
  std::vector<double> milliseconds;
  for (int i = 0; i < kCalls; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    call(i);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begun;
    milliseconds.push_back(taken.count());
  }
  std::ranges::sort(milliseconds);
  std::cout << std::setw(60) << std::left << what << std::fixed << std::setprecision(1)
            << milliseconds[kCalls / 2] << " ms, longest " << milliseconds.back() << " ms\n";
}

void measure(const std::filesystem::path& root, const std::string& file) {
  const Repository repository = Repository::open(root);
  const std::string head = repository.head().commit;
  const auto edit = [&](int i) {
    std::ofstream(root / file, std::ios::app)
        << "// " << i << std::chrono::steady_clock::now().time_since_epoch().count() << "\n";
  };
  const auto name = [](int i) { return "refs/autokernel/speed/" + std::to_string(i); };
  std::string commit;
  report("open", [&](int) { static_cast<void>(Repository::open(root)); });
  report("changes", [&](int) { static_cast<void>(repository.changes()); });
  report("commit_file", [&](int i) {
    edit(i);
    commit = repository.commit_files(head, {file}, "speed");
  });
  report("set_reference", [&](int i) { repository.set_reference(name(i), commit); });
  report("reference", [&](int i) { static_cast<void>(repository.reference(name(i))); });
  report("check_out", [&](int) { repository.check_out(head, file); });
  report("match_index", [&](int) { repository.match_index(head, file); });
  report("commit_file + set_reference + check_out", [&](int i) {
    edit(i);
    repository.set_reference(name(i), repository.commit_files(head, {file}, "speed"));
    repository.check_out(head, file);
  });
  report("open + changes + all of that", [&](int i) {
    const Repository anew = Repository::open(root);
    edit(i);
    static_cast<void>(anew.changes());
    anew.set_reference(name(i), anew.commit_files(head, {file}, "speed"));
    anew.check_out(head, file);
  });
  report("diff", [&](int) { static_cast<void>(repository.diff(head, commit, {file})); });
  report("delete_reference", [&](int i) { repository.delete_reference(name(i)); });
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "usage: autokernel_repo_speed REPOSITORY FILE\n";
    return 2;
  }
  measure(arguments[1], arguments[2]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
