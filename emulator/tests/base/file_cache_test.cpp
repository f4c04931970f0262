#include "base/file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/scratch_folder.h"

namespace emulator::base {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

constexpr std::uint64_t kMostBytes = 1U << 20U;

class FileCaches : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_), fs::directory_iterator()};
  }
  [[nodiscard]] fs::path only_file() const { return files().at(0); }
  void overwrite(const std::string& bytes) const { scratch_.write(only_file(), bytes); }

  emulator::testing::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "cache" / "compiled";
  FileCache cache_{folder_, ".kept", kMostBytes};
};

TEST_F(FileCaches, GiveBackWhatWasKept) {
  cache_.keep("key", "one");
  EXPECT_EQ(cache_.find("key"), "one");
}

TEST_F(FileCaches, KnowNothingElse) {
  cache_.keep("key", "one");
  EXPECT_FALSE(cache_.find("kez"));
  EXPECT_FALSE(FileCache(scratch_.path() / "elsewhere", ".kept", kMostBytes).find("key"));
}

TEST_F(FileCaches, NeverTakeOneSourceForAnotherWhateverTheFileIsCalled) {
  cache_.keep("key", "one");
  const fs::path file = only_file();
  cache_.keep("other", "two");
  for (const fs::path& other : files()) {
    if (other != file) fs::rename(file, other);
  }
  EXPECT_FALSE(cache_.find("other"));
}

TEST_F(FileCaches, TakeAFileThatIsCutAnywhereForNone) {
  cache_.keep("key", "one");
  const std::string whole = emulator::testing::contents(only_file());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    overwrite(whole.substr(0, length));
    EXPECT_FALSE(cache_.find("key")) << length;
  }
}

TEST_F(FileCaches, TakeAFileWithAnyByteChangedForNone) {
  cache_.keep("key", "one");
  const std::string whole = emulator::testing::contents(only_file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    overwrite(changed);
    EXPECT_FALSE(cache_.find("key")) << at;
  }
}

TEST_F(FileCaches, ForgetTheLongestUnusedFirst) {
  using std::chrono::hours;
  cache_.keep("old", "one");
  const std::uint64_t each = fs::file_size(only_file());
  const FileCache small(folder_, ".kept", 2 * each + 16);
  const auto age = [&](const std::string& key) {
    for (const fs::path& file : files()) {
      if (emulator::testing::contents(file).find(key) != std::string::npos) {
        fs::last_write_time(file, fs::file_time_type::clock::now() - hours(1));
      }
    }
  };
  small.keep("new", "two");
  age("old");
  age("new");
  EXPECT_TRUE(small.find("old"));
  small.keep("fresh", "six");
  EXPECT_TRUE(small.find("old"));
  EXPECT_FALSE(small.find("new"));
  EXPECT_TRUE(small.find("fresh"));
}

TEST_F(FileCaches, DoNotKeepWhatIsLargerThanAllTogether) {
  const FileCache small(folder_, ".kept", 100);
  small.keep("key", std::string(101, 'x'));
  EXPECT_FALSE(small.find("key"));
}

TEST_F(FileCaches, LeaveFilesOfOthersAlone) {
  cache_.keep("key", "one");
  scratch_.write(folder_ / "ComputeCache.index", std::string(1000, 'x'));
  const FileCache small(folder_, ".kept", 100);
  small.keep("other", "two");
  EXPECT_TRUE(fs::exists(folder_ / "ComputeCache.index"));
}

TEST_F(FileCaches, RemoveWhatAWriterLeftThatWasKilled) {
  cache_.keep("key", "one");
  const fs::path left = folder_ / ".0123456789abcdef.kept.0123456789abcdef";
  scratch_.write(left, "half of");
  cache_.keep("other", "two");
  EXPECT_TRUE(fs::exists(left)) << "somebody may be writing it";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache_.keep("other", "two");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(FileCaches, AreReadWhereTheyCannotBeWritten) {
  cache_.keep("key", "one");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(cache_.find("key"), "one");
  cache_.keep("other", "two");
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(FileCaches, AreNotUsedInAFolderThatOthersMayWriteTo) {
  cache_.keep("key", "one");
  fs::permissions(folder_, fs::perms::all);
  EXPECT_FALSE(cache_.find("key"));
  cache_.keep("other", "two");
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(FileCaches, AreForThisUserAlone) {
  cache_.keep("key", "one");
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
}

TEST_F(FileCaches, ThatCannotBeWrittenLoseNothingButTime) {
  scratch_.write("cache", "a file where a folder should be");
  cache_.keep("key", "one");
  EXPECT_FALSE(cache_.find("key"));
}

TEST_F(FileCaches, AreReadWholeWhileOthersWrite) {
  std::vector<std::jthread> writers;
  writers.reserve(3);
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) cache_.keep("key", std::string(20000, 'x'));
    });
  }
  for (int found = 0; found < 200;) {
    const auto read = cache_.find("key");
    if (!read) continue;
    ASSERT_EQ(*read, std::string(20000, 'x'));
    ++found;
  }
  for (std::jthread& writer : writers) writer.request_stop();
  writers.clear();
  EXPECT_THAT(files(), SizeIs(1));
}

}  // namespace
}  // namespace emulator::base
