// The arithmetic of each kind of operation that a workload file may list: one row of formulas for
// all models.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace autokernel::programs {

// What does the arithmetic: tensor cores, or each thread by itself, in fp32.
enum class ComputesWith : std::uint8_t { tensor_cores, threads };

struct SizeSymbol {
  const char* name = nullptr;  // null behind the last one
  std::int64_t otherwise = 0;  // where the file does not give it; 0: it must
};

// Formulas are of the symbols, and of ELEMENT, the bytes of an element.
struct OperationKind {
  const char* name = "";
  const char* operation = "";  // the case below kernels/; empty: there is none
  // That this case has, null behind the last one. For an operation of another type there is no
  // case.
  std::array<const char*, 3> types = {"bf16"};
  bool is_of_one_type = false;  // the first of `types`, whatever that of the model is
  // Where there is a case: all of its size symbols.
  std::array<SizeSymbol, 7> symbols = {};
  ComputesWith computes_with = ComputesWith::threads;
  const char* flops = "0";
  const char* reads = "";        // bytes
  const char* writes = "";       // bytes
  const char* parameters = "0";  // elements
};

// Null where no kind has that name.
[[nodiscard]] const OperationKind* kind_called(const std::string& name);
[[nodiscard]] std::vector<std::string> kind_names();

// The kind without formulas: the file gives them.
inline constexpr const char* kCustomKind = "custom";
// The symbol of the formulas that is the bytes of an element.
inline constexpr const char* kElementBytes = "ELEMENT";

}  // namespace autokernel::programs
