#include "ledger/index_row.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>

#include "autokernel/base/number.h"
#include "ledger/checksum.h"
#include "ledger/fields.h"
#include "ledger/status.h"

namespace autokernel::ledger {
namespace {

constexpr const char* kDamaged = "damaged";

class RowWriter {
 public:
  [[nodiscard]] std::string take() { return std::move(text_); }

  void put_sum(std::uint64_t sum) { put_number(sum, 16); }
  void put(std::integral auto value) { put_number(value); }
  void put(bool value) { put(value ? 1 : 0); }
  void put(double value) { put_number(value); }
  void put(std::string_view value) {
    text_ += '\t';
    for (;;) {
      const std::size_t special = std::min(value.find_first_of("\\\t\n"), value.size());
      text_ += value.substr(0, special);
      if (special == value.size()) return;
      text_ += value[special] == '\\' ? "\\\\" : value[special] == '\t' ? "\\t" : "\\n";
      value.remove_prefix(special + 1);
    }
  }
  void put(const std::string& value) { put(std::string_view(value)); }
  void put(Status value) { put(std::string_view(spelling(value))); }
  void put(const Measurement<const std::string>& /*left_to_the_ledger*/) {}
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value ? 1 : 0);
    if (value) put(*value);
  }
  template <typename Value>
  void put(const std::vector<Value>& values) {
    put(values.size());
    for (const Value& value : values) put(value);
  }
  template <typename Value>
  void put(const std::map<std::string, Value>& values) {
    put(values.size());
    for (const auto& [name, value] : values) {
      put(name);
      put(value);
    }
  }
  template <HasFields Object>
  void put(const Object& object) {
    visit_fields([this](const char* /*name*/, const auto& field) { this->put(field); }, object);
  }

 private:
  void put_number(auto value, auto... base) {
    // The longest number, -2.2250738585072014e-308, has 24 characters.
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.begin(), digits.end(), value, base...);
    text_ += '\t';
    text_.append(digits.begin(), end);
  }

  std::string text_;
};

class RowReader {
 public:
  // A row's text, beginning with a tab.
  explicit RowReader(std::string_view text) : rest_(text) {}

  // Whether all columns so far were there, and were what they had to be.
  [[nodiscard]] bool is_sound() const { return sound_; }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  std::string_view column() {
    if (rest_.empty() || rest_.front() != '\t') {
      sound_ = false;
      return {};
    }
    const std::size_t end = std::min(rest_.find('\t', 1), rest_.size());
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end);
    return text;
  }
  void get_sum(std::uint64_t& value) { get_number(value, 16); }
  void get(std::integral auto& value) { get_number(value); }
  void get(bool& value) {
    const std::string_view text = column();
    sound_ = sound_ && (text == "0" || text == "1");
    value = text == "1";
  }
  void get(double& value) { get_number(value); }
  void get(std::string& value) {
    std::string_view text = column();
    std::size_t escape = text.find('\\');
    value.assign(text.substr(0, escape));
    while (escape != std::string_view::npos) {
      text.remove_prefix(escape + 1);
      if (text.empty()) {
        sound_ = false;
        return;
      }
      value += text.front() == 't' ? '\t' : text.front() == 'n' ? '\n' : text.front();
      text.remove_prefix(1);
      escape = text.find('\\');
      value += text.substr(0, escape);
    }
  }
  void get(Status& value) {
    const std::optional<Status> status = status_spelled(column());
    sound_ = sound_ && status.has_value();
    value = status.value_or(Status::crash);
  }
  void get(const Measurement<std::string>& /*left_to_the_ledger*/) {}
  template <typename Value>
  void get(std::optional<Value>& value) {
    const std::string_view there = column();
    if (there == "1") get(value.emplace());
    sound_ = sound_ && (there == "0" || there == "1");
  }
  template <typename Value>
  void get(std::vector<Value>& values) {
    for (std::size_t left = count(); left > 0 && sound_; --left) get(values.emplace_back());
  }
  template <typename Value>
  void get(std::map<std::string, Value>& values) {
    for (std::size_t left = count(); left > 0 && sound_; --left) {
      std::string name;
      get(name);
      get(values[std::move(name)]);
    }
  }
  template <HasFields Object>
  void get(Object& object) {
    visit_fields([this](const char* /*name*/, auto&& field) { this->get(field); }, object);
  }

 private:
  std::size_t count() {
    std::size_t value = 0;
    get(value);
    return value;
  }
  void get_number(auto& value, auto... base) {
    const std::string_view text = column();
    sound_ = sound_ && read_number(text, value, base...);
  }

  std::string_view rest_;
  bool sound_ = true;
};

template <typename... Kinds>
void get_entry(RowReader& row, std::string_view kind,
               std::optional<std::variant<Kinds...>>& entry) {
  const auto get_if = [&]<typename Kind>(std::type_identity<Kind>) {
    if (kind == kKind<Kind>) row.get(entry.emplace().template emplace<Kind>());
  };
  (get_if(std::type_identity<Kinds>{}), ...);
}

void put_entry(RowWriter& row, const Entry& entry) {
  std::visit(
      [&]<typename Kind>(const Kind& value) {
        row.put(std::string_view(kKind<Kind>));
        row.put(value);
      },
      entry);
}

}  // namespace

std::string text_of(const IndexRow& row) {
  RowWriter columns;
  columns.put(row.line.number);
  columns.put(row.line.offset);
  columns.put(row.line.length);
  columns.put_sum(row.line.sum);
  if (row.entry) {
    put_entry(columns, *row.entry);
  } else {
    columns.put(std::string_view(kDamaged));
  }
  return with_sum(columns.take()) + '\n';
}

std::string with_sum(std::string_view columns) {
  RowWriter sum;
  sum.put_sum(checksum(columns));
  return sum.take().substr(1).append(columns);
}

std::optional<IndexRow> parse_index_row(std::string_view text) {
  // The one thing that is returned, so that it is made where the caller has it: a row is large.
  std::optional<IndexRow> row;
  const std::size_t first_tab = std::min(text.find('\t'), text.size());
  RowReader columns(text.substr(first_tab));
  std::uint64_t expected = 0;
  if (!read_number(text.substr(0, first_tab), expected, 16) ||
      expected != checksum(columns.rest())) {
    return row;
  }
  row.emplace();
  columns.get(row->line.number);
  columns.get(row->line.offset);
  columns.get(row->line.length);
  columns.get_sum(row->line.sum);
  const std::string_view kind = columns.column();
  get_entry(columns, kind, row->entry);
  const bool is_known = row->entry || kind == kDamaged;
  if (!is_known || !columns.is_sound() || !columns.is_at_end()) row.reset();
  return row;
}

bool is_same_but_for_measurement(const Entry& one, const Entry& other) {
  RowWriter text_of_one;
  put_entry(text_of_one, one);
  RowWriter text_of_other;
  put_entry(text_of_other, other);
  return text_of_one.take() == text_of_other.take();
}

}  // namespace autokernel::ledger
