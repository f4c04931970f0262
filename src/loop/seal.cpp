// The format of a seal, one line:
//
//   autokernel-seal 1 <offset> <length> <SHA-256>
//
// of the line in ledger.jsonl, newline included.
#include "loop/seal.h"

#include <fmt/format.h>

#include <sstream>

#include "autokernel/base/sha256.h"

namespace autokernel::loop {
namespace {

constexpr const char* kSealKind = "autokernel-seal";
constexpr int kSealVersion = 1;
constexpr std::size_t kDigits = 64;

}  // namespace

std::string seal_name(const std::string& tag) { return "refs/autokernel-seals/" + tag; }

std::string text_of(const Seal& seal) {
  return fmt::format("{} {} {} {} {}\n", kSealKind, kSealVersion, seal.offset, seal.length,
                     seal.sha256);
}

std::optional<Seal> parse_seal(const std::string& text) {
  std::istringstream words(text);
  std::string kind;
  int version = 0;
  Seal seal;
  words >> kind >> version >> seal.offset >> seal.length >> seal.sha256;
  const bool sound = words && kind == kSealKind && version == kSealVersion &&
                     seal.sha256.size() == kDigits && text_of(seal) == text;
  if (!sound) return std::nullopt;
  return seal;
}

Seal seal_of(const ledger::Append& append) {
  // The newline that ends the line before the last one.
  const std::size_t before = append.text.rfind('\n', append.text.size() - 2);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return {.offset = append.at + begin,
          .length = append.text.size() - begin,
          .sha256 = sha256(std::string_view(append.text).substr(begin))};
}

void add_entries(Recording& recording, const repo::Repository& repository, const Folders& folders,
                 const std::string& tag, const std::vector<ledger::Entry>& entries) {
  recording.ledger = ledger::Ledger::open(folders.own()).chained(entries);
  recording.seal = {seal_name(tag), repository.store_bytes(text_of(seal_of(recording.ledger)))};
}

}  // namespace autokernel::loop
