// What a compiler of somebody else's printed. Nothing in it is believed: an image is read as any
// other, and a launch must fit it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "autokernel/base/base64.h"
#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/external_compiler.h"
#include "compile/declaration.h"
#include "compile/image_program.h"

namespace autokernel::compile {
namespace {

using document::Json;

constexpr std::size_t kMostAnswered = 16;
constexpr std::size_t kMostArguments = 256;
constexpr std::uint64_t kMostWorkspace = 1ULL << 40U;
constexpr std::size_t kMostText = 1000;

class Answer {
 public:
  Answer(const Request& request, const std::string& text) : request_(request) {
    try {
      auto parsed = document::parsed(text);
      if (!parsed) fail("it is no JSON");
      json_ = *std::move(parsed);
    } catch (const document::Unreadable& error) {
      fail(error.why);
    }
    if (!json_.is_object()) fail("it is no object");
  }

  // Where the compiler says that the kernel is at fault; or that itself is.
  [[nodiscard]] std::optional<Refusal> refusal() const {
    if (json_.contains("broken")) {
      throw Error(Stop::environment, fmt::format("cannot compile with {}: {}",
                                                 compiler_of(request_).name, text("broken")));
    }
    if (!json_.contains("error")) return std::nullopt;
    return Refusal{text("error"), text("log")};
  }

  [[nodiscard]] Program program() const {
    Program program;
    program.log = text("log");
    if (!program.log.empty()) program.log += '\n';
    program.declaration = declaration();
    program.ptx = text("ptx");
    program.ptx.resize(std::min(program.ptx.size(), program.ptx.find('\0')));
    if (program.ptx.empty()) fail("it has no \"ptx\"");
    if (json_.contains("cubin")) {
      const auto cubin = bytes_of_base64(text("cubin"));
      if (!cubin || cubin->empty()) fail("its \"cubin\" is not in base64");
      program.cubin.resize(cubin->size());
      std::memcpy(program.cubin.data(), cubin->data(), cubin->size());
    }
    return program;
  }

  // In front of what is wrong with it.
  [[nodiscard]] std::string place() const {
    return fmt::format("{}: the answer of its compiler {} cannot be used: ", request_.source.name,
                       compiler_of(request_).name);
  }
  [[noreturn]] void fail(const std::string& what) const { throw Refused(place() + what); }

 private:
  [[nodiscard]] std::string text(const char* key) const { return text_of(json_, key); }
  [[nodiscard]] std::string text_of(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) return {};
    if (!found->is_string()) fail(fmt::format("\"{}\" is no text", key));
    return found->get<std::string>();
  }

  [[nodiscard]] std::uint64_t whole(const Json& json, const char* key, std::uint64_t otherwise,
                                    std::uint64_t most) const {
    const auto found = json.find(key);
    if (found == json.end()) return otherwise;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
      fail(fmt::format("\"{}\" is no whole number from 0 to {}", key, most));
    return found->get<std::uint64_t>();
  }

  [[nodiscard]] bool truth(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) return false;
    if (!found->is_boolean()) fail(fmt::format("\"{}\" is neither true nor false", key));
    return found->get<bool>();
  }

