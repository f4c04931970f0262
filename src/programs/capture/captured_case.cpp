#include "autokernel/programs/captured_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/sha256.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/image_front_end.h"
#include "autokernel/compile/image_parts.h"
#include "programs/capture/arguments.h"
#include "programs/capture/numbers.h"
#include "programs/capture/other_launches.h"
#include "programs/profile/kernel_name.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "capture";

[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Writing {
 public:
  Writing(const CapturedCase& captured, Backend backend)
      : captured_(captured),
        backend_(backend),
        launch_(captured.launch),
        arguments_(arguments_of(captured.launch, captured.study)),
        readable_(visible_line(demangled(captured.launch.kernel))) {}

  [[nodiscard]] WrittenCase written();

 private:
  void write(const fs::path& name, std::string_view bytes);
  [[nodiscard]] std::string images();
  [[nodiscard]] std::string values_of(const CaseTensor& tensor);
  [[nodiscard]] std::string tensor_text(const CaseTensor& tensor);
  [[nodiscard]] bool has_bounds() const;
  [[nodiscard]] std::string check_text() const;
  [[nodiscard]] std::string case_text();
  [[nodiscard]] std::string description_text() const;
  [[nodiscard]] std::string kernel_text() const;
  [[nodiscard]] std::string triton_text() const;
  [[nodiscard]] std::string source_text() const;
  void note_kept_inputs();

  const CapturedCase& captured_;
  const Backend backend_;
  const CapturedLaunch& launch_;
  CaseArguments arguments_;
  std::string readable_;
  std::vector<std::pair<std::string, std::string>> images_;  // key of the description, and file
  std::string ptx_;                                          // empty: there is none
  WrittenCase written_;
};

void Writing::write(const fs::path& name, std::string_view bytes) {
  write_file_atomically(captured_.folder / name, bytes);
  written_.files.push_back(name.string());
}

// Into capture/; their names and digests as [reference] has them.
std::string Writing::images() {
  compile::ImageParts parts = compile::parts_of_image(launch_.image, launch_.major, launch_.minor);
  std::vector<std::string> names;
  std::vector<std::string> digests;
  const auto keep = [&](const char* key, std::string_view bytes) {
    const std::string name = fmt::format("{}/original.{}", kFolder, key);
    write(name, bytes);
    images_.emplace_back(key, name);
    names.push_back('"' + name + '"');
    digests.push_back('"' + sha256(std::string(bytes)) + '"');
  };
  if (!parts.cubin.empty()) keep("cubin", as_text(parts.cubin));
  if (!parts.ptx.empty()) keep("ptx", parts.ptx);
  ptx_ = parts.ptx;
  if (names.empty()) {
    throw Error(Stop::usage, fmt::format("its code cannot be used: {}",
                                         parts.trouble.empty() ? "there is none for this device"
                                                               : parts.trouble));
  }
  if (parts.ptx.empty()) {
    written_.notes.emplace_back("there is no PTX of it, so that it cannot run without a GPU");
  }
  return fmt::format("images = [{}]\nimages_sha256 = [{}]\n", fmt::join(names, ", "),
                     fmt::join(digests, ", "));
}

// Those of all launches that were captured, one after the other; once where they are the same, as
// weights are.
std::string Writing::values_of(const CaseTensor& tensor) {
  const auto part_of = [](const CapturedLaunch& launch, const StudiedTensor& studied) {
    const std::span<const std::byte> memory = launch.ranges[studied.range].before;
    return as_text(memory.subspan(studied.begin, studied.bytes()));
  };
  const std::string own(part_of(launch_, *tensor.studied));
  std::string values = own;
  bool differ = false;
  for (const CapturedLaunch& other : captured_.others) {
    const auto theirs = tensors_in(other, launch_, {*tensor.studied});
    if (!theirs) throw std::logic_error("a launch without one of the tensors");
    const std::string_view text = part_of(other, theirs->front());
    differ = differ || text != own;
    values += text;
  }
  return differ ? values : own;
}

std::string Writing::tensor_text(const CaseTensor& tensor) {
  std::string text = fmt::format(
      "[[tensor]]\nname = \"{0}\"\nrole = \"{1}\"\ndtype = \"{2}\"\nshape = [\"COUNT_{0}\"]\n",
      tensor.name, spelling(tensor.role), spelling(tensor.dtype));
  if (tensor.role != cases::Role::in && is_plain_float(tensor.dtype)) {
    const cases::Tolerance& bound = tensor.studied->bound;
    text += fmt::format("absolute = {:.6e}\nrelative = {:.6e}\n", bound.absolute, bound.relative);
  }
  if (tensor.role == cases::Role::out) return text + "\n";
  const std::string values = values_of(tensor);
  const std::string file = fmt::format("{}/{}.bin", kFolder, tensor.name);
  write(file, values);
  return text +
         fmt::format("fill = \"captured\"\nfile = \"{}\"\nsha256 = \"{}\"\nvalues = \"{}\"\n\n",
                     file, sha256(values), spelling(tensor.studied->use));
}

bool Writing::has_bounds() const {
  return std::ranges::any_of(arguments_.tensors, [](const CaseTensor& tensor) {
    return tensor.role != cases::Role::in && is_plain_float(tensor.dtype);
  });
}

std::string Writing::check_text() const {
  if (!has_bounds()) return "[check]\nexact = \"always\"\n\n";
  return "# Of outputs without bounds of their own the bits are compared.\n"
         "[check]\nexact = \"never\"\nabsolute = 0\nrelative = 0\n\n";
}

std::string Writing::case_text() {
  std::string sizes;
  std::string bytes;
  std::string outputs;
  for (const CaseTensor& tensor : arguments_.tensors) {
    sizes += fmt::format("COUNT_{} = {}\n", tensor.name, tensor.count);
    const int moves = tensor.role == cases::Role::inout ? 2 : 1;
    bytes +=
        fmt::format("{}{}*COUNT_{}", bytes.empty() ? "" : " + ",
                    static_cast<std::size_t>(moves) * cases::size_of(tensor.dtype), tensor.name);
    if (tensor.role != cases::Role::in) {
      outputs += fmt::format("{}COUNT_{}", outputs.empty() ? "" : " + ", tensor.name);
    }
  }
  const std::string name = short_name(readable_);
  std::string text = fmt::format(
      "# {}\n# captured from: {}\n# launch {} of it, grid {} x {} x {}, block {} x {} x {}, in {} "
      "stream;\n"
      "# the code and the values are in {}/.\n",
      readable_, visible_line(captured_.program), launch_.occurrence, launch_.grid.x,
      launch_.grid.y, launch_.grid.z, launch_.block.x, launch_.block.y, launch_.block.z,
      launch_.default_stream ? "the default" : "a", kFolder);
  std::string title = name;
  std::erase_if(title, [](char letter) {
    return letter == '"' || letter == '\\' || letter == '{' || letter == '}';
  });
  text += fmt::format("name = \"{}\"\nproblem = \"{} as captured\"\n", title, title);
  if (backend_ == Backend::triton) text += "kernel = \"kernel.py\"\n";
  text += "\n";
  for (const char* size : {"default", "check"})
    text += fmt::format("[sizes.{}]\n{}\n", size, sizes);
  if (has_bounds()) {
    text +=
        "# Outputs may differ from the captured kernel's by twice as much as they change when the\n"
        "# inputs move by one unit in the last place, and by the rounding of both.\n";
  }
  for (const CaseTensor& tensor : arguments_.tensors) text += tensor_text(tensor);
  for (const CaseStruct& each : arguments_.structs) {
    std::vector<std::string> pointers;
    pointers.reserve(each.pointers.size());
    for (const auto& pointer : each.pointers) {
      pointers.push_back(fmt::format("\"{} {} {}\"", pointer.at, pointer.tensor, pointer.offset));
    }
    text += fmt::format("[[struct]]\nname = \"{}\"\nbytes = \"{}\"\n", each.name, each.bytes);
    if (!pointers.empty()) text += fmt::format("pointers = [{}]\n", fmt::join(pointers, ", "));
    text += "\n";
  }
  for (const CaseScalar& scalar : arguments_.scalars) {
    text += fmt::format("[[scalar]]\nname = \"{}\"\ndtype = \"{}\"\nvalue = {}\n\n", scalar.name,
                        spelling(scalar.dtype), scalar.value);
  }
  text += "[reference]\nkind = \"kernel\"\nfile = \"original.toml\"\n" + images() + "\n";
  text += check_text();
  text += fmt::format(
      "# Of operations nothing is known: one for each element that is written.\n"
      "[cost]\nflops = \"{}\"\nbytes = \"{}\"\n",
      outputs, bytes);
  return text;
}

std::string Writing::description_text() const {
  // A cubin may have anything in a name, and this becomes a text in quotes.
  const bool is_name = std::ranges::all_of(launch_.kernel, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '$' || letter == '.';
  });
  if (!is_name) throw Error(Stop::usage, "its name has other signs than letters, digits and _");
  std::string text = compile::kImageDescription;
  text += "# The captured kernel, and how it is launched.\n";
  for (const auto& [key, file] : images_) text += fmt::format("{} = \"{}\"\n", key, file);
  const auto extents = [](const Extent& extent) {
    return fmt::format("[{}, {}, {}]", extent.x, extent.y, extent.z);
  };
  text += fmt::format("\n[[launch]]\nkernel = \"{}\"\ngrid = {}\nblock = {}\nshared_bytes = {}\n",
                      launch_.kernel, extents(launch_.grid), extents(launch_.block),
                      launch_.dynamic_shared);
  if (launch_.cluster.count() > 1) text += fmt::format("cluster = {}\n", extents(launch_.cluster));
  if (launch_.cooperative) text += "cooperative = true\n";
  std::vector<std::string> names;
  names.reserve(arguments_.order.size());
  for (const std::string& name : arguments_.order) names.push_back('"' + name + '"');
  return text + fmt::format("arguments = [{}]\n", fmt::join(names, ", "));
}

