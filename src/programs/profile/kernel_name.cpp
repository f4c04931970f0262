#include "programs/profile/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

namespace autokernel::programs {
namespace {

// A demangler may take much longer than the name: templates of templates multiply.
constexpr std::size_t kLongestMangled = 64 << 10;
constexpr std::size_t kLongestShort = 120;

[[nodiscard]] bool opens(char letter) {
  return letter == '<' || letter == '(' || letter == '{' || letter == '[';
}
[[nodiscard]] bool closes(char letter) {
  return letter == '>' || letter == ')' || letter == '}' || letter == ']';
}
// "operator<", "operator->" and their like have brackets that open and close nothing.
[[nodiscard]] bool is_operator(std::string_view text, std::size_t bracket) {
  if (text[bracket] != '<' && text[bracket] != '>') return false;
  const std::string_view before = text.substr(0, bracket);
  const std::size_t name_end = before.find_last_not_of("<>-=");
  return name_end != std::string_view::npos && before.substr(0, name_end + 1).ends_with("operator");
}

// The pieces of a text between separators outside all brackets.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text,
                                                  std::string_view separator) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      pieces.push_back(text.substr(begin, i - begin));
      i += separator.size() - 1;
      begin = i + 1;
    } else if (opens(text[i]) && !is_operator(text, i)) {
      ++depth;
    } else if (closes(text[i]) && !is_operator(text, i) && depth > 0) {
      --depth;
    }
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

// Where the bracket that closes at `end` was opened; npos where it was not.
[[nodiscard]] std::size_t opening(std::string_view text, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end + 1; i-- > 0;) {
    if (closes(text[i]) && !is_operator(text, i)) ++depth;
    if (opens(text[i]) && !is_operator(text, i) && --depth == 0) return i;
  }
  return std::string_view::npos;
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('*') || text.ends_with('&')) text.remove_suffix(1);
  for (const std::string_view word : {" const", " [clone .kd]"}) {
    if (text.ends_with(word)) return trimmed(text.substr(0, text.size() - word.size()));
  }
  return text;
}

// Without the parameters, and the result that is written before a template's name.
[[nodiscard]] std::string_view without_signature(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with(')')) {
    const std::size_t begin = opening(text, text.size() - 1);
    if (begin != std::string_view::npos && begin > 0) text = trimmed(text.substr(0, begin));
  }
  const std::vector<std::string_view> words = split(text, " ");
  // "operator new", "(anonymous namespace)::f": what is in brackets is not split.
  return words.size() > 1 && !words.back().empty() ? words.back() : text;
}

[[nodiscard]] bool is_lambda(std::string_view piece) {
  return piece.starts_with("{lambda") || piece.starts_with("operator()") ||
         piece.starts_with("'lambda") || piece.starts_with("{unnamed") ||
         piece.starts_with("__nv_");
}

// ATen's wrappers: what they wrap tells kernels apart, so it is written out, too.
constexpr auto kWrappers = std::to_array<std::string_view>(
    {"ReduceOp", "func_wrapper_t", "gpu_kernel_impl_nocast", "gpu_kernel_impl", "BinaryFunctor",
     "AUnaryFunctor", "BUnaryFunctor"});

[[nodiscard]] std::string shortened(std::string_view text, int levels);

[[nodiscard]] std::string with_arguments(std::string_view piece, int levels) {
  const std::size_t bracket = piece.find('<');
  if (bracket == std::string_view::npos || bracket == 0 || !piece.ends_with('>')) {
    return std::string(piece);
  }
  std::string name(piece.substr(0, bracket));
  const bool is_wrapper = std::ranges::find(kWrappers, name) != kWrappers.end();
  if (levels == 0 && !is_wrapper) return name;
  const std::string_view inside = piece.substr(bracket + 1, piece.size() - bracket - 2);
  std::string arguments;
  for (const std::string_view argument : split(inside, ", ")) {
    if (trimmed(argument).empty()) continue;
    arguments += (arguments.empty() ? "" : ", ") + shortened(argument, std::max(levels - 1, 0));
  }
  return name + "<" + arguments + ">";
}

// A name with namespaces.
[[nodiscard]] std::string shortened(std::string_view text, int levels) {
  text = trimmed(text);
  // "(bool)1", "(Kind)2": a value.
  if (text.starts_with('(') && !text.starts_with("(anonymous")) {
    const std::size_t end = text.find(')');
    if (end != std::string_view::npos && end + 1 < text.size()) {
      return std::string(text.substr(end + 1));
    }
  }
  const std::vector<std::string_view> pieces = split(text, "::");
  std::string_view chosen;
  for (const std::string_view piece : pieces) {
    if (is_lambda(piece)) break;
    if (!piece.empty() && !piece.starts_with("(anonymous") && !piece.starts_with("_GLOBAL__")) {
      chosen = piece;
    }
  }
  if (chosen.empty()) return std::string(text);
  return with_arguments(without_signature(chosen), levels);
}

