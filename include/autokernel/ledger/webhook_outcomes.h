// What became of notifications after the records that they are about were written. The ledger is
// sealed, so outcomes go into a file of their own, webhooks.jsonl beside a run's logs, and whoever
// shows a record puts them in place of "pending". The file proves nothing: nobody seals it, and
// without it everything stays "pending".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// The two kinds of records that somebody is told of.
enum class ToldRecord : std::uint8_t { experiment, run_finished };
// As the ledger has it in `kind`.
[[nodiscard]] std::string represent(ToldRecord record);
// False where the word stands for none.
[[nodiscard]] bool restore(const std::string& word, ToldRecord& record);

// A line of the file.
struct WebhookOutcome {
  ToldRecord record = ToldRecord::experiment;
  std::string at;  // that of the record, which has no other of its kind in its run
  std::string id;  // of the message
  Webhook webhook;
  friend bool operator==(const WebhookOutcome&, const WebhookOutcome&) = default;
};

// Without line breaks but for the newline at its end.
[[nodiscard]] std::string line_of(const WebhookOutcome& outcome);
// None for any other text.
[[nodiscard]] std::optional<WebhookOutcome> parse_outcome(std::string_view line);

// Whether a record says that its outcome was not known when it was written.
[[nodiscard]] bool is_pending(const std::optional<Webhook>& webhook);

class WebhookOutcomes {
 public:
  // Of the text of such a file, whatever it holds: lines that are damaged count for nothing, and of
  // two about one record the last counts.
  explicit WebhookOutcomes(std::string_view text);

  // In place of what is pending; all else stays as it was recorded.
  void put_into(Experiment& experiment) const;
  void put_into(RunFinished& finished) const;

 private:
  void put_into(ToldRecord record, const std::string& at, std::optional<Webhook>& webhook) const;

  std::map<std::pair<ToldRecord, std::string>, Webhook> by_record_;
};

}  // namespace autokernel::ledger
