#include "trial/runner/launch_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "support/present.h"
#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Message>
Message there_and_back(const Message& message) {
  return std::get<Message>(decode_report(encode(Report(message))));
}

LaunchTask task() {
  LaunchTask task;
  task.problem = blinded(product_case("bf16", "bf16", 8, 16, 32));
  task.kernel_name = "kernel.cu";
  task.source = "a source that is no UTF-8: \xff";
  task.incumbent = Incumbent{"the incumbent", "another", 0.02};
  task.architecture = "sm_90a";
  task.check_size = "check";
  task.timed_size = "default";
  task.samples = 50;
  task.open_seconds = 1.5;
  return task;
}

TEST(LaunchMessage, CarriesTheTask) {
  const auto got = std::get<LaunchTask>(decode_order(encode(Order(task()))));

  EXPECT_EQ(got.source, task().source);
  EXPECT_EQ(test::present(got.incumbent).name, "the incumbent");
  EXPECT_EQ(test::present(got.incumbent).min_gain, 0.02);
  EXPECT_EQ(got.architecture, "sm_90a");
  EXPECT_EQ(got.samples, 50);
  EXPECT_EQ(got.open_seconds, 1.5);
  EXPECT_EQ(got.recording_seconds, std::nullopt);
}

TEST(LaunchMessage, CarriesATaskThatIsOnlyExpected) {
  const auto got = std::get<ExpectedTask>(decode_order(encode(Order(ExpectedTask{task()}))));
  EXPECT_EQ(got.task.source, task().source);
  EXPECT_EQ(test::present(got.task.incumbent).name, "the incumbent");
}

TEST(LaunchMessage, CarriesWhenTheDeviceWorked) {
  const auto got = std::get<GoOn>(decode_order(encode(Order(GoOn{12.25}))));
  EXPECT_EQ(got.device_worked_at, 12.25);
  EXPECT_FALSE(std::get<GoOn>(decode_order(encode(Order(GoOn{})))).device_worked_at);
}

TEST(LaunchMessage, CarriesWhereOutputsGo) {
  const Compiled compiled{.resources = {}, .warnings = {}, .log = "", .nvrtc = "", .outbox = "0a"};
  EXPECT_EQ(std::get<Compiled>(decode_report(encode(Report(compiled)))).outbox, "0a");
  const GoOn there{.takes_outputs_on_device = true};
  EXPECT_TRUE(std::get<GoOn>(decode_order(encode(Order(there)))).takes_outputs_on_device);
  EXPECT_FALSE(std::get<GoOn>(decode_order(encode(Order(GoOn{})))).takes_outputs_on_device);
}

TEST(LaunchMessage, CarriesWhatMakesInputs) {
  const auto got = std::get<LaunchTask>(decode_order(encode(Order(task())))).problem;

  ASSERT_EQ(got.tensors.size(), 3U);
  EXPECT_EQ(got.tensors[1].name, "B");
  EXPECT_EQ(got.tensors[1].dtype, cases::DType::bf16);
  EXPECT_EQ(got.tensors[2].role, cases::Role::out);
  EXPECT_EQ(got.sizes, task().problem.sizes);
  EXPECT_TRUE(std::holds_alternative<cases::SumOfProducts>(got.exactness));
  EXPECT_TRUE(std::holds_alternative<cases::GemmReference>(got.reference));
}

// A kernel that gets at the launcher's memory finds nothing there that judges it.
TEST(LaunchMessage, CarriesNeitherToleranceNorReference) {
  cases::Case problem = product_case("bf16", "bf16", 8, 16, 32);
  problem.tolerance = {0.0123, 0.0456};
  problem.reference =
      cases::KernelReference{"secret.cu", "a secret text", "secret_fp64.cu", "another secret"};
  LaunchTask sent = task();
  sent.problem = blinded(problem);

  const std::string line = encode(Order(sent));

  EXPECT_THAT(line, Not(HasSubstr("0.0123")));
  EXPECT_THAT(line, Not(HasSubstr("0.0456")));
  EXPECT_THAT(line, Not(HasSubstr("secret")));
}

TEST(LaunchMessage, CarriesTimes) {
  Timed timed;
  timed.samples_us = {1, 2};
  timed.sampled_on = {InputKind::exact, InputKind::declared};
  timed.alone_us = {{3}, {4, 5}};
  timed.host_row = HostRow{200, 2, 7.5};
  timed.warnings = {"a warning"};

  const Timed got = there_and_back(timed);

  EXPECT_EQ(got.samples_us, timed.samples_us);
  EXPECT_EQ(got.sampled_on, timed.sampled_on);
  EXPECT_EQ(got.alone_us, timed.alone_us);
  EXPECT_EQ(test::present(got.host_row).microseconds, 7.5);
  EXPECT_EQ(got.warm_us, std::nullopt);
  EXPECT_THAT(got.warnings, ElementsAre("a warning"));
}

TEST(LaunchMessage, CarriesWhatWasDelivered) {
  const Delivered got = there_and_back(Delivered{"timed launch 3", "default", InputKind::mixed});

  EXPECT_EQ(got.launch, "timed launch 3");
  EXPECT_EQ(got.size, "default");
  EXPECT_EQ(got.input_kind, InputKind::mixed);
}

TEST(LaunchMessage, CutAnywhereIsAnErrorAndNoCrash) {
  Timed timed;
  timed.samples_us = {1, 2};
  timed.sampled_on = {InputKind::exact, InputKind::declared};
  const std::string line = encode(Report(timed));
  for (std::size_t bytes = 0; bytes + 1 < line.size(); ++bytes) {
    EXPECT_THROW(static_cast<void>(decode_report(line.substr(0, bytes))), Error);
    EXPECT_THROW(static_cast<void>(decode_report(line.substr(0, bytes) + "\n")), Error);
  }
}

TEST(LaunchMessage, WithInputsOfNoKindIsAnError) {
  std::string line = encode(Report(Delivered{"timed launch 3", "default", InputKind::constant}));
  const std::size_t at = line.find(":6");
  ASSERT_NE(at, std::string::npos);
  line.replace(at, 2, ":7");
  EXPECT_THROW(static_cast<void>(decode_report(line)), Error);
}

TEST(LaunchMessage, OfTheOtherDirectionIsAnError) {
  EXPECT_THROW(static_cast<void>(decode_report(encode(Order(GoOn{})))), Error);
  EXPECT_THROW(static_cast<void>(decode_order(encode(Report(ChecksDone{})))), Error);
}

}  // namespace
}  // namespace autokernel::trial
