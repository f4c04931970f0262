#include "replaced_product.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "kept_errno.h"
#include "latest_products.h"
#include "lock.h"

namespace recording {
namespace {

using Find = std::uint32_t(const char* product, std::size_t bytes);
using Replace = blas::Status(std::uint32_t replacement, const void* left, const void* right,
                             void* result, void* stream, blas::Status (*original)(void*),
                             void* of_original);

// Of the forwarding driver; null where the program has another one.
struct Replacer {
  Find* find = nullptr;
  Replace* replace = nullptr;
};

constinit std::atomic<bool> is_looked_up{false};
constinit Lock lock;
constinit Replacer found;
constinit LatestProducts latest;

void look_up() {
  if (is_looked_up.load(std::memory_order_acquire)) return;
  const Locked held{lock};
  if (!held || is_looked_up.load(std::memory_order_relaxed)) return;
  // The one that programs see: it has loaded NVIDIA's behind it.
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return;  // not yet
  found.find = reinterpret_cast<Find*>(::dlsym(driver, "autokernel_find_product"));
  found.replace = reinterpret_cast<Replace*>(::dlsym(driver, "autokernel_replace_product"));
  is_looked_up.store(true, std::memory_order_release);
}

}  // namespace

bool replaces_products() {
  static const bool is_asked_for = [] {
    const char* const folder = ::secure_getenv("AUTOKERNEL_REPLACE");
    return folder != nullptr && *folder != '\0';
  }();
  return is_asked_for;
}

std::uint32_t replacement_of(const Product& product) {
  const KeptErrno kept;
  look_up();
  if (!is_looked_up.load(std::memory_order_acquire) || found.find == nullptr ||
      found.replace == nullptr) {
    return 0;
  }
  const Locked held{lock};
  if (!held) return 0;
  LatestProducts::Numbered& known = latest.like(product);
  if (known.is_known && known.product == product) return known.number;
  std::array<char, kMostOfProduct> room;  // NOLINT(*-member-init)
  const std::string_view text = json_of(product, room);
  known = {.product = product, .number = found.find(text.data(), text.size()), .is_known = true};
  return known.number;
}

blas::Status replace_product(std::uint32_t replacement, const ProductOperands& operands,
                             blas::Status (*original)(void*), void* of_original) {
  return found.replace(replacement, operands.a, operands.b, operands.d, operands.stream, original,
                       of_original);
}

}  // namespace recording