struct Sign {
  std::string_view in_name;
  Origin origin;
};
// The first that is found in a demangled name decides: from the special to the general.
constexpr auto kSigns = std::to_array<Sign>({
    {"pytorch_flash::", Origin::flash_attention},
    {"flash_fwd", Origin::flash_attention},
    {"flash_bwd", Origin::flash_attention},
    {"flash::", Origin::flash_attention},
    {"FlashAttn", Origin::flash_attention},
    {"flashinfer::", Origin::flash_attention},
    {"ncclDevKernel", Origin::nccl},
    {"ncclKernel", Origin::nccl},
    {"nccl", Origin::nccl},
    {"at::native", Origin::aten},
    {"at::cuda", Origin::aten},
    {"at_cuda_detail", Origin::aten},
    {"at::", Origin::aten},
    {"c10::", Origin::aten},
    {"fmha_cutlass", Origin::aten},
    {"cudnn", Origin::cudnn},
    {"implicit_convolve", Origin::cudnn},
    {"xmma_fprop", Origin::cudnn},
    {"xmma_dgrad", Origin::cudnn},
    {"xmma_wgrad", Origin::cudnn},
    {"winograd", Origin::cudnn},
    {"Nhwc", Origin::cudnn},
    {"nhwcTo", Origin::cudnn},
    {"nchwTo", Origin::cudnn},
    {"cublas", Origin::cublas},
    {"nvjet", Origin::cublas},
    {"xmma_gemm", Origin::cublas},
    {"gemmk1_kernel", Origin::cublas},
    {"gemv2", Origin::cublas},
    {"gemvNSP", Origin::cublas},
    {"gemmSN_", Origin::cublas},
    {"splitKreduce_kernel", Origin::cublas},
    {"ampere_", Origin::cublas},
    {"volta_", Origin::cublas},
    {"turing_", Origin::cublas},
    {"maxwell_", Origin::cublas},
    // cuBLAS's own CUTLASS kernels, named after tile and layout.
    {"cutlass_", Origin::cublas},
    {"cutlass::", Origin::cutlass},
    {"cute::", Origin::cutlass},
    {"triton_", Origin::triton},
    {"cub::", Origin::cub},
    {"thrust::", Origin::cub},
    {"ggml", Origin::ggml},
    {"mul_mat_", Origin::ggml},
    {"quantize_q8_1", Origin::ggml},
    {"quantize_mmq", Origin::ggml},
    {"block_q", Origin::ggml},
    {"flash_attn_", Origin::ggml},
    {"dequantize_block", Origin::ggml},
    {"rms_norm_f32", Origin::ggml},
    {"rms_norm_mul_rope_f32", Origin::ggml},
    {"rope_norm", Origin::ggml},
    {"rope_neox", Origin::ggml},
    {"soft_max_f32", Origin::ggml},
    {"k_set_rows", Origin::ggml},
    {"k_get_rows", Origin::ggml},
    {"k_bin_bcast", Origin::ggml},
    {"cpy_scalar", Origin::ggml},
    {"convert_unary", Origin::ggml},
    {"unary_gated_op_kernel", Origin::ggml},
});

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangled) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

std::string short_name(std::string_view demangled) {
  const std::string name = shortened(without_signature(demangled), 1);
  if (name.empty()) return std::string(demangled.substr(0, kLongestShort));
  return name.size() <= kLongestShort ? name : name.substr(0, kLongestShort - 3) + "...";
}

Origin origin_of(std::string_view name, std::string_view demangled) {
  for (const Sign& sign : kSigns) {
    if (demangled.find(sign.in_name) != std::string_view::npos ||
        name.find(sign.in_name) != std::string_view::npos)
      return sign.origin;
  }
  return Origin::own;
}

const char* spelling(Origin origin) {
  switch (origin) {
    case Origin::cublas:
      return "cuBLAS";
    case Origin::cudnn:
      return "cuDNN";
    case Origin::aten:
      return "ATen";
    case Origin::triton:
      return "Triton";
    case Origin::cutlass:
      return "CUTLASS";
    case Origin::cub:
      return "CUB";
    case Origin::nccl:
      return "NCCL";
    case Origin::flash_attention:
      return "FlashAttn";
    case Origin::ggml:
      return "ggml";
    case Origin::own:
      break;
  }
  return "own";
}

}  // namespace autokernel::programs
