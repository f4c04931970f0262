#include "compile/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "autokernel/compile/source_text.h"

namespace autokernel::compile {
namespace {

struct Hint {
  std::string_view sign;
  std::string_view text;
};

// By words of the compiler's message.
constexpr auto kOfMessages = std::to_array<Hint>({
    {"\"autokernel_launch\" has already been defined",
     "AUTOKERNEL_LAUNCH occurs once in all files of a kernel: put all launches into one, "
     "AUTOKERNEL_LAUNCH({...}, "
     "{...});"},
    {"\"autokernel_workspace\" has already been defined",
     "AUTOKERNEL_WORKSPACE occurs once in a file: request the sum of what is needed"},
    {"too many initializer values",
     "AUTOKERNEL_LAUNCH takes one to sixteen launches, each in braces"},
    {"\"autokernel::KernelName\"",
     "write the name of a kernel, at most 63 characters in quotes, or "
     "autokernel::kernel<&NAME<VALUES>>"},
    {"out-of-order initializers",
     "the order is .kernel, .grid, .block, .shared_bytes, .cluster, .cooperative, .programmatic, "
     ".arguments; of a tensor map .tensor, .box, .swizzle, .interleave, .l2_promotion, .oob_fill, "
     ".element_strides, .view, .type, .im2col"},
    {"class \"autokernel::Launch\" has no field",
     "a launch has .kernel, .grid, .block, .shared_bytes, .cluster, .cooperative, "
     ".programmatic and .arguments"},
    {"class \"autokernel::TensorMap\" has no field",
     "a tensor map has .tensor, .box, .swizzle, .interleave, .l2_promotion, .oob_fill, "
     ".element_strides, .view, .type and .im2col"},
    {"\"autokernel_tensor_map_", "give each tensor map a name of its own"},
    {"dynamic initialization is not supported for a __constant__",
     "values in AUTOKERNEL_LAUNCH must be known when the file is compiled: use constexpr values"},
    {"device-side kernel launch",
     "delete it: a kernel cannot launch others here; put each into AUTOKERNEL_LAUNCH({...}, "
     "{...})"},
});

// The names that cuda.h has for what a tensor map says in numbers and words, by how they begin.
constexpr auto kOfTensorMaps = std::to_array<Hint>({
    {"CU_TENSOR_MAP_SWIZZLE_", "write .swizzle in bytes: 32, 64 or 128; 0 for none"},
    {"CU_TENSOR_MAP_INTERLEAVE_", "write .interleave in bytes: 16 or 32; 0 for none"},
    {"CU_TENSOR_MAP_L2_PROMOTION_", "write .l2_promotion in bytes: 64, 128 or 256; 0 for none"},
    {"CU_TENSOR_MAP_FLOAT_OOB_FILL_", R"(write .oob_fill = "zeros" or "nan")"},
    {"CU_TENSOR_MAP_DATA_TYPE_",
     "write .type as a text, such as \"bf16\"; a tensor has its own already"},
});

constexpr std::string_view kDeviceMath =
    "delete it: functions of device math (sqrtf, expf, __expf, fmaxf, rsqrtf, ...) need no include";
constexpr std::string_view kLimits =
    "delete it: for the limits of types include <cuda/std/limits> and write "
    "cuda::std::numeric_limits<float>::max(), for infinity include <math_constants.h> and write "
    "CUDART_INF_F";
constexpr std::string_view kHostHeader =
    "delete it: it is for host code, which is not compiled here; the file holds the kernel and "
    "AUTOKERNEL_LAUNCH alone";

// By the file that cannot be opened.
constexpr auto kOfHeaders = std::to_array<Hint>({
    {"cmath", kDeviceMath},
    {"math.h", kDeviceMath},
    {"float.h", kLimits},
    {"cfloat", kLimits},
    {"limits.h", kLimits},
    {"climits", kLimits},
    {"limits", kLimits},
    {"cstdio", "delete it: printf needs no include in a kernel"},
    {"stdio.h", "delete it: printf needs no include in a kernel"},
    {"cassert", "delete it: assert is switched off here; __trap() ends a kernel"},
    {"assert.h", "delete it: assert is switched off here; __trap() ends a kernel"},
    {"iostream", kHostHeader},
    {"vector", kHostHeader},
    {"string", kHostHeader},
    {"cstdlib", kHostHeader},
    {"stdlib.h", kHostHeader},
    {"memory", kHostHeader},
    {"chrono", kHostHeader},
    {"random", kHostHeader},
    {"cublas_v2.h", kHostHeader},
    {"cublasLt.h", kHostHeader},
    {"cudnn.h", kHostHeader},
});

// Headers of C++ that CUDA has for device code.
constexpr std::array<std::string_view, 15> kInCudaStd = {
    "cstdint", "stdint.h", "cstddef", "type_traits", "utility", "array",   "tuple", "complex",
    "atomic",  "barrier",  "limits",  "functional",  "bit",     "numeric", "span"};

// By the name that is not known.
constexpr std::string_view kInfinity =
    "write CUDART_INF_F and #include <math_constants.h> (CUDART_INF is the double)";
constexpr std::string_view kNan =
    "write CUDART_NAN_F and #include <math_constants.h> (CUDART_NAN is the double)";
constexpr std::string_view kNumericLimits =
    "#include <cuda/std/limits> and write cuda::std::numeric_limits<float>::max(), ::lowest() or "
    "::min()";
constexpr std::string_view kIntegers =
    "#include <cuda/std/cstdint> and write cuda::std::uint32_t, or write unsigned int";
constexpr std::string_view kDeviceRuntime =
    "#include <cuda_device_runtime_api.h>, which declares it";
constexpr std::string_view kHostCall = "delete it: host code is not compiled here";
constexpr auto kOfNames = std::to_array<Hint>({
    {"cudaGridDependencySynchronize", kDeviceRuntime},
    {"cudaTriggerProgrammaticLaunchCompletion", kDeviceRuntime},
    {"INFINITY", kInfinity},
    {"HUGE_VALF", kInfinity},
    {"HUGE_VAL", kInfinity},
    {"__builtin_inff", kInfinity},
    {"NAN", kNan},
    {"FLT_MAX", kNumericLimits},
    {"FLT_MIN", kNumericLimits},
    {"FLT_EPSILON", kNumericLimits},
    {"DBL_MAX", kNumericLimits},
    {"INT_MAX", kNumericLimits},
    {"INT_MIN", kNumericLimits},
    {"UINT_MAX", kNumericLimits},
    {"numeric_limits", kNumericLimits},
    {"M_PI", "write CUDART_PI_F and #include <math_constants.h> (CUDART_PI is the double)"},
    {"uint8_t", kIntegers},
    {"uint16_t", kIntegers},
    {"uint32_t", kIntegers},
    {"uint64_t", kIntegers},
    {"int8_t", kIntegers},
    {"int16_t", kIntegers},
    {"int32_t", kIntegers},
    {"int64_t", kIntegers},
    {"max", "write max(a, b), which takes all types, or fmaxf(a, b)"},
    {"min", "write min(a, b), which takes all types, or fminf(a, b)"},
});

// What only host code says.
constexpr std::array<std::string_view, 12> kSignsOfHostCode = {
    "<<<",        "cudaMalloc", "cudaMemcpy",  "cudaFree", "cudaDeviceSynchronize",
    "cudaStream", "std::",      "cudaError_t", "torch::",  "at::",
    "main",       "cudaLaunch"};

// The text between the first two quotation marks behind `sign`; none where there is none.
std::optional<std::string_view> quoted_after(std::string_view message, std::string_view sign) {
  const std::size_t at = message.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t open = message.find('"', at + sign.size());
  const std::size_t close = open == std::string_view::npos ? open : message.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return message.substr(open + 1, close - open - 1);
}

template <std::size_t size>
std::optional<std::string> found_in(const std::array<Hint, size>& hints, std::string_view name) {
  const auto* const found = std::ranges::find(hints, name, &Hint::sign);
  if (found == hints.end()) return std::nullopt;
  return std::string(found->text);
}

std::string hint_on_header(std::string_view name) {
  if (auto text = found_in(kOfHeaders, name)) return *std::move(text);
  const bool is_c = name == "stdint.h";
  if (std::ranges::find(kInCudaStd, name) != kInCudaStd.end())
    return fmt::format("for <{}> write <cuda/std/{}>, and cuda::std:: for std::", name,
                       is_c ? "cstdint" : name);
  const bool is_own = name.ends_with(".cuh") || name.ends_with(".h") || name.ends_with(".hpp") ||
                      name.ends_with(".cu") || name.ends_with(".inl");
  if (is_own) {
    return fmt::format(
        "put what it needs of {} into it, or add the file to editable_files in case.toml; for the "
        "headers of a library, add their folder to [compile] include in "
        "case.toml; besides there are <autokernel.cuh> and CUDA's own device headers",
        name);
  }
  return fmt::format(
      "only CUDA's device headers can be included, not the host's: see whether there is "
      "<cuda/std/{}>, or delete it",
      name);
}

// What begins on a line, up to the end of its braces, or to its semicolon where it has none.
std::string_view declared_on(std::string_view text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  const std::size_t stop = text.find_first_of("{;", begin);
  if (stop == std::string_view::npos) return text.substr(begin);
  int depth = 0;
  for (std::size_t at = stop; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    if (depth == 0) return text.substr(begin, at + 1 - begin);
  }
  return text.substr(begin);
}

std::string hint_on_host_code(std::string_view message, std::string_view source,
                              std::size_t number) {
  const std::string text = without_comments(source);
  const std::string_view declared = declared_on(text, number);
  const bool host = message.find("explicitly marked") != std::string_view::npos ||
                    std::ranges::any_of(kSignsOfHostCode, [&](std::string_view sign) {
                      return declared.find(sign) != std::string_view::npos;
                    });
  if (host) {
    return "delete it: host code is not compiled here; AUTOKERNEL_LAUNCH says how the kernel is "
           "launched";
  }
  if (message.find("variable") != std::string_view::npos)
    return "write __device__, __constant__ or constexpr before it: the file is device code only";
  // Called where the file is compiled, in AUTOKERNEL_LAUNCH, a function of any kind may be
  // constexpr.
  if (declared.find("constexpr") != std::string_view::npos)
    return "write __device__ before it: the file is device code only";
  return "write __device__ before it where a kernel calls it, else delete it: the file is device "
         "code only";
}

// The text from a line on.
std::string_view from_line(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

// What is wrong with a macro as it is written on that line, where the compiler's words are about
// what it is replaced by.
std::string hint_on_macro(std::string_view message, std::string_view source, std::size_t number) {
  if (number == 0) return "";
  std::string_view text = from_line(source, number);
  text = text.substr(0, text.find(';'));
  const std::size_t open = text.find('(');
  const std::size_t comma = text.find(',');
  if (message.find("entity of type \"char\"") != std::string_view::npos &&
      text.find(".arguments") != std::string_view::npos)
    return "write .arguments as one text: .arguments = \"x, y\"";
  if (text.find("AUTOKERNEL_TENSOR_MAP") == std::string_view::npos || comma < open) return "";
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first_behind = [&](std::size_t at) {
    at = text.find_first_not_of(kBlanks, at + 1);
    return at == std::string_view::npos ? ' ' : text[at];
  };
  if (first_behind(open) == '"')
    return "write the name of the map without quotes: AUTOKERNEL_TENSOR_MAP(map, {...});";
  if (comma != std::string_view::npos && first_behind(comma) != '{')
    return "write the fields in braces: AUTOKERNEL_TENSOR_MAP(map, {.tensor = \"A\", .box = "
           "{...}});";
  if (message.find("const char *") != std::string_view::npos)
    return ".swizzle, .interleave and .l2_promotion are numbers of bytes: .swizzle = 128";
  if (const auto name = quoted_after(message, "identifier ");
      name && text.find(fmt::format(".tensor = {}", *name)) != std::string_view::npos)
    return fmt::format("write the tensor's name in quotes: .tensor = \"{}\"", *name);
  return "";
}

}  // namespace

std::string hint_on_cuda_header(std::string_view header) {
  const std::string_view name = header.substr(1, header.size() - 2);
  if (name.starts_with("cub/")) {
    return "include the parts that a kernel calls instead, such as <cub/block/block_reduce.cuh> or "
           "<cub/warp/warp_scan.cuh>; the others are called by host code, which is not compiled "
           "here";
  }
  if (name.starts_with("thrust/")) {
    return "delete this include: thrust is called by host code, which is not compiled here; a "
           "block has <cub/block/block_reduce.cuh> and its neighbours";
  }
  return "delete this include, or include the part of it that is for device code: host code is not "
         "compiled here";
}

std::string hint_on_library(std::string_view message) {
  if (message.find("is considered a host") != std::string_view::npos ||
      message.find("marked as a __host__") != std::string_view::npos)
    return "add \"-default-device\" to [compile] flags in case.toml: the library leaves out "
           "__device__";
  if (const auto header = quoted_after(message, "open source file")) {
    return fmt::format(
        "{} is neither CUDA's nor in a folder of [compile] include in case.toml; a header "
        "for host code is not: see what the library says of NVRTC",
        *header);
  }
  return "";
}

std::string hint(std::string_view message, std::string_view source, std::size_t number) {
  for (const Hint& each : kOfMessages) {
    if (message.find(each.sign) != std::string_view::npos) return std::string(each.text);
  }
  if (const auto header = quoted_after(message, "open source file")) return hint_on_header(*header);
  if (std::string text = hint_on_macro(message, source, number); !text.empty()) return text;
  const bool is_host = message.find("is considered a host") != std::string_view::npos ||
                       message.find("marked as a __host__") != std::string_view::npos;
  if (is_host) return hint_on_host_code(message, source, number);
  const bool unknown = message.ends_with("is undefined");
  auto name = unknown ? quoted_after(message, "identifier ") : quoted_after(message, "no member ");
  if (!name) return "";
  if (auto text = found_in(kOfNames, *name)) return *std::move(text);
  for (const Hint& each : kOfTensorMaps) {
    if (name->starts_with(each.sign)) return std::string(each.text);
  }
  if (name->starts_with("cuda")) return std::string(kHostCall);
  if (message.find("namespace \"std\"") != std::string_view::npos)
    return fmt::format("the host's std:: is not here: see whether CUDA has cuda::std::{}", *name);
  return "";
}

}  // namespace autokernel::compile
