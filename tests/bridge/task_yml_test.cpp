// Tasks of gpu-mode.
#include "bridge/foreign/task_yml.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::bridge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

const std::string kTask = R"(files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "task.py", "source": "task.py"}
  - {"name": "utils.py", "source": "../utils.py"}
  - {"name": "reference.py", "source": "reference.py"}
lang: "py"
description: |
  Add two vectors.
tests:
  - {"size": 127, "seed": 4242}
  - {"size": 128, "dtype": "fp16", "factor": 0.5, "causal": true, "code": "12"}
benchmarks:
  - size: 1024
    seed: 5
)";

std::string task_refusal(const std::string& text) {
  try {
    static_cast<void>(read_task("task.yml", text));
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    return error.what();
  }
  return "";
}

TEST(Task, TellsItsFilesAndArguments) {
  const GpuModeTask task = read_task("task.yml", kTask);
  EXPECT_EQ(task.files.at("utils.py"), "../utils.py");
  ASSERT_THAT(task.tests, SizeIs(2));
  EXPECT_THAT(task.tests[0], ElementsAre(Pair("seed", "4242"), Pair("size", "127")));
  EXPECT_THAT(task.tests[1],
              ElementsAre(Pair("causal", "true"), Pair("code", "\"12\""), Pair("dtype", "\"fp16\""),
                          Pair("factor", "0.5"), Pair("size", "128")));
  EXPECT_THAT(task.benchmarks, ElementsAre(ElementsAre(Pair("seed", "5"), Pair("size", "1024"))));
}

TEST(Task, MistakesAreNamed) {
  EXPECT_THAT(task_refusal("files: 3"),
              HasSubstr("cannot import task.yml: it has no list of files"));
  EXPECT_THAT(task_refusal("files: []\ntests: []"), HasSubstr("it has no reference.py"));
  EXPECT_THAT(task_refusal(kTask + "multi_gpu: true\n"), HasSubstr("for several GPUs"));
  EXPECT_THAT(task_refusal("files:\n  - {name: reference.py, source: r.py}\n"),
              HasSubstr("neither tests nor benchmarks"));
  EXPECT_THAT(task_refusal("files: [\n"), HasSubstr("cannot import task.yml: line"));
  EXPECT_THAT(task_refusal(std::string(2 << 20, ' ')), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(
      task_refusal("files:\n  - {name: reference.py, source: r.py}\ntests:\n  - {a: [1]}\n"),
      HasSubstr("no number and no text"));
}

TEST(Task, IsReadOrRefusedWhereverItIsCut) {
  for (std::size_t length = 0; length < kTask.size(); ++length) {
    try {
      const GpuModeTask task = read_task("task.yml", kTask.substr(0, length));
      EXPECT_FALSE(task.tests.empty() && task.benchmarks.empty()) << length;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot import task.yml")) << length;
    }
  }
}

}  // namespace
}  // namespace autokernel::bridge
