// The parameters of a captured launch as arguments of a case: tensors, scalars, and structs that
// are handed over as they were.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"

namespace autokernel::programs {

struct CaseTensor {
  std::string name;
  cases::Role role = cases::Role::in;
  cases::DType dtype = cases::DType::u8;
  std::uint64_t count = 0;  // elements
  const StudiedTensor* studied = nullptr;
};

struct CaseScalar {
  std::string name;
  cases::DType dtype = cases::DType::i32;
  std::string value;  // as case.toml has it
};

struct CaseStruct {
  std::string name;
  std::string bytes;  // in hexadecimal digits
  std::vector<cases::ByValue::Pointer> pointers;
};

struct CaseArguments {
  std::vector<CaseTensor> tensors;
  std::vector<CaseScalar> scalars;
  std::vector<CaseStruct> structs;
  std::vector<std::string> order;         // names of all, in the order of the kernel's parameters
  std::vector<std::string> declarations;  // the same as C++: "const float* in0"
};

// Throws Error(usage) where a case cannot have them.
[[nodiscard]] CaseArguments arguments_of(const CapturedLaunch& launch, const Study& study);

}  // namespace autokernel::programs
