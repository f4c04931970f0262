#include "lab/load/prompts.h"

#include <gmock/gmock.h>

#include <functional>

#include "autokernel/base/error.h"
#include "lab/mock/completion_request.h"
#include "support/scratch_folder.h"

namespace autokernel::lab {
namespace {

using test::ScratchFolder;
using testing::HasSubstr;
using testing::Ne;
using testing::Not;

LoadSettings made_up_settings() {
  LoadSettings settings;
  settings.model = "mock";
  settings.input_tokens = LengthDistribution::parse("12", "--input-tokens");
  settings.output_tokens = LengthDistribution::parse("5", "--output-tokens");
  return settings;
}

CompletionRequest read_back(const Prompts::Body& body, Endpoint endpoint) {
  return std::get<CompletionRequest>(read_completion_request(endpoint, body.json, "mock"));
}

std::string refusal(const LoadSettings& settings) {
  try {
    const Prompts prompts(settings);
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
  return "";
}

TEST(Prompts, OfRandomWordsHaveTheirLength) {
  const LoadSettings settings = made_up_settings();
  const Prompts::Body body = Prompts(settings).body(3);
  const CompletionRequest request = read_back(body, Endpoint::chat);
  EXPECT_EQ(request.prompt_tokens, 12U);
  EXPECT_EQ(request.max_tokens, 5U);
  EXPECT_EQ(body.output_tokens, 5U);
  EXPECT_TRUE(request.streamed);
  EXPECT_TRUE(request.usage_in_stream);
}

TEST(Prompts, OfRandomWordsDifferByIndexAndSeedAlone) {
  LoadSettings settings = made_up_settings();
  const std::string one = Prompts(settings).body(1).json;
  EXPECT_EQ(Prompts(settings).body(1).json, one);
  EXPECT_THAT(Prompts(settings).body(2).json, Ne(one));
  settings.seed = 1;
  EXPECT_THAT(Prompts(settings).body(1).json, Ne(one));
}

TEST(Prompts, AreOfTheEndpoint) {
  LoadSettings settings = made_up_settings();
  settings.is_chat = false;
  settings.is_streamed = false;
  const CompletionRequest request = read_back(Prompts(settings).body(0), Endpoint::completions);
  EXPECT_EQ(request.prompt_tokens, 12U);
  EXPECT_FALSE(request.streamed);
}

TEST(Prompts, AskForFullLengthOnDemand) {
  LoadSettings settings = made_up_settings();
  EXPECT_THAT(Prompts(settings).body(0).json, Not(HasSubstr("ignore_eos")));
  settings.ignores_end = true;
  EXPECT_THAT(Prompts(settings).body(0).json, HasSubstr(R"("ignore_eos":true)"));
}

TEST(Prompts, OfAFileAreTakenInTurn) {
  const ScratchFolder scratch;
  LoadSettings settings = made_up_settings();
  settings.prompts =
      scratch.write("prompts.jsonl",
                    "{\"prompt\": \"a \\\"b\\\"\"}\n\n"
                    "{\"messages\": [{\"role\": \"user\", \"content\": \"c d e\"}]}\r\n");
  const Prompts prompts(settings);
  EXPECT_EQ(read_back(prompts.body(0), Endpoint::chat).prompt, "user\na \"b\"\n");
  EXPECT_EQ(read_back(prompts.body(1), Endpoint::chat).prompt, "user\nc d e\n");
  EXPECT_EQ(prompts.body(2).json, prompts.body(0).json);
  EXPECT_EQ(prompts.body(2).prompt, 0U);
}

TEST(Prompts, OfADamagedFileAreRefusedWithTheLine) {
  const ScratchFolder scratch;
  LoadSettings settings = made_up_settings();
  settings.prompts = scratch.write("prompts.jsonl", "{\"prompt\": \"a\"}\n{\"prompt\": 7}\n");
  EXPECT_THAT(refusal(settings), HasSubstr("line 2: it has neither"));
  settings.prompts = scratch.write("broken.jsonl", "{\"prompt\": ");
  EXPECT_THAT(refusal(settings), HasSubstr("line 1: it is not a JSON object"));
  settings.prompts = scratch.write("empty.jsonl", "\n \n");
  EXPECT_THAT(refusal(settings), HasSubstr("it has none"));
}

TEST(Prompts, OfMessagesAreForChat) {
  const ScratchFolder scratch;
  LoadSettings settings = made_up_settings();
  settings.is_chat = false;
  settings.prompts = scratch.write("prompts.jsonl", R"({"messages": [{"role": "user"}]})");
  EXPECT_THAT(refusal(settings), HasSubstr("for --endpoint chat"));
}

}  // namespace
}  // namespace autokernel::lab
