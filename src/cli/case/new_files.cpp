#include "cli/case/new_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// What was done so far, undone unless it is kept.
class Undo {
 public:
  explicit Undo(fs::path root) : root_(std::move(root)) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  Undo(Undo&&) = delete;
  Undo& operator=(Undo&&) = delete;
  ~Undo() {
    for (const NewFile* file : written_ | std::views::reverse) take_back(*file);
    std::error_code stays;
    // An empty one alone can be removed.
    for (const fs::path& made : folders_ | std::views::reverse) fs::remove(made, stays);
  }

  // The folders above a file, of which those that are missing will be made.
  void note_folders(const fs::path& file) {
    fs::path folder = root_;
    for (const fs::path& part : file.parent_path()) {
      folder /= part;
      std::error_code unreadable;
      if (!fs::exists(folder, unreadable)) folders_.push_back(folder);
    }
  }
  void note(const NewFile& file) { written_.push_back(&file); }
  void keep() {
    written_.clear();
    folders_.clear();
  }

 private:
  void take_back(const NewFile& file) const {
    if (!file.before) {
      std::error_code stays;
      fs::remove(root_ / file.path, stays);
      return;
    }
    try {
      write_file_atomically(root_ / file.path, *file.before);
    } catch (const Error&) {
      return;  // that the disk fails is said already
    }
  }

  fs::path root_;
  std::vector<const NewFile*> written_;
  std::vector<fs::path> folders_;
};

void write_one(const fs::path& root, const NewFile& file) {
  if (!file.before) {
    create_file_atomically(root / file.path, file.bytes);
    return;
  }
  if (read_file_below(root, file.path, "the file") != file.before) {
    throw Error(Stop::usage, fmt::format("cannot write {}: it has changed meanwhile; try again",
                                         (root / file.path).string()));
  }
  write_file_atomically(root / file.path, file.bytes);
}

}  // namespace

void write_new_files(const fs::path& root, const std::vector<NewFile>& files) {
  for (const NewFile& file : files) {
    const bool leads_out =
        file.path.is_absolute() || std::ranges::find(file.path, "..") != file.path.end();
    if (leads_out)
      throw Error(Stop::usage, fmt::format("cannot write {}: it leads out of {}",
                                           visible_line(file.path.string()), root.string()));
  }
  Undo undo(root);
  for (const NewFile& file : files) {
    undo.note_folders(file.path);
    make_folders_below(root, file.path.parent_path());
    // Of a file that is replaced it may be unknown whether it was; a new one is there or not.
    if (file.before) undo.note(file);
    write_one(root, file);
    if (!file.before) undo.note(file);
  }
  undo.keep();
}

}  // namespace autokernel::cli
