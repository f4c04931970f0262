// One git repository as the loop needs it: commits of a few files, references, and a look at what
// else has changed. No path but those named is ever reset, staged, unstaged or removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/error.h"

namespace autokernel::repo {

struct Head {
  std::string branch;  // "autokernel/demo"; empty where the head is detached
  std::string commit;  // 40 hexadecimal digits; empty where there is no commit yet
};

struct Identity {
  std::string name;
  std::string email;
  bool is_fallback = false;  // git knows no user.name here: it is autokernel itself who commits
};

// A path that differs from the head's commit, in the index or in the worktree, or that git does not
// know and does not ignore.
struct Change {
  std::string path;  // from the root, with '/'; ends in '/' for a folder that git does not know
  // The id that git would give to the file's bytes as they are; empty for one that is gone, and for
  // a folder.
  std::string blob;
  // Whether they were read for that. Of what is too large, and beyond what can be read in a second
  // in all, place, size and times stand for the bytes.
  bool is_read = true;
  std::string what;  // for messages: "modified", "new", "deleted", "staged", "in conflict"
  friend bool operator==(const Change&, const Change&) = default;
};

// A folder that git does not know, from the root and with '/' behind it, holds folders nested so
// deeply that nobody can say what has changed.
class TooDeep : public Error {
 public:
  TooDeep(const std::string& attempt, std::string folder);
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

// What people and agents have staged, and what git remembers of each file to see without reading it
// whether it has changed. A file that was written as late as the index is read all the same, so the
// time belongs to it.
struct IndexImage {
  std::string bytes;
  std::int64_t written_seconds = 0;
  std::int64_t written_nanoseconds = 0;
  friend bool operator==(const IndexImage&, const IndexImage&) = default;
};

// A blob that the index names and the head's commit does not have at that path.
struct StagedBlob {
  std::string path;
  std::string blob;
  friend bool operator==(const StagedBlob&, const StagedBlob&) = default;
};

// The id that git gives to these bytes as a file.
[[nodiscard]] std::string hash_of_bytes(std::string_view bytes);

// Ids of objects are 40 hexadecimal digits; paths are relative to root(), with '/'. What git itself
// refuses is an Error(repository) that says what was attempted on what.
class Repository {
 public:
  // The repository that `inside` lies in, from any subfolder or linked worktree of it. Throws
  // Error(repository), with the remedy, where there is none, and where it is one that libgit2
  // cannot open or must not: bare, SHA-256 objects, a split or sparse index, reftable, another
  // owner.
  [[nodiscard]] static Repository open(const std::filesystem::path& inside);
  Repository(Repository&&) noexcept;
  Repository& operator=(Repository&&) noexcept;
  ~Repository();

  [[nodiscard]] std::filesystem::path root() const;  // of the worktree, without links in it
  // Throws Error(repository) where a file of git's is too large to be one: for whoever goes on with
  // it after others have been at work there.
  void require_readable() const;
  // Where git keeps the head and the index of this worktree.
  [[nodiscard]] std::filesystem::path git_folder() const;
  // Empty for the root itself. Throws Error(usage) for a path outside the worktree.
  [[nodiscard]] std::string relative(const std::filesystem::path& path) const;

  [[nodiscard]] Head head() const;
  // "merge", "rebase", "cherry-pick", "revert", "bisect", "am"; empty where nothing is under way.
  [[nodiscard]] std::string operation_under_way() const;
  // Forgets what is under way; the head, the index and the files stay as they are.
  void forget_operation() const;
  [[nodiscard]] Identity identity() const;

  // The commit that a name of any kind stands for (a branch, HEAD~2, a short id). Throws
  // Error(usage).
  [[nodiscard]] std::string resolve(const std::string& revision) const;
  [[nodiscard]] std::optional<std::string> parent_of(const std::string& commit) const;
  // The bytes of a file in a commit, as git holds them; none where it is not in it.
  [[nodiscard]] std::optional<std::string> file_at(const std::string& commit,
                                                   const std::string& path) const;
  // What a file is where the difference between `ancestor` and `theirs` is made to `ours`, each as
  // bytes or, where there is no such file, none; empty: both change the same lines.
  struct Merged {
    std::optional<std::string> bytes;
  };
  [[nodiscard]] static std::optional<Merged> merge(const std::optional<std::string>& ancestor,
                                                   const std::optional<std::string>& ours,
                                                   const std::optional<std::string>& theirs);
  // The id of those bytes; none where the file is not in the commit.
  [[nodiscard]] std::optional<std::string> blob_at(const std::string& commit,
                                                   const std::string& path) const;

