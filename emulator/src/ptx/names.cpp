#include "ptx/names.h"

#include <utility>

namespace emulator::ptx {

void Names::close_scope() {
  const std::size_t first = scopes_.back();
  scopes_.pop_back();
  while (bindings_.size() > first) {
    const Binding& last = bindings_.back();
    if (last.hidden == kNone) {
      visible_.erase(last.name);
    } else {
      // The key must not outlive the scope whose text it came from, so it is replaced too.
      visible_.erase(last.name);
      visible_.emplace(bindings_[last.hidden].name, last.hidden);
    }
    bindings_.pop_back();
  }
  if (scopes_.empty()) copies_.clear();
}

bool Names::add(std::string_view name, const Meaning& meaning) {
  const auto [place, is_new] = visible_.try_emplace(name, bindings_.size());
  std::size_t hidden = kNone;
  if (!is_new) {
    hidden = place->second;
    if (bindings_[hidden].scope == scopes_.size()) return false;
    place->second = bindings_.size();
  }
  bindings_.push_back({name, meaning, scopes_.size(), hidden});
  return true;
}

bool Names::add_copy(std::string name, const Meaning& meaning) {
  copies_.push_back(std::move(name));
  return add(copies_.back(), meaning);
}

const Meaning* Names::find(std::string_view name) const {
  const auto found = visible_.find(name);
  return found == visible_.end() ? nullptr : &bindings_[found->second].meaning;
}

}  // namespace emulator::ptx
