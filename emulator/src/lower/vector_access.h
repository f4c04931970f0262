// The wide loads and stores that one ld or st of a warp becomes: where the lanes' addresses are
// known relative to each other, and allowed.
#pragma once

#include <string>
#include <vector>

#include "lower/access_strategy.h"
#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

class VectorAccess {
 public:
  VectorAccess(Ir& ir, const ptx::Instruction& instruction, const AccessWay& way);

  // `base` is the host address of the lowest lane. One value of 32 lanes for each element.
  std::vector<Value> load(const Value& base);
  void store(const Value& base, const std::vector<Value>& values);

 private:
  std::vector<Value> load_runs(const Value& base);
  Value gather(const Value& base, unsigned element);
  Value gather_words(const Value& addresses, const std::string& element);
  Value picked(const Value& data, const std::vector<int>& picks);
  void merge(std::vector<Value>& result, unsigned element, const Value& value,
             const std::vector<int>& picks);
  Value concatenated(std::vector<Value> values);

  Ir& ir_;
  const LaneOffsets& offset_;
  std::string element_;
  unsigned bytes_;  // of one element
  unsigned count_;  // elements per lane
  bool gathers_;
  bool volatile_;
  std::int64_t lowest_;
  std::vector<Run> runs_;
};

}  // namespace emulator::lower