// Where the kernel was compiled from, if its PTX has lines and the file is still there.
std::string Writing::source_text() const {
  const std::size_t entry = ptx_.find(".entry " + launch_.kernel);
  const std::size_t place = ptx_.find(".loc", entry);
  if (entry == std::string::npos || place == std::string::npos) return {};
  std::istringstream in(ptx_.substr(place + std::string_view(".loc").size(), 64));
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  if (!(in >> file >> line)) return {};
  const std::string declared = fmt::format(".file\t{} \"", file);
  const std::size_t begin = ptx_.find(declared);
  if (begin == std::string::npos) return {};
  const std::size_t name = begin + declared.size();
  const std::string path = ptx_.substr(name, ptx_.find('"', name) - name);
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return {};
  return fmt::format("// It was compiled from {}, line {}.\n", visible_line(path), line);
}

std::string Writing::kernel_text() const {
  const auto extents = [](const Extent& extent) {
    return fmt::format("{{{}, {}, {}}}", extent.x, extent.y, extent.z);
  };
  std::string text =
      source_text() + fmt::format(
                          "// {}\n//\n// AUTOKERNEL_ORIGINAL stands for the captured kernel "
                          "itself, which is measured "
                          "as "
                          "long as there is\n// nothing else here. Replace that line by a kernel "
                          "of your own, such as "
                          "the "
                          "one below, which takes the\n// same parameters and is launched in the "
                          "same way. It may take "
                          "others and be launched otherwise:\n// .arguments names any of those of "
                          "case.toml, in any "
                          "order.\n#include <autokernel.cuh>\n\nAUTOKERNEL_ORIGINAL;\n\n",
                          readable_);
  text += "// AUTOKERNEL_LAUNCH({.kernel = \"replacement\",\n";
  text += fmt::format("//                    .grid = {},\n//                    .block = {},\n",
                      extents(launch_.grid), extents(launch_.block));
  if (launch_.dynamic_shared > 0) {
    text += fmt::format("//                    .shared_bytes = {},\n", launch_.dynamic_shared);
  }
  if (launch_.cluster.count() > 1) {
    text += fmt::format("//                    .cluster = {},\n", extents(launch_.cluster));
  }
  if (launch_.cooperative) text += "//                    .cooperative = true,\n";
  text += fmt::format("//                    .arguments = \"{}\"}});\n//\n",
                      fmt::join(arguments_.order, ", "));
  text += "// extern \"C\" __global__ void replacement(\n";
  for (std::size_t i = 0; i < arguments_.declarations.size(); ++i) {
    text += fmt::format("//     {}{}\n", arguments_.declarations[i],
                        i + 1 < arguments_.declarations.size() ? "," : ") {");
  }
  return text + "// }\n";
}

