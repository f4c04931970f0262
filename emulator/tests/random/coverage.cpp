#include "random/coverage.h"

#include <fmt/format.h>

namespace emulator::testing::random {
namespace {

// Operations, loads, stores, collectives, gatherings and reductions, one after the other.
std::size_t first_load() { return operations().size(); }
std::size_t first_store() { return first_load() + widths().size(); }
std::size_t first_collective() { return first_store() + widths().size(); }
std::size_t first_gathering() { return first_collective() + collectives().size(); }
std::size_t first_reduction() { return first_gathering() + gatherings().size(); }

}  // namespace

Coverage::Coverage() {
  for (const Operation& operation : operations()) counts_.push_back({operation.text});
  for (const Width& width : widths()) counts_.push_back({fmt::format("ld.{}", width.type)});
  for (const Width& width : widths()) counts_.push_back({fmt::format("st.{}", width.type)});
  for (const Collective& collective : collectives()) counts_.push_back({collective.text});
  for (const Gathering& gathering : gatherings()) counts_.push_back({gathering.form});
  for (const Reduction& reduction : reductions()) {
    counts_.push_back({fmt::format("red.shared.{}", reduction.text)});
  }
}

void Coverage::add(const Statements& statements) {
  for (const Statement& statement : statements) {
    if (const auto* compute = std::get_if<Compute>(&statement.what)) {
      ++counts_[compute->operation].times;
    } else if (const auto* access = std::get_if<Access>(&statement.what)) {
      ++counts_[(access->stores ? first_store() : first_load()) + access->width].times;
    } else if (const auto* together = std::get_if<Together>(&statement.what)) {
      ++counts_[first_collective() + together->collective].times;
    } else if (const auto* gather = std::get_if<Gather>(&statement.what)) {
      ++counts_[first_gathering() + gather->gathering].times;
    } else if (const auto* reduce = std::get_if<Reduce>(&statement.what)) {
      ++counts_[first_reduction() + reduce->reduction].times;
    } else if (const auto* branch = std::get_if<Branch>(&statement.what)) {
      add(branch->then);
      add(branch->otherwise);
    } else if (const auto* loop = std::get_if<Loop>(&statement.what)) {
      add(loop->body);
    }
  }
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> forms;
  for (const Count& count : counts_) {
    if (count.times == 0) forms.push_back(count.form);
  }
  return forms;
}

}  // namespace emulator::testing::random
