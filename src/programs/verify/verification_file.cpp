#include "autokernel/programs/verification_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "programs/markdown_cell.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "verification.json";
constexpr int kVersion = 1;

constexpr std::array kVerdicts = {KernelVerdict::right, KernelVerdict::unused, KernelVerdict::wrong,
                                  KernelVerdict::guilty, KernelVerdict::refused};
constexpr std::array kConclusions = {
    ProgramSpeedup::Conclusion::faster, ProgramSpeedup::Conclusion::slower,
    ProgramSpeedup::Conclusion::no_difference, ProgramSpeedup::Conclusion::unclear};

template <std::size_t Count, typename Value>
[[nodiscard]] bool found(const std::array<Value, Count>& all, const std::string& text,
                         Value& value) {
  for (const Value each : all) {
    if (text != spelling(each)) continue;
    value = each;
    return true;
  }
  return false;
}

[[nodiscard]] const char* sentence(ProgramSpeedup::Conclusion conclusion) {
  switch (conclusion) {
    case ProgramSpeedup::Conclusion::faster:
      return "Faster";
    case ProgramSpeedup::Conclusion::slower:
      return "Slower";
    case ProgramSpeedup::Conclusion::no_difference:
      return "No difference to be seen";
    case ProgramSpeedup::Conclusion::unclear:
      return "Unclear";
  }
  return "";
}

}  // namespace

[[nodiscard]] std::string represent(const KernelVerdict& verdict) { return spelling(verdict); }
[[nodiscard]] bool restore(const std::string& text, KernelVerdict& verdict) {
  return found(kVerdicts, text, verdict);
}
[[nodiscard]] std::string represent(const ProgramSpeedup::Conclusion& conclusion) {
  return spelling(conclusion);
}
[[nodiscard]] bool restore(const std::string& text, ProgramSpeedup::Conclusion& conclusion) {
  return found(kConclusions, text, conclusion);
}

template <Of<KeptKernel> Object>
void visit_fields(auto&& fields, Object& kernel) {
  fields("case", kernel.folder);
  fields("sha256", kernel.sha256);
  fields("alone", kernel.alone);
  fields("verdict", kernel.verdict);
  fields("why", kernel.why);
  fields("launches", kernel.seen);
  fields("replaced", kernel.replaced);
  fields("checked", kernel.checked);
}

template <Of<ProgramSpeedup> Object>
void visit_fields(auto&& fields, Object& speedup) {
  fields("conclusion", speedup.conclusion);
  fields("ratio", speedup.ratio);
  fields("low", speedup.low);
  fields("high", speedup.high);
  fields("pairs", speedup.pairs);
  fields("original", speedup.original);
  fields("replaced", speedup.replaced);
}

template <Of<KeptVerification> Object>
void visit_fields(auto&& fields, Object& kept) {
  fields("program", kept.program);
  fields("device", kept.device);
  fields("date", kept.date);
  fields("measure", kept.measure);
  fields("kernels", kept.kernels);
  fields("replaces_products", kept.replaces_products);
  fields("in_graphs", kept.in_graphs);
  fields("digest", kept.digest);
  fields("speedup", kept.speedup);
}

std::vector<KeptKernel> KeptVerification::right() const {
  std::vector<KeptKernel> some;
  std::ranges::copy_if(kernels, std::back_inserter(some), [](const KeptKernel& kernel) {
    return kernel.verdict == KernelVerdict::right;
  });
  return some;
}

fs::path verified_folder(const fs::path& cases) { return cases / "verified"; }

std::string digest_of_replacements(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name == "replacements.txt" || name.starts_with("kernel-")) names.push_back(name);
  }
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) {
    all += name + '\0';
    all += sha256(read_file_below(folder, name, "a kernel that was verified").value_or(""));
  }
  return sha256(all);
}

std::optional<KeptVerification> read_verification(const fs::path& cases) {
  const fs::path file = verified_folder(cases) / kFile;
  std::error_code failed;
  if (!fs::exists(file, failed)) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    return Error(Stop::usage,
                 fmt::format("cannot read {}: {}; verify the kernels again", file.string(), why));
  };
  try {
    const auto json = document::parsed(read_file(file, "what was verified"));
    if (!json || !json->is_object() || json->value("schema_version", 0) != kVersion ||
        !json->contains("verification")) {
      throw refuse("it is no verification");
    }
    KeptVerification kept;
    document::Reader::read(json->at("verification"), kept);
    return kept;
  } catch (const document::Unreadable& unreadable) {
    throw refuse(unreadable.why);
  } catch (const document::Json::exception& exception) {
    throw refuse(document::why(exception));
  }
}

std::string verification_json(const KeptVerification& kept) {
  document::Json json = document::Json::object();
  json["schema_version"] = kVersion;
  json["verification"] = document::Writer::json(kept);
  return document::line(json);
}

std::string verification_report(const KeptVerification& kept) {
  std::string text = "## In the program\n\n";
  if (kept.speedup) {
    const ProgramSpeedup& speedup = *kept.speedup;
    const char* const unit = kept.measure == "wall clock" ? " s" : "";
    text += fmt::format(
        "{} with the kernels that are right: **{:.3f}x** (99 % interval {:.3f} to {:.3f}), {} "
        "pairs "
        "of runs, {:.4g}{} without, {:.4g}{} with; by {}.\n\n",
        sentence(speedup.conclusion), speedup.ratio, speedup.low, speedup.high, speedup.pairs,
        speedup.original, unit, speedup.replaced, unit, markdown_cell(kept.measure));
  } else {
    text += "No kernel was right in it.\n\n";
  }
  text +=
      "| kernel | alone | launches replaced | results compared | verdict "
      "|\n|---|---:|---:|---:|---|\n";
  for (const KeptKernel& kernel : kept.kernels) {
    text += fmt::format("| {} | {} | {} of {} | {} | {}{} |\n", markdown_cell(kernel.folder),
                        kernel.alone > 0 ? fmt::format("{:.2f}x", kernel.alone) : "",
                        kernel.replaced, kernel.seen, kernel.checked, spelling(kernel.verdict),
                        kernel.why.empty() ? "" : ": " + markdown_cell(kernel.why));
  }
  return text + fmt::format("\n{}, {}.\n", markdown_cell(kept.device), markdown_cell(kept.date));
}

void write_verification(const fs::path& cases, const KeptVerification& kept) {
  write_file_atomically(verified_folder(cases) / kFile, verification_json(kept));
}

}  // namespace autokernel::programs
