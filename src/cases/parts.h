// The parts of case.toml that parse.cpp puts together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "cases/section.h"

namespace autokernel::cases {

// [sizes.default], [sizes.check] and any others, all of the same symbols.
[[nodiscard]] std::map<std::string, Sizes> read_sizes(Section& root);
// Every [[tensor]], with extents that make sense at each of the sizes.
[[nodiscard]] std::vector<Tensor> read_tensors(Section& root,
                                               const std::map<std::string, Sizes>& sizes);
// [reference].
[[nodiscard]] Reference read_reference(Section& root, const Case& problem);
// The keys of [check] that say how exact a result must be. Needs the reference, whose tensors are
// the default.
[[nodiscard]] Exactness read_exactness(Section& check, const Case& problem);

// Runs `compute` and puts the place of `key` in front of what an Error(usage) in it says.
void placed(const Section& section, const std::string& key, const std::function<void()>& compute);

// The tensor that `key` names, which must have this role.
[[nodiscard]] const Tensor& named_tensor(Section& section, const std::string& key,
                                         const Case& problem, Role role);
// left x right = output: throws, naming `section`, where the shapes do not fit at some size or the
// types are not those a matrix product can have.
void require_product(const Section& section, const Case& problem, const Tensor& left,
                     const Tensor& right, const Tensor& output);

}  // namespace autokernel::cases
