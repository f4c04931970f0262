#include "product_call.h"

#include <array>
#include <atomic>

#include "gpu_recording.h"
#include "kept_errno.h"
#include "latest_products.h"
#include "line.h"
#include "lock.h"
#include "made.h"
#include "recorder.h"
#include "text_ids.h"

namespace recording {
namespace {

constinit thread_local std::uint32_t product_of_thread = 0;
constinit thread_local std::uint32_t depth_of_thread = 0;

// A program whose shapes keep changing is recorded up to here; later products are not told apart
// from other work.
constexpr std::uint32_t kMostProducts = 1U << 15U;

// The products that one process has called for.
struct Products {
  explicit Products(Recorder& owner) : recorder(owner) {}

  Recorder& recorder;
  Lock lock;
  TextIds ids{kMostProducts};
  bool too_many = false;
  LatestProducts latest;
};
constinit std::atomic<Products*> the_products{nullptr};

Products* products_of(Recorder& recorder) {
  Products* known = the_products.load(std::memory_order_acquire);
  if (known != nullptr && &known->recorder == &recorder) return known;
  auto* const added = made<Products>(recorder);
  // Another thread may have been faster; what it made is as good.
  if (the_products.compare_exchange_strong(known, added, std::memory_order_acq_rel)) return added;
  return known;
}

std::uint32_t number_of(const Product& product, Recorder& recorder) {
  Products* const products = products_of(recorder);
  if (products == nullptr) return 0;
  const Locked held{products->lock};
  if (!held) return 0;
  LatestProducts::Numbered& latest = products->latest.like(product);
  if (latest.is_known && latest.product == product) return latest.number;
  std::array<char, kMostOfProduct> room;  // NOLINT(*-member-init)
  const std::string_view text = json_of(product, room);
  const TextIds::Id id = products->ids.of(text);
  if (id.number == 0 && !products->too_many) {
    products->too_many = true;
    recorder.warn("the program has too many different matrix products: only the first are told");
  }
  if (id.is_new) {
    // At once, so that it stands before the first line that names it.
    std::array<char, 2 * kMostOfProduct> line;  // NOLINT(*-member-init)
    recorder.gpu_file.write(Line{line, 'O'}.number(std::uint64_t{id.number}).text(text).done());
  }
  latest = {.product = product, .number = id.number, .is_known = true};
  return id.number;
}

}  // namespace

std::uint32_t called_product() { return product_of_thread; }

ProductCall::ProductCall()
    : outermost_(depth_of_thread++ == 0), wanted_(outermost_ && gpu_is_recorded()) {}

ProductCall::~ProductCall() {
  if (--depth_of_thread == 0) product_of_thread = 0;
}

void ProductCall::is_for(const Product& product) const {
  const KeptErrno kept;
  Recorder* const writing = recorder();
  if (wanted_ && writing != nullptr) product_of_thread = number_of(product, *writing);
}

}  // namespace recording
