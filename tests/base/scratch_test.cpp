#include "autokernel/base/scratch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <optional>

#include "autokernel/base/error.h"
#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel {
namespace {

using test::ScratchFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

void make_an_hour_old(const std::filesystem::path& folder) {
  const std::time_t hour_ago = std::time(nullptr) - 3600;
  const utimbuf times{.actime = hour_ago, .modtime = hour_ago};
  ASSERT_EQ(::utime(folder.c_str(), &times), 0);
}

TEST(ScratchDirectory, GoesWithItsOwnerAndAllThatIsInIt) {
  const ScratchFolder above;
  {
    const ScratchDirectory scratch(above.path());
    above.write(scratch.path() / "deep" / "file", "text");
  }
  EXPECT_THAT(test::files_below(above.path()), IsEmpty());
}

TEST(ScratchDirectory, IsForThisUserAlone) {
  const ScratchFolder above;
  const ScratchDirectory scratch(above.path());
  struct stat status{};
  ASSERT_EQ(::stat(scratch.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST(ScratchDirectory, OfAnOwnerThatWasKilledIsRemovedByTheNext) {
  const ScratchFolder above;
  const auto stale = above.folder("autokernel-scratch-stale1");
  above.write("autokernel-scratch-stale1/file", "text");
  make_an_hour_old(stale);
  const ScratchDirectory scratch(above.path());
  EXPECT_FALSE(std::filesystem::exists(stale));
}

TEST(ScratchDirectory, InUseIsLeftAloneByTheNextHoweverOldItIs) {
  const ScratchFolder above;
  const ScratchDirectory first(above.path());
  make_an_hour_old(first.path());
  const ScratchDirectory second(above.path());
  EXPECT_TRUE(std::filesystem::exists(first.path()));
}

TEST(ScratchDirectory, LeavesFoldersOfOtherProgramsAlone) {
  const ScratchFolder above;
  const auto other = above.folder("somebody-elses");
  make_an_hour_old(other);
  const ScratchDirectory scratch(above.path());
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST(ScratchDirectory, SaysWhatToDoWhereItCannotBeMade) {
  EXPECT_THAT([] { const ScratchDirectory scratch("/nowhere"); },
              ThrowsMessage<Error>(HasSubstr("set TMPDIR")));
}

}  // namespace
}  // namespace autokernel
