// What somebody can put in the place of a file that the loop opens: a named pipe, of which the
// opening waits for ever, a file without end, a link. No command waits, and each says what to do.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "autokernel/base/error.h"
#include "autokernel/loop/drive.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Lt;
using testing::SizeIs;

// What libgit2 opens is given up after five seconds; everything else at once.
constexpr seconds kLongest{30};

// Larger than anybody waits for, and of no bytes on the disk.
constexpr off_t kHuge = off_t{3} << 30;

void write_beside(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

class OddFiles : public testing::Test {
 protected:
  OddFiles() { workplace_.start(); }
  void TearDown() override { EXPECT_THAT(std::chrono::steady_clock::now() - begun_, Lt(kLongest)); }
  [[nodiscard]] fs::path place(const std::string& path) const {
    const fs::path file = workplace_.root() / path;
    fs::remove_all(file);
    fs::create_directories(file.parent_path());
    return file;
  }
  void put_pipe(const std::string& path) const {
    ASSERT_EQ(::mkfifo(place(path).c_str(), 0666), 0);
  }
  void put_socket(const std::string& path) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const fs::path file = place(path);
    // Its path may be longer than an address holds.
    const fs::path before = fs::current_path();
    fs::current_path(file.parent_path());
    file.filename().string().copy(address.sun_path, sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(socket);
    fs::current_path(before);
  }
  void put_folder(const std::string& path) const { fs::create_directory(place(path)); }
  void put_huge(const std::string& path, off_t size = kHuge) const {
    const fs::path file = place(path);
    const int descriptor = ::open(file.c_str(), O_CREAT | O_WRONLY, 0666);
    ASSERT_EQ(::ftruncate(descriptor, size), 0);
    ::close(descriptor);
  }
  // Of a step with a kernel that would be kept.
  [[nodiscard]] std::string refused(Stop stop) const {
    return refusal(stop, [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); });
  }
  [[nodiscard]] std::string step_refused(Stop stop) const {
    workplace_.edit(kernel(80));
    return refused(stop);
  }
  [[nodiscard]] Step step() const { return workplace_.try_out(kernel(80)); }

  Workplace workplace_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

TEST_F(OddFiles, APipeInThePlaceOfTheLedgersSecondNameIsRemoved) {
  put_pipe(".git/autokernel-ledger.jsonl");
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_TRUE(fs::equivalent(workplace_.root() / ".git/autokernel-ledger.jsonl",
                             workplace_.root() / ".autokernel/ledger.jsonl"));
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("was not a regular file")));
}

TEST_F(OddFiles, APipeInThePlaceOfTheLedgerIsNamed) {
  put_pipe(".autokernel/ledger.jsonl");
  EXPECT_THAT(step_refused(Stop::environment),
              AllOf(HasSubstr("ledger.jsonl"), HasSubstr("not a regular file")));
}

TEST_F(OddFiles, APipeInThePlaceOfTheJournalIsNamed) {
  put_pipe(".autokernel/journal.json");
  EXPECT_THAT(step_refused(Stop::usage),
              AllOf(HasSubstr("journal.json"), HasSubstr("not a regular file")));
}

TEST_F(OddFiles, APipeOrALinkInThePlaceOfTheLockIsNamed) {
  put_pipe(".git/autokernel-lock");
  EXPECT_THAT(step_refused(Stop::environment),
              AllOf(HasSubstr("autokernel-lock"), HasSubstr("remove it")));
  const fs::path precious = workplace_.git().write("notes.txt", "notes\n");
  fs::create_symlink(precious, place(".git/autokernel-lock"));
  EXPECT_THAT(refused(Stop::environment), HasSubstr("remove it"));
  EXPECT_EQ(workplace_.git().read("notes.txt"), "notes\n");
}

TEST_F(OddFiles, WhatStandsForTheTableOfResultsIsNamed) {
  put_pipe("results.tsv");
  EXPECT_THAT(step_refused(Stop::scope), HasSubstr("remove"));
  put_socket("results.tsv");
  EXPECT_THAT(refused(Stop::scope), HasSubstr("not a regular file"));
  put_folder("results.tsv");
  EXPECT_THAT(refused(Stop::scope), HasSubstr("it is a folder"));
  put_huge("results.tsv");
  EXPECT_THAT(refused(Stop::scope), HasSubstr("larger than"));
}

TEST_F(OddFiles, ACaseThatIsNoFileHasChanged) {
  workplace_.edit(kernel(80));
  for (const char* file : {"kernels/case.toml", "kernels/reference.cu"}) {
    const std::string bytes = workplace_.git().read(file);
    put_pipe(file);
    EXPECT_THAT(refused(Stop::scope), HasSubstr(file));
    put_socket(file);
    EXPECT_THAT(refused(Stop::scope), HasSubstr(file));
    put_folder(file);
    EXPECT_THAT(refused(Stop::scope), HasSubstr(file));
    put_huge(file);
    EXPECT_THAT(refused(Stop::scope), HasSubstr(file));
    static_cast<void>(place(file));
    workplace_.git().write(file, bytes);
  }
  EXPECT_EQ(step().experiment.verdict, "kept");
}

