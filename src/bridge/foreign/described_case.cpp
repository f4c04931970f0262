#include "bridge/foreign/described_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/cases/names.h"
#include "bridge/case_toml.h"
#include "bridge/foreign/scripts.h"

namespace autokernel::bridge {
namespace {

using document::Json;

[[nodiscard]] std::string file_of(const DescribedTensor& tensor) {
  return fmt::format("values/{}.bin", tensor.name);
}

class DescribedCase {
 public:
  DescribedCase(const DescribedProblem& problem, std::vector<DescribedSize> sizes)
      : problem_(problem), sizes_(std::move(sizes)), whole_(sizes_.front().description) {}

  [[nodiscard]] ImportedProblem imported() {
    require_possible();
    leave_out_others();
    imported_.name = problem_.name;
    imported_.files = problem_.files;
    imported_.files["foreign.py"] = scripts::foreign();
    imported_.files["case.toml"] = case_text();
    imported_.files["problem.json"] = problem_text();
    imported_.notes.insert(imported_.notes.begin(), whole_.notes.begin(), whole_.notes.end());
    add_notes();
    return std::move(imported_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Stop::usage, fmt::format("cannot import {}: {}", visible_line(problem_.name), why));
  }

  void require_possible() const {
    if (whole_.tensors.size() > cases::kMostTensors) {
      refuse(fmt::format("it has {} tensors with its parameters, and a case at most {}",
                         whole_.tensors.size(), cases::kMostTensors));
    }
    for (const DescribedTensor& tensor : whole_.tensors) {
      if (std::ranges::find(tensor.shape, 0) != tensor.shape.end())
        refuse(fmt::format("{} is empty", tensor.name));
    }
  }

  // Whether a kernel for the one takes the operands of the other, filled as they are.
  [[nodiscard]] static bool is_alike(const Description& one, const Description& other) {
    const auto same_tensor = [](const DescribedTensor& a, const DescribedTensor& b) {
      return a.name == b.name && a.dtype == b.dtype && a.role == b.role &&
             a.shape.size() == b.shape.size() && a.distribution == b.distribution &&
             (a.distribution != "integers" || (a.low == b.low && a.high == b.high));
    };
    const auto same_scalar = [](const DescribedScalar& a, const DescribedScalar& b) {
      return a.name == b.name && a.dtype == b.dtype && a.value == b.value;
    };
    return std::ranges::equal(one.tensors, other.tensors, same_tensor) &&
           std::ranges::equal(one.scalars, other.scalars, same_scalar);
  }

  void leave_out_others() {
    const bool is_fixed = has_kept(whole_);
    std::vector<std::string> left_out;
    std::erase_if(sizes_, [&](const DescribedSize& size) {
      if (size.name == "default") return false;
      const bool goes = is_fixed || !is_alike(whole_, size.description);
      if (goes && size.arguments != sizes_.front().arguments) left_out.push_back(size.arguments);
      return goes;
    });
    for (const std::string& arguments : left_out) {
      imported_.notes.push_back(
          fmt::format("the size {} is left out: {}", visible_line(arguments),
                      is_fixed ? "values that are kept have one size"
                               : "its tensors or scalars are others, or filled otherwise"));
    }
    if (std::ranges::find(sizes_, "check", &DescribedSize::name) != sizes_.end()) return;
    sizes_.push_back(sizes_.back());
    sizes_.back().name = "check";
  }

  [[nodiscard]] bool is_taken(const std::string& name) const {
    return std::ranges::any_of(symbols_, [&](const auto& each) { return each.second == name; }) ||
           std::ranges::any_of(whole_.tensors,
                               [&](const auto& each) { return each.name == name; }) ||
           std::ranges::any_of(whole_.scalars, [&](const auto& each) { return each.name == name; });
  }

  // The name that the problem has for these extents, one for each size.
  [[nodiscard]] std::optional<std::string> known_name(
      const std::vector<std::int64_t>& extents) const {
    for (const auto& [name, number] : sizes_.front().numbers) {
      bool is_same = true;
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const auto found = sizes_[i].numbers.find(name);
        is_same &= found != sizes_[i].numbers.end() && found->second == extents[i];
      }
      if (is_same && cases::is_identifier(name)) return name;
    }
    return std::nullopt;
  }

  // A symbol for an extent that is another one at other sizes; else the number.
  [[nodiscard]] std::string symbol_for(std::size_t tensor, std::size_t axis) {
    std::vector<std::int64_t> extents;
    extents.reserve(sizes_.size());
    for (const DescribedSize& size : sizes_)
      extents.push_back(size.description.tensors[tensor].shape[axis]);
    if (std::ranges::count(extents, extents.front()) == std::ssize(extents))
      return std::to_string(extents.front());
    const auto known = symbols_.find(extents);
    if (known != symbols_.end()) return known->second;
    std::string name =
        known_name(extents).value_or(fmt::format("{}_{}", whole_.tensors[tensor].name, axis));
    while (cases::is_cpp_keyword(name) || is_taken(name)) name += "_";
    symbols_[extents] = name;
    return name;
  }

