// The format, one JSON object:
//
//   {"autokernel_journal": 1, "kind": "trying" | "recording", ...}
//
// with the names of the C++ fields; an experiment is its line in the ledger.
#include "loop/journal.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"

namespace autokernel::loop {
namespace {

using Json = nlohmann::json;

// Raised when the meaning of a field changes.
constexpr int kVersion = 1;
constexpr const char* kVersionKey = "autokernel_journal";

[[nodiscard]] Json json_of(const ledger::Append& append) {
  return {{"at", append.at}, {"text", append.text}};
}

[[nodiscard]] ledger::Append append_of(const Json& json) {
  return {.at = json.at("at").get<std::uint64_t>(), .text = json.at("text").get<std::string>()};
}

[[nodiscard]] Json json_of(const Trying& trying) {
  return {{kVersionKey, kVersion},
          {"kind", "trying"},
          {"branch", trying.branch},
          {"editable", trying.editable},
          {"experiment", ledger::lines_of({trying.experiment})}};
}

[[nodiscard]] Json json_of(const Recording& recording) {
  Json references = Json::array();
  for (const auto& [name, commit] : recording.references) {
    references.push_back({{"name", name}, {"commit", commit}});
  }
  return {{kVersionKey, kVersion},
          {"kind", "recording"},
          {"what", recording.what},
          {"branch", recording.branch},
          {"editable", recording.editable},
          {"references", references},
          {"seal", {{"name", recording.seal.name}, {"blob", recording.seal.commit}}},
          {"ledger", json_of(recording.ledger)},
          {"results_aside", recording.results_aside},
          {"results", json_of(recording.results)},
          {"from", recording.from},
          {"to", recording.to},
          {"file_from", recording.file_from}};
}

[[nodiscard]] Trying trying_of(const Json& json) {
  Trying trying{.branch = json.at("branch").get<std::string>(),
                .editable = json.at("editable").get<std::string>(),
                .experiment = {}};
  const ledger::Entry entry = ledger::entry_of(json.at("experiment").get<std::string>());
  const auto* experiment = std::get_if<ledger::Experiment>(&entry);
  if (experiment == nullptr) throw Error(Stop::internal, "its entry is no experiment");
  trying.experiment = *experiment;
  return trying;
}

[[nodiscard]] Recording recording_of(const Json& json) {
  Recording recording;
  recording.what = json.at("what").get<std::string>();
  recording.branch = json.at("branch").get<std::string>();
  recording.editable = json.at("editable").get<std::string>();
  for (const Json& reference : json.at("references")) {
    recording.references.push_back(
        {reference.at("name").get<std::string>(), reference.at("commit").get<std::string>()});
  }
  // A program that sealed nothing may have written it.
  if (const auto seal = json.find("seal"); seal != json.end()) {
    recording.seal = {seal->at("name").get<std::string>(), seal->at("blob").get<std::string>()};
  }
  recording.ledger = append_of(json.at("ledger"));
  recording.results_aside = json.at("results_aside").get<std::string>();
  recording.results = append_of(json.at("results"));
  recording.from = json.at("from").get<std::string>();
  recording.to = json.at("to").get<std::string>();
  recording.file_from = json.at("file_from").get<std::string>();
  return recording;
}

[[nodiscard]] Journal journal_of(const Json& json) {
  const int version = json.at(kVersionKey).get<int>();
  if (version != kVersion) {
    throw Error(Stop::internal, "it is of version " + std::to_string(version));
  }
  const auto kind = json.at("kind").get<std::string>();
  if (kind == "trying") return trying_of(json);
  if (kind == "recording") return recording_of(json);
  throw Error(Stop::internal, "its kind is unknown: '" + kind + "'");
}

}  // namespace

void write_journal(const std::filesystem::path& file, const Journal& journal) {
  const Json json = std::visit([](const auto& kind) { return json_of(kind); }, journal);
  write_file_atomically(file, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<Journal> read_journal(const std::filesystem::path& file) {
  const auto text = read_file_below(file.parent_path(), file.filename(), "the journal of the loop");
  if (!text) return std::nullopt;
  const auto damaged = [&](const std::string& why) {
    return Error(Stop::internal, "cannot read the journal " + file.string() + ": " + why +
                                     "; every experiment's source is below refs/autokernel; move "
                                     "the file away to continue without it");
  };
  const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw damaged("it is not one JSON object");
  try {
    return journal_of(json);
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  } catch (const Error& error) {
    throw damaged(error.what());
  }
}
void remove_journal(const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::remove(file, failed);
  if (failed) {
    throw system_failure(Stop::environment, "cannot remove " + file.string(), "unlink",
                         failed.value());
  }
}

}  // namespace autokernel::loop
