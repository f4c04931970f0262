#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/document_json.h"
#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/file_cache.h"
#include "autokernel/base/files.h"
#include "autokernel/base/packing.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/search_path.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/confined_python.h"
#include "autokernel/compile/external_compiler.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;
using document::Json;

// A compile has the deadline of its phase; this is for a compiler that hangs where none is in
// force.
constexpr std::chrono::seconds kPatience{600};
constexpr std::size_t kMostOutput = 64UL << 10U;
constexpr const char* kScript = "compiler.py";

Json json_of(const RequestedOperand& operand) {
  Json json = {{"name", operand.name}, {"dtype", operand.dtype}};
  if (operand.is_scalar) return json;
  json["shape"] = operand.shape;
  json["strides"] = operand.strides;
  json["written"] = operand.is_written;
  return json;
}

std::string request_text(const Request& request) {
  Json json = {{"schema_version", 1},
               {"main", request.source.name},
               {"architecture", request.architecture},
               {"sizes", request.sizes},
               {"types", request.types},
               {"tensors", Json::array()},
               {"scalars", Json::array()}};
  for (const RequestedOperand& operand : request.operands)
    json[operand.is_scalar ? "scalars" : "tensors"].push_back(json_of(operand));
  return document::line(json);
}

// The end of what was printed, where a traceback says what was wrong.
std::string end_of(const std::string& output) {
  constexpr std::size_t kMost = 400;
  std::string text = visible_text(output);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kMost) text.erase(0, text.find('\n', text.size() - kMost) + 1);
  return text;
}

// When something was last installed beside a Python, in any of the folders that it imports from.
void add_state(Packer& packer, const fs::path& path) {
  std::error_code failed;
  const auto time = fs::last_write_time(path, failed);
  packer.bytes(path.string());
  packer.number(failed ? 0 : static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

fs::path python_of(const ExternalCompiler& compiler) {
  return runnable_python(compiler.python, "compile with " + compiler.name, "[compile]");
}

// Everything that the answer depends on, as far as the compiler keeps to its input.
std::string key_of(const Request& request, const fs::path& python) {
  Packer packer;
  packer.bytes(request_text(request)).bytes(compiler_of(request).script).bytes(request.source.text);
  for (const auto& [path, text] : request.source.files) packer.bytes(path).bytes(text);
  add_state(packer, python);
  for (const fs::path& folder : folders_of_python(python)) {
    if (folder.filename() != "lib") continue;
    std::error_code failed;
    fs::directory_iterator at(folder, failed);
    for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
      if (at->path().filename().string().starts_with("python"))
        add_state(packer, at->path() / "site-packages");
    }
  }
  return packer.packed();
}

void write_files(const Request& request, const fs::path& folder) {
  write_file_atomically(folder / kRequestFile, request_text(request), Sync::no);
  write_file_atomically(folder / kScript, compiler_of(request).script, Sync::no);
  const fs::path files = folder / kFilesFolder;
  make_folders(files);
  write_file_atomically(files / request.source.name, request.source.text, Sync::no);
  for (const auto& [path, text] : request.source.files) {
    make_folders((files / path).parent_path());
    write_file_atomically(files / path, text, Sync::no);
  }
}

bool is_about_the_compiler(const std::string& answer) {
  try {
    const auto json = document::parsed(answer);
    return json && json->is_object() && json->contains("broken");
  } catch (const document::Unreadable&) {
    return false;
  }
}

}  // namespace

const ExternalCompiler& compiler_of(const Request& request) {
  if (!request.compiler) throw Error(Stop::internal, "cannot compile: no compiler is named");
  return *request.compiler;
}

Compilation ExternalFrontEnd::compile(const Request& request) const {
  std::optional<FileCache> cache;
  std::string key;
  std::string answer;
  if (caching_ == Caching::yes) {
    constexpr std::uint64_t kMostBytes = 128ULL << 20U;
    cache.emplace(cache_folder() / "compiled", ".external", kMostBytes);
    key = key_of(request, python_of(compiler_of(request)));
    if (const auto known = cache->find(key)) {
      Compilation made = compilation_of_answer(request, *known);
      if (auto* program = std::get_if<Program>(&made)) program->from_cache = true;
      return made;
    }
  }
  Compilation made = compiled(request, answer);
  if (cache && std::holds_alternative<Program>(made)) cache->keep(key, answer);
  return made;
}

Compilation ExternalFrontEnd::compiled(const Request& request, std::string& printed) const {
  const auto begin = std::chrono::steady_clock::now();
  const ScratchDirectory scratch;
  const fs::path folder = fs::canonical(scratch.path());
  write_files(request, folder);
  const Command command = confined_python(python_of(compiler_of(request)), folder, kScript);
  const EndedRun run = run_to_end(command, kPatience, kMostOutput);
  std::optional<std::string> answer;
  try {
    answer = read_file_below(folder, kAnswerFile, "what a compiler printed");
  } catch (const Error& error) {
    // The file may have put something else in its place.
    return Refusal{fmt::format("{}: its compiler {} printed nothing that can be read",
                               request.source.name, compiler_of(request).name),
                   run.output + error.what()};
  }
  if (!run.succeeded() || !answer || answer->empty()) {
    const std::string how = !run.ending ? "did not end in time"
                            : run.ending->signal != 0
                                ? fmt::format("was ended by signal {}", run.ending->signal)
                            : run.ending->code != 0 ? fmt::format("ended with {}", run.ending->code)
                                                    : "printed nothing";
    return Refusal{
        fmt::format("{}: its compiler {} {}{}", request.source.name, compiler_of(request).name, how,
                    run.output.empty() ? "" : ": " + end_of(run.output)),
        run.output};
  }
  // A file can print what it likes: that the compiler is broken has to show without it, too.
  if (is_about_the_compiler(*answer) && !request.source.text.empty()) {
    Request without = request;
    without.source.text.clear();
    without.source.files.clear();
    std::string nothing;
    static_cast<void>(compiled(without, nothing));
    return Refusal{fmt::format("{}: its compiler {} says that it is broken, and is not",
                               request.source.name, compiler_of(request).name),
                   run.output};
  }
  printed = *std::move(answer);
  Compilation made = compilation_of_answer(request, printed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (auto* program = std::get_if<Program>(&made)) {
    program->seconds = took.count();
    program->log += run.output;
  } else {
    std::get<Refusal>(made).log += run.output;
  }
  return made;
}

}  // namespace autokernel::compile
