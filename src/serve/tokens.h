// Who may use the HTTP interface: a file with a line for each client, a name and its token.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace autokernel::serve {

class Tokens {
 public:
  // Throws Error(usage) for a file that others can read, that has no line, or one that makes no
  // sense: a token has at least 20 characters, and each name and token comes once.
  explicit Tokens(const std::filesystem::path& file);

  // The name; empty where nobody has that token. How long it takes says nothing of the tokens.
  [[nodiscard]] std::string holder(const std::string& token) const;

 private:
  std::map<std::string, std::string> holder_by_digest_;
};

}  // namespace autokernel::serve
