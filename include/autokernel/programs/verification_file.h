// What became of a verification, kept beside the cases with the kernels that were right: what
// `apply` runs programs with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/programs/verification.h"

namespace autokernel::programs {

struct KeptKernel {
  std::string folder;       // of its case
  std::string sha256 = {};  // of its source, all files
  double alone = 0;         // the original's time over its own, each by itself; 0: not known
  KernelVerdict verdict = KernelVerdict::right;
  std::string why = {};
  std::uint64_t seen = 0;  // launches of the kernel that it is for
  std::uint64_t replaced = 0;
  std::uint64_t checked = 0;  // launches whose results were compared
};

struct KeptVerification {
  std::string program;  // its name, without arguments
  std::string device = {};
  std::string date = {};     // UTC, "2026-11-26T23:00:00Z"
  std::string measure = {};  // "wall clock", or the pattern
  std::vector<KeptKernel> kernels = {};
  bool replaces_products = false;
  std::string digest = {};  // of the list and the code beside it
  bool in_graphs = true;
  std::optional<ProgramSpeedup> speedup = {};

  // The numbers of the kernels that are put into programs, which are those of the list beside it.
  [[nodiscard]] std::vector<KeptKernel> right() const;
};

// The folder below that of the cases.
[[nodiscard]] std::filesystem::path verified_folder(const std::filesystem::path& cases);
// SHA-256 of the list and of the code of so many kernels beside it, in hexadecimal digits. Throws
// Error(usage) where any of it is missing or a link.
[[nodiscard]] std::string digest_of_replacements(const std::filesystem::path& folder);
// None where nothing was verified. Throws Error(usage) where the file is damaged.
[[nodiscard]] std::optional<KeptVerification> read_verification(const std::filesystem::path& cases);
[[nodiscard]] std::string verification_json(const KeptVerification& kept);
// The same as a part of a page of Markdown.
[[nodiscard]] std::string verification_report(const KeptVerification& kept);
// Throws Error(environment).
void write_verification(const std::filesystem::path& cases, const KeptVerification& kept);

}  // namespace autokernel::programs
