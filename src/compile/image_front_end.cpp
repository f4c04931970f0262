#include "autokernel/compile/image_front_end.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/base64.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/normalized_source.h"
#include "compile/declaration.h"
#include "compile/elf.h"
#include "compile/image.h"
#include "compile/image_program.h"
#include "compile/ptx_text.h"
#include "compile/source_text.h"

namespace autokernel::compile {
namespace {

constexpr std::size_t kMostImageLaunches = 16;

// What a description says, or Refused.
class Description {
 public:
  explicit Description(const Source& source) : source_(source) {
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
      if (name != "cubin" && name != "ptx" && name != "launch" && name != "workspace_bytes") {
        fail(fmt::format("'{}' is no key; write cubin, ptx, workspace_bytes or [[launch]]",
                         visible_line(name)));
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
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > most) {
      fail(fmt::format("{} is to be a whole number from 0 to {}", key, most));
    }
    return *value;
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
      const auto value = (*array)[i].value_exact<std::int64_t>();
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

[[nodiscard]] Program program_of(const Request& request) {
  const Description description(request.source);
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

bool asks_for_original(const std::string& text) {
  std::string rest = normalized(text);
  std::erase_if(rest, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return rest == "#include<autokernel.cuh>AUTOKERNEL_ORIGINAL;";
}

Compilation ImageFrontEnd::compile(const Request& request) const {
  try {
    return program_of(request);
  } catch (const Refused& refused) {
    return Refusal{refused.what(), {}};
  } catch (const BadElf& error) {
    return Refusal{
        fmt::format("{}: its cubin cannot be read: {}", request.source.name, error.what()), {}};
  }
}

Compilation FrontEnds::compile(const Request& request) const {
  return is_image_description(request.source.text) ? images_.compile(request)
                                                   : sources_->compile(request);
}

}  // namespace autokernel::compile