// Structures that the program hands over by value are left out: Triton takes none.
std::string Writing::triton_text() const {
  std::vector<std::string> names;
  std::vector<std::string> counts;
  for (const CaseTensor& tensor : arguments_.tensors) {
    names.push_back(tensor.name);
    counts.push_back("COUNT_" + tensor.name);
  }
  for (const CaseScalar& scalar : arguments_.scalars) names.push_back(scalar.name);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "# {0}\n#\n# AUTOKERNEL_ORIGINAL stands for the captured kernel itself, which is measured as "
      "long as\n# all else here is a comment. Replace that line by kernels of your own, as below. "
      "The tensors\n# have one dimension: their elements in memory.\nAUTOKERNEL_ORIGINAL\n\n"
      "# import triton\n# import triton.language as tl\n# from autokernel import {1}\n#\n#\n"
      "# @triton.jit\n# def replacement({2}, BLOCK: tl.constexpr):\n"
      "#     at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n#\n#\n"
      "# def launch({2}):\n#     replacement[({3}, {4}, {5})]({2}, BLOCK=1024)\n",
      readable_, fmt::join(counts, ", "), all, launch_.grid.x, launch_.grid.y, launch_.grid.z);
}

void Writing::note_kept_inputs() {
  std::vector<std::string> kept;
  bool draws = false;
  for (const CaseTensor& tensor : arguments_.tensors) {
    if (tensor.role == cases::Role::out) continue;
    const bool is_kept = tensor.studied->use == cases::CapturedUse::kept;
    draws = draws || !is_kept;
    if (is_kept) kept.push_back(tensor.name);
  }
  if (!draws) {
    written_.notes.emplace_back(
        "all inputs are as captured, and none can be drawn anew: a kernel could hold their "
        "results");
  } else if (!kept.empty()) {
    written_.notes.push_back(fmt::format("{} cannot be drawn anew, and {} always as captured",
                                         fmt::join(kept, ", "), kept.size() == 1 ? "is" : "are"));
  }
}

