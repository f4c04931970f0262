#include "jit/symbols.h"

#include <cmath>
#include <cstring>

extern "C" {
// Of the compiler's run-time library, under the name the code generator calls: double to half.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is the library's
std::uint16_t __truncdfhf2(double value);
}

namespace emulator::jit {
namespace {

template <typename Function>
runtime::EntryPoint entry(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

std::vector<runtime::EntryPoint> callable_symbols() {
  std::vector<runtime::EntryPoint> symbols(runtime::entry_points().begin(),
                                           runtime::entry_points().end());
  const auto add = [&](const runtime::EntryPoint& symbol) { symbols.push_back(symbol); };
  using F1 = float(float);
  using F3 = float(float, float, float);
  using D1 = double(double);
  using D3 = double(double, double, double);
  add(entry<F1>("exp2f", ::exp2f));
  add(entry<F1>("log2f", ::log2f));
  add(entry<F1>("sinf", ::sinf));
  add(entry<F1>("cosf", ::cosf));
  add(entry<F1>("roundevenf", ::roundevenf));
  add(entry<F1>("truncf", ::truncf));
  add(entry<F1>("floorf", ::floorf));
  add(entry<F1>("ceilf", ::ceilf));
  add(entry<F3>("fmaf", ::fmaf));
  add(entry<D1>("exp2", ::exp2));
  add(entry<D1>("log2", ::log2));
  add(entry<D1>("sin", ::sin));
  add(entry<D1>("cos", ::cos));
  add(entry<D1>("roundeven", ::roundeven));
  add(entry<D1>("trunc", ::trunc));
  add(entry<D1>("floor", ::floor));
  add(entry<D1>("ceil", ::ceil));
  add(entry<D3>("fma", ::fma));
  add(entry<void*(void*, const void*, std::size_t)>("memcpy", ::memcpy));
  add(entry<void*(void*, int, std::size_t)>("memset", ::memset));
  add(entry("__truncdfhf2", __truncdfhf2));
  return symbols;
}

}  // namespace emulator::jit
