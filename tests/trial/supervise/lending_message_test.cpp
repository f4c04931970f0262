#include "trial/supervise/lending_message.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

using testing::EndsWith;

RunnerRecipe recipe() {
  RunnerRecipe recipe{.variables = {{"HOME", "/home/user"}, {"LC_ALL", "no UTF-8: \xff"}},
                      .directory = "/somewhere",
                      .expected = {}};
  recipe.expected.case_directory = "/somewhere/kernels";
  recipe.expected.case_files = {{"case.toml", "name = 1\n"}};
  recipe.expected.source = "__global__ void k() {}\n";
  recipe.expected.size = "check";
  recipe.expected.headers = {{"floor.h", "#define FLOOR 0\n"}, {"tile.h", ""}};
  recipe.expected.kernel_headers = {"tile.h"};
  recipe.expected.reference_headers = {"floor.h"};
  return recipe;
}

template <typename Message, typename Decode>
void expect_round_trip(const Message& message, Decode decode) {
  const std::string line = encode(message);
  EXPECT_THAT(line, EndsWith("\n"));
  EXPECT_EQ(encode(decode(line)), line);
  // Cut at every byte, it is no message.
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_THROW(static_cast<void>(decode(line.substr(0, length))), Error) << length;
  }
}

TEST(LendingMessages, SurviveTheWay) {
  expect_round_trip(Ask(GetReady{recipe(), 600}), decode_ask);
  expect_round_trip(Ask(Wanted{digest_of(recipe())}), decode_ask);
  expect_round_trip(Ask(Over{1500}), decode_ask);
  expect_round_trip(Answer(Lent{4711}), decode_answer);
  expect_round_trip(Answer(NoneReady{}), decode_answer);
  expect_round_trip(Answer(Noted{}), decode_answer);
  expect_round_trip(Answer(Ended{.code = 3, .signal = 9}), decode_answer);
}

TEST(LendingMessages, AreNotTakenForEachOther) {
  EXPECT_THROW(static_cast<void>(decode_ask(encode(Answer(NoneReady{})))), Error);
  EXPECT_THROW(static_cast<void>(decode_answer(encode(Ask(Over{})))), Error);
}

TEST(ARecipesDigest, IsThatOfWhatMustNotDiffer) {
  const std::string digest = digest_of(recipe());
  const auto differs = [&](auto change) {
    RunnerRecipe other = recipe();
    change(other);
    return digest_of(other) != digest;
  };
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.variables["HOME"] = "/home/other"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.variables["LD_LIBRARY_PATH"] = "/lib"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.directory = "/elsewhere"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.case_directory = "/elsewhere"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.case_files["case.toml"] += "\n"; }));
  EXPECT_TRUE(
      differs([](RunnerRecipe& r) { r.expected.device = {driver::DeviceChoice::Kind::cuda, 1}; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.architecture = "sm_80"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.size = "default"; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.depth = Depth::full; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.cached = !r.expected.cached; }));
  EXPECT_TRUE(differs([](RunnerRecipe& r) { r.expected.confined = !r.expected.confined; }));
}

// Or a runner would judge by a reference of other headers.
TEST(ARecipesDigest, IsThatOfTheReferencesHeaders) {
  RunnerRecipe other = recipe();
  other.expected.headers["floor.h"] = "#define FLOOR 1\n";
  EXPECT_NE(digest_of(other), digest_of(recipe()));
  other = recipe();
  other.expected.reference_headers = {"floor.h", "tile.h"};
  EXPECT_NE(digest_of(other), digest_of(recipe()));
  other = recipe();
  other.expected.headers["tile.h"] = "// of the kernel\n";
  EXPECT_EQ(digest_of(other), digest_of(recipe()));
}

TEST(ARecipesDigest, IsTheSameForEveryCandidate) {
  RunnerRecipe other = recipe();
  other.expected.source += "// another\n";
  other.expected.files = {{"tile.cuh", ""}};
  other.expected.incumbent = Incumbent{.name = "HEAD~1", .source = "", .min_gain = {}};
  other.expected.kernel_file = "/elsewhere/kernel.cu";
  other.expected.samples = 3;
  EXPECT_EQ(digest_of(other), digest_of(recipe()));
}

}  // namespace
}  // namespace autokernel::trial
