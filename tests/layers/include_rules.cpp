#include "layers/include_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace layers {
namespace {

using Names = std::set<std::string, std::less<>>;

// What each layer may include besides itself: cli -> loop -> trial -> {compile, driver, cases};
// ledger, repo and plot are leaves for loop and cli; lab -> http; base is under everything. The
// emulator stands apart, with layers of its own: api -> jit -> lower -> {ptx, runtime}; fatbin and
// base are leaves.
const std::map<std::string, Names, std::less<>>& layers_below() {
  static const std::map<std::string, Names, std::less<>> below = {
      {"base", {}},
      {"emulator/base", {}},
      {"emulator/fatbin", {}},
      {"emulator/ptx", {}},
      {"emulator/runtime", {}},
      {"emulator/lower", {"emulator/ptx", "emulator/runtime"}},
      {"emulator/jit", {"emulator/base", "emulator/ptx", "emulator/runtime", "emulator/lower"}},
      {"emulator/api",
       {"emulator/base", "emulator/fatbin", "emulator/ptx", "emulator/runtime", "emulator/lower",
        "emulator/jit"}},
      {"driver", {"base"}},
      {"compile", {"base"}},
      {"cases", {"base"}},
      {"ledger", {"base"}},
      {"repo", {"base"}},
      {"plot", {"base"}},
      {"notify", {"base", "cases", "http", "ledger"}},
      {"http", {"base"}},
      {"lab", {"base", "http"}},
      {"trial", {"base", "driver", "compile", "cases", "http", "lab"}},
      {"programs", {"base", "driver", "compile", "cases", "trial"}},
      {"bridge", {"base", "driver", "compile", "cases", "trial"}},
      {"serve", {"base", "driver", "compile", "cases", "trial", "bridge"}},
      {"loop", {"base", "driver", "compile", "cases", "trial", "ledger", "repo", "plot"}},
      {"cli",
       {"base", "driver", "compile", "cases", "trial", "ledger", "repo", "plot", "http", "lab",
        "programs", "bridge", "serve", "loop", "notify"}},
      {"main",
       {"base", "driver", "compile", "cases", "trial", "ledger", "repo", "plot", "http", "lab",
        "programs", "bridge", "serve", "loop", "notify", "cli"}},
  };
  return below;
}

// What each folder of src/trial may include besides itself. The supervisor's touches no device, so
// it knows nothing of what runs there; the runner's brings all of them together.
const std::map<std::string, Names, std::less<>>& parts_below() {
  static const std::map<std::string, Names, std::less<>> below = {
      {"report", {}},
      {"command", {"decide"}},
      {"supervise", {"command", "report"}},
      {"inputs", {}},
      {"blas", {"inputs", "launch"}},
      {"launch", {"inputs"}},
      {"decide", {"inputs"}},
      {"check", {"blas", "inputs", "launch"}},
      {"time", {"blas", "check", "decide", "inputs", "launch"}},
      {"runner", {"blas", "check", "decide", "inputs", "launch", "report", "supervise", "time"}},
  };
  return below;
}

// A library whose headers are kept to some layers, and out of headers that others include.
struct Foreign {
  std::string_view name;
  std::regex header;
  Names layers;         // who may include it at all; empty: anyone
  bool in_own_headers;  // may headers under src/ include it, or .cpp files alone?
};

const std::vector<Foreign>& foreign_libraries() {
  static const std::vector<Foreign> foreign = {
      {"CUDA", std::regex(R"((cuda|nvrtc|cublas|cublasLt|nvml)(_\w+|Typedefs)?\.h)"), {}, true},
      {"LLVM", std::regex(R"(llvm(-c)?/.*)"), {"emulator/jit"}, true},
      {"the emulator's header",
       std::regex(R"(emulated_cuda\.h)"),
       {"driver", "emulator/api"},
       true},
      {"libgit2", std::regex(R"(git2(\.h|/.*))"), {"repo"}, true},
      // A file with all of these takes 22 s to compile and 44 s to lint.
      {"CLI11", std::regex(R"(CLI/.*)"), {"cli", "main"}, false},
      {"nlohmann-json", std::regex(R"(nlohmann/.*)"), {}, false},
      {"toml++", std::regex(R"(toml\+\+/.*|toml\.hpp)"), {"cases", "compile"}, false},
      {"spdlog", std::regex(R"(spdlog/.*)"), {}, false},
      {"Boost.Math", std::regex(R"(boost/math/.*)"), {"base"}, false},
      {"Boost.Asio", std::regex(R"(boost/(asio|beast)/.*)"), {"base", "lab", "serve"}, true},
      {"libcurl", std::regex(R"(curl/.*)"), {"http"}, true},
      {"muparser", std::regex(R"(muParser.*)"), {"cases"}, false},
      {"Eigen", std::regex(R"(Eigen/.*)"), {"loop"}, false},
      {"yaml-cpp", std::regex(R"(yaml-cpp/.*)"), {"bridge"}, false},
  };
  return foreign;
}

struct Place {
  // "trial", "emulator/ptx"; "main" for src/main.cpp, "tests" and "emulator/tests" for tests; empty
  // for a file that kernels include.
  std::string layer;
  bool exported = false;  // under include/
  bool header = false;

