#include "autokernel/base/sha256.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr std::size_t kPiece = 1U << 18U;

class Sha256 {
 public:
  // Without openssl.cnf, which the environment may name and which can load code of anybody's.
  Sha256() {
    require(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) == 1 && context_ != nullptr &&
            EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void add(std::string_view bytes) {
    require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  // 64 hexadecimal digits, of all that was added; nothing may be added afterwards.
  [[nodiscard]] std::string digits() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
      text += kDigits[digest[i] >> 4U];
      text += kDigits[digest[i] & 0xfU];
    }
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };

  // OpenSSL fails where memory is short.
  static void require(bool done) {
    if (!done)
      throw Error(Stop::environment,
                  "cannot compute a SHA-256: OpenSSL failed, probably for lack of memory");
  }

  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  const std::string attempt = "cannot read " + file.string();
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.is_open()) throw system_failure(Stop::environment, attempt, "open");
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw system_failure(Stop::environment, attempt, "fstat");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Stop::environment, attempt + ": it is not a regular file");
  }
  Sha256 hash;
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t count = ::read(descriptor.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::environment, attempt, "read");
    if (count == 0) return hash.digits();
    hash.add({piece.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace autokernel
