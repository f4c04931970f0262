#include "autokernel/compile/image_front_end.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "autokernel/base/base64.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/image_parts.h"
#include "autokernel/compile/normalized_source.h"
#include "autokernel/compile/size_formula.h"
#include "autokernel/compile/source_text.h"
#include "compile/declaration.h"
#include "compile/elf.h"
#include "compile/image.h"
#include "compile/image_program.h"
#include "compile/ptx_text.h"

namespace autokernel::compile {
namespace {

constexpr std::size_t kMostImageLaunches = 16;

// What a description says, or Refused.
class Description {
 public:
  // Of a captured kernel, whose files are in base64; or of one of the user's, whose numbers may be
  // formulas of the sizes.
  enum class Of : std::uint8_t { capture, kernel };

  Description(const Request& request, Of of)
      : source_(request.source), sizes_(request.sizes), of_(of) {
    const Source& source = source_;
    // toml++ calls itself once for each part of a dotted key, and a stack has an end.
    constexpr std::ptrdiff_t kMostDots = 1000;
    if (std::ranges::count(source.text, '.') > kMostDots) {
      fail(fmt::format("it has more than {} dots", kMostDots));
    }
    try {
      table_ = toml::parse(source.text);
    } catch (const toml::parse_error& error) {
      throw Refused(
          fmt::format("{}:{}: {}", source.name, error.source().begin.line, error.description()));
    }
    for (const auto& [key, value] : table_) {
      const std::string_view name = key.str();
      const bool is_image = of_ == Of::capture ? name == "cubin" || name == "ptx" : name == "image";
      if (!is_image && name != "launch" && name != "workspace_bytes") {
        fail(fmt::format("'{}' is no key; write {}, workspace_bytes or [[launch]]",
                         visible_line(name), of_ == Of::capture ? "cubin, ptx" : "image"));
      }
    }
  }

  // The bytes of the file that the key names; none where the key is not there.
  [[nodiscard]] std::optional<std::string> image(const char* key) const {
    const auto name = table_[key].value<std::string>();
    if (!name) return std::nullopt;
    const auto file = source_.files.find(*name);
    if (file == source_.files.end()) {
      fail(fmt::format("{} names '{}', which is not there", key, visible_line(*name)));
    }
    if (of_ == Of::kernel) return file->second;
    auto bytes = bytes_of_base64(file->second);
    if (!bytes) fail(fmt::format("{} '{}' is damaged", key, visible_line(*name)));
    return bytes;
  }

  [[nodiscard]] Declaration declaration() const {
    Declaration declaration;
    declaration.file = source_.name;
    declaration.workspace_bytes =
        static_cast<std::uint64_t>(whole(table_, "workspace_bytes", 0, 1LL << 30));
    const toml::array* launches = table_["launch"].as_array();
    if (launches == nullptr || launches->empty() || launches->size() > kMostImageLaunches) {
      fail(fmt::format("write one to {} [[launch]]", kMostImageLaunches));
    }
    for (const toml::node& node : *launches) {
      const toml::table* table = node.as_table();
      if (table == nullptr) fail("launch is to be a table: [[launch]]");
      declaration.launches.push_back(launch(*table));
    }
    declaration.line = static_cast<std::uint32_t>(launches->source().begin.line);
    return declaration;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Refused(fmt::format("{}: {}", source_.name, what));
  }

  [[nodiscard]] std::int64_t whole(const toml::table& table, const char* key,
                                   std::int64_t otherwise, std::int64_t most) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return otherwise;
    const auto value = number(*node, key);
    if (!value || *value < 0 || *value > most) {
      fail(fmt::format("{} is to be a whole number from 0 to {}", key, most));
    }
    return *value;
  }

  // A whole number, or what a formula comes to; none where it is neither.
  [[nodiscard]] std::optional<std::int64_t> number(const toml::node& node, const char* key) const {
    const auto formula = node.value_exact<std::string>();
    if (!formula || of_ == Of::capture) return node.value_exact<std::int64_t>();
    const auto value = value_of(*formula, sizes_);
    if (const auto* why = std::get_if<std::string>(&value))
      fail(fmt::format("{}: \"{}\" {}", key, visible_line(*formula), *why));
    return std::get<std::int64_t>(value);
  }

  [[nodiscard]] std::array<std::uint32_t, 3> extents(const toml::table& table,
                                                     const char* key) const {
    std::array<std::uint32_t, 3> extents = {1, 1, 1};
    const toml::node* node = table.get(key);
    if (node == nullptr) return extents;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->size() > extents.size()) {
      fail(fmt::format("{} is to be a list of one to three numbers", key));
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      const auto value = number((*array)[i], key);
      constexpr std::int64_t kMost = 0x7fffffff;
      if (!value || *value < 1 || *value > kMost) {
        fail(fmt::format("{} is to have numbers from 1 to {}", key, kMost));
      }
      extents.at(i) = static_cast<std::uint32_t>(*value);
    }
    return extents;
  }

  [[nodiscard]] bool flag(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    const auto value = node->value_exact<bool>();
    if (!value) fail(fmt::format("{} is to be true or false", key));
    return *value;
  }

