#include "serve/answer.h"

#include "autokernel/base/error.h"
#include "autokernel/trial/message.h"

namespace autokernel::serve {
namespace {

// Events are JSON objects; what the judge says of itself is a sentence.
[[nodiscard]] bool is_event(const std::string& answer) { return answer.starts_with('{'); }

}  // namespace

std::string event_of(const Task& task) {
  if (is_event(task.answer)) return task.answer;
  return trial::encode(trial::Event(trial::Failure{
      .stop = Stop::environment, .what = "the judge has no result: " + task.answer}));
}

std::string reason_of(const Task& task) {
  if (task.state == State::done) return {};
  if (!is_event(task.answer) || task.kind == TaskKind::solution) return task.answer;
  try {
    const trial::Event event = trial::decode_event(task.answer);
    const auto* failure = std::get_if<trial::Failure>(&event);
    return failure == nullptr ? std::string() : failure->what;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace autokernel::serve
