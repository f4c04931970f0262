// `autokernel case list`: the cases there are, here and with the program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "cli/case/catalog.h"
#include "cli/commands.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class CaseList : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "list"; }
  [[nodiscard]] std::string summary() const override {
    return "List the cases of this repository, and those to start from";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  bool json_ = false;
};

constexpr const char* kCaseListExamples = R"(Examples:
  autokernel case list
  autokernel case list --json | jq -r '.cases[].folder'

A line has the folder of a case, its name, and its problem at the default size.)";

struct Row {
  std::string folder;
  std::string name;
  std::string problem;
  std::string error;  // why the case cannot be read; empty: it can
  bool is_installed = false;
};

[[nodiscard]] Row row_of(const Listed& listed, const fs::path& here) {
  Row row{.folder = shown_folder(listed.folder, here),
          .name = {},
          .problem = {},
          .error = {},
          .is_installed = listed.is_installed};
  try {
    const cases::Case problem = outline(listed.folder);
    row.name = problem.name;
    row.problem = cases::problem_line(problem, "default");
  } catch (const Error& error) {
    row.error = error.what();
  }
  return row;
}

[[nodiscard]] std::string rows_text(const std::vector<Row>& rows, bool installed) {
  std::size_t folder_width = 0;
  std::size_t name_width = 0;
  for (const Row& row : rows) {
    if (row.is_installed != installed) continue;
    folder_width = std::max(folder_width, visible_line(row.folder).size());
    name_width = std::max(name_width, visible_line(row.name).size());
  }
  std::string text;
  for (const Row& row : rows) {
    if (row.is_installed != installed) continue;
    const std::string line = fmt::format(
        "{:<{}}  {:<{}}  {}", visible_line(row.folder), folder_width, visible_line(row.name),
        name_width, visible_line(row.error.empty() ? row.problem : "unreadable: " + row.error));
    text += line + "\n";
  }
  return text;
}

[[nodiscard]] std::string list_text(const std::vector<Row>& rows) {
  const std::string here = rows_text(rows, false);
  const std::string installed = rows_text(rows, true);
  std::string text = here.empty() ? "no case here; 'autokernel init' makes one\n" : here;
  if (!installed.empty()) {
    text += "\nto start from (autokernel case new NAME --from FOLDER):\n" + installed;
  }
  return text;
}

[[nodiscard]] std::string list_json(const std::vector<Row>& rows, bool is_cut) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const auto or_null = [](const std::string& text) {
      return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
    };
    all.push_back({{"folder", row.folder},
                   {"name", or_null(row.name)},
                   {"problem", or_null(row.problem)},
                   {"error", or_null(row.error)},
                   {"installed", row.is_installed}});
  }
  const nlohmann::ordered_json list = {{"schema_version", 1}, {"cases", all}, {"cut", is_cut}};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return list.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace

void CaseList::declare(Options options) {
  options.footer(kCaseListExamples);
  options.add_flag("--json", json_, "Print one JSON object instead of lines");
}

int CaseList::run(const Console& console) {
  const fs::path here = fs::current_path();
  const Catalog catalog = find_cases(here);
  std::vector<Row> rows;
  rows.reserve(catalog.cases.size());
  for (const Listed& each : catalog.cases) rows.push_back(row_of(each, here));
  console.out << (json_ ? list_json(rows, catalog.is_cut) : list_text(rows));
  if (catalog.is_cut && !json_) {
    console.err << "autokernel: there are too many files here to look through all of them; a case "
                   "that is missing can be named by its folder\n";
  }
  return 0;
}

std::unique_ptr<Command> case_list_command() { return std::make_unique<CaseList>(); }

}  // namespace autokernel::cli
