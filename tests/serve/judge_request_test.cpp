#include "serve/judge_request.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class JudgeRequest : public testing::Test {
 protected:
  [[nodiscard]] const RegisteredCase& own() const { return *cases_.named("softmax"); }
  [[nodiscard]] static trial::TrialOrder asked() {
    trial::TrialOrder order;
    order.request.source = "// a kernel";
    order.request.kernel_file = "/home/agent/kernel.cu";
    return order;
  }
  void expect_refusal(const trial::TrialOrder& order, const std::string& why) const {
    try {
      static_cast<void>(judged_order(order, own()));
      FAIL() << "it was taken, in spite of: " << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::usage);
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }

  const RegisteredCases cases_{{fs::path(AUTOKERNEL_SOURCES) / "kernels" / "softmax"}};
};

TEST_F(JudgeRequest, TheCaseAndTheConditionsAreTheJudges) {
  trial::TrialOrder order = asked();
  order.request.case_directory = "/home/agent/case";
  order.request.case_files = {{"case.toml", "name = \"another\""}};
  order.request.case_images = {{"a", "b"}};
  order.request.headers = {{"a.h", "b"}};
  order.request.python = "/home/agent/python";
  order.request.confined = false;
  order.request.checked = false;
  order.request.longer = 1000;
  order.request.keys = {{.launch = "timed launch 1", .key = "0000000000000000"}};
  order.request.samples = 1'000'000'000;
  order.limits.check_seconds = 1e9;
  order.limits.memory_bytes = 1ULL << 60U;
  const trial::TrialOrder judged = judged_order(order, own());
  EXPECT_EQ(judged.request.case_directory, own().directory);
  EXPECT_EQ(judged.request.kernel_file, own().directory / "kernel.cu");
  EXPECT_TRUE(judged.request.confined);
  EXPECT_TRUE(judged.request.checked);
  EXPECT_EQ(judged.request.longer, 1);
  EXPECT_THAT(judged.request.keys, IsEmpty());
  EXPECT_THAT(judged.request.case_files, IsEmpty());
  EXPECT_THAT(judged.request.headers, IsEmpty());
  EXPECT_EQ(judged.request.python, "");
  EXPECT_EQ(judged.request.samples, 10'000);
  EXPECT_LE(judged.limits.check_seconds, 600);
  EXPECT_EQ(judged.limits.memory_bytes, trial::Limits{}.memory_bytes);
  const trial::TrialOrder sent =
      with_case(judged, own(), {.kind = driver::DeviceChoice::Kind::cpu});
  EXPECT_EQ(sent.request.case_files, own().request.case_files);
  EXPECT_EQ(sent.request.source, "// a kernel");
}

TEST_F(JudgeRequest, WhatCannotBeJudgedIsRefused) {
  trial::TrialOrder order = asked();
  order.request.size = "huge";
  expect_refusal(order, "no size 'huge'");
  order = asked();
  order.request.source = std::string(5U << 20U, ' ');
  expect_refusal(order, "bytes");
  order = asked();
  for (int i = 0; i < 1000; ++i) order.request.files["f" + std::to_string(i)] = "";
  expect_refusal(order, "files");
  order = asked();
  order.request.kernel_file = "kernel.py";
  expect_refusal(order, "Python");
  order = asked();
  order.request.incumbent = trial::Incumbent{.name = "b", .source = "x", .min_gain = {}};
  order.request.incumbent->kernel_name = "kernel.py";
  expect_refusal(order, "Python");
}

TEST(RegisteredCasesTest, ACaseThatOthersCanChangeIsRefused) {
  const test::ScratchFolder folder;
  const fs::path copy = folder.path() / "softmax";
  fs::copy(fs::path(AUTOKERNEL_SOURCES) / "kernels" / "softmax", copy, fs::copy_options::recursive);
  EXPECT_EQ(RegisteredCases({copy}).all().size(), 1U);
  EXPECT_EQ(RegisteredCases({folder.path()}).all().size(), 1U);
  const fs::path reference = copy / "reference.cu";
  fs::permissions(reference, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(RegisteredCases({copy}), Error);
  fs::permissions(reference, fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(copy, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(RegisteredCases({copy}), Error);
  EXPECT_THROW(RegisteredCases({folder.path() / "nothing"}), Error);
}

}  // namespace
}  // namespace autokernel::serve
