#include "serve/queue.h"

#include <gmock/gmock.h>

#include <random>
#include <vector>

namespace autokernel::serve {
namespace {

using Kind = driver::DeviceChoice::Kind;
using testing::ElementsAre;

const Offered kCpu{.kind = Kind::cpu};
const Offered kGpu{.kind = Kind::cuda, .ordinal = 0, .name = "NVIDIA H200"};

TEST(Queue, AClientsOwnTrialsComeInTheirOrder) {
  Queue queue;
  for (const TrialId id : {1, 2, 3}) queue.add(id, "a", {});
  EXPECT_EQ(queue.next(kCpu), 1);
  queue.add(1, "a", {});  // put back
  std::vector<TrialId> order;
  while (const auto id = queue.next(kCpu)) order.push_back(*id);
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(Queue, WhoHasUsedLessIsServedFirst) {
  Queue queue;
  for (TrialId id = 1; id <= 100; ++id) queue.add(id, "many", {});
  queue.add(101, "few", {});
  EXPECT_EQ(queue.next(kCpu), 101);  // both have used nothing: the name decides
  queue.charge("few", 10);
  queue.add(102, "few", {});
  EXPECT_EQ(queue.next(kCpu), 1);
  queue.charge("many", 30);
  EXPECT_EQ(queue.next(kCpu), 102);
}

// A client that hands in a hundred trials at once gets no more of the device than one that hands in
// the next when it has its last.
TEST(Queue, TwoClientsShareADeviceEvenly) {
  Queue queue;
  for (TrialId id = 1; id <= 100; ++id) queue.add(id, "flood", {});
  queue.add(1000, "modest", {});
  double flood = 0;
  double modest = 0;
  TrialId fresh = 1001;
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  for (int i = 0; i < 60; ++i) {
    const TrialId id = queue.next(kCpu).value_or(0);
    ASSERT_NE(id, 0);
    const double seconds = 1 + static_cast<double>(random() % 5);
    const bool is_modest = id >= 1000;
    (is_modest ? modest : flood) += seconds;
    queue.charge(is_modest ? "modest" : "flood", seconds);
    if (is_modest) queue.add(fresh++, "modest", {});
  }
  EXPECT_NEAR(flood, modest, 6);
}

TEST(Queue, WhoComesBackHasNoCreditForTheTimeAway) {
  Queue queue;
  queue.add(1, "old", {});
  EXPECT_EQ(queue.next(kCpu), 1);
  queue.charge("old", 1000);
  queue.add(2, "old", {});
  EXPECT_EQ(queue.next(kCpu), 2);
  queue.charge("old", 1000);
  // One that comes now begins where the others are, and does not have the device for itself until
  // it has caught up.
  for (TrialId id = 3; id < 10; ++id) queue.add(id, "new", {});
  queue.add(10, "old", {});
  EXPECT_EQ(queue.next(kCpu), 3);
  queue.charge("new", 1500);
  EXPECT_EQ(queue.next(kCpu), 10);
}

TEST(Queue, ATrialGoesToADeviceThatSuitsIt) {
  Queue queue;
  queue.add(1, "a", {.kind = Kind::cuda});
  queue.add(2, "a", {.kind = Kind::cuda, .ordinal = 1});
  queue.add(3, "a", {.kind = Kind::cpu});
  queue.add(4, "a", {.kind = Kind::cuda, .device = "NVIDIA H100"});
  EXPECT_EQ(queue.next(kCpu), 3);
  EXPECT_EQ(queue.next(kCpu), std::nullopt);
  EXPECT_EQ(queue.next(kGpu), 1);
  EXPECT_EQ(queue.next(kGpu), std::nullopt);
  EXPECT_EQ(queue.next({.kind = Kind::cuda, .ordinal = 1, .name = "NVIDIA H200"}), 2);
  // Of a device that is not known yet it may be found out, but once.
  Offered unknown{.kind = Kind::cuda, .is_not = {"NVIDIA H100"}};
  EXPECT_EQ(queue.next(unknown), std::nullopt);
  unknown.is_not.clear();
  EXPECT_EQ(queue.next(unknown), 4);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(Queue, WhatIsRemovedDoesNotCome) {
  Queue queue;
  queue.add(1, "a", {});
  queue.add(2, "a", {});
  EXPECT_TRUE(queue.remove(1));
  EXPECT_FALSE(queue.remove(1));
  EXPECT_EQ(queue.waiting_of("a"), 1U);
  EXPECT_EQ(queue.next(kCpu), 2);
  EXPECT_FALSE(queue.remove(2));
  EXPECT_EQ(queue.waiting_of("a"), 0U);
}

}  // namespace
}  // namespace autokernel::serve
