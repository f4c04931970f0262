// What the load on a server came to, where it sends its text in other pieces than the reference.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trial/command/served_answers.h"

namespace autokernel::trial {
namespace {

// "ab" and "cd", each a token, at these times.
[[nodiscard]] lab::RequestOutcome answer(const std::vector<std::string>& pieces,
                                         const std::vector<double>& times) {
  lab::RequestOutcome outcome;
  outcome.sent = outcome.scheduled = 0;
  outcome.first = times.front();
  outcome.last = outcome.ended = times.back();
  outcome.usage_output = 2;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) outcome.gaps.push_back(static_cast<float>(times[i] - times[i - 1]));
    outcome.text += pieces[i];
    outcome.text_bytes.push_back(outcome.text.size());
  }
  outcome.pieces = pieces.size();
  outcome.bytes = outcome.text.size();
  return outcome;
}

[[nodiscard]] double mean_ttft(const lab::RequestOutcome& outcome) {
  ServedAnswers ours;
  ours.load.requests = {outcome};
  ours.load.ended = outcome.ended;
  ServedAnswers reference;
  reference.load.requests = {answer({"ab", "cd"}, {1, 2})};
  const std::string line = served_figures(cases::ServerPlan{}, ours, reference);
  return nlohmann::json::parse(line)["ttft"]["mean"].get<double>();
}

TEST(ServedFigures, CountTheFirstTokenWhenAllOfItHasCome) {
  EXPECT_NEAR(mean_ttft(answer({"ab", "cd"}, {0.5, 1})), 0.5, 1e-6);
  EXPECT_NEAR(mean_ttft(answer({"a", "b", "cd"}, {0.001, 0.75, 1})), 0.75, 1e-6);
  EXPECT_NEAR(mean_ttft(answer({"a", "bcd"}, {0.001, 1})), 1, 1e-6);
  EXPECT_NEAR(mean_ttft(answer({"abcd"}, {0.25})), 0.25, 1e-6);
}

}  // namespace
}  // namespace autokernel::trial
