// The format, one JSON object:
//
//   {"autokernel_journal": 1, "kind": "trying" | "recording", ...}
//
// with the names of the C++ fields; an experiment is its line in the ledger.
#include "loop/journal.h"

#include <system_error>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/system_error.h"

namespace autokernel::ledger {

template <Of<Append> Object>
void visit_fields(auto&& fields, Object& append) {
  fields("at", append.at);
  fields("text", append.text);
}

}  // namespace autokernel::ledger

namespace autokernel::loop {

// An experiment goes by its line in the ledger.
template <typename Experiment>
struct LedgerLine {
  Experiment& experiment;
};
template <typename Experiment>
[[nodiscard]] std::string represent(const LedgerLine<Experiment>& line) {
  return ledger::lines_of({line.experiment});
}
[[nodiscard]] static bool restore(const std::string& text,
                                  const LedgerLine<ledger::Experiment>& line) {
  const ledger::Entry entry = ledger::entry_of(text);
  const auto* experiment = std::get_if<ledger::Experiment>(&entry);
  if (experiment != nullptr) line.experiment = *experiment;
  return experiment != nullptr;
}

template <Of<Recording::Reference> Object>
void visit_fields(auto&& fields, Object& reference) {
  fields("name", reference.name);
  fields("commit", reference.commit);
}

template <Of<Recording::SealReference> Object>
void visit_fields(auto&& fields, Object& seal) {
  fields("name", seal.name);
  fields("blob", seal.blob);
}

template <Of<Trying> Object>
void visit_fields(auto&& fields, Object& trying) {
  fields("branch", trying.branch);
  fields("editable", trying.editable);
  fields("editable_files", trying.editable_files);
  fields("experiment", LedgerLine{trying.experiment});
}

template <Of<Recording> Object>
void visit_fields(auto&& fields, Object& recording) {
  fields("what", recording.what);
  fields("branch", recording.branch);
  fields("editable", recording.editable);
  fields("editable_files", recording.editable_files);
  fields("references", recording.references);
  fields("seal", recording.seal);
  fields("ledger", recording.ledger);
  fields("results_aside", recording.results_aside);
  fields("results", recording.results);
  fields("from", recording.from);
  fields("to", recording.to);
  fields("file_from", recording.file_from);
}

namespace {

using document::ExactReader;
using document::ExactWriter;
using document::Json;
using document::Unreadable;

// Raised when the meaning of a field changes.
constexpr int kVersion = 1;
constexpr const char* kVersionKey = "autokernel_journal";

[[nodiscard]] const char* kind_of(const Trying& /*trying*/) { return "trying"; }
[[nodiscard]] const char* kind_of(const Recording& /*recording*/) { return "recording"; }

template <typename Kind>
[[nodiscard]] Kind read_as(const Json& json) {
  Kind kind;
  ExactReader::read(json, kind);
  return kind;
}

// Of all other fields, as they are written; the last one. One bit of a number could otherwise make
// an experiment another.
constexpr const char* kSumKey = "sha256";
[[nodiscard]] std::string sum_of(const Json& object) { return sha256(document::line(object)); }

// What a run may move: its branch, its references and its seal.
void require_a_runs_names(const Recording& recording) {
  const auto require = [](const std::string& name, std::string_view start) {
    if (!name.empty() && !name.starts_with(start))
      throw Unreadable{"'" + name + "' belongs to no run"};
  };
  require(recording.branch, "autokernel/");
  for (const auto& reference : recording.references) {
    const bool is_branch = reference.name.starts_with("refs/heads/");  // with what was kept
    require(reference.name, is_branch ? "refs/heads/autokernel/" : "refs/autokernel/");
  }
  require(recording.seal.name, "refs/autokernel-seals/");
}

[[nodiscard]] Journal journal_in(const std::string& text) {
  std::optional<Json> json = document::parsed(text);
  if (!json || !json->is_object()) throw Unreadable{"it is not one JSON object"};
  int version = 0;
  ExactReader::read(json->at(kVersionKey), version);
  // An earlier program wrote none.
  if (const auto sum = json->find(kSumKey); sum != json->end()) {
    const auto said = sum->get<std::string>();
    json->erase(sum);
    if (said != sum_of(*json)) throw Unreadable{"its bytes are not those that were written"};
  }
  if (version != kVersion) throw Unreadable{"it is of version " + std::to_string(version)};
  const auto kind = json->at("kind").get<std::string>();
  // A program that knew of one file alone may have written it.
  if (!json->contains("editable_files")) (*json)["editable_files"] = Json::array();
  if (kind == "trying") return read_as<Trying>(*json);
  if (kind != "recording") throw Unreadable{"its kind is unknown: '" + kind + "'"};
  // A program that sealed nothing may have written it.
  if (!json->contains("seal")) (*json)["seal"] = ExactWriter::json(Recording().seal);
  auto recording = read_as<Recording>(*json);
  require_a_runs_names(recording);
  return recording;
}

}  // namespace

void write_journal(const std::filesystem::path& file, const Journal& journal) {
  Json json = {{kVersionKey, kVersion}};
  std::visit(
      [&](const auto& kind) {
        json["kind"] = kind_of(kind);
        ExactWriter::add_fields(json, kind);
        // An earlier program knows of one file alone, and of such a run it can finish what is said.
        if (kind.editable_files.empty()) json.erase("editable_files");
      },
      journal);
  json[kSumKey] = sum_of(json);
  write_file_atomically(file, document::line(json));
}

std::optional<Journal> read_journal(const std::filesystem::path& file) {
  const auto text = read_file_below(file.parent_path(), file.filename(), "the journal of the loop");
  if (!text) return std::nullopt;
  const auto damaged = [&](const std::string& why) {
    return Error(Stop::internal, "cannot read the journal " + file.string() + ": " + why +
                                     "; every experiment's source is below refs/autokernel; move "
                                     "the file away to continue without it");
  };
  try {
    return journal_in(*text);
  } catch (const Unreadable& unreadable) {
    throw damaged(unreadable.why);
  } catch (const Json::exception& error) {
    throw damaged(document::why(error));
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
