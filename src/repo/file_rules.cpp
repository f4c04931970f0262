#include "repo/file_rules.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "autokernel/base/files.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;

// Of git's own folder, by the names that people know them by.
constexpr std::string_view kOwn = ".git/";
constexpr std::array kOwnFiles = {".git/info/attributes", ".git/info/exclude"};
constexpr const char* kAttributes = "core.attributesFile";
constexpr const char* kExcludes = "core.excludesFile";
// By what git takes a file for unchanged without reading it, and which of its properties count.
constexpr std::array kLooks = {"core.trustctime", "core.checkStat", "core.fileMode",
                               "core.ignoreCase", "core.symlinks",  "core.sparseCheckout"};

[[nodiscard]] Owned<git_config*> settings_of(const OpenRepository& open) {
  git_config* config = nullptr;
  check(git_repository_config_snapshot(&config, open.git()), "cannot read git's settings",
        "git_repository_config_snapshot");
  return own(config);
}

[[nodiscard]] fs::path usual_place(RulesFile which) {
  const char* const name = which == RulesFile::attributes ? "attributes" : "ignore";
  if (const char* const folder = std::getenv("XDG_CONFIG_HOME");
      folder != nullptr && *folder != '\0') {
    return fs::path(folder) / "git" / name;
  }
  const char* const home = std::getenv("HOME");
  return home == nullptr ? fs::path() : fs::path(home) / ".config/git" / name;
}

// Empty where there is none. What is there and cannot be read as a file is an Error(repository):
// nobody could say whether it is what it was.
[[nodiscard]] std::string text_in(const fs::path& file) {
  std::error_code unreadable;
  if (!fs::exists(file, unreadable)) return {};
  try {
    return read_file(file, "git's rules in");
  } catch (const Error& error) {
    throw Error(Stop::repository, error.what());
  }
}

[[nodiscard]] fs::path place_of(const OpenRepository& open, std::string_view rule) {
  return open.common_folder / rule.substr(kOwn.size());
}

// Which file it is, and what it holds.
[[nodiscard]] std::string text_of_users(const OpenRepository& open, RulesFile which) {
  const auto file = rules_file(open, which);
  if (!file) return {};
  const std::string text = text_in(*file);
  return text.empty() ? "" : fmt::format("{}\n{}", file->string(), text);
}

// Settings that git takes from other files on a condition that libgit2 does not know, and what
// those files hold: core.attributesFile, for one.
[[nodiscard]] std::string text_of_includes(const OpenRepository& open) {
  constexpr std::string_view kInclude = "includeif.";
  const std::string attempt = "cannot read git's settings";
  const Owned<git_config*> config = settings_of(open);
  git_config_iterator* settings = nullptr;
  check(git_config_iterator_new(&settings, config.get()), attempt, "git_config_iterator_new");
  const Owned<git_config_iterator*> owned = own(settings);
  std::string text;
  for (;;) {
    git_config_entry* entry = nullptr;
    const int status = git_config_next(&entry, settings);
    if (status == GIT_ITEROVER) return text;
    check(status, attempt, "git_config_next");
    const std::string_view name = entry->name;
    if (!name.starts_with(kInclude)) continue;
    const std::string_view condition = name.substr(kInclude.size());
    const auto is = [&](std::string_view kind) { return condition.starts_with(kind); };
    if (is("gitdir:") || is("gitdir/i:") || is("onbranch:")) continue;
    git_buf path = GIT_BUF_INIT;
    check(git_config_parse_path(&path, entry->value), attempt, "git_config_parse_path");
    const Owned<git_buf*> owned_path = own(&path);
    text += fmt::format("{} = {}\n{}\n", name, path.ptr,
                        text_in(open.root / std::string(path.ptr, path.size)));
  }
}

}  // namespace

std::optional<fs::path> rules_file(const OpenRepository& open, RulesFile which) {
  const char* const setting = which == RulesFile::attributes ? kAttributes : kExcludes;
  const Owned<git_config*> config = settings_of(open);
  git_buf path = GIT_BUF_INIT;
  if (found(git_config_get_path(&path, config.get(), setting),
            fmt::format("cannot read git's setting {}", setting), "git_config_get_path")) {
    const Owned<git_buf*> owned = own(&path);
    return open.root / std::string(path.ptr, path.size);
  }
  fs::path usual = usual_place(which);
  return usual.empty() ? std::nullopt : std::optional(std::move(usual));
}

std::map<std::string, std::string> Repository::rules() const {
  const NonblockingOpen nonblocking;
  std::map<std::string, std::string> rules;
  for (const char* const rule : kOwnFiles) rules[rule] = text_in(place_of(*opened_, rule));
  rules[kAttributes] = text_of_users(*opened_, RulesFile::attributes);
  rules[kExcludes] = text_of_users(*opened_, RulesFile::excludes);
  // Another commit's attributes in the place of those of the worktree.
  const Owned<git_config*> config = settings_of(*opened_);
  const char* tree = nullptr;
  const bool is_set = found(git_config_get_string(&tree, config.get(), "attr.tree"),
                            "cannot read git's setting attr.tree", "git_config_get_string");
  rules["attr.tree"] = is_set ? tree : "";
  for (const char* const setting : kLooks) {
    const char* value = nullptr;
    const bool has_value =
        found(git_config_get_string(&value, config.get(), setting),
              fmt::format("cannot read git's setting {}", setting), "git_config_get_string");
    rules[setting] = has_value ? value : "";
  }
  rules["includeIf"] = text_of_includes(*opened_);
  return rules;
}

bool Repository::set_rule(const std::string& rule, std::string_view text) const {
  if (!rule.starts_with(kOwn)) return false;
  const fs::path file = place_of(*opened_, rule);
  const fs::path folder = file.parent_path();
  // What it leads to elsewhere is nobody's here.
  make_folders_below(folder.parent_path(), folder.filename(), Stop::repository);
  std::error_code failed;
  if (text.empty()) {
    fs::remove(file, failed);
    return !failed;
  }
  write_file_atomically(file, text);
  return true;
}

}  // namespace autokernel::repo
