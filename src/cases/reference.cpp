// [reference]: what results are compared with, and which tensors a product is made of.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "autokernel/base/base64.h"
#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"
#include "autokernel/cases/names.h"
#include "cases/case_sections.h"
#include "cases/dtype.h"

namespace autokernel::cases {
namespace {

// Extents without the dimension that is summed over.
std::vector<std::int64_t> product_extents(const std::vector<std::int64_t>& left,
                                          const std::vector<std::int64_t>& right) {
  std::vector<std::int64_t> all(left.begin(), left.end() - 1);
  all.insert(all.end(), right.begin() + 1, right.end());
  return all;
}

std::string listed(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ","));
}

GemmReference read_gemm(Section& section, const Case& problem) {
  if (std::ranges::any_of(problem.tensors, &Tensor::is_scalar)) {
    section.fail(
        "kind",
        "is \"cublas_gemm\", which has no use for a [[scalar]]; use kind \"kernel\" with a "
        "reference.cu");
  }
  const Tensor& left = named_tensor(section, "left", problem, Role::in);
  const Tensor& right = named_tensor(section, "right", problem, Role::in);
  const Tensor& output = named_tensor(section, "output", problem, Role::out);
  for (const Tensor* tensor : {&left, &right, &output}) {
    if (tensor->shape.size() != 2) {
      section.fail(
          fmt::format("kind \"cublas_gemm\" multiplies matrices, but tensor {} has {} "
                      "dimensions; use kind \"kernel\" with a reference.cu",
                      tensor->name, tensor->shape.size()));
    }
  }
  require_product(section, problem, left, right, output);
  require_only_output(section, problem, output);
  return {left.name, right.name, output.name};
}

// A file beside case.toml, other than the one to edit.
std::filesystem::path read_file_name(Section& section, const std::string& key, const Case& problem,
                                     const std::vector<std::string>& endings) {
  std::filesystem::path file = section.text(key);
  if (file.lexically_normal() == "case.toml" || !is_file_beside(file, problem, endings)) {
    section.fail(key, fmt::format("is \"{}\"; write a .cu file in the folder of the case, other "
                                  "than {}, such as \"reference.cu\"",
                                  file.string(), problem.kernel_name));
  }
  return file;
}

// The fp64 reference is for the mean of all errors, and that of a few elements is chance.
void require_many(const Section& section, const Case& problem, const Tensor& output) {
  // Of so many honest errors the root mean square is within a sixth of its expectation: far from
  // the half more that is allowed.
  constexpr std::uint64_t kLeastElements = 256;
  for (const auto& [name, sizes] : problem.sizes) {
    const std::uint64_t count = element_count(output, sizes);
    if (count >= kLeastElements) continue;
    section.fail(
        "fp64_file",
        fmt::format("does not apply: output {} has {} elements at size \"{}\", too few for "
                    "a mean; remove it or choose sizes that give {} or more",
                    output.name, count, name, kLeastElements));
  }
}

// Their names and, in the same order, their digests.
void read_images(Section& section, const Case& problem, const CaseFiles* files,
                 KernelReference& reference) {
  const std::vector<std::string> names = section.texts("images", R"(["capture/original.cubin"])");
  const std::vector<std::string> digests = section.texts("images_sha256", R"(["0123..."])");
  if (names.size() != digests.size()) {
    section.fail("images_sha256",
                 fmt::format("has {} entries, and images {}", digests.size(), names.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_file_beside(names[i], problem, {".cubin", ".ptx"})) {
      section.fail("images", fmt::format("holds \"{}\"; write .cubin or .ptx files in the folder "
                                         "of the case",
                                         shown(names[i])));
    }
    reference.images[names[i]] = {};
    if (files == nullptr) continue;
    const auto found = files->images.find(names[i]);
    if (found == files->images.end()) {
      section.fail("images",
                   fmt::format("holds \"{}\", which is not a file in {}: captured code is "
                               "kept where it was captured, and nowhere else; extract "
                               "the case again",
                               names[i], files->directory.string()));
    }
    const std::optional<std::string> bytes = bytes_of_base64(found->second);
    if (!bytes || sha256(*bytes) != digests[i]) {
      section.fail("images_sha256",
                   fmt::format("does not fit \"{}\", which has been changed", names[i]));
    }
    reference.images[names[i]] = found->second;
  }
}

KernelReference read_kernel(Section& section, const Case& problem, const CaseFiles* files) {
  KernelReference reference;
  reference.file = read_file_name(section, "file", problem, {".cu", ".toml"});
  reference.source = source_of(section, "file", reference.file, files);
  if (reference.file.extension() == ".toml") read_images(section, problem, files, reference);
  if (!section.has("fp64_file")) return reference;
  reference.fp64_file = read_file_name(section, "fp64_file", problem, {".cu"});
  reference.fp64_source = source_of(section, "fp64_file", reference.fp64_file, files);
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.role == Role::inout) {
      section.fail("fp64_file", fmt::format("does not apply: tensor {} is read and written in one "
                                            "place, which cannot hold {} and double; remove it",
                                            tensor.name, spelling(tensor.dtype)));
    }
  }
  if (std::ranges::none_of(problem.tensors, [](const Tensor& tensor) {
        return tensor.role == Role::out && is_floating(tensor.dtype);
      })) {
    section.fail("fp64_file",
                 "does not apply: no output has a floating type; remove it and write exact = "
                 "\"always\" in [check]");
  }
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.role != Role::in && !tensor.pitch.empty()) {
      section.fail("fp64_file", fmt::format("does not apply: {} has a pitch; remove one of the two",
                                            tensor.name));
    }
    if (tensor.role != Role::in && tensor.dtype == DType::f64) {
      section.fail("fp64_file", fmt::format("does not apply: {} is f64 itself; remove it, and let "
                                            "file compute in f64",
                                            tensor.name));
    }
  }
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.role == Role::out && is_floating(tensor.dtype)) {
      require_many(section, problem, tensor);
    }
  }
  return reference;
}