  // Whether the commit has anything at the path that is no regular file and no folder: a link, or a
  // repository of its own.
  [[nodiscard]] bool is_odd_at(const std::string& commit, const std::string& path) const;
  // By path from the root, the ids of the regular files of a commit that lie in a folder ("" for
  // the root) or below it.
  [[nodiscard]] std::map<std::string, std::string> files_below(const std::string& commit,
                                                               const std::string& folder) const;

  // A commit on top of `parent` that differs from it in these paths alone, which it takes from the
  // worktree (line endings as git's settings say, mode as in the parent); what the worktree has not
  // got, or has a folder in the place of, the commit has not either. Neither the head nor the index
  // is touched, and no hook is run. Throws Error(repository) for what is there and no regular file,
  // and where the first one is not there.
  [[nodiscard]] std::string commit_files(const std::string& parent,
                                         const std::vector<std::string>& paths,
                                         const std::string& message) const;
  // A commit with the files, author and date of `like`, on top of another parent, with another
  // message.
  [[nodiscard]] std::string commit_again(const std::string& like, const std::string& parent,
                                         const std::string& message) const;

  // Why a checkout of the commit would not write the bytes of that file as git holds them, in a
  // sentence with the remedy; empty where it would. Line ends alone make no difference.
  [[nodiscard]] std::string checkout_fault(const std::string& commit,
                                           const std::string& path) const;
  // The names of the references by which git shows another object in the place of one of these
  // commits, or of any file or folder (git replace).
  [[nodiscard]] std::vector<std::string> replaced_objects(
      const std::vector<std::string>& commits) const;

  // What tells git, beside any commit, which files to look at and which bytes to write, by name
  // (".git/info/exclude", "core.attributesFile"); empty where there is nothing.
  [[nodiscard]] std::map<std::string, std::string> rules() const;
  // Makes a rule that again. Whether it could: those outside of git's folder are left alone.
  // NOLINTNEXTLINE(modernize-use-nodiscard): mostly for what it does
  bool set_rule(const std::string& rule, std::string_view text) const;

  // The commit a full name ("refs/autokernel/demo/7") stands for.
  [[nodiscard]] std::optional<std::string> reference(const std::string& name) const;
  // Whether there is one of that name, whatever it names.
  [[nodiscard]] bool has_reference(const std::string& name) const;
  // Whether there is one below the name, as refs/autokernel/demo/7 is below refs/autokernel/demo.
  [[nodiscard]] bool has_references_below(const std::string& name) const;
  // Makes the reference, to a commit or another object, or moves it.
  void set_reference(const std::string& name, const std::string& object) const;
  void delete_reference(const std::string& name) const;  // one that does not exist is no error
  // Those that no reference of that name can be beside: refs/autokernel/demo/7/x for
  // refs/autokernel/demo/7, and refs/autokernel.
  [[nodiscard]] std::vector<std::string> references_in_the_way(const std::string& name) const;
  // Moves files that are in its place, or on the way to it, and that are no references, to
  // autokernel-in-the-way in git's folder.
  void move_aside_in_the_way(const std::string& name) const;
  // In the place of one that there is already.
  void rename_reference(const std::string& name, const std::string& to) const;
  // Moves refs/heads/<branch> from one commit to another; Error(repository) where it stands
  // elsewhere.
  void move_branch(const std::string& branch, const std::string& from, const std::string& to) const;
  // Points the head to refs/heads/<branch>. No file and no index entry is touched: the branch must
  // stand where the head stands.
  void switch_head(const std::string& branch) const;
  // The same from anywhere: files and index stay, and differ from the branch then.
  void force_head(const std::string& branch) const;

