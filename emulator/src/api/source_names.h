// What a module's lines of PTX are in the source it was compiled from.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ptx/source_lines.h"
#include "runtime/line_names.h"

namespace emulator::api {

class SourceNames final : public runtime::LineNames {
 public:
  // Nothing is read before something is asked for. Of several texts that were linked a line of PTX
  // says nothing: `texts` names nothing then.
  explicit SourceNames(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  [[nodiscard]] std::string place(std::uint32_t ptx_line) const override;
  [[nodiscard]] std::string name(std::uint32_t ptx_line) const override;
  // From the inside out, as ptx::SourceLines::at() says.
  [[nodiscard]] std::vector<ptx::SourceLine> lines(std::uint32_t ptx_line) const;
  // Of an access, "ld.global.f32 %f1, [%rd6+4]": the line of the source on which what lies in its
  // address register was computed, where that is another one of the same file; else 0. Compilers
  // move accesses about, and give some the line of what they are merged with.
  [[nodiscard]] std::uint32_t address_line(std::uint32_t ptx_line,
                                           const std::string& instruction) const;

 private:
  std::vector<std::string> texts_;
  mutable std::once_flag read_;
  mutable std::optional<ptx::SourceLines> lines_;
};

// Of these the one to look at: the innermost of the file that the kernel itself stands in, which is
// the outermost one's; a line of a header is of no use without the line that called it. Null where
// there is none.
[[nodiscard]] const ptx::SourceLine* line_to_look_at(const std::vector<ptx::SourceLine>& lines);

}  // namespace emulator::api
