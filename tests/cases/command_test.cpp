// [command], [metric], [[guard]] and [limits] of case.toml.
#include "autokernel/cases/command.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr const char* kWhole = R"(name = "Parser"
problem = "parse 10,000 texts"
editable = ["src/parser.cpp", "src/*.h"]
[command]
build = ["python3 gen.py", "make"]
run = "./bench"
check = "python3 hidden/check.py"
outputs = ["out.bin", "figures.json"]
hidden = ["hidden/*"]
ignored = ["notes/**/*"]
readable = ["/data"]
network = true
[metric]
name = "rate"
unit = "MB/s"
better = "higher"
json = "/rate"
file = "figures.json"
min_gain_pct = 2
budget_seconds = 30
[[guard]]
name = "memory"
line = "peak ([0-9]+) kB"
loss_pct = 5
[[guard]]
name = "seconds"
wall_time = true
loss_pct = 20
[limits]
build_seconds = 10
run_seconds = 20
check_seconds = 5
memory_mb = 512
)";

// The text with one piece replaced, which must be in it.
[[nodiscard]] std::string whole_with(const std::string& piece, const std::string& other) {
  std::string text = kWhole;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), other);
}

[[nodiscard]] std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(parse(text, "case"));
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
}

TEST(CommandCase, ReadsEveryKey) {
  const Case problem = parse(kWhole, "case");
  ASSERT_TRUE(problem.command);
  const CommandPlan& plan = *problem.command;
  EXPECT_EQ(problem.kernel_name, "src/parser.cpp");
  EXPECT_THAT(problem.editable_files.patterns(), ElementsAre("src/*.h"));
  EXPECT_TRUE(problem.tensors.empty());
  EXPECT_EQ(plan.build, "python3 gen.py\nmake");
  EXPECT_EQ(plan.run, "./bench");
  EXPECT_EQ(plan.check, "python3 hidden/check.py");
  EXPECT_THAT(plan.outputs, ElementsAre("out.bin", "figures.json"));
  EXPECT_THAT(plan.readable, ElementsAre("/data"));
  EXPECT_TRUE(plan.network);
  EXPECT_EQ(plan.metric.name, "rate");
  EXPECT_EQ(plan.metric.unit, "MB/s");
  EXPECT_EQ(plan.metric.better, Better::higher);
  EXPECT_THAT(std::get<JsonNumber>(plan.metric.source).pointers, ElementsAre("/rate"));
  EXPECT_EQ(std::get<JsonNumber>(plan.metric.source).file, "figures.json");
  EXPECT_DOUBLE_EQ(plan.min_gain, 0.02);
  EXPECT_DOUBLE_EQ(plan.budget_seconds, 30);
  ASSERT_EQ(plan.guards.size(), 2U);
  EXPECT_DOUBLE_EQ(plan.guards[0].most_loss, 0.05);
  EXPECT_EQ(std::get<NumberInLine>(plan.guards[0].metric.source).pattern, "peak ([0-9]+) kB");
  EXPECT_TRUE(std::holds_alternative<WallTime>(plan.guards[1].metric.source));
  EXPECT_EQ(plan.guards[1].metric.unit, "s");
  EXPECT_DOUBLE_EQ(plan.limits.run_seconds, 20);
  EXPECT_EQ(plan.limits.memory_bytes, 512ULL << 20U);
}

struct Mistake {
  const char* piece;
  const char* instead;
  const char* complaint;
};

class CommandMistake : public testing::TestWithParam<Mistake> {};

TEST_P(CommandMistake, IsNamed) {
  const auto& [piece, instead, complaint] = GetParam();
  EXPECT_THAT(complaint_about(whole_with(piece, instead)), HasSubstr(complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Each, CommandMistake,
    testing::Values(
        Mistake{"editable = [\"src/parser.cpp\", \"src/*.h\"]\n", "", "lacks editable"},
        Mistake{"[\"src/parser.cpp\", \"src/*.h\"]", "[\"src/*.h\"]", "has no file, only patterns"},
        Mistake{"\"src/parser.cpp\"", "\"hidden/check.py\"", "which the check alone sees"},
        Mistake{"\"src/parser.cpp\"", "\"case.toml\"", "stays as it is"},
        Mistake{"\"src/parser.cpp\"", "\"../parser.cpp\"", "leads out of the folder"},
        Mistake{"run = \"./bench\"", "run = \" \"", "is empty"},
        Mistake{"run = \"./bench\"\n", "", "run is missing"},
        Mistake{"\"out.bin\"", "\"hidden/x\"", "in whose place the check has a hidden file"},
        Mistake{"\"out.bin\"", "\"*.bin\"", "write each file by its name"},
        Mistake{"\"/data\"", "\"data\"", "write an absolute path"},
        Mistake{"json = \"/rate\"", "json = \"rate\"", "write a JSON pointer, such as \"/rate\""},
        Mistake{"json = \"/rate\"", "", "in one way"},
        Mistake{"json = \"/rate\"", "json = \"/rate\"\nwall_time = true", "in one way"},
        Mistake{"file = \"figures.json\"", "file = \"other.json\"", "is not among"},
        Mistake{"better = \"higher\"", "better = \"more\"", "lower"},
        Mistake{"([0-9]+)", "[0-9]+", "must have one group"},
        Mistake{"([0-9]+)", "([0-9+)", "is no regular expression"},
        Mistake{"loss_pct = 5\n", "", "loss_pct is missing"},
        Mistake{"min_gain_pct = 2", "min_gain_pct = 0", "min_gain_pct"},
        Mistake{"memory_mb = 512", "memory_mb = 1", "memory_mb"},
        Mistake{"name = \"memory\"", "name = \"rate\"", "as that of another number"},
        Mistake{"name = \"memory\"", "name = \"seconds\"", "as that of another number"},
        Mistake{"json = \"/rate\"", "json = []", "is an empty list"},
        Mistake{"network = true", "gpus = -1", "gpus"},
        Mistake{"network = true", "netwrok = true", "netwrok"}));

TEST(CommandCase, MayTakeTheMeanOfSeveralNumbers) {
  const Case problem = parse(whole_with("json = \"/rate\"", R"(json = ["/a", "/b"])"), "case");
  EXPECT_THAT(std::get<JsonNumber>(problem.command->metric.source).pointers,
              ElementsAre("/a", "/b"));
}

constexpr const char* kServer = R"(name = "Server"
problem = "serve m"
editable = ["workspace/serve.py", "workspace/**/*"]
[command]
gpus = 2
[server]
start = "python3 workspace/serve.py"
reference = "python3 reference/serve.py"
restart = "experiment"
model = "m"
[load]
rate = 2.5
[[suite]]
name = "batch1"
concurrency = 1
requests = 8
prompts = "fixed/prompts.jsonl"
[[suite]]
name = "long"
input_tokens = 4000
[metric]
name = "tpot"
json = ["/tpot/mean", "/suites/long/tpot/mean"]
[[guard]]
name = "batch1_e2e"
json = "/suites/batch1/e2e/mean"
loss_pct = 5
)";

[[nodiscard]] std::string server_with(const std::string& piece, const std::string& other) {
  std::string text = kServer;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), other);
}

