#include "autokernel/programs/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/fields.h"
#include "programs/capture/element_type.h"
#include "programs/capture/probe_answers.h"
#include "programs/capture/replay.h"
#include "programs/capture/tensor_search.h"
#include "programs/profile/kernel_name.h"

namespace autokernel::programs {
namespace {

[[nodiscard]] std::vector<Piece> pieces_of(const Study& study) {
  std::vector<Piece> pieces;
  for (const StudiedTensor& tensor : study.tensors) {
    pieces.push_back({.range = tensor.range, .begin = tensor.begin, .end = tensor.end});
  }
  return pieces;
}

[[nodiscard]] std::span<const std::byte> part_of(const Bytes& bytes, const StudiedTensor& tensor) {
  return std::span(bytes).subspan(tensor.begin, tensor.bytes());
}

// What a replay leaves in each tensor.
[[nodiscard]] std::vector<Bytes> run(const Replay& replay, const std::vector<Bytes>& memory) {
  for (std::size_t t = 0; t < memory.size(); ++t) replay.write(t, memory[t]);
  // One that waits for ever ends this process, as in the search.
  constexpr unsigned kPatienceSeconds = 30;
  ::alarm(kPatienceSeconds);
  const auto fault = replay.run();
  ::alarm(0);
  if (fault) throw StudyFaulted{*fault};
  std::vector<Bytes> results;
  for (const Bytes& each : memory) {
    results.emplace_back(each.size());
    replay.read(results.size() - 1, results.back());
  }
  return results;
}

[[nodiscard]] std::vector<Bytes> inputs_of(const CapturedLaunch& launch, const Study& study) {
  std::vector<Bytes> memory;
  for (const StudiedTensor& tensor : study.tensors) {
    const auto part = part_of(launch.ranges[tensor.range].before, tensor);
    memory.emplace_back(part.begin(), part.end());
  }
  return memory;
}

}  // namespace

bool is_drawn(const StudiedTensor& tensor) {
  // Whole numbers are mostly indices, lengths or masks; few numbers mostly belong together.
  constexpr std::uint64_t kFew = 16;
  return cases::is_floating(tensor.dtype) && tensor.bytes() / cases::size_of(tensor.dtype) > kFew;
}

namespace {

// Whether the launch gives the same where each tensor has memory of its own.
[[nodiscard]] bool stands_apart(const CapturedLaunch& launch, const driver::Device& device,
                                const Study& study, ProbeAnswers& answers) {
  // A fault is a yes here, as everywhere: then it does not.
  return !answers.next([&] {
    const Replay replay(launch, device, pieces_of(study));
    if (!replay.trouble().empty()) return true;
    const std::vector<Bytes> results = run(replay, inputs_of(launch, study));
    for (std::size_t t = 0; t < results.size(); ++t) {
      const StudiedTensor& tensor = study.tensors[t];
      if (!same(results[t], part_of(launch.ranges[tensor.range].after, tensor))) return true;
    }
    return false;
  });
}

// Of tensors of one range that lie side by side, and are used as one.
void put_together(Study& study) {
  std::vector<StudiedTensor> merged;
  for (const StudiedTensor& tensor : study.tensors) {
    if (merged.empty() || merged.back().range != tensor.range) {
      merged.push_back(tensor);
      continue;
    }
    StudiedTensor& one = merged.back();
    if (tensor.read > 0) one.read = tensor.begin + tensor.read - one.begin;
    one.written += tensor.written;
    one.end = tensor.end;
  }
  study.tensors = std::move(merged);
}

void find_types(const CapturedLaunch& launch, Study& study) {
  const std::string readable = demangled(launch.kernel);
  const std::vector<std::string> types = parameter_types(readable);
  for (StudiedTensor& tensor : study.tensors) {
    std::optional<cases::DType> said;
    for (const CapturedPointer& pointer : launch.pointers) {
      if (pointer.address != tensor.address) continue;
      const auto parameter =
          std::ranges::find(launch.parameters, pointer.offset, &CapturedParameter::offset);
      const auto index =
          static_cast<std::size_t>(std::distance(launch.parameters.begin(), parameter));
      if (parameter != launch.parameters.end() && parameter->bytes == sizeof(std::uint64_t) &&
          types.size() == launch.parameters.size()) {
        said = dtype_of(types[index]);
      }
    }
    const CapturedRange& range = launch.ranges[tensor.range];
    const auto bytes = part_of(tensor.read > 0 ? range.before : range.after, tensor);
    tensor.dtype = said.value_or(guessed_dtype(bytes, readable));
    // A last element that is used in part only is there as a whole.
    const std::uint64_t element = cases::size_of(tensor.dtype);
    const std::uint64_t whole = (tensor.bytes() + element - 1) / element * element;
    if (tensor.begin + whole <= range.before.size()) {
      tensor.end = tensor.begin + whole;
    } else {
      tensor.dtype = cases::DType::u8;
    }
  }
}

// Moves each number to a neighbour: up where the bit is set, else down.
void move_by_one_place(cases::DType dtype, Bytes& bytes, unsigned seed) {
  std::mt19937 random(seed);
  const auto move = [&]<typename Word>(Word /*of*/) {
    for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
      Word word{};
      std::memcpy(&word, bytes.data() + i, sizeof word);
      constexpr auto kMagnitude = static_cast<Word>(~(Word{1} << (8 * sizeof(Word) - 1)));
      if ((word & kMagnitude) == 0) continue;  // zeros are often there on purpose
      word = static_cast<Word>(word + ((random() & 1U) != 0 ? 1 : -1));
      std::memcpy(bytes.data() + i, &word, sizeof word);
    }
  };
  if (dtype == cases::DType::f64) move(std::uint64_t{});
  if (dtype == cases::DType::f32) move(std::uint32_t{});
  if (dtype == cases::DType::f16 || dtype == cases::DType::bf16) move(std::uint16_t{});
}

[[nodiscard]] double value_at(cases::DType dtype, const Bytes& bytes, std::size_t index) {
  const auto word = [&]<typename Word>(Word value) {
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  switch (dtype) {
    case cases::DType::f64:
      return word(double{});
    case cases::DType::f32:
      return static_cast<double>(word(float{}));
    case cases::DType::bf16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(word(std::uint16_t{})) << 16U));
    default: {
      const std::uint16_t half = word(std::uint16_t{});
      const int exponent = static_cast<int>((half >> 10U) & 0x1fU);
      const double fraction = (half & 0x3ffU) / 1024.0;
      const double magnitude =
          exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
      return (half & 0x8000U) != 0 ? -magnitude : magnitude;
    }
  }
}