  [[nodiscard]] bool in_emulator() const { return layer.starts_with("emulator"); }
  [[nodiscard]] bool of_tests() const { return layer.ends_with("tests"); }
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(path)) parts.push_back(part.string());
  return parts;
}

Place place_of(const std::string& path) {
  const auto parts = parts_of(path);
  Place place;
  // One whose name says JSON is for the few .cpp files that define a format.
  place.header = path.ends_with(".h") && !path.ends_with("_json.h");
  if (parts.size() >= 4 && parts[0] == "include" && parts[1] == "autokernel") {
    place.exported = true;
    place.layer = parts[2];
  } else if (parts.size() >= 3 && parts[0] == "src") {
    place.layer = parts[1];
  } else if (parts.size() == 2 && parts[0] == "src") {
    place.layer = "main";
  } else if (parts.size() >= 2 && parts[0] == "tests") {
    place.layer = "tests";
  } else if (parts.size() >= 3 && parts[0] == "emulator") {
    place.exported = parts[1] == "include";
    place.layer = parts[1] == "src" ? "emulator/" + parts[2] : "emulator/" + parts[1];
  }
  return place;
}

// The layer an #include names, and whether by way of its private headers; nothing for a header that
// is not ours. Both projects name their own headers from their own src/, and both have a base.
struct Target {
  std::string layer;
  bool exported = false;
};

std::optional<Target> target_of(const std::string& included, const Place& from) {
  const auto parts = parts_of(included);
  if (parts.size() >= 3 && parts[0] == "autokernel") return Target{parts[1], true};
  if (parts.size() < 2) return std::nullopt;
  const auto& layers = layers_below();
  const std::string of_emulator = "emulator/" + parts[0];
  if (from.in_emulator() && layers.contains(of_emulator)) return Target{of_emulator, true};
  if (layers.contains(parts[0])) return Target{parts[0], false};
  if (layers.contains(of_emulator)) return Target{of_emulator, false};
  return std::nullopt;
}

// Neither project takes anything of the other's by the text of a file, but the emulator's header,
// and its reader of fat binaries, which is a library of its own.
std::optional<std::string> project_rule_broken(const Place& place, const std::string& included) {
  const auto target = target_of(included, place);
  const bool to_emulator = target && target->layer.starts_with("emulator/");
  if (place.in_emulator()) {
    const bool ours = included.starts_with("autokernel");
    if (ours || (target && !to_emulator)) return "the emulator includes nothing of autokernel";
  } else if (to_emulator && target->layer == "emulator/fatbin" && place.layer == "compile") {
    return std::nullopt;
  } else if (to_emulator || included.starts_with("emulator/")) {
    return "is the emulator's own: emulated_cuda.h has what it offers";
  }
  return std::nullopt;
}

