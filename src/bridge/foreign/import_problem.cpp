#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/foreign_problem.h"
#include "autokernel/cases/names.h"
#include "bridge/foreign/description.h"
#include "bridge/foreign/scripts.h"
#include "bridge/toml_text.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

// A check on the emulated device takes about a second for so many.
constexpr double kMostElements = 1 << 20;
constexpr int kMostDescriptions = 5;

[[nodiscard]] double elements(const Description& description) {
  double all = 0;
  for (const DescribedTensor& tensor : description.tensors) {
    double count = 1;
    for (const std::int64_t extent : tensor.shape) count *= static_cast<double>(extent);
    all += count;
  }
  return all;
}

// "16384 * 2": the only expression that constants of problems are.
[[nodiscard]] std::optional<std::int64_t> product_of(const std::string& text) {
  constexpr std::int64_t kMost = 1LL << 40U;
  std::int64_t product = 1;
  std::size_t at = 0;
  for (bool goes_on = true; goes_on;) {
    at = text.find_first_not_of(' ', at);
    std::int64_t factor = 0;
    const std::size_t begin = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      factor = std::min(10 * factor + (text[at] - '0'), kMost);
      ++at;
    }
    if (at == begin || begin == std::string::npos || factor == 0 || product > kMost / factor)
      return std::nullopt;
    product *= factor;
    at = text.find_first_not_of(" \t\r", at);
    goes_on = at != std::string::npos && text[at] == '*';
    if (at != std::string::npos && !goes_on) return std::nullopt;
    if (goes_on) ++at;
  }
  return product;
}

// Whole numbers that the file gives names to: "batch_size = 16".
[[nodiscard]] Constants constants_of(const std::string& text) {
  Constants found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos || !cases::is_identifier(line.substr(0, equals))) continue;
    const std::string value = line.substr(equals + 3, line.find('#', equals) - equals - 3);
    if (const auto number = product_of(value)) found[line.substr(0, equals)] = *number;
  }
  return found;
}

class ProblemImporter {
 public:
  ProblemImporter(const ForeignProblem& problem, const fs::path& python)
      : problem_(problem), python_(python), whole_(describe(problem, {}, python)), small_(whole_) {}

