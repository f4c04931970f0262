#include "api/fault_record.h"

#include <algorithm>
#include <iterator>

#include "api/driver.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

// One per thread, as the calls it belongs to.
thread_local std::unique_ptr<FaultRecord> last_refusal;

// Of those at or before the offset the nearest, else the first; null where there are none.
const lower::SharedVariable* variable_near(const std::vector<lower::SharedVariable>& variables,
                                           std::uint64_t offset, std::uint64_t end) {
  if (variables.empty()) return nullptr;
  // Whatever lies so far behind the block's memory was computed below zero.
  const bool is_before = static_cast<std::int64_t>(offset) < 0 ||
                         (offset > end && static_cast<std::int32_t>(offset) < 0);
  if (is_before) return &variables.front();
  const auto behind =
      std::ranges::upper_bound(variables, offset, {}, &lower::SharedVariable::offset);
  return behind == variables.begin() ? &variables.front() : &*std::prev(behind);
}

}  // namespace

FaultRecord::FaultRecord(const runtime::Fault& fault, const SourceNames& names,
                         const std::vector<lower::SharedVariable>& shared)
    : text_(fault.text), instruction_(fault.instruction) {
  note_lines(names, fault.line);
  fault_.kind = static_cast<std::uint32_t>(fault.kind);
  if (fault.thread) {
    fault_.has_thread = 1;
    std::ranges::copy(fault.thread->thread, fault_.thread);
    std::ranges::copy(fault.thread->block, fault_.block);
  }
  if (fault.access) {
    note_access(*fault.access, shared);
    fault_.address_line = names.address_line(fault.line, fault.instruction);
  }
  fault_.variable = variable_.c_str();
}

FaultRecord::FaultRecord(const ptx::Error& error, const SourceNames& names) : text_(error.what()) {
  note_lines(names, error.where().line);
  fault_.kind = EMU_FAULT_UNSUPPORTED;
  fault_.variable = variable_.c_str();
}

FaultRecord::FaultRecord(std::string text) : text_(std::move(text)) {
  fault_.size = sizeof fault_;
  fault_.kind = EMU_FAULT_BAD_INSTRUCTION;
  fault_.text = text_.c_str();
  fault_.instruction = instruction_.c_str();
  fault_.variable = variable_.c_str();
}

void FaultRecord::note_lines(const SourceNames& names, std::uint32_t ptx_line) {
  fault_.size = sizeof fault_;
  fault_.text = text_.c_str();
  fault_.instruction = instruction_.c_str();
  fault_.ptx_line = ptx_line;
  source_ = names.lines(ptx_line);
  for (const ptx::SourceLine& line : source_) lines_.push_back({line.file.c_str(), line.line});
  fault_.line_count = static_cast<std::uint32_t>(lines_.size());
  fault_.lines = lines_.data();
  if (const ptx::SourceLine* line = line_to_look_at(source_)) {
    fault_.line_to_look_at = static_cast<std::uint32_t>(line - source_.data());
  }
}

void FaultRecord::note_access(const runtime::FaultedAccess& access,
                              const std::vector<lower::SharedVariable>& shared) {
  fault_.access = static_cast<std::uint32_t>(access.kind) + EMU_ACCESS_LOAD;
  fault_.memory = static_cast<std::uint32_t>(access.memory);
  fault_.address = access.address;
  fault_.bytes = access.bytes;
  fault_.alignment = access.alignment;
  fault_.begin = access.begin;
  fault_.end = access.end;
  variable_ = access.name;
  if (access.memory != runtime::MemoryKind::shared) return;
  if (const auto* variable = variable_near(shared, access.address, access.end)) {
    variable_ = variable->name;
    fault_.variable_begin = variable->offset;
    fault_.variable_end = variable->bytes == 0 ? access.end : variable->offset + variable->bytes;
  }
}

void note_refusal(std::unique_ptr<FaultRecord> refusal) { last_refusal = std::move(refusal); }

}  // namespace emulator::api

extern "C" __attribute__((visibility("default"))) const EmuFault* emuFault(void) {
  const EmuFault* fault = nullptr;
  // Without a context there is no fault.
  (void)emulator::api::answer(
      [&] { fault = emulator::api::current_context_even_if_faulted()->fault_data(); });
  return fault;
}

extern "C" __attribute__((visibility("default"))) const EmuFault* emuRefusal(void) {
  return emulator::api::last_refusal == nullptr ? nullptr : &emulator::api::last_refusal->fault();
}

extern "C" __attribute__((visibility("default"))) void emuWhereabouts(char* text, size_t bytes) {
  if (text == nullptr || bytes == 0) return;
  *text = '\0';
  (void)emulator::api::answer([&] {
    const auto context = emulator::api::Driver::get().primary();
    if (context == nullptr) return;
    const std::string words = context->engine().whereabouts();
    const std::size_t length = std::min(words.size(), bytes - 1);
    std::copy_n(words.data(), length, text);
    text[length] = '\0';
  });
}