  [[nodiscard]] std::array<std::uint32_t, 3> extents(const Json& json, const char* key) const {
    std::array<std::uint32_t, 3> extents = {1, 1, 1};
    const auto found = json.find(key);
    if (found == json.end()) return extents;
    if (!found->is_array() || found->empty() || found->size() > extents.size())
      fail(fmt::format("\"{}\" is no list of one to three numbers", key));
    for (std::size_t i = 0; i < found->size(); ++i) {
      const Json& value = (*found)[i];
      constexpr std::uint64_t kMost = 0x7fffffff;
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
          value.get<std::uint64_t>() > kMost) {
        fail(fmt::format("\"{}\" has {}, which is no whole number from 1 to {}", key,
                         shortened(value.dump()), kMost));
      }
      extents.at(i) = value.get<std::uint32_t>();
    }
    return extents;
  }

  [[nodiscard]] static std::string shortened(const std::string& text) {
    return visible_line(text.substr(0, kMostText));
  }

  // {"buffer": "x", "offset": 1024}, as one of the declaration's.
  [[nodiscard]] std::string offset_pointer(const Json& json, Declaration& declaration) const {
    if (!json.at("buffer").is_string() || !json.contains("offset"))
      fail("a pointer into a buffer has no name of it, or no \"offset\"");
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
    OffsetPointer pointer{.name = {},
                          .buffer = json.at("buffer").get<std::string>(),
                          .offset = whole(json, "offset", 0, kMostBytes)};
    pointer.name = fmt::format("{}+{}", pointer.buffer, pointer.offset);
    auto& known = declaration.offset_pointers;
    if (std::ranges::find(known, pointer.name, &OffsetPointer::name) == known.end())
      known.push_back(pointer);
    return pointer.name;
  }

  template <std::size_t count>
  [[nodiscard]] std::array<std::int64_t, count> numbers(const Json& json, const char* key) const {
    std::array<std::int64_t, count> numbers{};
    const auto found = json.find(key);
    if (found == json.end()) return numbers;
    const auto is_number = [](const Json& each) {
      constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
      return each.is_number_unsigned() && each.get<std::uint64_t>() <= kMost;
    };
    if (!found->is_array() || found->size() > count || !std::ranges::all_of(*found, is_number))
      fail(fmt::format("\"{}\" is no list of at most {} whole numbers", key, count));
    std::ranges::transform(*found, numbers.begin(),
                           [](const Json& each) { return each.get<std::int64_t>(); });
    return numbers;
  }

  // {"map": "x", "dims": [64, 128], "strides": [64], "box": [64, 16]}: what AUTOKERNEL_TENSOR_MAP
  // says, in elements, the innermost dimension first.
  [[nodiscard]] std::string tensor_map(const Json& json, Declaration& declaration) const {
    constexpr std::uint64_t kMostBytes = 256;  // of a swizzle and a promotion
    TensorMap map;
    map.tensor = text_of(json, "map");
    map.name = fmt::format("map {} of {}", declaration.tensor_maps.size(), map.tensor);
    map.file = request_.source.name;
    map.place = request_.source.name + ": ";
    map.type = text_of(json, "type");
    map.box = numbers<5>(json, "box");
    map.swizzle = static_cast<std::int64_t>(whole(json, "swizzle", 0, kMostBytes));
    map.l2_promotion = static_cast<std::int64_t>(whole(json, "l2_promotion", 0, kMostBytes));
    map.oob_fill = json.contains("oob_fill") ? text_of(json, "oob_fill") : "zeros";
    map.view.dims = numbers<5>(json, "dims");
    map.view.strides = numbers<4>(json, "strides");
    map.view.offset = static_cast<std::int64_t>(whole(json, "offset", 0, std::uint64_t{1} << 40));
    declaration.tensor_maps.push_back(map);
    return map.name;
  }

  // {"type": "i32", "value": 7}, as one of the declaration's constants.
  [[nodiscard]] std::string constant(const Json& json, Declaration& declaration) const {
    const auto type = json.find("type");
    const auto value = json.find("value");
    if (type == json.end() || value == json.end() || !type->is_string() || !value->is_number())
      fail("an argument is neither a name nor a number with its type");
    Constant constant{.name = "#" + std::to_string(declaration.constants.size()),
                      .bytes = bytes_of(type->get<std::string>(), *value)};
    declaration.constants.push_back(std::move(constant));
    return declaration.constants.back().name;
  }

  [[nodiscard]] std::vector<std::byte> bytes_of(const std::string& type, const Json& value) const {
    if (type == "f32") {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value.get<double>()));
      return little_endian(bits, sizeof bits);
    }
    if (type == "f64")
      return little_endian(std::bit_cast<std::uint64_t>(value.get<double>()), sizeof(double));
    std::size_t bytes = 0;
    if (type == "i8" || type == "u8" || type == "i1" || type == "u1") bytes = 1;
    if (type == "i16" || type == "u16") bytes = 2;
    if (type == "i32" || type == "u32") bytes = 4;
    if (type == "i64" || type == "u64" || type == "pointer") bytes = 8;
    if (bytes == 0) {
      fail(
          fmt::format("an argument has the type \"{}\"; write f32, f64, i8 to i64, u8 to u64 or "
                      "pointer",
                      shortened(type)));
    }
    if (!value.is_number_integer())
      fail(fmt::format("an argument of type {} is no whole number", type));
    if (type == "pointer" && value != 0)
      fail("an argument is a pointer other than null: name a tensor");
    const auto bits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>()
                          : static_cast<std::uint64_t>(value.get<std::int64_t>());
    return little_endian(bits, bytes);
  }

  [[nodiscard]] static std::vector<std::byte> little_endian(std::uint64_t bits, std::size_t count) {
    std::vector<std::byte> bytes(count);
    std::memcpy(bytes.data(), &bits, count);
    return bytes;
  }

  [[nodiscard]] Launch launch(const Json& json, Declaration& declaration) const {
    if (!json.is_object()) fail("a launch is no object");
    Launch launch;
    const auto kernel = json.find("kernel");
    if (kernel == json.end() || !kernel->is_string()) fail("a launch names no kernel");
    launch.kernel = kernel->get<std::string>();
    launch.grid = extents(json, "grid");
    launch.block = extents(json, "block");
    launch.cluster = extents(json, "cluster");
    constexpr std::uint64_t kMostOfBlock = 1024;  // of a block, on every device there is
    const std::uint64_t threads = std::uint64_t{std::min(launch.block[0], 2048U)} *
                                  std::min(launch.block[1], 2048U) *
                                  std::min(launch.block[2], 2048U);
    if (threads > kMostOfBlock) fail(fmt::format("a block has more than {} threads", kMostOfBlock));
    launch.shared_bytes = static_cast<std::uint32_t>(whole(json, "shared_bytes", 0, 1U << 20U));
    launch.cooperative = truth(json, "cooperative");
    launch.programmatic = truth(json, "programmatic");
    const auto arguments = json.find("arguments");
    if (arguments == json.end() || !arguments->is_array() || arguments->empty() ||
        arguments->size() > kMostArguments) {
      fail(fmt::format("a launch has no list of 1 to {} \"arguments\"", kMostArguments));
    }
    for (const Json& argument : *arguments) {
      if (argument.is_string()) {
        launch.arguments.push_back(argument.get<std::string>());
      } else if (argument.is_object() && argument.contains("map")) {
        launch.arguments.push_back(tensor_map(argument, declaration));
      } else if (argument.is_object() && argument.contains("buffer")) {
        launch.arguments.push_back(offset_pointer(argument, declaration));
      } else if (argument.is_object()) {
        launch.arguments.push_back(constant(argument, declaration));
      } else {
        fail("an argument is neither a name nor a number with its type");
      }
    }
    return launch;
  }

  [[nodiscard]] Declaration declaration() const {
    Declaration declaration;
    declaration.file = request_.source.name;
    declaration.workspace_bytes = whole(json_, "workspace_bytes", 0, kMostWorkspace);
    declaration.workspace_zeroed = truth(json_, "workspace_zeroed");
    const auto launches = json_.find("launches");
    if (launches == json_.end() || !launches->is_array() || launches->empty() ||
        launches->size() > kMostAnswered) {
      fail(fmt::format("it has no list of 1 to {} \"launches\"", kMostAnswered));
    }
    for (const Json& each : *launches) declaration.launches.push_back(launch(each, declaration));
    return declaration;
  }

  const Request& request_;
  Json json_;
};

}  // namespace

Compilation compilation_of_answer(const Request& request, const std::string& text) {
  try {
    const Answer answer(request, text);
    if (auto refusal = answer.refusal()) return *std::move(refusal);
    Program program = answer.program();
    read_images(request, program, answer.place());
    return program;
  } catch (const Refused& refused) {
    return Refusal{refused.what(), {}};
  }
}

}  // namespace autokernel::compile
