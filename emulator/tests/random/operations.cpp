#include "random/operations.h"

namespace emulator::testing::random {

unsigned bits_of(Kind kind) {
  switch (kind) {
    case Kind::pred:
      return 1;
    case Kind::b16:
      return 16;
    case Kind::b32:
    case Kind::f32:
      return 32;
    case Kind::b64:
    case Kind::f64:
      break;
  }
  return 64;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all;
    add_integer_operations(all);
    add_bit_operations(all);
    add_float_operations(all);
    add_half_operations(all);
    add_conversions(all);
    add_choices(all);
    return all;
  }();
  return kAll;
}

}  // namespace emulator::testing::random