std::optional<std::string> layer_rule_broken(const Place& place, const std::string& included) {
  if (included.starts_with("..")) return "is relative: name it from include/ or src/";
  if (auto broken = project_rule_broken(place, included)) return broken;
  if (place.of_tests()) return std::nullopt;  // they stand above all
  const auto target = target_of(included, place);
  if (target && target->layer == "emulator/fatbin" && !place.in_emulator()) return std::nullopt;
  if (!target || target->layer == place.layer) {
    if (target && place.exported && !target->exported)
      return "is private to src/, and this header is not";
    return std::nullopt;
  }
  const auto below = layers_below().find(place.layer);
  if (below == layers_below().end())
    return "comes from a folder that is no layer: add it to the rules";
  if (!below->second.contains(target->layer))
    return place.layer + " does not stand above " + target->layer;
  if (!target->exported) return "is private to " + target->layer;
  return std::nullopt;
}

std::optional<std::string> part_rule_broken(const std::string& path, const std::string& included) {
  const auto from = parts_of(path);
  if (from.size() < 3 || from[0] != "src" || from[1] != "trial") return std::nullopt;
  const auto below = parts_below().find(from[2]);
  if (from.size() != 4 || below == parts_below().end())
    return "comes from no folder of trial: add it to the rules";
  const auto to = parts_of(included);
  if (to.size() != 3 || to[0] != "trial" || to[1] == from[2]) return std::nullopt;
  if (below->second.contains(to[1])) return std::nullopt;
  return "trial/" + from[2] + " does not stand above trial/" + to[1];
}

std::optional<std::string> foreign_rule_broken(const Place& place, const std::string& included) {
  if (place.of_tests()) return std::nullopt;
  for (const auto& foreign : foreign_libraries()) {
    if (!std::regex_match(included, foreign.header)) continue;
    const std::string name(foreign.name);
    if (place.exported && place.header) return name + " stays out of headers under include/";
    if (place.header && !foreign.in_own_headers)
      return name + " stays in a .cpp, behind an interface of ours";
    if (!foreign.layers.empty() && !foreign.layers.contains(place.layer)) {
      return name + " is not for layer " + place.layer;
    }
  }
  return std::nullopt;
}

// The emulator knows nothing of autokernel: not even by a name that some header brings in.
std::optional<std::string> name_rule_broken(const Place& place, const std::string& line) {
  static const std::regex qualified("autokernel::\\w+");
  std::smatch match;
  if (!place.in_emulator() || !std::regex_search(line, match, qualified)) return std::nullopt;
  return "the emulator mentions " + match.str();
}

}  // namespace

std::vector<Violation> violations_in(const SourceFile& file) {
  static const std::regex include(R"re(\s*#\s*include\s*[<"]([^>"]+)[>"].*)re");
  const Place place = place_of(file.path);
  std::vector<Violation> found;
  std::istringstream lines(file.text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (const auto broken = name_rule_broken(place, line))
      found.push_back({file.path, number, *broken});
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const std::string included = match[1];
    for (const auto& broken :
         {layer_rule_broken(place, included), part_rule_broken(file.path, included),
          foreign_rule_broken(place, included)}) {
      if (broken) found.push_back({file.path, number, included + ": " + *broken});
    }
  }
  return found;
}

std::vector<SourceFile> source_files(const std::filesystem::path& root) {
  constexpr std::array<std::string_view, 5> kEndings = {".h", ".cpp", ".c", ".cuh", ".in"};
  std::vector<SourceFile> files;
  for (const char* folder :
       {"include", "src", "tests", "emulator/include", "emulator/src", "emulator/tests"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (std::ranges::find(kEndings, entry.path().extension().string()) == kEndings.end())
        continue;
      std::ifstream in(entry.path());
      files.push_back({std::filesystem::relative(entry.path(), root).generic_string(),
                       std::string(std::istreambuf_iterator<char>(in), {})});
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::string listed(const std::vector<Violation>& violations) {
  std::string text;
  for (const auto& violation : violations) {
    text += violation.path + ":" + std::to_string(violation.line) + ": " + violation.what + "\n";
  }
  return text;
}

}  // namespace layers
