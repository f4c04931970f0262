// A case: the fixed problem a kernel is measured on, as case.toml states it. This layer reads and
// checks the file and evaluates its formulas; it generates no data and knows no device.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/cases/command.h"
#include "autokernel/cases/editable_files.h"

namespace autokernel::cases {

// e4m3 and e5m2 are the 8-bit formats of OCP's "8-bit floating point specification", revision 1.0.
enum class DType : std::uint8_t {
  f32,
  f16,
  bf16,
  i32,
  u8,
  f64,
  i64,
  u32,
  i16,
  i8,
  boolean,
  e4m3,
  e5m2
};
inline constexpr DType kLastDType = DType::e5m2;
[[nodiscard]] std::size_t size_of(DType dtype);    // bytes
[[nodiscard]] const char* spelling(DType dtype);   // "bf16", as in case.toml
[[nodiscard]] const char* long_name(DType dtype);  // "bfloat16", as on the problem line of bench
[[nodiscard]] const char* cpp_name(DType dtype);   // "__nv_bfloat16", as a kernel declares it
[[nodiscard]] bool is_floating(DType dtype);
// Whether a float holds every value of the type.
[[nodiscard]] bool fits_float(DType dtype);

enum class Role : std::uint8_t { in, out, inout };
[[nodiscard]] const char* spelling(Role role);  // "inout", as in case.toml

// How an input's values are drawn in the checks that are not exact (see Exactness).
enum class Distribution : std::uint8_t {
  normal,    // mean 0, standard deviation 1
  uniform,   // [low, high)
  integers,  // whole numbers in [low, high]
  // Of tensors of indices, along the last dimension:
  sorted,       // whole numbers in [low, high], none less than the one before
  offsets,      // the same, from low to high: where rows begin and end in CSR
  permutation,  // each of 0, 1, ... once
  captured,     // what a program had there, or drawn from that (Fill::file)
};
[[nodiscard]] const char* spelling(Distribution distribution);  // "normal", as in case.toml
// What becomes of captured values in a launch (captured_values.h).
enum class CapturedUse : std::uint8_t {
  drawn,     // each element is near any of them
  kept,      // those of one launch, as they were
  perturbed  // those of one launch, the lowest bit of each element at random
};
inline constexpr CapturedUse kLastCapturedUse = CapturedUse::perturbed;
[[nodiscard]] const char* spelling(CapturedUse use);  // "drawn", as in case.toml

struct Fill {
  Distribution distribution = Distribution::normal;
  double low = 0;
  double high = 1;
  // Of the size symbols, where the bounds are not the same at each size: "VOCABULARY - 1".
  std::string low_formula = {};
  std::string high_formula = {};
  // Captured values: the file that holds all elements of the tensor, of one launch after the other,
  // from the case's folder, and its SHA-256 in hexadecimal digits.
  std::string file = {};
  std::string sha256 = {};
  CapturedUse use = CapturedUse::drawn;
};

// How far from right every element may be.
struct Tolerance {
  double absolute = 0;
  double relative = 0;

