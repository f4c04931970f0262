// libcublasLt.so.13 for tests: a product launches one kernel.
#include "fakes/fake_cublas_lt.h"

#include <cstddef>
#include <cstring>

#include "fakes/fake_cupti.h"

#define FAKE extern "C" [[gnu::visibility("default")]]

namespace {

std::int32_t attribute_of(const void* object, std::int32_t attribute, void* value,
                          std::size_t size) {
  const auto& set = static_cast<const autokernel::test::FakeLtObject*>(object)->attributes;
  const auto found = set.find(attribute);
  if (found == set.end()) return 7;  // CUBLAS_STATUS_INVALID_VALUE
  std::memcpy(value, &found->second, size);
  return 0;
}

}  // namespace

FAKE std::int32_t cublasLtMatmulDescGetAttribute(const void* object, std::int32_t attribute,
                                                 void* value, std::size_t size,
                                                 std::size_t* /*written*/) {
  return attribute_of(object, attribute, value, size);
}
FAKE std::int32_t cublasLtMatrixLayoutGetAttribute(const void* object, std::int32_t attribute,
                                                   void* value, std::size_t size,
                                                   std::size_t* /*written*/) {
  return attribute_of(object, attribute, value, size);
}
FAKE std::int32_t cublasLtMatmul(void*, const void*, const void*, const void*, const void*,
                                 const void*, const void*, const void*, const void*, const void*,
                                 void*, const void*, const void*, void*, std::size_t, void*) {
  autokernel::test::call_driver({.number = 652, .kernel = "lt_kernel"});
  return 0;
}
