#include "autokernel/compile/host_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class HostLibrary : public testing::Test {
 protected:
  HostLibrary() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    ::setenv("XDG_CACHE_HOME", (scratch_.path() / "cache").c_str(), 1);
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  ~HostLibrary() override { ::unsetenv("XDG_CACHE_HOME"); }
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  [[nodiscard]] HostProgram program(const std::string& header) const {
    scratch_.write("headers/value.h", header);
    return {.file = "program.cpp",
            .text =
                "#include <autokernel_sizes.cuh>\n#include <value.h>\n"
                "extern \"C\" int value() { return VALUE + N; }\n",
            .sizes = {{"N", 100}},
            .types = {},
            .architecture = {},
            .headers = {scratch_.path() / "headers"}};
  }
  // Whether the compiler was called, and what the library's function gives.
  struct Built {
    bool is_new;
    int value;
    friend bool operator==(const Built&, const Built&) = default;
  };
  [[nodiscard]] Built build(const HostProgram& program, Caching caching = Caching::yes) {
    const fs::path folder = scratch_.path() / std::to_string(++folders_);
    fs::create_directory(folder);
    const fs::path library = build_host_library(program, folder, caching, [] {});
    void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(loaded, nullptr) << dlerror();
    const int value = reinterpret_cast<int (*)()>(dlsym(loaded, "value"))();
    dlclose(loaded);
    return {.is_new = fs::exists(folder / program.file), .value = value};
  }

  test::ScratchFolder scratch_;

 private:
  int folders_ = 0;
};

TEST_F(HostLibrary, IsBuiltAgainWhereSomethingThatItIsMadeOfHasChanged) {
  EXPECT_EQ(build(program("#define VALUE 1\n")), (Built{.is_new = true, .value = 101}));
  HostProgram same = program("#define VALUE 22\n");
  EXPECT_EQ(build(same), (Built{.is_new = true, .value = 122}));
  EXPECT_EQ(build(same), (Built{.is_new = false, .value = 122}));
  EXPECT_EQ(build(same, Caching::no), (Built{.is_new = true, .value = 122}));
  same.sizes = {{"N", 200}};
  EXPECT_EQ(build(same), (Built{.is_new = true, .value = 222}));
  same.text += "// another\n";
  EXPECT_TRUE(build(same).is_new);
}

TEST_F(HostLibrary, ThatDoesNotCompileSaysWhyAndLeavesTheOthers) {
  HostProgram wrong = program("#define VALUE 1\n");
  wrong.text += "wrong\n";
  EXPECT_THAT([&] { static_cast<void>(build(wrong)); },
              ThrowsMessage<Error>(HasSubstr("cannot build program.cpp with ")));
  const fs::path folder = scratch_.path() / "several";
  fs::create_directory(folder);
  HostProgram third = program("#define VALUE 1\n");
  third.text += "// third\n";
  const auto built = build_host_libraries({program("#define VALUE 1\n"), wrong, third}, folder,
                                          Caching::yes, [] {});
  ASSERT_EQ(built.size(), 3U);
  EXPECT_TRUE(fs::exists(built[0].library));
  EXPECT_TRUE(built[1].library.empty());
  EXPECT_THAT(built[1].why, HasSubstr("wrong"));
  EXPECT_TRUE(fs::exists(built[2].library));
  EXPECT_NE(built[0].library, built[2].library);
}

}  // namespace
}  // namespace autokernel::compile
