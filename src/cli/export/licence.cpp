#include "cli/export/licence.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/files.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// What texts of licences begin with, or have near their beginning, by SPDX id.
[[nodiscard]] std::string id_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kTitles = {
      {{"Apache License", "Apache-2.0"},
       {"GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL-3.0-only"},
       {"GNU LESSER GENERAL PUBLIC LICENSE", "LGPL-3.0-only"},
       {"GNU GENERAL PUBLIC LICENSE", "GPL-3.0-only"},
       {"Mozilla Public License", "MPL-2.0"},
       {"BSD 3-Clause", "BSD-3-Clause"},
       {"BSD 2-Clause", "BSD-2-Clause"},
       {"Permission is hereby granted, free of charge", "MIT"},
       {"MIT License", "MIT"}}};
  for (const auto& [title, id] : kTitles) {
    constexpr std::size_t kNearBeginning = 1024;
    if (text.find(title) >= kNearBeginning) continue;
    // Those of GNU say their version below, and which versions may be chosen nowhere.
    const std::string_view name = id;
    if (name.find("GPL") == std::string_view::npos) return id;
    return text.find("Version 3") < kNearBeginning ? id : "other";
  }
  return "other";
}

[[nodiscard]] std::optional<std::string> text_in(const fs::path& folder) {
  for (const char* const name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING"}) {
    if (auto text = read_file_below(folder, name, "a licence")) return text;
  }
  return std::nullopt;
}

}  // namespace

bridge::Licence licence_for(const fs::path& folder, const std::string& id) {
  std::error_code unreadable;
  for (fs::path at = fs::absolute(folder).lexically_normal();; at = at.parent_path()) {
    if (auto text = text_in(at)) {
      std::string known = id.empty() ? id_of(*text) : id;
      return {.id = std::move(known), .text = *std::move(text)};
    }
    if (fs::exists(at / ".git", unreadable) || at == at.parent_path()) break;
  }
  return {.id = id.empty() ? "other" : id, .text = {}};
}

}  // namespace autokernel::cli