PythonReference read_python(Section& section, const Case& problem, const CaseFiles* files) {
  constexpr std::size_t kMostOfReference = 64;
  PythonReference reference;
  const auto beside = [&](const std::string& key, const std::string& name,
                          const std::vector<std::string>& endings) {
    if (std::filesystem::path(name).lexically_normal() != "case.toml" &&
        is_file_beside(name, problem, endings)) {
      return;
    }
    section.fail(key, fmt::format("is \"{}\"; write {} files in the folder of the case, other than "
                                  "{}",
                                  shown(name), fmt::join(endings, " or "), problem.kernel_name));
  };
  reference.file = section.text("file");
  beside("file", reference.file.string(), {".py"});
  reference.source = source_of(section, "file", reference.file, files);
  if (section.has("files")) {
    for (const std::string& name : section.texts("files", R"(["problem.json", "model.py"])")) {
      beside("files", name, {".py", ".json", ".txt"});
      reference.files[name] = source_of(section, "files", name, files, "holds");
    }
  }
  if (reference.files.size() > kMostOfReference)
    section.fail("files", fmt::format("has more than {} files", kMostOfReference));
  if (section.has("python")) reference.python = section.text("python");
  return reference;
}

}  // namespace

const Tensor& named_tensor(Section& section, const std::string& key, const Case& problem,
                           Role role) {
  std::vector<std::string> names;
  names.reserve(problem.tensors.size());
  for (const Tensor& tensor : problem.tensors) names.push_back(tensor.name);
  const Tensor& tensor = problem.tensor(section.word(key, names));
  if (tensor.role != role) {
    section.fail(key, fmt::format(R"(is "{}", a tensor of role "{}"; name one of role "{}")",
                                  tensor.name, spelling(tensor.role), spelling(role)));
  }
  return tensor;
}

namespace {

// Of the case as it is at one size.
void require_factor_types(const Section& section, const Case& problem, const std::string& left,
                          const std::string& right, const std::string& output) {
  const DType of_left = problem.tensor(left).dtype;
  const DType of_right = problem.tensor(right).dtype;
  const DType of_output = problem.tensor(output).dtype;
  if (of_left == of_right && is_factor_type(of_left) && is_factor_type(of_output)) return;
  section.fail(
      fmt::format("{} is {}, {} is {} and {} is {}; a matrix product takes two tensors of one "
                  "type among f32, f16 and bf16, and gives one of these",
                  left, spelling(of_left), right, spelling(of_right), output, spelling(of_output)));
}

}  // namespace

void require_product(const Section& section, const Case& problem, const Tensor& left,
                     const Tensor& right, const Tensor& output) {
  for (const std::string& size : size_names(problem))
    require_factor_types(section, at_size(problem, size), left.name, right.name, output.name);
  for (const Tensor* tensor : {&left, &right, &output}) {
    if (!tensor->pitch.empty())
      section.fail(
          fmt::format("{} has a pitch; a matrix product takes tensors without", tensor->name));
  }
  for (const auto& [name, sizes] : problem.sizes) {
    const std::vector<std::int64_t> a = extents(left, sizes);
    const std::vector<std::int64_t> b = extents(right, sizes);
    const std::vector<std::int64_t> c = extents(output, sizes);
    if (a.back() != b.front() || product_extents(a, b) != c) {
      section.fail(
          fmt::format("{} {} x {} {} does not give {} {} (at size \"{}\"); fix the shapes; a "
                      "product of transposed matrices takes a reference kernel (kind = \"kernel\")",
                      left.name, listed(a), right.name, listed(b), output.name, listed(c), name));
    }
  }
}

Reference read_reference(Section& root, const Case& problem, const CaseFiles* files) {
  Section section = root.section("reference");
  Reference reference;
  const std::string kind = section.word("kind", {"cublas_gemm", "kernel", "python"});
  if (kind == "cublas_gemm") {
    reference = read_gemm(section, problem);
  } else if (kind == "python") {
    reference = read_python(section, problem, files);
  } else {
    reference = read_kernel(section, problem, files);
  }
  section.finish();
  return reference;
}

void require_only_output(const Section& section, const Case& problem, const Tensor& output) {
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.role == Role::in || tensor.name == output.name) continue;
    section.fail(
        fmt::format("a matrix product gives {} alone, but tensor {} has role \"{}\" too; "
                    "use kind \"kernel\" and exact = \"never\"",
                    output.name, tensor.name, spelling(tensor.role)));
  }
}

}  // namespace autokernel::cases
