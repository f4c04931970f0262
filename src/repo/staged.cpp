// What is staged and not committed: nothing but the index names its blobs, so that git's clean-up
// takes them away as soon as another index stands there.
#include <fmt/format.h>

#include "repo/git_failure.h"
#include "repo/index.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"

namespace autokernel::repo {
namespace {

[[nodiscard]] Owned<git_tree*> tree_of_head(const OpenRepository& open, const std::string& commit,
                                            const std::string& attempt) {
  if (commit.empty()) return {};  // before the first commit
  return tree_of(commit_of(open.git(), commit, attempt).get(), attempt);
}

void add(std::vector<StagedBlob>& staged, const char* path, const git_oid& id, std::uint32_t mode) {
  // A submodule's commit is in another repository.
  if (mode == GIT_FILEMODE_COMMIT || git_oid_is_zero(&id) != 0) return;
  staged.push_back({.path = path, .blob = text_of(id)});
}

void add_conflicts(std::vector<StagedBlob>& staged, git_index* index, const std::string& attempt) {
  git_index_conflict_iterator* iterator = nullptr;
  check(git_index_conflict_iterator_new(&iterator, index), attempt,
        "git_index_conflict_iterator_new");
  const Owned<git_index_conflict_iterator*> owned = own(iterator);
  for (;;) {
    const git_index_entry* ancestor = nullptr;
    const git_index_entry* ours = nullptr;
    const git_index_entry* theirs = nullptr;
    const int status = git_index_conflict_next(&ancestor, &ours, &theirs, iterator);
    if (status == GIT_ITEROVER) return;
    check(status, attempt, "git_index_conflict_next");
    for (const git_index_entry* side : {ancestor, ours, theirs}) {
      if (side != nullptr) add(staged, side->path, side->id, side->mode);
    }
  }
}

}  // namespace

std::vector<StagedBlob> Repository::staged() const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find out what is staged in {}", root().string());
  refresh_index(*opened_);
  const Owned<git_index*> index = index_of(*opened_);
  const Owned<git_tree*> tree = tree_of_head(*opened_, head().commit, attempt);
  git_diff* diff = nullptr;
  check(git_diff_tree_to_index(&diff, opened_->git(), tree.get(), index.get(), nullptr), attempt,
        "git_diff_tree_to_index");
  const Owned<git_diff*> owned = own(diff);
  std::vector<StagedBlob> staged;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
    const git_diff_delta& delta = *git_diff_get_delta(diff, i);
    if (delta.status == GIT_DELTA_DELETED || delta.status == GIT_DELTA_CONFLICTED) continue;
    add(staged, delta.new_file.path, delta.new_file.id, delta.new_file.mode);
  }
  if (git_index_has_conflicts(index.get()) != 0) add_conflicts(staged, index.get(), attempt);
  return staged;
}

void Repository::hold(const std::string& name, const std::vector<std::string>& blobs) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot hold what is staged in {}", root().string());
  git_treebuilder* builder = nullptr;
  check(git_treebuilder_new(&builder, opened_->git(), nullptr), attempt, "git_treebuilder_new");
  const Owned<git_treebuilder*> owned = own(builder);
  for (const std::string& blob : blobs) {
    if (!has_blob(blob)) continue;
    const git_oid id = id_of(blob, attempt);
    // Nobody looks for them by their names, which have only to differ.
    check(git_treebuilder_insert(nullptr, builder, blob.c_str(), &id, GIT_FILEMODE_BLOB), attempt,
          "git_treebuilder_insert");
  }
  git_oid tree{};
  check(git_treebuilder_write(&tree, builder), attempt, "git_treebuilder_write");
  set_reference(name, text_of(tree));
}

}  // namespace autokernel::repo
