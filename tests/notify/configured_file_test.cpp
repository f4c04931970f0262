#include "notify/configured_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autokernel/base/error.h"
#include "autokernel/notify/configuration.h"
#include "support/scratch_folder.h"

namespace autokernel::notify {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class ConfiguredFile : public testing::Test {
 protected:
  fs::path write(const fs::path& name, mode_t mode = 0600) {
    const fs::path file = folder_.write(name, "# text\n");
    EXPECT_EQ(::chmod(file.c_str(), mode), 0);
    return file;
  }
  [[nodiscard]] std::string refusal_of(const fs::path& file, const fs::path& repository = {}) {
    try {
      static_cast<void>(read_configured_file(file, repository));
      return {};
    } catch (const Error& error) {
      EXPECT_EQ(error.stop(), Stop::usage);
      return error.what();
    }
  }

  test::ScratchFolder folder_;
};

TEST_F(ConfiguredFile, OfTheUserAloneIsRead) {
  EXPECT_THAT(read_configured_file(write("notify.toml"), {}), Optional(std::string("# text\n")));
  EXPECT_THAT(read_configured_file(write("notify.toml", 0400), {}),
              Optional(std::string("# text\n")));
}

TEST_F(ConfiguredFile, NeedNotBeThere) {
  EXPECT_FALSE(read_configured_file(folder_.path() / "notify.toml", {}));
  write("file");
  EXPECT_FALSE(read_configured_file(folder_.path() / "file" / "notify.toml", {}));
}

TEST_F(ConfiguredFile, ThatOthersCanWriteOrReadIsRefused) {
  for (const mode_t mode : {0620U, 0602U, 0640U, 0604U, 0644U, 0666U, 0610U}) {
    EXPECT_THAT(refusal_of(write("notify.toml", mode)), HasSubstr("run 'chmod 600 ")) << mode;
  }
}

TEST_F(ConfiguredFile, OfAnotherUserIsRefused) {
  const fs::path file = write("notify.toml");
  constexpr uid_t kSomebody = 12345;
  if (::chown(file.c_str(), kSomebody, static_cast<gid_t>(-1)) != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  EXPECT_THAT(refusal_of(file), HasSubstr("it belongs to another user"));
}

TEST_F(ConfiguredFile, ThatIsNoFileIsRefused) {
  EXPECT_THAT(refusal_of(folder_.folder("notify.toml")), HasSubstr("it is not a regular file"));
  const fs::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(pipe), HasSubstr("it is not a regular file"));
}

TEST_F(ConfiguredFile, ThatIsLargeIsRefused) {
  const fs::path file = folder_.write("notify.toml", std::string(65537, '#'));
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of(file), HasSubstr("it has more than 65536 bytes"));
}

TEST_F(ConfiguredFile, WithASecondNameIsRefused) {
  const fs::path file = write("notify.toml");
  fs::create_hard_link(file, folder_.path() / "other");
  EXPECT_THAT(refusal_of(file), HasSubstr("it has a second name"));
}

TEST_F(ConfiguredFile, WithinTheRepositoryIsRefused) {
  const fs::path file = write("repository/.config/autokernel/notify.toml");
  const fs::path repository = folder_.path() / "repository";
  EXPECT_THAT(refusal_of(file, repository), HasSubstr("it lies within the repository"));
  EXPECT_THAT(refusal_of(file, repository / ""), HasSubstr("it lies within the repository"));
  EXPECT_THROW(static_cast<void>(read_configured_file(file, folder_.path() / "repositor")), Error);
}

TEST_F(ConfiguredFile, ThatALinkLeadsToInTheRepositoryIsRefused) {
  const fs::path file = write("repository/notify.toml");
  fs::create_symlink(file, folder_.path() / "notify.toml");
  fs::create_directory_symlink(folder_.path() / "repository", folder_.path() / "config");
  fs::create_symlink("notify.toml", folder_.path() / "twice.toml");
  const fs::path repository = folder_.path() / "repository";
  for (const char* name : {"notify.toml", "config/notify.toml", "twice.toml"}) {
    EXPECT_THAT(refusal_of(folder_.path() / name, repository), HasSubstr("it lies within")) << name;
  }
}

TEST_F(ConfiguredFile, IsRefusedWhereALinkLeadsToTheRepository) {
  const fs::path file = write("repository/notify.toml");
  fs::create_directory_symlink(folder_.path() / "repository", folder_.path() / "link");
  EXPECT_THAT(refusal_of(file, folder_.path() / "link"), HasSubstr("it lies within"));
}

TEST_F(ConfiguredFile, BesideTheRepositoryIsRead) {
  const fs::path repository = folder_.folder("repository");
  EXPECT_THAT(refusal_of(write("repository-of-another/notify.toml"), repository), IsEmpty());
  const fs::path real = write("dotfiles/notify.toml");
  fs::create_symlink(real, repository / "notify.toml");
  fs::create_symlink(real, folder_.path() / "link.toml");
  EXPECT_THAT(refusal_of(folder_.path() / "link.toml", repository), IsEmpty());
}

TEST_F(ConfiguredFile, IsThatOfTheUsersFolder) {
  write("config/autokernel/notify.toml");
  const Variables variables = {{"XDG_CONFIG_HOME", (folder_.path() / "config").string()}};
  const Configuration read = read_configuration({.variables = variables, .repository = {}});
  EXPECT_EQ(read.source, (folder_.path() / "config/autokernel/notify.toml").string());
  EXPECT_THROW(static_cast<void>(read_configuration(
                   {.variables = variables, .repository = folder_.path() / "config"})),
               Error);
}

}  // namespace
}  // namespace autokernel::notify
