#include "notify/plot_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support/scratch_folder.h"

namespace autokernel::notify {
namespace {

using testing::IsEmpty;

const std::string kPngFile = "\x89PNG\r\n\x1a\nand more";
constexpr std::size_t kEnough = 100;

TEST(PlotFile, IsReadWhole) {
  const test::ScratchFolder folder;
  EXPECT_EQ(plot_bytes(folder.write("a.png", kPngFile), kEnough), kPngFile);
  EXPECT_EQ(plot_bytes(folder.write("a.png", kPngFile), kPngFile.size()), kPngFile);
}

TEST(PlotFile, ThatIsTooLargeIsLeftOut) {
  const test::ScratchFolder folder;
  EXPECT_THAT(plot_bytes(folder.write("a.png", kPngFile), kPngFile.size() - 1), IsEmpty());
}

TEST(PlotFile, ThatIsNotThereIsLeftOut) {
  const test::ScratchFolder folder;
  EXPECT_THAT(plot_bytes(folder.path() / "a.png", kEnough), IsEmpty());
  EXPECT_THAT(plot_bytes("", kEnough), IsEmpty());
}

TEST(PlotFile, ThatIsNoPngIsLeftOut) {
  const test::ScratchFolder folder;
  EXPECT_THAT(plot_bytes(folder.write("a.png", "PRIVATE KEY"), kEnough), IsEmpty());
}

TEST(PlotFile, ThatIsALinkIsLeftOutAsItMayLeadToAnything) {
  const test::ScratchFolder folder;
  folder.write("real.png", kPngFile);
  std::filesystem::create_symlink("real.png", folder.path() / "a.png");
  EXPECT_THAT(plot_bytes(folder.path() / "a.png", kEnough), IsEmpty());
}

TEST(PlotFile, ThatIsANamedPipeIsNotWaitedFor) {
  const test::ScratchFolder folder;
  const auto pipe = folder.path() / "a.png";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(plot_bytes(pipe, kEnough), IsEmpty());
}

TEST(PlotFile, IsForNoSlack) { EXPECT_EQ(largest_plot(Kind::slack), 0U); }

}  // namespace
}  // namespace autokernel::notify
