#include "programs/profile/enclosing_operations.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace autokernel::programs {
namespace {

// Times of PyTorch before 2.4 are whole microseconds: what is inside may seem to begin or to end
// outside by one.
constexpr Nanoseconds kRounding = 1000;

// Deeper nesting than any program has. It keeps a made-up file from asking for hours.
constexpr int kMostSteps = 4096;

[[nodiscard]] bool was_under_way(const OperationSpan& span, Nanoseconds time) {
  return span.start - kRounding <= time && time <= span.end + kRounding;
}

}  // namespace

EnclosingOperations::EnclosingOperations(std::vector<OperationSpan> spans)
    : spans_(std::move(spans)) {
  std::ranges::sort(spans_, {}, [](const OperationSpan& span) {
    return std::tuple(span.process, span.thread, span.start, -span.end, span.number);
  });
  parents_.resize(spans_.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < spans_.size(); ++i) {
    const OperationSpan& span = spans_[i];
    const auto is_over = [&](const OperationSpan& outer) {
      return outer.process != span.process || outer.thread != span.thread ||
             outer.end < span.start || (outer.end == span.start && outer.end < span.end);
    };
    while (!open.empty() && is_over(spans_[open.back()])) open.pop_back();
    parents_[i] = open.empty() ? 0 : open.back() + 1;
    open.push_back(i);
    if (span.number != 0) numbered_.push_back(i);
  }
  std::ranges::sort(numbered_, {}, [this](std::uint32_t i) {
    return std::tuple(spans_[i].number, spans_[i].process, i);
  });
}

const OperationSpan* EnclosingOperations::parent_of(const OperationSpan& span) const {
  const std::uint32_t parent = parents_[static_cast<std::size_t>(&span - spans_.data())];
  return parent == 0 ? nullptr : &spans_[parent - 1];
}

const OperationSpan* EnclosingOperations::around(const Call& call) const {
  const OperationSpan* const numbered = by_number(call);
  return with_shapes(numbered != nullptr ? numbered : by_time(call));
}

const OperationSpan* EnclosingOperations::numbered(std::int64_t number, Nanoseconds before) const {
  const auto all =
      std::ranges::equal_range(numbered_, number, {}, [this](auto i) { return spans_[i].number; });
  if (number == 0 || all.size() != 1) return nullptr;
  const OperationSpan& span = spans_[all.front()];
  return span.start <= before ? with_shapes(&span) : nullptr;
}

const OperationSpan* EnclosingOperations::by_number(const Call& call) const {
  if (call.operation == 0) return nullptr;
  const auto key = [this](std::uint32_t i) {
    return std::pair(spans_[i].number, spans_[i].process);
  };
  const auto all =
      std::ranges::equal_range(numbered_, std::pair(call.operation, call.process), {}, key);
  if (all.empty()) return nullptr;
  const OperationSpan& span = spans_[all.front()];
  return was_under_way(span, call.start) ? &span : nullptr;
}

const OperationSpan* EnclosingOperations::by_time(const Call& call) const {
  const auto key = [](const OperationSpan& span) {
    return std::tuple(span.process, span.thread, span.start);
  };
  const auto after =
      std::ranges::upper_bound(spans_, std::tuple(call.process, call.thread, call.start), {}, key);
  if (after == spans_.begin()) return nullptr;
  const OperationSpan* span = &*(after - 1);
  if (span->process != call.process || span->thread != call.thread) return nullptr;
  for (int steps = 0; span != nullptr && steps < kMostSteps; ++steps) {
    if (call.start <= span->end) return span;
    span = parent_of(*span);
  }
  return nullptr;
}

const OperationSpan* EnclosingOperations::with_shapes(const OperationSpan* span) const {
  const OperationSpan* outer = span;
  for (int steps = 0; outer != nullptr && steps < kMostSteps; ++steps) {
    if (outer->has_shapes) return outer;
    outer = parent_of(*outer);
  }
  return span;
}

}  // namespace autokernel::programs
