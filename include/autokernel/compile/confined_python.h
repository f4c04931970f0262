// A Python that runs somebody else's code: in a folder of its own, without network and GPU, and
// with no way to other processes or files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/process.h"

namespace autokernel::compile {

// Of the folder in which it runs: what it reads, what it printed, and how `autokernel compiler`
// starts it. The files that it works on are in a folder below.
inline constexpr const char* kRequestFile = "request.json";
inline constexpr const char* kAnswerFile = "answer.json";
inline constexpr const char* kCommandFile = "command";
inline constexpr const char* kFilesFolder = "files";

// A program with its arguments, and what it may read beside its folder.
struct ConfinedCommand {
  std::vector<std::string> words;
  std::vector<std::filesystem::path> readable;
};
[[nodiscard]] std::string packed(const ConfinedCommand& command);
// Throws Error(internal) for what packed() did not make.
[[nodiscard]] ConfinedCommand unpacked_command(std::string_view bytes);

// The Python of the environment that is active (VIRTUAL_ENV), else the first python3 on the PATH;
// empty where there is none.
[[nodiscard]] std::string active_python();
// The path of one that is named, by a path or a name on the PATH. Throws Error(environment) where
// it cannot be run, saying what could not be done, and in which section of case.toml to name one.
[[nodiscard]] std::filesystem::path runnable_python(const std::string& named,
                                                    const std::string& task,
                                                    const std::string& section);
// Where it has its programs, libraries and packages, with links that lead there.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_python(
    const std::filesystem::path& python);

// How it is talked to: by kRequestFile and kAnswerFile, which are its standard input and output; or
// by the channels of a Child, with answers on kMessagesDescriptor.
enum class Talk : std::uint8_t { by_files, by_channels };
// What starts it on a script in the folder, whose kFilesFolder it works in. Writes kCommandFile.
[[nodiscard]] Command confined_python(const std::filesystem::path& python,
                                      const std::filesystem::path& folder, const char* script,
                                      Talk talk = Talk::by_files);

// The program that comes with autokernel for references in Python.
[[nodiscard]] const char* python_reference_driver();

}  // namespace autokernel::compile