[[nodiscard]] bool is_plain_float(cases::DType dtype) {
  return dtype == cases::DType::f64 || dtype == cases::DType::f32 || dtype == cases::DType::f16 ||
         dtype == cases::DType::bf16;
}

// The image's own change when its inputs move by one unit in the last place, over a few replays.
void find_changes(const CapturedLaunch& launch, const driver::Device& device, Study& study) {
  const Replay replay(launch, device, pieces_of(study));
  const std::vector<Bytes> inputs = inputs_of(launch, study);
  const std::vector<Bytes> expected = run(replay, inputs);
  constexpr unsigned kReplays = 4;
  for (unsigned seed = 1; seed <= kReplays; ++seed) {
    std::vector<Bytes> moved = inputs;
    for (std::size_t t = 0; t < moved.size(); ++t) {
      if (study.tensors[t].read > 0) move_by_one_place(study.tensors[t].dtype, moved[t], seed);
    }
    const std::vector<Bytes> results = run(replay, moved);
    for (std::size_t t = 0; t < results.size(); ++t) {
      StudiedTensor& tensor = study.tensors[t];
      if (tensor.written == 0 || !is_plain_float(tensor.dtype)) continue;
      const std::size_t count = results[t].size() / cases::size_of(tensor.dtype);
      for (std::size_t i = 0; i < count; ++i) {
        const double change = std::fabs(value_at(tensor.dtype, results[t], i) -
                                        value_at(tensor.dtype, expected[t], i));
        // What was moved, and not written, has changed too.
        if (std::isfinite(change)) tensor.change = std::max(tensor.change, change);
      }
    }
  }
}

// Each number as any other of its tensor, as the inputs of a case are drawn.
void draw(cases::DType dtype, Bytes& bytes, unsigned seed) {
  std::mt19937 random(seed);
  const Bytes values = bytes;
  const std::size_t element = cases::size_of(dtype);
  const std::size_t count = bytes.size() / element;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(bytes.data() + i * element, values.data() + random() % count * element, element);
  }
}

