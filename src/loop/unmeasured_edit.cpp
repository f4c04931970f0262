#include "loop/unmeasured_edit.h"

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// A digest, then the idea, each on a line.
constexpr std::size_t kDigest = 64;

[[nodiscard]] std::optional<std::string> text_of(const fs::path& file, const char* role) {
  try {
    return read_file_below(file.parent_path(), file.filename(), role);
  } catch (const Error&) {
    return std::nullopt;  // it is no file
  }
}

}  // namespace

void note_unmeasured(const fs::path& note, const fs::path& kernel, const std::string& idea) {
  try {
    const auto bytes = text_of(kernel, "an agent's edit");
    if (bytes) write_file_atomically(note, sha256(*bytes) + "\n" + idea + "\n");
  } catch (const Error&) {
    return;  // the agent has another turn then
  }
}

std::optional<std::string> take_unmeasured(const fs::path& note, const fs::path& kernel) {
  const auto text = text_of(note, "the idea of an edit");
  std::error_code gone;
  fs::remove(note, gone);
  if (!text || text->size() <= kDigest) return std::nullopt;
  const auto bytes = text_of(kernel, "an agent's edit");
  if (!bytes || sha256(*bytes) != text->substr(0, kDigest)) return std::nullopt;
  const std::string idea = text->substr(kDigest + 1);
  return idea.substr(0, idea.find('\n'));
}

bool is_unmeasured(const fs::path& note) {
  std::error_code unreadable;
  return fs::is_regular_file(fs::symlink_status(note, unreadable));
}

}  // namespace autokernel::loop