TEST_F(OddFiles, AKernelThatIsNoFileIsNoExperiment) {
  put_pipe(Workplace::kEditable);
  EXPECT_THAT(refused(Stop::repository), HasSubstr("no regular file"));
  put_folder(Workplace::kEditable);
  EXPECT_THAT(refused(Stop::repository), HasSubstr("no regular file"));
}

TEST_F(OddFiles, AKernelLargerThanAnySourceIsNotRead) {
  put_huge(Workplace::kEditable);
  EXPECT_THAT(refused(Stop::usage), AllOf(HasSubstr("3072.0 MiB"), HasSubstr("at most 16 MiB"),
                                          HasSubstr("git checkout HEAD -- PATH")));
}

TEST_F(OddFiles, AnAgentsHugeKernelCostsATurn) {
  DriveOptions options;
  options.budget.max_runs = 1;
  options.agent =
      "if [ -e \"$HOME/again\" ]; then echo 'constexpr float time_us = 80;' > "
      "\"$AUTOKERNEL_KERNEL\"\n"
      "else touch \"$HOME/again\"; truncate -s 3G \"$AUTOKERNEL_KERNEL\"; fi\n";
  Loop loop = workplace_.open("autokernel loop run");
  std::vector<std::string> outcomes;
  DriveObserver observer;
  observer.in_vain = [&](const ledger::Turn& turn) { outcomes.push_back(turn.outcome); };
  EXPECT_EQ(loop.drive(options, observer).experiments, 1);
  EXPECT_THAT(outcomes, testing::ElementsAre("no kernel"));
}

TEST_F(OddFiles, AHugeNewFileIsNamedAndNotRead) {
  put_huge("huge.bin", off_t{6} << 30);
  EXPECT_THAT(step_refused(Stop::scope), HasSubstr("huge.bin (new)"));
}

TEST_F(OddFiles, ManyLargeNewFilesAreNotReadEither) {
  for (int i = 0; i < 200; ++i) put_huge("large-" + std::to_string(i), off_t{60} << 20);
  EXPECT_THAT(step_refused(Stop::scope), HasSubstr("and 180 more"));
}

TEST_F(OddFiles, AHugeFileOfTheUsersIsSeenToChangeWithoutBeingRead) {
  const Workplace other;
  const fs::path file = other.git().write("data.bin", "");
  fs::resize_file(file, kHuge);
  other.start();
  EXPECT_EQ(other.try_out(kernel(80)).experiment.verdict, "kept");
  fs::resize_file(file, kHuge + 1);
  other.edit(kernel(60));
  EXPECT_THAT(
      refusal(Stop::scope, [&] { static_cast<void>(other.open().step({.idea = "an idea"})); }),
      HasSubstr("data.bin (modified)"));
}

// An index knows the lower 32 bits of a size.
TEST_F(OddFiles, AFileOfTheSameSizeButForWholeMultiplesOfFourGigabytesIsNamed) {
  put_huge("notes.txt", (off_t{1} << 40) + 6);
  EXPECT_THAT(step_refused(Stop::repository),
              AllOf(HasSubstr("notes.txt"), HasSubstr("git checkout")));
}

TEST_F(OddFiles, APipeThatGitReadsIsGivenUp) {
  put_pipe(".autokernel/.gitignore");
  EXPECT_EQ(step().experiment.verdict, "kept");
  put_pipe(".git/refs/autokernel-seals/demo");
  workplace_.edit(kernel(60));
  EXPECT_THAT(refused(Stop::repository),
              AllOf(HasSubstr("autokernel-seals/demo"), HasSubstr("named pipe")));
}

TEST_F(OddFiles, APipeAmongGitsSettingsOfAFolderHoldsNobodyUp) {
  put_pipe("kernels/.gitattributes");
  workplace_.edit(kernel(80));
  // libgit2 takes it for none, and git's own status does not know it.
  EXPECT_EQ(workplace_.open().step({.idea = "an idea"}).experiment.verdict, "kept");
}

TEST_F(OddFiles, RulesOfFoldersWithoutEndAreNamed) {
  for (const char* file : {".gitignore", ".gitattributes", "kernels/.gitignore"}) {
    put_huge(file, off_t{6} << 30);
    EXPECT_THAT(step_refused(Stop::repository), AllOf(HasSubstr(file), HasSubstr("has 6 GiB")));
    static_cast<void>(place(file));
  }
  EXPECT_EQ(step().experiment.verdict, "kept");
}

