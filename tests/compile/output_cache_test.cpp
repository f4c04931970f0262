#include "compile/output_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/census.h"
#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;
using testing::FieldsAre;
using testing::Optional;
using testing::SizeIs;

Nvrtc::Output output(const std::string& mark) {
  Nvrtc::Output output;
  output.outcome = Nvrtc::Outcome::compiled;
  output.log = "ptxas info: " + mark;
  output.ptx = ".version 9.0 // " + mark;
  output.cubin = {std::byte{0x7f}, std::byte{0}, std::byte{0xff}};
  return output;
}

class OutputCaches : public testing::Test {
 protected:
  [[nodiscard]] std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_), fs::directory_iterator()};
  }
  [[nodiscard]] fs::path only_file() const { return files().at(0); }
  void overwrite(const std::string& bytes) const { scratch_.write(only_file(), bytes); }

  test::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path() / "cache" / "compiled";
  OutputCache cache_{folder_};
};

TEST_F(OutputCaches, GiveBackWhatWasKept) {
  cache_.keep("key", output("one"));
  const Nvrtc::Output kept = output("one");
  EXPECT_THAT(cache_.find("key"),
              Optional(FieldsAre(Nvrtc::Outcome::compiled, kept.log, kept.ptx, kept.cubin)));
}

TEST_F(OutputCaches, KnowNothingElse) {
  cache_.keep("key", output("one"));
  EXPECT_FALSE(cache_.find("kez"));
  EXPECT_FALSE(OutputCache(scratch_.path() / "elsewhere").find("key"));
}

TEST_F(OutputCaches, NeverTakeOneSourceForAnotherWhateverTheFileIsCalled) {
  cache_.keep("key", output("one"));
  const fs::path file = only_file();
  cache_.keep("other", output("two"));
  for (const fs::path& other : files()) {
    if (other != file) fs::rename(file, other);
  }
  EXPECT_FALSE(cache_.find("other"));
}

TEST_F(OutputCaches, TakeAFileThatIsCutAnywhereForNone) {
  cache_.keep("key", output("one"));
  const std::string whole = test::contents(only_file());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    overwrite(whole.substr(0, length));
    EXPECT_FALSE(cache_.find("key")) << length;
  }
}

TEST_F(OutputCaches, TakeAFileWithAnyByteChangedForNone) {
  cache_.keep("key", output("one"));
  const std::string whole = test::contents(only_file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    overwrite(changed);
    EXPECT_FALSE(cache_.find("key")) << at;
  }
}

TEST_F(OutputCaches, ForgetTheLongestUnusedFirst) {
  using std::chrono::hours;
  OutputCache(folder_).keep("old", output("one"));
  const std::uint64_t each = fs::file_size(only_file());
  const OutputCache small(folder_, 2 * each + 16);
  const auto age = [&](const std::string& key) {
    for (const fs::path& file : files()) {
      if (test::contents(file).find(key) != std::string::npos) {
        fs::last_write_time(file, fs::file_time_type::clock::now() - hours(1));
      }
    }
  };
  small.keep("new", output("two"));
  age("old");
  age("new");
  EXPECT_TRUE(small.find("old"));
  small.keep("fresh", output("six"));
  EXPECT_TRUE(small.find("old"));
  EXPECT_FALSE(small.find("new"));
  EXPECT_TRUE(small.find("fresh"));
}

TEST_F(OutputCaches, AreNotUsedInAFolderThatOthersMayWriteTo) {
  cache_.keep("key", output("one"));
  fs::permissions(folder_, fs::perms::all);
  EXPECT_FALSE(cache_.find("key"));
  cache_.keep("other", output("two"));
  EXPECT_THAT(files(), SizeIs(1));
}

TEST_F(OutputCaches, AreForThisUserAlone) {
  cache_.keep("key", output("one"));
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
}

TEST_F(OutputCaches, ThatCannotBeWrittenLoseNothingButTime) {
  scratch_.write("cache", "a file where a folder should be");
  cache_.keep("key", output("one"));
  EXPECT_FALSE(cache_.find("key"));
}

TEST_F(OutputCaches, AreReadWholeWhileOthersWrite) {
  std::vector<std::jthread> writers;
  writers.reserve(3);
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) cache_.keep("key", output(std::string(20000, 'x')));
    });
  }
  for (int found = 0; found < 200;) {
    const auto read = cache_.find("key");
    if (!read) continue;
    ASSERT_EQ(read->ptx, output(std::string(20000, 'x')).ptx);
    ++found;
  }
  for (std::jthread& writer : writers) writer.request_stop();
  writers.clear();
  EXPECT_THAT(files(), SizeIs(1));
}

}  // namespace
}  // namespace autokernel::compile
