// Sizes that the agent never sees, and that every kernel that is kept must be right at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::loop {

class HiddenSizes {
 public:
  // There are none.
  HiddenSizes() = default;
  // Reads a file of tables [sizes.NAME] as case.toml has them, once, so that it may be a pipe.
  // Throws Error(usage) where it cannot be read.
  explicit HiddenSizes(const std::filesystem::path& file);

  [[nodiscard]] bool are_given() const { return !text_.empty(); }
  // SHA-256 of the file, in hexadecimal digits; empty where there are none.
  [[nodiscard]] std::string digest() const;
  // Throws Error(usage) unless they are those that a run was started with, by their digest.
  void require(const std::string& digest) const;

  // A case with these sizes beside its own.
  struct Extended {
    cases::CaseFiles files;
    std::vector<std::string> names;  // of those that are hidden
  };
  // Throws Error(usage) where they do not go with the case, naming the place in the file of sizes.
  [[nodiscard]] Extended beside(cases::CaseFiles files) const;

 private:
  std::filesystem::path file_;
  std::string text_;
};

}  // namespace autokernel::loop