[[nodiscard]] bool are_numbers(const StudiedTensor& tensor, const Bytes& bytes) {
  if (!is_plain_float(tensor.dtype)) return true;
  const std::size_t count = bytes.size() / cases::size_of(tensor.dtype);
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(value_at(tensor.dtype, bytes, i))) return false;
  }
  return true;
}

// Whether the launch does with drawn numbers what it does with its own.
[[nodiscard]] bool takes_draws(const CapturedLaunch& launch, const driver::Device& device,
                               const Study& study, ProbeAnswers& answers) {
  // A fault is a yes, as everywhere: then it does not.
  return !answers.next([&] {
    const Replay replay(launch, device, pieces_of(study));
    constexpr unsigned kReplays = 4;
    for (unsigned seed = 1; seed <= kReplays; ++seed) {
      std::vector<Bytes> memory = inputs_of(launch, study);
      for (std::size_t t = 0; t < memory.size(); ++t) {
        const StudiedTensor& tensor = study.tensors[t];
        if (tensor.read > 0 && is_drawn(tensor)) draw(tensor.dtype, memory[t], seed);
      }
      const std::vector<Bytes> results = run(replay, memory);
      if (!replay.keeps_within()) return true;
      for (std::size_t t = 0; t < results.size(); ++t) {
        const StudiedTensor& tensor = study.tensors[t];
        if (tensor.written == 0 && !same(results[t], memory[t])) return true;
        if (tensor.written > 0 && !are_numbers(tensor, results[t])) return true;
      }
    }
    return false;
  });
}

}  // namespace

}  // namespace autokernel::programs

namespace autokernel::cases {

[[nodiscard]] static std::string represent(const DType& dtype) { return spelling(dtype); }
[[nodiscard]] static bool restore(const std::string& text, DType& dtype) {
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    dtype = static_cast<DType>(i);
    if (text == spelling(dtype)) return true;
  }
  return false;
}

}  // namespace autokernel::cases

namespace autokernel::programs {

template <Of<StudiedTensor> Object>
void visit_fields(auto&& fields, Object& tensor) {
  fields("range", tensor.range);
  fields("begin", tensor.begin);
  fields("end", tensor.end);
  fields("read", tensor.read);
  fields("written", tensor.written);
  fields("address", tensor.address);
  fields("dtype", tensor.dtype);
  fields("change", tensor.change);
}

template <Of<Study> Object>
void visit_fields(auto&& fields, Object& study) {
  fields("trouble", study.trouble);
  fields("different", study.different);
  fields("deterministic", study.deterministic);
  fields("results", study.results);
  fields("milliseconds", study.milliseconds);
  fields("draws", study.draws);
  fields("tensors", study.tensors);
}

Study study(const CapturedLaunch& launch, const driver::Driver& driver,
            const std::filesystem::path& answers_file) {
  Study study;
  study.trouble = launch.trouble;
  if (!study.trouble.empty()) return study;
  const driver::Device device(driver);
  ProbeAnswers answers(answers_file);
  {
    const Replay replay(launch, device, whole_ranges(launch));
    study.trouble = replay.trouble();
    if (!study.trouble.empty()) return study;
    TensorSearch search(launch, replay, answers);
    if (!search.repeats(study)) return study;
    search.find(study);
  }
  if (study.results == 0) {
    study.trouble = "it changed nothing in the memory that its parameters point to";
    return study;
  }
  find_types(launch, study);
  if (!stands_apart(launch, device, study, answers)) {
    put_together(study);
    find_types(launch, study);
    if (!stands_apart(launch, device, study, answers)) {
      study.trouble =
          "a replay in which its tensors lie elsewhere gives another result: addresses lie in its "
          "memory, or in its parameters in a form that is not known";
      return study;
    }
  }
  study.draws = takes_draws(launch, device, study, answers);
  find_changes(launch, device, study);
  return study;
}

std::string study_json(const Study& study) { return document::line(document::Writer::json(study)); }

Study study_of_json(const std::string& text) {
  try {
    const std::optional<document::Json> json = document::parsed(text);
    if (!json) throw document::Unreadable{"it is no JSON"};
    Study study;
    document::Reader::read(*json, study);
    return study;
  } catch (const document::Unreadable& unreadable) {
    throw Error(Stop::internal, "what a study found cannot be read: " + unreadable.why);
  }
}

}  // namespace autokernel::programs
