#include "ptx/labels.h"

#include <string>

#include "ptx/token_stream.h"

namespace emulator::ptx {
namespace {

std::string_view describe(LabelKind kind) {
  switch (kind) {
    case LabelKind::code:
      return "a label of an instruction";
    case LabelKind::branch_targets:
      return "a label of .branchtargets";
    case LabelKind::call_targets:
      return "a label of .callprototype or .calltargets";
  }
  return "a label";
}

}  // namespace

void Labels::open_scope() { scopes_.push_back({uses_, {}}); }

void Labels::close_scope() {
  const Scope& scope = scopes_.back();
  for (const Definition& definition : scope.defined) {
    const auto found = waiting_.find(definition.name);
    if (found == waiting_.end()) continue;
    std::vector<Waiting>& uses = found->second;
    while (!uses.empty() && uses.back().order >= scope.first_use) {
      const Waiting& last = uses.back();
      if (last.use.wanted != definition.label.kind) {
        throw Error(last.where, in_quotes(definition.name) + " is not " +
                                    std::string(describe(last.use.wanted)));
      }
      bound_.push_back({last.use, definition.label.target});
      uses.pop_back();
    }
  }
  scopes_.pop_back();
}

void Labels::define(std::string_view name, Label label) {
  scopes_.back().defined.push_back({name, label});
}

void Labels::use(const Token& name, LabelUse use) {
  waiting_[name.text].push_back({use, name.where, uses_++});
}

const std::vector<Labels::Bound>& Labels::bound() const {
  const Waiting* first = nullptr;
  std::string_view name;
  for (const auto& [each, uses] : waiting_) {
    if (uses.empty() || (first != nullptr && uses.front().order > first->order)) continue;
    first = &uses.front();
    name = each;
  }
  if (first != nullptr) throw Error(first->where, "undefined label " + in_quotes(name));
  return bound_;
}

}  // namespace emulator::ptx
