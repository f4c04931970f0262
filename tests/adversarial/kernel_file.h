// What a kernel of the suite says of itself in its first comment: which row of the table in
// docs/trust.md it belongs to, what must become of it, and how to run it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::test {

// With the lines of the file that say so; what has none keeps its default.
//
//   // row 3: what it does                                (or "// honest: what it does")
//   // must be: incorrect, words of the reason            (the words may be left out)
//   // source: tests/data/kernels/tiled.cu                (the file itself)
//   // case: tests/data/histogram                         (kernels)
//   // size: default                                      (check)
//   // arguments: --timeout 10                            (none)
//   // against: tests/data/kernels/tiled.cu               (the case's own kernel, for "not faster")
//   // on a GPU: incorrect, words                         (as on the emulated device)
//   // on a GPU: not run, why
//   // on a GPU against: kernels/kernel.cu                (what "against" says)
//   // needs: Landlock                                    (runs everywhere)
//   // only on a GPU: why                                 (runs everywhere)
//   // without exact_inputs: correct                      (no such line)
struct KernelFile {
  // What became of it while some defences were switched off.
  struct Without {
    std::vector<std::string> defences;
    std::string verdict;
  };

  std::filesystem::path file;
  std::filesystem::path source;  // what is benched: the file, or the one it names; whole
  bool honest = false;
  int row = 0;          // of the table; 0 where it is honest
  std::string verdict;  // on the emulated device
  std::string words;
  std::filesystem::path problem = "kernels";  // relative to the sources, as all paths here
  std::string size = "check";
  std::vector<std::string> arguments;
  std::filesystem::path against;
  bool needs_landlock = false;
  std::string architecture;  // that it needs: "sm_90" and later, "sm_90a" alone; empty: any
  std::string gpu_only;      // why; empty: it runs everywhere
  std::vector<Without> without;
};

// Throws std::runtime_error that names file and line where it says something else.
[[nodiscard]] KernelFile read_kernel_file(const std::filesystem::path& file);

// All of a folder, by name.
[[nodiscard]] std::vector<std::filesystem::path> kernel_files(const std::filesystem::path& folder);

// The exit codes of `autokernel bench` that a verdict may have. Throws where there is no such
// verdict.
[[nodiscard]] std::vector<int> exit_codes(const std::string& verdict);

}  // namespace autokernel::test