TEST(ServerPlan, HasLoadsAndSuites) {
  const Case problem = parse(kServer, "case");
  const CommandPlan& plan = *problem.command;
  EXPECT_EQ(plan.gpus, 2);
  ASSERT_TRUE(plan.server);
  EXPECT_TRUE(plan.server->is_kept);
  EXPECT_EQ(plan.server->load.rate, 2.5);
  ASSERT_EQ(plan.server->suites.size(), 2U);
  EXPECT_EQ(plan.server->suites[0].load.prompts, "fixed/prompts.jsonl");
  EXPECT_EQ(plan.server->suites[0].load.requests, 8);
  EXPECT_EQ(plan.server->suites[1].name, "long");
  EXPECT_EQ(plan.server->suites[1].load.input_tokens, "4000");
}

class ServerMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ServerMistake, IsNamed) {
  const auto& [piece, instead, complaint] = GetParam();
  EXPECT_THAT(complaint_about(server_with(piece, instead)), HasSubstr(complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ServerMistake,
    testing::Values(
        Mistake{"restart = \"experiment\"", "restart = \"never\"", "experiment"},
        Mistake{"rate = 2.5", "rate = 2.5\nconcurrency = 2", "makes an open loop"},
        Mistake{"rate = 2.5", "prompts = \"x\"", "prompts"},
        Mistake{"name = \"long\"", "name = \"batch1\"", "as that of another suite"},
        Mistake{"name = \"long\"", "name = \"a/b\"", "write letters"},
        Mistake{"\"fixed/prompts.jsonl\"", "\"../prompts.jsonl\"", "leads out of the folder"},
        Mistake{"\"fixed/prompts.jsonl\"", "\"workspace/p.jsonl\"", "which is editable"},
        Mistake{"prompts = \"fixed/prompts.jsonl\"", "prompts = \"p\"\ninput_tokens = 3",
                "prompts that are drawn"},
        Mistake{"\"/tpot/mean\", \"/suites/long/tpot/mean\"", "\"/suites/batch1/tpot/mean\"",
                "may know beforehand"},
        Mistake{"json = \"/suites/batch1/e2e/mean\"", "json = \"/suites/batch1/tpot/mean\"",
                "holds back its first token"},
        Mistake{"json = [\"/tpot/mean\", \"/suites/long/tpot/mean\"]", "wall_time = true",
                "takes the time of a whole run"}));

TEST(CommandCase, IsReadFromAnyCutOfItsTextOrRefused) {
  const std::string whole = kWhole;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      static_cast<void>(parse(whole.substr(0, length), "case"));
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::usage) << length << ": " << error.what();
    }
  }
}

TEST(CommandCase, HasAllFilesOfItsFolderButEditableAndIgnoredOnes) {
  const test::ScratchFolder folder;
  const auto write = [&](const fs::path& file, const std::string& text) {
    fs::create_directories((folder.path() / file).parent_path());
    std::ofstream(folder.path() / file) << text;
  };
  write("case.toml", kWhole);
  for (const char* file : {"src/parser.cpp", "src/parser.h", "src/main.cpp", "hidden/check.py",
                           "gen.py", "notes/a/b.txt", ".secret", ".git/config",
                           "__pycache__/gen.pyc", "sub/.git/config", "sub/other.py"}) {
    write(file, file);
  }
  fs::create_symlink("/etc/passwd", folder.path() / "link");
  const CaseFiles files = read_files(folder.path());
  EXPECT_THAT(files.bytes, UnorderedElementsAre(Key("case.toml"), Key("gen.py"),
                                                Key("src/main.cpp"), Key("hidden/check.py")));
  const CommandFiles parts = command_files(*parse(files).command, files.bytes);
  EXPECT_THAT(parts.hidden, UnorderedElementsAre(Key("hidden/check.py")));
  EXPECT_THAT(parts.fixed,
              UnorderedElementsAre(Key("case.toml"), Key("gen.py"), Key("src/main.cpp")));
}

}  // namespace
}  // namespace autokernel::cases