  [[nodiscard]] Launch launch(const toml::table& table) const {
    constexpr auto kKeys =
        std::to_array<std::string_view>({"kernel", "grid", "block", "cluster", "shared_bytes",
                                         "cooperative", "programmatic", "arguments"});
    for (const auto& [key, value] : table) {
      if (std::ranges::find(kKeys, key.str()) == kKeys.end()) {
        fail(fmt::format("[[launch]] has no key '{}'", visible_line(key.str())));
      }
    }
    Launch launch;
    launch.kernel = table["kernel"].value_or(std::string());
    if (launch.kernel.empty()) fail("[[launch]] names no kernel");
    launch.grid = extents(table, "grid");
    launch.block = extents(table, "block");
    launch.cluster = extents(table, "cluster");
    launch.shared_bytes = static_cast<std::uint32_t>(whole(table, "shared_bytes", 0, 1 << 20));
    launch.cooperative = flag(table, "cooperative");
    launch.programmatic = flag(table, "programmatic");
    if (const toml::array* names = table["arguments"].as_array()) {
      for (const toml::node& name : *names) {
        launch.arguments.push_back(name.value_or(std::string()));
      }
    }
    return launch;
  }

  const Source& source_;
  const std::map<std::string, std::int64_t>& sizes_;
  const Of of_;
  toml::table table_;
};

// PTX of a text alone: what a kernel needs of registers, only ptxas would tell.
void read_ptx(Program& program, const Source& source) {
  for (const Launch& launch : program.declaration.launches) {
    auto parameters = ptx_parameters(program.ptx, launch.kernel);
    if (!parameters) {
      throw Refused(
          fmt::format("{}: its PTX has no kernel {}", source.name, visible_line(launch.kernel)));
    }
    program.parameters[launch.kernel] = *std::move(parameters);
  }
  auto objects = ptx_objects(program.ptx);
  if (!objects) {
    throw Refused(fmt::format("{}: a variable of its PTX cannot be read", source.name));
  }
  program.objects = *std::move(objects);
}

// (9, 0) of "sm_90a".
[[nodiscard]] std::pair<int, int> capability_in(const std::string& architecture) {
  int number = 0;
  const std::size_t digits = architecture.find_first_of("0123456789");
  if (digits != std::string::npos)
    std::from_chars(architecture.data() + digits, architecture.data() + architecture.size(),
                    number);
  return {number / 10, number % 10};
}

// A kernel of the user's: PTX, a cubin or a fat binary, of which there may be both.
[[nodiscard]] Program program_of_kernel(const Request& request) {
  const Description description(request, Description::Of::kernel);
  const std::string place = request.source.name + ": ";
  Program program;
  program.declaration = description.declaration();
  const auto image = description.image("image");
  if (!image) throw Refused(place + "name an image: image = \"kernel.ptx\"");
  const auto [major, minor] = capability_in(request.architecture);
  ImageParts parts = parts_of_image(std::as_bytes(std::span(*image)), major, minor);
  if (parts.ptx.empty() && parts.cubin.empty()) {
    throw Refused(fmt::format("{}its image has nothing for {}{}", place, request.architecture,
                              parts.trouble.empty() ? "" : ": " + parts.trouble));
  }
  program.ptx = parts.ptx.substr(0, parts.ptx.find('\0'));
  program.cubin = std::move(parts.cubin);
  read_images(request, program, place);
  return program;
}

[[nodiscard]] Program program_of(const Request& request) {
  const Description description(request, Description::Of::capture);
  Program program;
  program.declaration = description.declaration();
  if (const auto ptx = description.image("ptx")) {
    // Up to the zero byte that a driver wants at its end.
    program.ptx = ptx->substr(0, ptx->find('\0'));
  }
  const auto cubin = description.image("cubin");
  if (cubin) {
    program.cubin.resize(cubin->size());
    std::memcpy(program.cubin.data(), cubin->data(), cubin->size());
    const Elf elf(program.cubin);
    read_image(elf, request, program);
  } else if (!program.ptx.empty()) {
    read_ptx(program, request.source);
  } else {
    throw Refused(
        fmt::format(R"({}: name an image: cubin = "FILE" or ptx = "FILE")", request.source.name));
  }
  return program;
}

}  // namespace

bool is_image_description(const std::string& text) { return text.starts_with(kImageDescription); }

namespace {

// The lines that are no comments of Python's.
std::string without_python_comments(const std::string& text) {
  std::string rest;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text[begin] != '#') rest.append(text, begin, end - begin);
    begin = end + 1;
  }
  return rest;
}

}  // namespace

bool asks_for_original(const std::string& text) {
  if (without_python_comments(text) ==
      "AUTOKERNEL_"
      "ORIGINAL")
    return true;
  std::string rest = normalized(text);
  std::erase_if(rest, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return rest == "#include<autokernel.cuh>AUTOKERNEL_ORIGINAL;";
}

Compilation ImageFrontEnd::compile(const Request& request) const {
  try {
    return is_image_description(request.source.text) ? program_of(request)
                                                     : program_of_kernel(request);
  } catch (const Refused& refused) {
    return Refusal{refused.what(), {}};
  } catch (const BadElf& error) {
    return Refusal{
        fmt::format("{}: its cubin cannot be read: {}", request.source.name, error.what()), {}};
  }
}

Compilation FrontEnds::compile(const Request& request) const {
  if (is_image_description(request.source.text) || request.source.name.ends_with(".toml"))
    return images_.compile(request);
  return request.compiler ? external_.compile(request) : sources_->compile(request);
}

}  // namespace autokernel::compile
