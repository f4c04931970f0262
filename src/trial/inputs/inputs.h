// The inputs of one launch as a pure function of kind and key: made once before the launch, and
// again, from the key, when its output is judged.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trial/inputs/normal_table.h"
#include "trial/inputs/philox.h"
#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

enum class InputKind : std::uint8_t {
  declared,    // as case.toml says: normal, uniform, whole numbers
  exact,       // see exact_inputs.h; only for a sum of products
  very_large,  // the declared values times a power of two
  very_small,
  mixed,  // times a power of two of each element's own
  zeros,
  constant,  // one value per tensor
};
// Where the case has captured values, stress inputs are these as they were captured, and declared
// ones are drawn from them: what is timed can then not be told from what is known.
inline constexpr std::array kStressInputKinds = {InputKind::very_large, InputKind::very_small,
                                                 InputKind::mixed, InputKind::zeros,
                                                 InputKind::constant};

[[nodiscard]] bool is_captured(const cases::Case& problem);
// Whether nothing of any input is drawn: captured values that belong together.
[[nodiscard]] bool has_known_inputs(const cases::Case& problem);
// Whether the inputs are of another scale than the declared ones.
[[nodiscard]] bool is_stress(const cases::Case& problem, InputKind input_kind);
// Whether outputs on these inputs are compared bit for bit.
[[nodiscard]] bool is_exact(const cases::Case& problem, InputKind input_kind);
// The kind of launches that stand for timed ones: exact inputs where there are any.
[[nodiscard]] InputKind timed_input_kind(const cases::Case& problem);
// That of the sample with that number: every second one has the inputs that the case declares, so
// that a kernel gains nothing by being fast, or right, on one of the two alone.
[[nodiscard]] InputKind sampled_input_kind(const cases::Case& problem, int sample);
// "exact inputs", "normal inputs", "stress inputs: very large".
[[nodiscard]] std::string description(const cases::Case& problem, InputKind input_kind);

// How far stress inputs are moved, and so what may be expected of its outputs.
struct Scaling {
  int large = 0;  // very_large multiplies by 2^large, very_small by 2^-small, mixed by 2^-spread to
                  // 2^spread
  int small = 0;
  int spread = 0;
};
[[nodiscard]] Scaling scaling(const SizedCase& sized);

// Makes inputs; keep one, since its table costs a millisecond.
class InputMaker {
 public:
  // Reads the captured values of a case, which nobody can read any more once the process is
  // confined. Throws Error(usage) where a file is missing, or another one than was captured.
  void read_captured(const cases::Case& problem);
  // All values of the tensor that were captured, at one or more launches. Throws Error(usage) where
  // they are not as many as the tensor has, once or more.
  [[nodiscard]] const std::string& captured(const SizedTensor& tensor) const;

  // Gives every tensor that is read its values; outputs get none (an empty entry). Reuses the
  // memory in `inputs`.
  void make(const SizedCase& sized, InputKind input_kind, const Key& key,
            std::vector<Bytes>& inputs) const;
  // The same of the tensor with that index, which is read.
  void make_one(const SizedCase& sized, std::size_t index, InputKind input_kind, const Key& key,
                Bytes& input) const;

  [[nodiscard]] const NormalTable& normal() const { return normal_; }

 private:
  NormalTable normal_;
  std::map<std::string, std::string> captured_;  // by digest
};

}  // namespace autokernel::trial
