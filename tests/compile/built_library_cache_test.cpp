#include "compile/built_library_cache.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr const char* kMakefile =
    "baseline.so : /usr/include/a.h \\\n"
    "    /opt/with\\ a\\ blank/b.h /opt/c\\#/c.h /opt/$$d/d.h\t/opt/e\\\\/e.h\n"
    "\n"
    "/usr/include/a.h:\n";

TEST(DependenciesInAMakefile, AreWhatTheFirstRuleNames) {
  EXPECT_THAT(dependencies_in(kMakefile),
              ElementsAre("/usr/include/a.h", "/opt/with a blank/b.h", "/opt/c#/c.h", "/opt/$d/d.h",
                          "/opt/e\\/e.h"));
  EXPECT_THAT(dependencies_in("a.o: \\\n b.h"), ElementsAre("b.h"));
  EXPECT_THAT(dependencies_in("a.o:\n"), ElementsAre());
}

TEST(DependenciesInAMakefile, AreThoseBeforeWhereItIsCut) {
  const std::string whole = kMakefile;
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_LE(dependencies_in(whole.substr(0, length)).size(), 5U) << length;
}

TEST(BuiltLibrary, IsFoundUntilAFileThatItWasBuiltFromChanges) {
  const test::ScratchFolder scratch;
  const FileCache cache(scratch.path() / "compiled", ".library", 1U << 20U);
  const auto header = scratch.write("a header.h", "one");
  keep_built_library(cache, "key", "library", {header});
  EXPECT_THAT(find_built_library(cache, "key"), Optional(std::string("library")));
  EXPECT_FALSE(find_built_library(cache, "kez"));

  const auto changed = std::filesystem::last_write_time(header);
  scratch.write("a header.h", "two");
  std::filesystem::last_write_time(header, changed + std::chrono::milliseconds(3));
  EXPECT_FALSE(find_built_library(cache, "key"));
  keep_built_library(cache, "key", "another", {header});
  EXPECT_THAT(find_built_library(cache, "key"), Optional(std::string("another")));
  std::filesystem::remove(header);
  EXPECT_FALSE(find_built_library(cache, "key"));
  keep_built_library(cache, "other", "library", {header});
  EXPECT_FALSE(find_built_library(cache, "other"));
}

}  // namespace
}  // namespace autokernel::compile