  // Makes the worktree's file and its index entry those of the commit; the file is replaced whole
  // (line endings as git's settings say) and keeps its mode, but for the right to execute, which is
  // as in the commit where git minds it. Throws Error(repository) where the commit has no such
  // file.
  void check_out(const std::string& commit, const std::string& path) const;
  // Removes the worktree's file, and folders that it leaves empty; the index is not touched.
  void remove(const std::string& path) const;
  // The index entry alone; none is left where the commit has no such file.
  void match_index(const std::string& commit, const std::string& path) const;
  // Whether the worktree's file is the commit's, line endings aside.
  [[nodiscard]] bool file_matches(const std::string& commit, const std::string& path) const;

  // The index as it lies on the disk, byte by byte; none where there is none yet. Throws
  // Error(environment) for one that cannot be read.
  [[nodiscard]] std::optional<IndexImage> index_image() const;
  // Makes the index that again; whether it was another.
  // NOLINTNEXTLINE(modernize-use-nodiscard): mostly for what it does
  bool set_index(const IndexImage& image) const;
  // What is staged; of a file in conflict, the blobs of all its sides.
  [[nodiscard]] std::vector<StagedBlob> staged() const;
  // Makes the reference, or moves it, to a tree of these blobs: no clean-up of git's takes them
  // while it stands. Those that the store does not have are left out.
  void hold(const std::string& name, const std::vector<std::string>& blobs) const;

  // All that differs from the head's commit, by path. Throws TooDeep, too. A folder that git does
  // not know is one change, whatever it holds; submodules are left out. What git ignores is not
  // among them, nor are paths that are passed over: their bytes are not even read.
  using Paths = std::function<bool(const std::string& path)>;
  [[nodiscard]] std::vector<Change> changes(const Paths& passed_over = {}) const;
  // Whether git is told not to look at a path; of a folder, with '/' behind it.
  [[nodiscard]] bool is_ignored(const std::string& path) const;
  // The id of a file's bytes as changes() gives it, without keeping them; empty where there is no
  // such file.
  [[nodiscard]] std::string hash_of(const std::string& path) const;
  // The id that the file would have if it held these bytes, line endings converted as git's
  // settings say; store_as() keeps them as well.
  [[nodiscard]] std::string hash_as(const std::string& path, std::string_view bytes) const;
  [[nodiscard]] std::string store_as(const std::string& path, std::string_view bytes) const;
  // Keeps the bytes of a worktree's file in git's store, unreferenced; gives their id. Throws
  // Error(repository) for one that is too large.
  [[nodiscard]] std::string store(const std::string& path) const;
  // Replaces the worktree's file by the bytes stored under that id; the index is not touched.
  void put_back(const std::string& blob, const std::string& path) const;

  // Whether git's store has such a blob.
  [[nodiscard]] bool has_blob(const std::string& blob) const;
  // The same for bytes that are no file, and back; none where the store has no such blob.
  [[nodiscard]] std::string store_bytes(std::string_view bytes) const;
  [[nodiscard]] std::optional<std::string> bytes_of(const std::string& blob) const;
  // The bytes of the blob that a reference names; none where there is no such reference, or where
  // it names something else.
  [[nodiscard]] std::optional<std::string> bytes_referenced(const std::string& name) const;

  // How these files differ between two commits, as a unified diff; empty where they do not.
  [[nodiscard]] std::string diff(const std::string& from, const std::string& to,
                                 std::vector<std::string> paths) const;

  // Removes the lock files that a program killed while writing the index, the head or one of these
  // references has left, unless a living process holds them open. Returns the names of those
  // removed.
  [[nodiscard]] std::vector<std::string> remove_stale_locks(
      const std::vector<std::string>& references) const;

  // Makes the folder a worktree of this repository, with the head detached at the commit and no
  // file yet, to be opened and set; `name` is what git lists it by. One that is there already stays
  // as it is, but for its head.
  void link_worktree(const std::filesystem::path& path, const std::string& name,
                     const std::string& commit) const;
  // Whether the folder is such a worktree still, with what was written for it; no link is followed.
  [[nodiscard]] bool is_linked_worktree(const std::filesystem::path& path,
                                        const std::string& name) const;
  // Removes it with all that is in it. What cannot be removed stays.
  void unlink_worktree(const std::filesystem::path& path, const std::string& name) const;
  // Of such a worktree, which is nobody's but the caller's: detaches the head at the commit, makes
  // all files those of the commit, and removes what git neither knows nor ignores.
  void set_worktree(const std::string& commit) const;

 private:
  struct Opened;
  explicit Repository(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

}  // namespace autokernel::repo
