#include "loop/hidden_sizes.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::loop {
namespace {

constexpr const char* kCase = "case.toml";
// A size takes a few lines.
constexpr std::size_t kMostText = 64UL << 10;

[[nodiscard]] Error no_sizes_in(const std::filesystem::path& file) {
  return {Stop::usage,
          fmt::format("{} holds no sizes; write tables [sizes.NAME], as case.toml has them",
                      visible_line(file.string()))};
}

}  // namespace

HiddenSizes::HiddenSizes(const std::filesystem::path& file) : file_(file) {
  std::ifstream stream(file, std::ios::binary);
  std::istreambuf_iterator<char> next(stream);
  for (const std::istreambuf_iterator<char> end; next != end && text_.size() <= kMostText; ++next)
    text_ += *next;
  const std::string name = visible_line(file.string());
  if (!stream) {
    throw Error(Stop::usage, fmt::format("cannot read the hidden sizes in {}; name a file with "
                                         "tables [sizes.NAME], as case.toml has them",
                                         name));
  }
  if (text_.size() > kMostText) {
    throw Error(Stop::usage, fmt::format("the hidden sizes in {} have more than {} bytes; name a "
                                         "file with tables [sizes.NAME] alone",
                                         name, kMostText));
  }
  if (text_.empty()) throw no_sizes_in(file);
}

std::string HiddenSizes::digest() const { return text_.empty() ? "" : sha256(text_); }

void HiddenSizes::require(const std::string& digest) const {
  if (this->digest() == digest) return;
  if (digest.empty()) {
    throw Error(Stop::usage,
                "this run was started without hidden sizes: omit --hidden-sizes, or start another "
                "run with it");
  }
  if (text_.empty()) {
    throw Error(Stop::usage,
                "this run was started with hidden sizes, at which every kept kernel must be right: "
                "name their file with --hidden-sizes");
  }
  throw Error(Stop::usage,
              "the hidden sizes are not those that this run was started with: name that file with "
              "--hidden-sizes, or start another run");
}

HiddenSizes::Extended HiddenSizes::beside(cases::CaseFiles files) const {
  const cases::Case known = cases::parse(files);
  std::string& text = files.bytes.at(kCase);
  Extended extended;
  try {
    // A case of its own in all but the sizes, which would have to be those of the case alone.
    if (!text.ends_with('\n')) text += '\n';
    text += text_;
    const cases::Case all = cases::parse(files);
    for (const auto& [name, sizes] : all.sizes) {
      if (!known.sizes.contains(name)) extended.names.push_back(name);
    }
  } catch (const Error& error) {
    throw Error(error.stop(),
                fmt::format("the hidden sizes in {} do not go with the case; as its last lines "
                            "they make {}",
                            visible_line(file_.string()), error.what()));
  }
  if (extended.names.empty()) throw no_sizes_in(file_);
  extended.files = std::move(files);
  return extended;
}

}  // namespace autokernel::loop
