#include <gmock/gmock.h>

#include "cases/sample.h"
#include "support/scratch_folder.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;

TEST(Baselines, AreFilesOfTheCase) {
  const test::ScratchFolder folder;
  folder.write("case.toml", "baselines = [\"cub.cu\", \"more/plain.cpp\"]\n" + sample());
  folder.write("cub.cu", "of CUB");
  folder.write("more/plain.cpp", "of nobody");

  const CaseFiles files = read_files(folder.path());
  std::filesystem::remove_all(folder.path());
  const Case problem = parse(files);

  ASSERT_EQ(problem.baselines.size(), 2U);
  EXPECT_EQ(problem.baselines[0].source, "of CUB");
  EXPECT_EQ(problem.baselines[1].file, "more/plain.cpp");
  EXPECT_EQ(problem.baselines[1].source, "of nobody");
  EXPECT_FALSE(problem.editable_files.contain("more/plain.cpp"));
}

TEST(Baselines, AreProgramsBesideTheKernel) {
  for (const char* file : {"kernel.cu", "../plain.cpp", "/plain.cpp", "plain.py"}) {
    EXPECT_THAT(complaint_about("baselines = [\"" + std::string(file) + "\"]\n" + sample()),
                HasSubstr("baselines holds \"" + std::string(file) +
                          "\"; write .cu or .cpp files in the folder of the case"));
  }
  EXPECT_THAT(complaint_about("baselines = [\"a.cu\", \"a.cu\"]\n" + sample()),
              HasSubstr("baselines holds \"a.cu\" twice; leave one out"));
  EXPECT_THAT(complaint_about("baselines = \"a.cu\"\n" + sample()), HasSubstr("baselines"));
}

TEST(Baselines, ThatAreNotThereAreNamed) {
  const test::ScratchFolder folder;
  folder.write("case.toml", "baselines = [\"cub.cu\"]\n" + sample());
  EXPECT_THAT([&] { static_cast<void>(load(folder.path())); },
              testing::ThrowsMessage<Error>(
                  HasSubstr("baselines holds \"cub.cu\", which is not a file in ")));
}

}  // namespace
}  // namespace autokernel::cases
