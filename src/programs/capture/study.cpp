#include "autokernel/programs/study.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/fields.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/compile/image_parts.h"
#include "programs/capture/bounds.h"
#include "programs/capture/element_type.h"
#include "programs/capture/numbers.h"
#include "programs/capture/other_launches.h"
#include "programs/capture/probe_answers.h"
#include "programs/capture/replay.h"
#include "programs/capture/replayed.h"
#include "programs/capture/tensor_search.h"
#include "programs/profile/kernel_name.h"

namespace autokernel::programs {
namespace {

using Tensors = std::vector<StudiedTensor>;

// Whether the launch gives the same where each tensor has memory of its own.
[[nodiscard]] bool stands_apart(const CapturedLaunch& launch, const driver::Device& device,
                                const Tensors& tensors, ProbeAnswers& answers) {
  // A fault is a yes here, as everywhere: then it does not.
  return !answers.next([&] {
    for (const Guard guard : {Guard::one, Guard::other}) {
      const Replay replay(launch, device, pieces_of(tensors), guard);
      if (!replay.trouble().empty()) return true;
      const std::vector<Bytes> results = replayed(replay, inputs_of(launch, tensors));
      for (std::size_t t = 0; t < results.size(); ++t) {
        const StudiedTensor& tensor = tensors[t];
        if (!same(results[t], part_of(launch.ranges[tensor.range].after, tensor))) return true;
      }
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

// What PTX alone tells: all that is read, or all that is only written, has one type.
[[nodiscard]] std::optional<cases::DType> type_in_ptx(const StudiedTensor& tensor,
                                                      const PtxHints& hints) {
  const std::string& type = tensor.read > 0 ? hints.only_loads : hints.only_stores;
  if (type == "f32") return cases::DType::f32;
  if (type == "f64") return cases::DType::f64;
  return std::nullopt;
}

// A last element that is used in part only is there as a whole, if there is room for it.
[[nodiscard]] bool reaches(StudiedTensor& tensor, const CapturedRange& range, cases::DType dtype) {
  const std::uint64_t element = cases::size_of(dtype);
  const std::uint64_t whole = (tensor.bytes() + element - 1) / element * element;
  if (tensor.begin + whole > range.before.size()) return false;
  tensor.end = tensor.begin + whole;
  tensor.dtype = dtype;
  return true;
}

void set_type(StudiedTensor& tensor, const CapturedLaunch& launch,
              std::optional<cases::DType> known, std::string_view name, HalfType half) {
  const CapturedRange& range = launch.ranges[tensor.range];
  const Bytes& memory = tensor.read > 0 ? range.before : range.after;
  if (known && reaches(tensor, range, *known)) return;
  // As it is; and as if the highest bytes of its last number made no difference.
  for (const bool rounds_up : {false, true}) {
    for (const std::uint64_t element : {8U, 4U, 2U}) {
      if ((tensor.bytes() % element != 0) != rounds_up) continue;
      StudiedTensor whole = tensor;
      whole.end = tensor.begin + (tensor.bytes() + element - 1) / element * element;
      if (whole.end > memory.size()) continue;
      const cases::DType guessed = guessed_dtype(part_of(memory, whole), name, half);
      if (cases::size_of(guessed) == element && reaches(tensor, range, guessed)) return;
    }
  }
  tensor.dtype = cases::DType::u8;
  tensor.is_opaque = true;
}

void find_types(const CapturedLaunch& launch, const PtxHints& hints, Study& study) {
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
    set_type(tensor, launch, said ? said : type_in_ptx(tensor, hints), readable,
             half_type(readable, hints));
  }
}

constexpr unsigned kDraws = 4;

// What is only written holds anything before.
void fill_outputs(const Tensors& tensors, std::byte value, std::vector<Bytes>& memory) {
  for (std::size_t t = 0; t < memory.size(); ++t) {
    const bool is_output = tensors[t].read == 0 && tensors[t].written == tensors[t].bytes();
    if (is_output) std::ranges::fill(memory[t], value);
  }
}

// Whether the launch does with such inputs what it does with its own: it writes all of its outputs,
// stays within its tensors, and gives numbers, the same each time and whatever lies around them.
[[nodiscard]] bool takes_draws(const CapturedLaunch& launch, const driver::Device& device,
                               const Tensors& tensors, ProbeAnswers& answers) {
  // A fault is a yes, as everywhere: then it does not.
  return !answers.next([&] {
    const Replay replay(launch, device, pieces_of(tensors), Guard::one);
    const Replay other(launch, device, pieces_of(tensors), Guard::other);
    for (unsigned seed = 1; seed <= kDraws; ++seed) {
      std::vector<Bytes> memory = inputs_of(launch, tensors);
      for (std::size_t t = 0; t < memory.size(); ++t) {
        make_anew(tensors[t].dtype, tensors[t].use, memory[t], seed);
      }
      fill_outputs(tensors, std::byte{0x5a}, memory);
      const std::vector<Bytes> results = replayed(replay, memory);
      if (!replay.keeps_within()) return true;
      fill_outputs(tensors, std::byte{0xa5}, memory);
      const std::vector<Bytes> again = replayed(other, memory);
      for (std::size_t t = 0; t < results.size(); ++t) {
        const StudiedTensor& tensor = tensors[t];
        if (!same(results[t], again[t])) return true;
        if (tensor.written == 0 && !same(results[t], memory[t])) return true;
        if (tensor.written > 0 && !are_finite(tensor.dtype, results[t])) return true;
      }
    }
    return false;
  });
}

// Whether whole numbers never fall, and rise more than once.
[[nodiscard]] bool is_ascending(const StudiedTensor& tensor, const CapturedLaunch& launch) {
  const bool is_long = tensor.dtype == cases::DType::i64;
  if (!is_long && tensor.dtype != cases::DType::i32 && tensor.dtype != cases::DType::u32) {
    return false;
  }
  const std::size_t bytes = cases::size_of(tensor.dtype);
  const auto value = [&](std::size_t i) {
    const std::byte* const from =
        launch.ranges[tensor.range].before.data() + tensor.begin + i * bytes;
    std::int64_t number = 0;
    std::int32_t half = 0;
    std::memcpy(is_long ? static_cast<void*>(&number) : &half, from, bytes);
    return is_long ? number : half;
  };
  const std::size_t count = tensor.bytes() / bytes;
  std::size_t rises = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (value(i) < value(i - 1)) return false;
    rises += value(i) > value(i - 1) ? 1 : 0;
  }
  return rises > 1;
}

// All that can be made anew together; where not all can, one after the other.
void find_uses(const CapturedLaunch& launch, const driver::Device& device, Study& study,
               ProbeAnswers& answers) {
  const auto best = [&](const StudiedTensor& tensor) {
    if (tensor.is_opaque) return cases::CapturedUse::perturbed;
    // As offsets of rows are, whose order a kernel may count on although this one does not.
    return is_ascending(tensor, launch) ? cases::CapturedUse::kept : cases::CapturedUse::drawn;
  };
  std::vector<std::size_t> read;
  Tensors all = study.tensors;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (all[t].read == 0) continue;
    read.push_back(t);
    all[t].use = best(all[t]);
  }
  if (read.empty() || takes_draws(launch, device, all, answers)) {
    study.tensors = std::move(all);
    return;
  }
  // Numbers first: whole ones are mostly what chooses among them.
  sort_stably(read, [&](std::size_t one, std::size_t other) {
    return cases::is_floating(study.tensors[one].dtype) &&
           !cases::is_floating(study.tensors[other].dtype);
  });
  for (const std::size_t t : read) {
    study.tensors[t].use = best(study.tensors[t]);
    if (!takes_draws(launch, device, study.tensors, answers)) {
      study.tensors[t].use = cases::CapturedUse::kept;
    }
  }
}

// Where the tensors of another launch begin and end by itself; none where that cannot be told.
[[nodiscard]] std::optional<Tensors> found_in(const CapturedLaunch& other,
                                              const driver::Device& device, ProbeAnswers& answers) {
  const Replay replay(other, device, whole_ranges(other));
  if (!replay.trouble().empty()) return std::nullopt;
  TensorSearch search(other, device, replay, answers);
  Study found;
  bool has_repeated = false;
  const auto repeats = [&] {
    has_repeated = true;
    return search.repeats(found);
  };
  // A fault is a yes, as everywhere: then it does not.
  if (answers.next([&] { return !repeats(); }) || (!has_repeated && !repeats())) {
    return std::nullopt;
  }
  search.find(found, TensorSearch::best_for(device));
  return found.tensors;
}

// Whether the case can be given the values of another launch as well; its tensors may have to reach
// further for that, as tables do whose rows are chosen by an index.
[[nodiscard]] bool takes(const CapturedLaunch& launch, Study& study, const CapturedLaunch& other,
                         const driver::Device& device, ProbeAnswers& answers) {
  auto theirs = tensors_in(other, launch, study.tensors);
  if (!theirs) return false;
  if (stands_apart(other, device, *theirs, answers)) return true;
  const auto found = found_in(other, device, answers);
  if (!found) return false;
  auto wider = reaching(launch, study.tensors, other, *found);
  if (!wider) return false;
  theirs = tensors_in(other, launch, *wider);
  if (!theirs || !stands_apart(other, device, *theirs, answers)) return false;
  study.tensors = *std::move(wider);
  return true;
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
[[nodiscard]] static std::string represent(const CapturedUse& use) { return spelling(use); }
[[nodiscard]] static bool restore(const std::string& text, CapturedUse& use) {
  for (int i = 0; i <= static_cast<int>(kLastCapturedUse); ++i) {
    use = static_cast<CapturedUse>(i);
    if (text == spelling(use)) return true;
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
  fields("is_opaque", tensor.is_opaque);
  fields("use", tensor.use);
  fields("absolute", tensor.bound.absolute);
  fields("relative", tensor.bound.relative);
}

template <Of<Study> Object>
void visit_fields(auto&& fields, Object& study) {
  fields("trouble", study.trouble);
  fields("different", study.different);
  fields("deterministic", study.deterministic);
  fields("results", study.results);
  fields("milliseconds", study.milliseconds);
  fields("tensors", study.tensors);
  fields("others", study.others);
}

Study study(const CapturedLaunch& launch, const std::vector<std::string>& others,
            const driver::Driver& driver, const std::filesystem::path& answers_file) {
  Study study;
  study.trouble = launch.trouble;
  if (!study.trouble.empty()) return study;
  const driver::Device device(driver);
  ProbeAnswers answers(answers_file);
  {
    const Replay replay(launch, device, whole_ranges(launch));
    study.trouble = replay.trouble();
    if (!study.trouble.empty()) return study;
    TensorSearch search(launch, device, replay, answers);
    try {
      if (!search.repeats(study)) return study;
    } catch (const StudyFaulted& faulted) {
      study.trouble = "a replay faults, as where addresses lie in its memory: " + faulted.text;
      return study;
    }
    search.find(study, TensorSearch::best_for(device));
  }
  const bool writes = std::ranges::any_of(
      study.tensors, [](const StudiedTensor& tensor) { return tensor.written > 0; });
  if (!writes) {
    study.trouble = "it writes nothing to the memory that its parameters point to";
    return study;
  }
  const PtxHints hints = ptx_hints(
      compile::parts_of_image(launch.image, launch.major, launch.minor).ptx, launch.kernel);
  if (hints.adds_floats_atomically) {
    study.trouble = kFloatingAtomics;
    return study;
  }
  find_types(launch, hints, study);
  if (!stands_apart(launch, device, study.tensors, answers)) {
    put_together(study);
    find_types(launch, hints, study);
    if (!stands_apart(launch, device, study.tensors, answers)) {
      study.trouble =
          "a replay in which its tensors lie elsewhere gives another result: addresses lie in its "
          "memory, or in its parameters in a form that is not known";
      return study;
    }
  }
  for (const std::string& folder : others) {
    const CapturedLaunch other = read_capture(folder, Memory::read);
    if (takes(launch, study, other, device, answers)) study.others.push_back(folder);
  }
  find_uses(launch, device, study, answers);
  find_bounds(launch, device, study);
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
