#include "trial/supervise/lending_message.h"

#include <utility>

#include "autokernel/base/sha256.h"
#include "trial/supervise/message_json.h"

namespace autokernel::trial {

template <Of<RunnerRecipe> Object>
void visit_fields(auto&& fields, Object& recipe) {
  fields("variables", recipe.variables);
  fields("directory", recipe.directory);
  fields("expected", recipe.expected);
}
template <Of<GetReady> Object>
void visit_fields(auto&& fields, Object& ask) {
  fields("recipe", ask.recipe);
  fields("stay_seconds", ask.stay_seconds);
}
template <Of<Wanted> Object>
void visit_fields(auto&& fields, Object& ask) {
  fields("digest", ask.digest);
}
template <Of<Over> Object>
void visit_fields(auto&& fields, Object& ask) {
  fields("patience_ms", ask.patience_ms);
}
template <Of<Lent> Object>
void visit_fields(auto&& fields, Object& answer) {
  fields("process", answer.process);
}
template <Of<NoneReady> Object>
void visit_fields(auto&& /*fields*/, Object& /*answer*/) {}
template <Of<Noted> Object>
void visit_fields(auto&& /*fields*/, Object& /*answer*/) {}
template <Of<Ended> Object>
void visit_fields(auto&& fields, Object& answer) {
  fields("code", answer.code);
  fields("signal", answer.signal);
}

template <>
inline constexpr const char* kKind<GetReady> = "get ready";
template <>
inline constexpr const char* kKind<Wanted> = "wanted";
template <>
inline constexpr const char* kKind<Over> = "over";
template <>
inline constexpr const char* kKind<Lent> = "lent";
template <>
inline constexpr const char* kKind<NoneReady> = "none ready";
template <>
inline constexpr const char* kKind<Noted> = "noted";
template <>
inline constexpr const char* kKind<Ended> = "ended";

std::string digest_of(const RunnerRecipe& recipe) {
  const Request& all = recipe.expected;
  Request kept;
  kept.case_directory = all.case_directory;
  kept.case_files = all.case_files;
  kept.case_images = all.case_images;
  kept.device = all.device;
  kept.architecture = all.architecture;
  kept.size = all.size;
  kept.depth = all.depth;  // at which sizes it is checked, and so what room it needs
  kept.cached = all.cached;
  kept.confined = all.confined;
  // What the references are compiled from. The kernel's own headers come with its trial.
  kept.reference_headers = all.reference_headers;
  for (const std::string& name : all.reference_headers) {
    if (const auto found = all.headers.find(name); found != all.headers.end()) {
      kept.headers.insert(*found);
    }
  }
  return sha256(
      line("recipe", Writer::json(RunnerRecipe{recipe.variables, recipe.directory, kept})));
}

std::string encode(const Ask& ask) { return write_alternative(ask); }
std::string encode(const Answer& answer) { return write_alternative(answer); }
Ask decode_ask(const std::string& line) { return read_alternative<Ask>(open_envelope(line)); }
Answer decode_answer(const std::string& line) {
  return read_alternative<Answer>(open_envelope(line));
}

}  // namespace autokernel::trial