  // The largest |got - expected| of an element.
  [[nodiscard]] double allowed(double expected) const {
    return absolute + relative * std::fabs(expected);
  }
};

// A parameter that is handed over by value as a program did, with addresses in it.
struct ByValue {
  std::string bytes;  // in hexadecimal digits
  struct Pointer {
    std::uint64_t at = 0;  // where in the bytes the address lies
    std::string tensor;
    std::uint64_t offset = 0;  // bytes into the tensor
  };
  std::vector<Pointer> pointers = {};
};

// The parameters of a kernel: messages and buffers need some limit. A ResNet of 101 layers has 316
// with its weights; the parameters of a kernel hold 512 pointers.
inline constexpr std::size_t kMostTensors = 320;

// Values of the size symbols, e.g. {"M": 1024, "N": 1024, "K": 1024}.
using Sizes = std::map<std::string, std::int64_t>;
// The symbols of a size that are types of elements, "T" -> bf16.
using Types = std::map<std::string, DType>;

struct Tensor {
  std::string name;
  DType dtype;
  Role role;
  std::vector<std::string>
      shape;  // each a symbol or an expression of symbols, outermost first, row-major
  Fill fill;  // of inputs
  // Elements from the beginning of one row (the last dimension) to the next, a formula; empty: rows
  // follow each other without padding.
  std::string pitch = {};
  std::string element = {};  // how a kernel declares one, where that is not cpp_name(dtype)
  // "T": its type is what this symbol says at a size, and `dtype` that at the default size. Empty:
  // it is `dtype` at all.
  std::string type_symbol = {};
  // A [[scalar]]: one element that is read, drawn anew for each launch like any input, and handed
  // to the kernel by value. Those of a case come behind its tensors.
  bool is_scalar = false;
  // A [[struct]], which is a scalar whose bytes are these.
  std::optional<ByValue> by_value = {};
  // Of one that is written, in place of the case's.
  std::optional<Tolerance> tolerance = {};
};

// The output is a sum of products of two inputs over one symbol, so inputs exist whose result every
// order of summation in fp32 gives to the bit: whole numbers times a power of two per row of `left`
// and per column of `right`.
struct SumOfProducts {
  std::string left;   // tensor whose last dimension is summed over
  std::string right;  // tensor whose first dimension is summed over
  std::string output;
  std::string symbol;  // the symbol summed over, "K"
};

// The output follows from the inputs elementwise and is compared as it is; every input distribution
// is checked with Tolerance, and no exact inputs exist.
struct NotExact {};
// Every output element is a correctly rounded function of its inputs: compared bit for bit on all
// inputs.
struct ExactAlways {};
using Exactness = std::variant<NotExact, ExactAlways, SumOfProducts>;

// reference = "cublas_gemm": output = left x right, row-major; cuBLAS on a GPU, OpenBLAS in fp32 on
// the emulated device.
struct GemmReference {
  std::string left;
  std::string right;
  std::string output;
};
// reference = "reference.cu": compiled, declared and launched like a kernel of this case.
struct KernelReference {
  std::filesystem::path file;
  std::string source;  // what it holds; empty in a Case that was parsed from a text alone
  // Where it is not empty: a kernel that computes the same in fp64. It takes the tensors like any
  // other, but writes `double` where their type is a floating one. The error of a kernel, as root
  // mean square of its distance to this, is then held against that of `file`.
  std::filesystem::path fp64_file = {};
  std::string fp64_source = {};
  // Where it describes images (original.toml): these, by name, in base64.
  std::map<std::string, std::string> images = {};
};
// reference = "reference.py": its function `reference`, in a process of its own
// (docs/python-references.md).
struct PythonReference {
  std::filesystem::path file;
  std::string source;
  std::map<std::string, std::string> files = {};  // what it imports or reads, by path
  std::string python = {};                        // which runs it; empty: the active one
};
using Reference = std::variant<GemmReference, KernelReference, PythonReference>;

// A host program that computes the same with a library, to be timed beside the kernel
// (include/autokernel_baseline.h).
struct BaselineProgram {
  std::filesystem::path file;
  std::string source;  // what it holds; empty in a Case that was parsed from a text alone
};

struct TimingPlan {
  int samples = 50;         // timed launches wanted
  int warmups = 5;          // untimed launches before them, on a GPU
  double cap_seconds = 60;  // no further sample is started after this, on a GPU
};

// What a kernel is kept for, where that is more than its time at one size.
struct Goal {
  // Weights of the sizes whose times make the score, a weighted geometric mean, "default" among
  // them; empty: the measured size alone.
  std::map<std::string, double> score;
  // Guard-rails: by size, the largest share of the incumbent's time that may be lost, 0.02; and
  // what a kernel may take, or be off by, at most.
  std::map<std::string, double> most_loss;
  std::optional<std::uint64_t> registers;     // per thread
  std::optional<std::uint64_t> spill_bytes;   // per thread
  std::optional<std::uint64_t> shared_bytes;  // per block
  std::optional<double> max_abs_error;
  std::optional<double> max_rel_error;
};

// How the kernel is compiled: the headers of libraries, and options of the compiler.
struct CompilePlan {
  std::vector<std::filesystem::path> include;  // folders, from the case's own where relative
  std::string include_place;                   // "kernels/case.toml:12:1", for messages
  std::vector<std::string> flags;              // "-maxrregcount=128"; the kernel's alone
  // What compiles a kernel that is not in CUDA C++: "triton", or a file of Python in the folder;
  // empty: autokernel itself.
  std::string compiler;
  std::string compiler_script;  // what that file holds
  std::string python;           // which runs it; empty: the active one

  [[nodiscard]] bool has_script() const { return !compiler.empty() && compiler != kTriton; }
  static constexpr const char* kTriton = "triton";
};

// What makes a kernel of the case faster: which of the pages in docs/playbooks is for it.
enum class Playbook : std::uint8_t { compute, memory, reduction, attention, scan };
inline constexpr Playbook kLastPlaybook = Playbook::scan;
[[nodiscard]] const char* spelling(Playbook playbook);  // "reduction", as in case.toml

struct Case {
  std::filesystem::path directory;        // holds case.toml and the kernel
  std::string kernel_name = "kernel.cu";  // the main file
  std::string name;                       // "MatMul"
  std::string
      problem;  // "MatMul [{M},{K}] x [{K},{N}] bfloat16": {symbol} is replaced by its value
  std::vector<Tensor> tensors;         // in the order of the kernel's parameters, scalars last
  std::map<std::string, Sizes> sizes;  // always has "default" and "check"
  std::map<std::string, Types> types;  // by size; of each the same symbols, which may be none
  // Symbols that are no constants of the kernel: its code must be the same whatever they are.
  std::vector<std::string> runtime_sizes;
  Tolerance tolerance;  // zero where results are exact on all inputs
  // Where it differs with the type of what is written; `tolerance` is that at the default size.
  std::map<DType, Tolerance> tolerances;
  Exactness exactness;
  // The share of an output's elements that may be outside of the tolerance; none unless the case
  // says so, as some benchmarks do. They are numbers all the same.
  double may_be_wrong = 0;
  bool deterministic = false;  // the same inputs must give the same bits (implied by exact inputs)
  std::string flops;           // formula of the size symbols
  std::string bytes;           // least bytes moved, formula of the size symbols
  Reference reference;
  std::vector<BaselineProgram> baselines;
  TimingPlan timing;
  Goal goal;
  CompilePlan compile;
  EditableFiles editable_files;  // beside the main one
  // Of a case that is no kernel: `kernel_name` is the first of its editable files then, and it has
  // no tensors.
  std::optional<CommandPlan> command;
  Playbook playbook = Playbook::memory;  // the case's own word, or what follows from its cost
  std::string text;                      // case.toml as read

