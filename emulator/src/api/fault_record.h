// A fault, or the refusal of code, in the form in which programs ask for it: owner of what an
// EmuFault points to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/source_names.h"
#include "emulated_cuda.h"
#include "lower/layout.h"
#include "ptx/ast.h"
#include "runtime/fault.h"

namespace emulator::api {

class FaultRecord {
 public:
  // `shared` are the variables of the kernel's shared memory.
  FaultRecord(const runtime::Fault& fault, const SourceNames& names,
              const std::vector<lower::SharedVariable>& shared);
  // Of code that cannot be carried out.
  FaultRecord(const ptx::Error& error, const SourceNames& names);
  // Of an operation that is no kernel.
  explicit FaultRecord(std::string text);
  FaultRecord(const FaultRecord&) = delete;
  FaultRecord& operator=(const FaultRecord&) = delete;

  // Valid as long as the record.
  [[nodiscard]] const EmuFault& fault() const { return fault_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void note_lines(const SourceNames& names, std::uint32_t ptx_line);
  void note_access(const runtime::FaultedAccess& access,
                   const std::vector<lower::SharedVariable>& shared);

  std::string text_;
  std::string instruction_;
  std::string variable_;
  std::vector<ptx::SourceLine> source_;
  std::vector<EmuSourceLine> lines_;
  EmuFault fault_{};
};

// What emuRefusal() answers on the calling thread; null: nothing was refused.
void note_refusal(std::unique_ptr<FaultRecord> refusal);

}  // namespace emulator::api
