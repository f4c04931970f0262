#include "trial/time/query_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace autokernel::trial {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

constexpr milliseconds kLong{60'000};
constexpr milliseconds kShort{20};

TEST(QueryThread, AnswersInTheOrderAsked) {
  std::vector<int> order;
  {
    QueryThread queries("a test");
    auto first = queries.ask([&] { return order.push_back(1), 1; });
    auto second = queries.ask([&] { return order.push_back(2), 2; });
    EXPECT_EQ(queries.answer(std::move(second), kLong), 2);
    EXPECT_EQ(queries.answer(std::move(first), kLong), 1);
  }
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(QueryThread, PassesOnWhatIsThrown) {
  QueryThread queries("a test");
  EXPECT_THROW(static_cast<void>(queries.answer(
                   queries.ask([]() -> int { throw std::runtime_error("no"); }), kLong)),
               std::runtime_error);
}

// The question ends only when the test lets it; whoever asked is gone by then.
TEST(QueryThread, WaitsForNoAnswerLongerThanItsPatience) {
  const auto let_go = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  std::future<void> has_ended = ended->get_future();
  {
    QueryThread queries("NVML");
    auto hanging = queries.ask([let_go, ended] {
      let_go->get_future().wait();
      ended->set_value();
      return 0;
    });
    EXPECT_THAT([&] { static_cast<void>(queries.answer(std::move(hanging), kShort)); },
                Throws<Error>(AllOf(Property(&Error::stop, Stop::environment),
                                    Property(&Error::what, HasSubstr("NVML has not answered")))));
  }
  let_go->set_value();
  EXPECT_EQ(has_ended.wait_for(kLong), std::future_status::ready);
}

}  // namespace
}  // namespace autokernel::trial
