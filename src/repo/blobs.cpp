// Bytes in git's store that are no file of a commit.
#include <fmt/format.h>

#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {
namespace {

[[nodiscard]] std::optional<std::string> bytes_at(git_repository* git, const git_oid& id,
                                                  const std::string& attempt) {
  git_blob* blob = nullptr;
  if (!found(git_blob_lookup(&blob, git, &id), attempt, "git_blob_lookup")) return std::nullopt;
  const Owned<git_blob*> owned = own(blob);
  const auto size = static_cast<std::size_t>(git_blob_rawsize(blob));
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob)), size);
}

}  // namespace

std::string Repository::store_bytes(std::string_view bytes) const {
  const NonblockingOpen nonblocking;
  git_oid id{};
  check(git_blob_create_from_buffer(&id, opened_->git(), bytes.data(), bytes.size()),
        fmt::format("cannot store {} bytes in {}", bytes.size(), root().string()),
        "git_blob_create_from_buffer");
  return text_of(id);
}

bool Repository::has_blob(const std::string& blob) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot look for the blob {}", blob);
  git_odb* store = nullptr;
  check(git_repository_odb(&store, opened_->git()), attempt, "git_repository_odb");
  const Owned<git_odb*> owned = own(store);
  const git_oid id = id_of(blob, attempt);
  return git_odb_exists(store, &id) == 1;
}

std::optional<std::string> Repository::bytes_of(const std::string& blob) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read the blob {}", blob);
  return bytes_at(opened_->git(), id_of(blob, attempt), attempt);
}

std::optional<std::string> Repository::bytes_referenced(const std::string& name) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read what the reference {} names", name);
  refuse_endless_reference(*opened_, name);
  git_oid id{};
  if (!found(git_reference_name_to_id(&id, opened_->git(), name.c_str()), attempt,
             "git_reference_name_to_id")) {
    return std::nullopt;
  }
  return bytes_at(opened_->git(), id, attempt);
}

}  // namespace autokernel::repo