  [[nodiscard]] ImportedProblem imported() {
    require_possible();
    shrink();
    ImportedProblem imported;
    imported.files["case.toml"] = case_text();
    imported.files["problem.json"] = problem_text();
    imported.files["reference.py"] = scripts::reference_kernelbench();
    imported.files["foreign.py"] = scripts::foreign();
    imported.files[problem_.file] = problem_.text;
    imported.notes = whole_.notes;
    for (const DescribedTensor& tensor : whole_.tensors) {
      if (tensor.distribution == "uniform" && tensor.low >= 0) {
        imported.notes.push_back(
            fmt::format("{} is never negative, as in the problem: a kernel that is right on such "
                        "values alone passes",
                        tensor.name));
      }
    }
    if (!whole_.left_out.empty())
      imported.notes.push_back(
          fmt::format("not handed over: {}", fmt::join(whole_.left_out, ", ")));
    return imported;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Stop::usage, fmt::format("cannot import {}: {}", visible_line(problem_.file), why));
  }

  void require_possible() const {
    constexpr std::size_t kMostTensors = 16;  // of a case
    if (whole_.tensors.size() > kMostTensors) {
      refuse(fmt::format("it has {} tensors with its parameters, and a case at most {}",
                         whole_.tensors.size(), kMostTensors));
    }
    for (const DescribedTensor& tensor : whole_.tensors) {
      if (tensor.distribution == "kept") {
        refuse(
            fmt::format("the values of {} have a structure that no distribution has", tensor.name));
      }
      if (std::ranges::find(tensor.shape, 0) != tensor.shape.end())
        refuse(fmt::format("{} is empty", tensor.name));
    }
  }

  // Other constants for checks on the emulated device: first that of the batch.
  void shrink() {
    std::vector<std::pair<std::string, std::int64_t>> constants;
    for (const auto& [name, value] : constants_of(problem_.text)) {
      if (value > 1) constants.emplace_back(name, value);
    }
    const auto rank = [&](const auto& each) {
      const bool is_batch = each.first.find("batch") != std::string::npos;
      const bool is_first = !whole_.tensors.empty() && whole_.tensors[0].shape[0] == each.second;
      return std::pair(!is_batch && !is_first, -each.second);
    };
    std::ranges::sort(constants, [&](const auto& a, const auto& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.first < b.first;
    });
    int left = kMostDescriptions;
    for (const auto& [name, value] : constants) {
      if (elements(small_) <= kMostElements || left-- == 0) break;
      Constants chosen = small_.constants;
      const double factor = elements(small_) / kMostElements;
      chosen[name] = std::max<std::int64_t>(
          2, static_cast<std::int64_t>(
                 std::floor(static_cast<double>(value) / std::exp2(std::ceil(std::log2(factor))))));
      if (chosen[name] >= value) continue;
      try {
        Description smaller = describe(problem_, chosen, python_);
        const bool is_alike =
            smaller.tensors.size() == whole_.tensors.size() && elements(smaller) < elements(small_);
        if (is_alike) small_ = std::move(smaller);
      } catch (const Error& error) {
        if (error.stop() != Stop::usage) throw;  // it needs that constant as it is
      }
    }
  }

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  // A symbol for an extent that is another one at the small size; else the number.
  [[nodiscard]] std::string symbol_for(const std::string& tensor, std::size_t axis,
                                       std::int64_t whole, std::int64_t small) {
    if (whole == small) return std::to_string(whole);
    const auto known = symbols_.find({whole, small});
    if (known != symbols_.end()) return known->second;
    std::string name = fmt::format("{}_{}", tensor, axis);
    for (const auto& [constant, value] : small_.constants) {
      if (value == small && constants_of(problem_.text)[constant] == whole) name = constant;
    }
    while (cases::is_cpp_keyword(name) || is_taken(name)) name += "_";
    symbols_[{whole, small}] = name;
    return name;
  }

  [[nodiscard]] bool is_taken(const std::string& name) const {
    return std::ranges::any_of(symbols_, [&](const auto& each) { return each.second == name; }) ||
           std::ranges::any_of(whole_.tensors,
                               [&](const DescribedTensor& each) { return each.name == name; });
  }

  [[nodiscard]] std::string case_text() {
    std::vector<std::vector<std::string>> shapes;
    for (std::size_t i = 0; i < whole_.tensors.size(); ++i) {
      const DescribedTensor& tensor = whole_.tensors[i];
      const std::vector<std::int64_t>& small = small_.tensors[i].shape;
      if (small.size() != tensor.shape.size())
        refuse("its tensors have other dimensions at other sizes");
      shapes.emplace_back();
      for (std::size_t axis = 0; axis < small.size(); ++axis)
        shapes.back().push_back(symbol_for(tensor.name, axis, tensor.shape[axis], small[axis]));
    }
    std::string name = problem_.file.substr(0, problem_.file.rfind('.'));
    for (char& c : name)
      if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
    line("# {} of KernelBench. What is right is what its Model computes (reference.py).", name);
    line("name = \"{}\"", name);
    line("problem = \"{}\"", name);
    for (const bool is_whole : {true, false}) {
      line("");
      line("[sizes.{}]", is_whole ? "default" : "check");
      for (const auto& [extents, symbol] : symbols_)
        line("{} = {}", symbol, is_whole ? extents.first : extents.second);
      if (symbols_.empty()) line("COUNT = 1  # a size has to have a symbol");
    }
    for (std::size_t i = 0; i < whole_.tensors.size(); ++i)
      write_tensor(whole_.tensors[i], shapes[i]);
    for (const DescribedScalar& scalar : whole_.scalars) {
      line("");
      line("[[scalar]]");
      line("name = \"{}\"", scalar.name);
      line("dtype = \"{}\"", scalar.dtype);
      const bool is_floating = scalar.dtype.starts_with('f');
      line("value = {}", is_floating ? floating_text(scalar.value)
                                     : std::to_string(static_cast<std::int64_t>(scalar.value)));
    }
    line("");
    line("[reference]");
    line(R"(kind = "python")");
    line(R"(file = "reference.py")");
    line(R"(files = ["foreign.py", "problem.json", "{}"])", problem_.file);
    line("");
    write_check();
    write_cost(shapes);
    return out_;
  }

  void write_tensor(const DescribedTensor& tensor, const std::vector<std::string>& shape) {
    line("");
    line("[[tensor]]");
    line("name = \"{}\"", tensor.name);
    line("role = \"{}\"", tensor.role);
    line("dtype = \"{}\"", tensor.dtype);
    line("shape = [\"{}\"]", fmt::join(shape, "\", \""));
    if (tensor.role == "out") return;
    line("fill = \"{}\"", tensor.distribution);
    if (tensor.distribution == "normal") return;
    const bool is_whole = tensor.distribution == "integers";
    line("low = {}", is_whole ? std::to_string(static_cast<std::int64_t>(tensor.low))
                              : floating_text(tensor.low));
    line("high = {}", is_whole ? std::to_string(static_cast<std::int64_t>(tensor.high))
                               : floating_text(tensor.high));
  }

  void write_check() {
    line("[check]");
    const bool floats = std::ranges::any_of(whole_.tensors, [](const DescribedTensor& tensor) {
      return tensor.role != "in" &&
             (tensor.dtype[0] == 'f' || tensor.dtype == "bf16" || tensor.dtype[0] == 'e');
    });
    if (!floats) {
      line("exact = \"always\"");
      return;
    }
    line("exact = \"never\"");
    line("absolute = {}  # KernelBench's own", whole_.absolute);
    line("relative = {}", whole_.relative);
  }

  void write_cost(const std::vector<std::vector<std::string>>& shapes) {
    std::vector<std::string> bytes;
    std::vector<std::string> written;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const DescribedTensor& tensor = whole_.tensors[i];
      const std::string count = fmt::format("{}", fmt::join(shapes[i], "*"));
      const int each = tensor.dtype.ends_with("64")   ? 8
                       : tensor.dtype.ends_with("32") ? 4
                       : tensor.dtype.ends_with("16") ? 2
                                                      : 1;
      bytes.push_back(fmt::format("{}*{}", each, count));
      if (tensor.role != "in") written.push_back(count);
    }
    line("");
    line("[cost]");
    line("flops = \"{}\"  # one for each element that is written: say what it is",
         fmt::join(written, " + "));
    line("bytes = \"{}\"", fmt::join(bytes, " + "));
  }

  [[nodiscard]] std::string problem_text() const {
    Json sizes = Json::array();
    for (const Description* const each : {&whole_, &small_}) {
      Json shapes = Json::object();
      for (const DescribedTensor& tensor : each->tensors)
        if (tensor.role != "out") shapes[tensor.name] = tensor.shape;
      const auto structure = document::parsed(each->structure);
      sizes.push_back({{"arguments", each->constants},
                       {"shapes", shapes},
                       {"structure", structure ? *structure : Json(nullptr)}});
    }
    return Json{{"file", problem_.file}, {"sizes", sizes}}.dump(1) + "\n";
  }

  const ForeignProblem& problem_;
  const fs::path& python_;
  Description whole_;
  Description small_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> symbols_;
  std::string out_;
};

}  // namespace

ImportedProblem import_problem(const ForeignProblem& problem, const fs::path& python) {
  return ProblemImporter(problem, python).imported();
}

}  // namespace autokernel::bridge
