#include "e2e/program_workplace.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

[[nodiscard]] Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

ProgramWorkplace::ProgramWorkplace() {
  (void)scratch_.folder("tmp");
  (void)scratch_.folder("work");
  (void)scratch_.folder("driver");
  fs::create_symlink(AUTOKERNEL_EMULATOR, scratch_.path() / "driver" / "libcuda.so.1");
}

Words ProgramWorkplace::sample(const Words& arguments) {
  return joined({AUTOKERNEL_SAMPLE_MODEL}, arguments);
}

std::string ProgramWorkplace::line_of(const Words& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  return line;
}

Invocation ProgramWorkplace::autokernel(const Words& arguments) const {
  const auto below = [&](const char* name) { return (scratch_.path() / name).string(); };
  return {.program = AUTOKERNEL_PROGRAM,
          .arguments = arguments,
          .directory = scratch_.path() / "work",
          .environment = {{"TMPDIR", below("tmp")},
                          {"HOME", below("home")},
                          {"XDG_CACHE_HOME", below("cache")},
                          {"TERM", "xterm"}}};
}

Outcome ProgramWorkplace::run_alone(const Words& command) const {
  Invocation invocation = autokernel({command.begin() + 1, command.end()});
  invocation.program = command.front();
  invocation.environment["LD_LIBRARY_PATH"] = (scratch_.path() / "driver").string();
  return run(invocation);
}

Invocation ProgramWorkplace::on_program(const std::string& subcommand, const Words& options,
                                        const Words& command) const {
  Words arguments = joined({subcommand, "--device", "cpu"}, options);
  if (!command.empty()) arguments = joined(joined(arguments, {"--"}), command);
  return autokernel(arguments);
}

Outcome ProgramWorkplace::profile(const Words& options, const Words& command) const {
  return run(on_program("profile", options, command));
}

Outcome ProgramWorkplace::extract(const Words& options, const Words& command) const {
  return run(on_program("extract", options, command));
}

Outcome ProgramWorkplace::bench(const fs::path& case_folder) const {
  return run(on_program("bench", {"--case", case_folder.string()}, {}));
}

nlohmann::json ProgramWorkplace::profile_json(const Words& options, const Words& command,
                                              int code) const {
  const Outcome profiled = profile(joined({"--json"}, options), command);
  EXPECT_EQ(profiled.code, code) << profiled.err;
  nlohmann::json json = nlohmann::json::parse(profiled.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << profiled.out << profiled.err;
  return json;
}

fs::path ProgramWorkplace::file(const std::string& name) const {
  return scratch_.path() / "work" / name;
}

nlohmann::json ProgramWorkplace::json_in(const std::string& name) const {
  return nlohmann::json::parse(contents(file(name)), nullptr, false);
}

Words ProgramWorkplace::listing() const {
  Words names;
  for (const auto& entry : fs::directory_iterator(scratch_.path() / "work")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

void ProgramWorkplace::expect_nothing_left() const {
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
  EXPECT_THAT(files_below(scratch_.path() / "tmp"), IsEmpty());
}

void ProgramWorkplace::expect_refusal(const Outcome& run, int code, const std::string& words) {
  EXPECT_EQ(run.code, code) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(StartsWith("autokernel: "), HasSubstr(words)));
  EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
}

void ProgramWorkplace::expect_early_refusal(const Outcome& run, int code,
                                            const std::string& words) {
  expect_refusal(run, code, words);
  EXPECT_THAT(run.out, IsEmpty());
}

ExtractionWorkplace::ExtractionWorkplace() {
  const Outcome profiled = profile({}, sample());
  EXPECT_EQ(profiled.code, 0) << profiled.err;
}

fs::path ExtractionWorkplace::extracted(const std::string& kernel, const Words& more) const {
  const Outcome done = extract(joined({"--kernel", kernel}, more), sample());
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  return file("cases/" + kernel);
}

Outcome ExtractionWorkplace::bench_with(const fs::path& folder, const std::string& launch,
                                        const std::string& kernel) const {
  scratch_.write(folder / "kernel.cu",
                 "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({" + launch + "});\n\n" + kernel);
  return bench(folder);
}

void ExtractionWorkplace::expect_verdict(const Outcome& benched, const std::string& verdict) {
  EXPECT_EQ(value_of("verdict", benched.out), verdict) << benched.out << benched.err;
}

std::string checksum_in(const std::string& output) {
  const std::size_t begin = output.find("checksum ");
  if (begin == std::string::npos) return {};
  return output.substr(begin, output.find('\n', begin) - begin);
}

}  // namespace autokernel::test