  [[nodiscard]] std::filesystem::path kernel_file() const { return directory / kernel_name; }
  [[nodiscard]] const Tensor& tensor(
      const std::string& name) const;  // throws Error(internal) where there is none
};

// The case as it is at one of its sizes: tensors have the types of that size, and the tolerance is
// that of the types.
[[nodiscard]] Case at_size(const Case& problem, const std::string& size);

// "check", "default", ...: the names of its sizes.
[[nodiscard]] std::vector<std::string> size_names(const Case& problem);

// A folder of a library's headers.
struct HeaderFolder {
  std::filesystem::path folder;              // as case.toml has it
  std::map<std::string, std::string> files;  // by path from there: "cute/tensor.hpp"
};
// All headers below a folder of [compile] include, which is relative to the case's `directory` or
// absolute. Links are not followed. Throws Error(usage) where there is no such folder or it holds
// too much.
[[nodiscard]] HeaderFolder read_headers(const std::filesystem::path& directory,
                                        const std::filesystem::path& folder);
// SHA-256 of all paths and bytes in it, in hexadecimal digits.
[[nodiscard]] std::string digest_of(const HeaderFolder& headers);

// All that a case is made of, read once: whoever can write to its folder cannot have one thing
// hashed and another one compiled.
struct CaseFiles {
  std::filesystem::path directory;           // where they were read; messages name it
  std::map<std::string, std::string> bytes;  // by path from there: "case.toml", "reference.cu"
  std::vector<HeaderFolder> headers = {};    // as [compile] include lists them
  // Images of a reference, by path, in base64. They are no part of what is hashed: the case has
  // their digests.
  std::map<std::string, std::string> images = {};
};
// Reads the images that the case of these files names into them. One that is missing stays out.
void read_images(CaseFiles& files);
// Reads DIR/case.toml and the files and folders that it names. Throws Error(usage) where there is
// no case, and for a file that is not a regular one, is larger than kLargestSource or lies behind a
// symbolic link.
[[nodiscard]] CaseFiles read_files(const std::filesystem::path& directory);
// Throws Error(usage) naming file, line, what was found and what is allowed. No file is opened.
[[nodiscard]] Case parse(const CaseFiles& files);
// Of the files of a [command] case, those that the check alone sees, and all others.
struct CommandFiles {
  std::map<std::string, std::string> fixed;
  std::map<std::string, std::string> hidden;
};
[[nodiscard]] CommandFiles command_files(const CommandPlan& plan,
                                         const std::map<std::string, std::string>& case_files);
// Both at once, for those who only want to know what the case says.
[[nodiscard]] Case load(const std::filesystem::path& directory);
// From the text of case.toml alone, whatever files it names.
[[nodiscard]] Case parse(const std::string& text, const std::filesystem::path& directory);

// What its work costs at one of its sizes, by the formulas of [cost]: operations, least bytes
// moved, and the one per the other. In them a type stands for the bytes of an element.
[[nodiscard]] double flops_at(const Case& problem, const std::string& size);
[[nodiscard]] double bytes_at(const Case& problem, const std::string& size);
[[nodiscard]] double intensity_at(const Case& problem, const std::string& size);
// Value of a formula such as "2*M*N*K" (muparser). Throws Error(usage) naming formula and unknown
// symbol.
[[nodiscard]] double evaluate(const std::string& formula, const Sizes& sizes);
// Extents of a tensor in memory at these sizes, outermost first, each at least 1: with a pitch,
// that is the last one.
[[nodiscard]] std::vector<std::int64_t> extents(const Tensor& tensor, const Sizes& sizes);
// How many elements of a row are the tensor's; those behind them, up to the pitch, are padding.
[[nodiscard]] std::int64_t row_length(const Tensor& tensor, const Sizes& sizes);
[[nodiscard]] std::uint64_t element_count(const Tensor& tensor, const Sizes& sizes);
// With the bounds that it has at these sizes.
[[nodiscard]] Fill fill_at(Fill fill, const Sizes& sizes);
// The symbols of one of its sizes as text: "M" -> "1024", "T" -> "bf16".
[[nodiscard]] std::map<std::string, std::string> symbol_texts(const Case& problem,
                                                              const std::string& size);
// The problem line with the symbols of that size replaced: "MatMul [1024,1024] x [1024,1024]
// bfloat16".
[[nodiscard]] std::string problem_line(const Case& problem, const std::string& size);

}  // namespace autokernel::cases