  [[nodiscard]] std::string case_text() {
    WrittenCase written{
        .name = problem_.name,
        .comment = fmt::format("{} of {}. What is right is what {} computes.",
                               quotable(problem_.name), problem_.benchmark, problem_.file),
        .sizes = {},
        .tensors = {},
        .scalars = scalars(),
        .files = {"foreign.py", "problem.json"},
        .check = check()};
    for (const auto& [path, text] : problem_.files)
      if (path != "reference.py") written.files.push_back(path);
    for (std::size_t i = 0; i < whole_.tensors.size(); ++i) written.tensors.push_back(tensor(i));
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      written.sizes.push_back({.name = sizes_[i].name, .symbols = {}, .comment = {}});
      for (const auto& [extents, symbol] : symbols_)
        written.sizes.back().symbols[symbol] = extents[i];
    }
    return case_toml(written);
  }

  [[nodiscard]] WrittenTensor tensor(std::size_t index) {
    const DescribedTensor& tensor = whole_.tensors[index];
    WrittenTensor written{
        .name = tensor.name, .role = tensor.role, .dtype = tensor.dtype, .shape = {}, .fill = {}};
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
      written.shape.push_back(symbol_for(index, axis));
    if (tensor.role == "out") return written;
    if (tensor.distribution != "kept") {
      written.fill = fill_of(tensor);
      return written;
    }
    imported_.files[file_of(tensor)] = tensor.values;
    written.fill = kept_values(file_of(tensor), tensor.values);
    return written;
  }

  [[nodiscard]] std::vector<WrittenScalar> scalars() const {
    std::vector<WrittenScalar> scalars;
    scalars.reserve(whole_.scalars.size());
    for (const DescribedScalar& scalar : whole_.scalars) {
      scalars.push_back({.name = scalar.name,
                         .dtype = scalar.dtype,
                         .value = number_text(scalar.value, scalar.dtype)});
    }
    return scalars;
  }

  // Where the problem has no tolerance for elements, one that results of 16 bits keep.
  [[nodiscard]] WrittenCheck check() const {
    constexpr double kUsual = 1e-2;
    if (whole_.absolute > 0 || whole_.relative > 0) {
      return {.absolute = whole_.absolute,
              .relative = whole_.relative,
              .whose = problem_.benchmark + "'s own"};
    }
    return {.absolute = kUsual,
            .relative = kUsual,
            .whose = "proposed: the problem has a check of its own"};
  }

  void add_notes() {
    std::vector<std::string> never_negative;
    for (const DescribedTensor& tensor : whole_.tensors) {
      if (tensor.distribution == "kept") {
        imported_.notes.push_back(fmt::format(
            "{}: its values have a structure that no distribution has, and are kept{}", tensor.name,
            is_floating_dtype(tensor.dtype) ? ", but for the lowest bit" : ""));
      }
      if (tensor.distribution == "uniform" && tensor.low >= 0)
        never_negative.push_back(tensor.name);
    }
    if (!never_negative.empty()) {
      imported_.notes.push_back(
          fmt::format("{}: never negative here, as in the problem: a kernel that is right on such "
                      "values alone passes",
                      fmt::join(never_negative, ", ")));
    }
    if (!whole_.left_out.empty())
      imported_.notes.push_back(
          fmt::format("not handed over: {}", fmt::join(whole_.left_out, ", ")));
  }

  [[nodiscard]] std::string problem_text() const {
    Json sizes = Json::array();
    for (const DescribedSize& size : sizes_) {
      Json shapes = Json::object();
      for (const DescribedTensor& tensor : size.description.tensors)
        if (tensor.role != "out") shapes[tensor.name] = tensor.shape;
      sizes.push_back({{"arguments", Json::parse(size.arguments)},
                       {"shapes", std::move(shapes)},
                       {"structure", Json::parse(size.description.structure)}});
    }
    return Json{{"file", problem_.file}, {"sizes", sizes}}.dump(1) + "\n";
  }

  const DescribedProblem& problem_;
  std::vector<DescribedSize> sizes_;
  const Description whole_;
  std::map<std::vector<std::int64_t>, std::string> symbols_;
  ImportedProblem imported_;
};

}  // namespace

ImportedProblem described_case(const DescribedProblem& problem, std::vector<DescribedSize> sizes) {
  return DescribedCase(problem, std::move(sizes)).imported();
}

}  // namespace autokernel::bridge
