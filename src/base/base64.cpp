#include "autokernel/base/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace autokernel {
namespace {

// OpenSSL takes lengths as ints: texts are coded in pieces, of whole groups each.
constexpr std::size_t kPlainPiece = std::size_t{3} << 20U;
constexpr std::size_t kCodedPiece = kPlainPiece / 3 * 4;

[[nodiscard]] const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPlainPiece);
    bytes.remove_prefix(piece.size());
    std::string coded((piece.size() + 2) / 3 * 4 + 1, '\0');  // and a zero byte
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                     unsigned_bytes(piece), static_cast<int>(piece.size()));
    text.append(coded, 0, static_cast<std::size_t>(size));
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding =
      text.ends_with("==") ? 2U : static_cast<std::size_t>(text.ends_with('=') ? 1 : 0);
  std::string bytes;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kCodedPiece);
    text.remove_prefix(piece.size());
    std::string plain(piece.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(plain.data()),
                                     unsigned_bytes(piece), static_cast<int>(piece.size()));
    if (size != static_cast<int>(plain.size())) return std::nullopt;
    bytes += plain;
  }
  bytes.resize(bytes.size() - std::min(padding, bytes.size()));
  return bytes;
}

}  // namespace autokernel
