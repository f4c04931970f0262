// The cases that a judge measures, read once when it starts: what becomes of their files later, by
// whoever, changes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/solution.h"
#include "autokernel/trial/result.h"

namespace autokernel::serve {

struct RegisteredCase {
  std::string name;  // of its folder
  std::filesystem::path directory;
  std::string digest;      // trial::digest_of_case()
  trial::Request request;  // with the files of the case, and nothing else
  std::vector<std::string> sizes;
  std::string problem;  // in a sentence
  // Of one that was imported from FlashInfer Trace; else empty.
  bridge::DefinitionInCase definition = {};
  std::string definition_name = {};
};

class RegisteredCases {
 public:
  // Each path is a case, or a folder with cases in it. Throws Error(usage) for one that is neither,
  // that is of commands, or that others than this user and root can change.
  explicit RegisteredCases(const std::vector<std::filesystem::path>& paths);

  [[nodiscard]] const std::map<std::string, RegisteredCase>& all() const { return by_name_; }
  // Null where there is none.
  [[nodiscard]] const RegisteredCase* named(const std::string& name) const;
  [[nodiscard]] const RegisteredCase* with_digest(const std::string& digest) const;
  [[nodiscard]] const RegisteredCase* of_definition(const std::string& definition) const;

 private:
  void add(const std::filesystem::path& directory);

  std::map<std::string, RegisteredCase> by_name_;
};

}  // namespace autokernel::serve