WrittenCase Writing::written() {
  std::error_code failed;
  make_folders(captured_.folder / kFolder);
  fs::permissions(captured_.folder / kFolder, fs::perms::owner_all, failed);
  if (failed) {
    throw Error(Stop::environment,
                fmt::format("cannot keep {} to this user: {}",
                            (captured_.folder / kFolder).string(), failed.message()));
  }
  write(fs::path(kFolder) / ".gitignore", "# Values and code of the program: they stay here.\n*\n");
  write("case.toml", case_text());
  write("original.toml", description_text());
  if (backend_ == Backend::triton) {
    write("kernel.py", triton_text());
  } else {
    write("kernel.cu", kernel_text());
  }
  note_kept_inputs();
  if (launch_.programmatic) {
    written_.notes.emplace_back(
        "it was launched to begin before the kernel before it had ended, which is not repeated");
  }
  return std::move(written_);
}

}  // namespace

WrittenCase write_captured_case(const CapturedCase& captured, Backend backend) {
  std::error_code failed;
  if (fs::exists(captured.folder / "case.toml", failed)) {
    throw Error(Stop::usage,
                fmt::format("cannot write a case to {}: there is one", captured.folder.string()));
  }
  return Writing(captured, backend).written();
}

}  // namespace autokernel::programs
