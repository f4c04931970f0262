#include "serve/tokens.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <set>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::serve {
namespace {

// 20 letters and digits at random have 119 bits.
constexpr std::size_t kShortestToken = 20;

}  // namespace

Tokens::Tokens(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Stop::usage,
                fmt::format("cannot take tokens from {}: {}", visible_line(file.string()), why));
  };
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0)
    refuse("it is not there; each line has a name and a token of at least 20 characters");
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse("others can read it: 'chmod 600' makes it yours alone");
  std::istringstream lines(read_file(file, "tokens"));
  std::set<std::string> names;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string name;
    std::string token;
    std::string rest;
    words >> name >> token >> rest;
    if (name.empty() || name.starts_with('#')) continue;
    if (!rest.empty() || token.size() < kShortestToken) {
      refuse(fmt::format("line {} is not a name and a token of at least {} characters", number,
                         kShortestToken));
    }
    if (!names.insert(name).second || !holder_by_digest_.try_emplace(sha256(token), name).second)
      refuse(fmt::format("line {} has a name or a token that is there already", number));
  }
  if (holder_by_digest_.empty()) refuse("there is no token in it");
}

std::string Tokens::holder(const std::string& token) const {
  // Digests are compared, which nobody can choose.
  const auto found = holder_by_digest_.find(sha256(token));
  return found == holder_by_digest_.end() ? std::string() : found->second;
}

}  // namespace autokernel::serve