TEST_F(OddFiles, AnIndexOfTheLedgerThatIsAnothersFileIsLetGo) {
  const fs::path precious = workplace_.git().beside("precious.txt");
  const std::string text = "of somebody else's\n";
  write_beside(precious, text);
  fs::create_symlink(precious, place(".autokernel/ledger.index"));
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_EQ(test::contents(precious), text);
  fs::create_hard_link(precious, place(".autokernel/ledger.index"));
  EXPECT_EQ(workplace_.try_out(kernel(60)).experiment.verdict, "kept");
  EXPECT_EQ(test::contents(precious), text);
}

TEST_F(OddFiles, ALinkInThePlaceOfAFileOfTheLoopsIsNeverReadNorWritten) {
  const fs::path precious = workplace_.git().beside("precious.txt");
  const std::string text = "of somebody else's\n";
  write_beside(precious, text);
  for (const char* file : {"results.tsv", ".autokernel/ledger.jsonl", ".autokernel/journal.json"}) {
    const std::string bytes = workplace_.has(file) ? workplace_.git().read(file) : std::string();
    fs::create_symlink(precious, place(file));
    workplace_.edit(kernel(80));
    std::string said;
    try {
      static_cast<void>(workplace_.open().step({.idea = "an idea"}));
    } catch (const Error& error) {
      said = error.what();
    }
    EXPECT_THAT(said, AllOf(HasSubstr(file), HasSubstr("symbolic link")));
    EXPECT_THAT(said, testing::Not(HasSubstr("somebody")));
    EXPECT_EQ(test::contents(precious), text);
    static_cast<void>(place(file));
    if (!bytes.empty()) workplace_.git().write(file, bytes);
  }
}

TEST_F(OddFiles, ALinkInThePlaceOfAFolderOfTheLoopsIsNamed) {
  const fs::path elsewhere = workplace_.git().beside("elsewhere");
  fs::create_directory(elsewhere);
  workplace_.edit(kernel(80));
  fs::rename(workplace_.root() / ".autokernel", workplace_.git().beside("kept"));
  fs::create_directory_symlink(elsewhere, workplace_.root() / ".autokernel");
  EXPECT_THAT(refused(Stop::environment),
              AllOf(HasSubstr(".autokernel"), HasSubstr("symbolic link")));
  EXPECT_TRUE(fs::is_empty(elsewhere));
  fs::remove(workplace_.root() / ".autokernel");
  fs::rename(workplace_.git().beside("kept"), workplace_.root() / ".autokernel");
  fs::create_directory_symlink(elsewhere, place(".autokernel/runs"));
  EXPECT_EQ(step().experiment.verdict, "kept");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("cannot keep the log")));
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(OddFiles, FoldersNestedTooDeeplyGoAside) {
  DriveOptions options;
  options.budget.max_runs = 1;
  options.agent =
      "mkdir nest; (cd nest; for i in $(seq 150); do mkdir d; cd d; done)\n"
      "echo 'constexpr float time_us = 80;' > \"$AUTOKERNEL_KERNEL\"";
  Loop loop = workplace_.open("autokernel loop run");
  EXPECT_EQ(loop.drive(options, {}).experiments, 1);
  EXPECT_FALSE(workplace_.has("nest"));
  EXPECT_TRUE(workplace_.has(".autokernel/aside/turn-1/nest"));
}

TEST_F(OddFiles, FoldersNestedTooDeeplyAreNamed) {
  fs::path nest = workplace_.root() / "nest";
  for (int i = 0; i < 150; ++i) nest /= "d";
  fs::create_directories(nest);
  EXPECT_THAT(step_refused(Stop::repository), AllOf(HasSubstr("nest/"), HasSubstr("remove")));
}

TEST_F(OddFiles, ALedgerWithAnEndlessTailIsNotRead) {
  const fs::path ledger = workplace_.root() / ".autokernel/ledger.jsonl";
  const auto size = fs::file_size(ledger);
  fs::resize_file(ledger, std::uintmax_t{1} << 40);
  EXPECT_THAT(step_refused(Stop::repository),
              AllOf(HasSubstr("no command of the loop has written"),
                    HasSubstr("truncate -s " + std::to_string(size))));
  fs::resize_file(ledger, size);
  EXPECT_EQ(step().experiment.verdict, "kept");
}

TEST_F(OddFiles, APipeInThePlaceOfALogOrTheBriefIsReplaced) {
  put_pipe(".autokernel/runs/demo/1.log");
  put_pipe(".autokernel/brief.md");
  DriveOptions options;
  options.budget.max_runs = 1;
  options.agent = "echo 'constexpr float time_us = 80;' > \"$AUTOKERNEL_KERNEL\"";
  Loop loop = workplace_.open("autokernel loop run");
  EXPECT_EQ(loop.drive(options, {}).experiments, 1);
  EXPECT_TRUE(fs::is_regular_file(workplace_.root() / ".autokernel/runs/demo/1.log"));
  EXPECT_TRUE(fs::is_regular_file(workplace_.root() / ".autokernel/brief.md"));
}

}  // namespace
}  // namespace autokernel::loop
