// Cases of kernels in sources that have host code, too.
#include "autokernel/bridge/cuda_source.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace autokernel::bridge {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string text_of(const std::string& name) {
  std::ifstream stream(std::string(AUTOKERNEL_SOURCES) + "/tests/data/import/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ImportedSource imported(const std::string& text,
                        const std::map<std::string, std::string>& headers = {}) {
  return import_cuda_source("x.cu", text, headers);
}

// Of a source with one kernel.
ImportedCase only(const std::string& text) {
  ImportedSource source = imported(text);
  if (source.cases.size() != 1) {
    ADD_FAILURE() << source.cases.size() << " cases, and "
                  << (source.others.empty() ? "" : source.others[0].reason);
    return {};
  }
  return std::move(source.cases[0]);
}

std::string case_of(const std::string& text) { return only(text).files["case.toml"]; }
std::string kernel_of(const std::string& text) { return only(text).files["kernel.cu"]; }

// y = f(x) of n, launched by `host`.
std::string with_host(const std::string& host) {
  return "__global__ void f(const float* x, float* y, int n) { int i = threadIdx.x; "
         "if (i < n) y[i] = x[i]; }\n" +
         host;
}

TEST(CudaSource, OfAWholeProgramGivesACaseWithoutBlanks) {
  const ImportedCase add = only(text_of("vector_add.cu"));
  EXPECT_THAT(add.blanks, IsEmpty());
  EXPECT_THAT(add.files.at("case.toml"),
              AllOf(HasSubstr("[sizes.default]\nn = 65536  # x.cu:21"),
                    HasSubstr("name = \"a\"\nrole = \"in\"\ndtype = \"f32\"\nshape = [\"n\"]"),
                    HasSubstr("name = \"c\"\nrole = \"out\"")));
  EXPECT_THAT(add.files.at("kernel.cu"),
              AllOf(HasSubstr("if (i < n) c[i] = a[i] + b[i];"), Not(HasSubstr("main")),
                    HasSubstr("constexpr int threads = 256;  // x.cu:30"),
                    HasSubstr(".grid = {static_cast<unsigned>((n + threads - 1) / threads)}"),
                    HasSubstr(".arguments = \"a, b, c, n\"")));
  EXPECT_EQ(add.files.at("kernel.cu"), add.files.at("reference.cu"));
}

TEST(CudaSource, TellsOfAllThatIsLeftOut) {
  const ImportedCase add = only(text_of("vector_add.cu"));
  EXPECT_THAT(add.left_out, AllOf(Contains(Field(&Note::text, "the host function main")),
                                  Contains(Field(&Note::text, HasSubstr("the header cstdio"))),
                                  Contains(Field(&Note::text, "the declaration of CHECK"))));
  for (const Note& note : add.left_out)
    EXPECT_THAT(add.files.at("IMPORT.md"), HasSubstr(note.text));
}

TEST(CudaSource, FollowsWrappersTemplatesHeadersAndStructs) {
  const ImportedSource source =
      import_cuda_source("rows.cu", text_of("rows.cu"), {{"rows.cuh", text_of("rows.cuh")}});
  ASSERT_THAT(source.cases, SizeIs(2));
  EXPECT_THAT(source.others, IsEmpty());
  const auto& sum = source.cases[0].files;
  EXPECT_THAT(sum.at("case.toml"),
              AllOf(HasSubstr("columns = 500"), HasSubstr("rows = 64"),
                    HasSubstr("shape = [\"rows\", \"columns\"]"), HasSubstr("dtype = \"f16\"")));
  EXPECT_THAT(sum.at("kernel.cu"),
              AllOf(HasSubstr("autokernel::kernel<&sum_rows<half, kWarps>>"),
                    HasSubstr(".shared_bytes = kWarps * 4"), HasSubstr("warp_sum"),
                    HasSubstr("#include <cuda_fp16.h>")));
  EXPECT_THAT(source.cases[1].files.at("kernel.cu"),
              AllOf(HasSubstr("__device__ void scale_rows"),
                    HasSubstr("__global__ void scale_rows_launched(half* x, float scaling_factor)"),
                    HasSubstr("scaling.columns = columns;")));
  EXPECT_THAT(source.cases[1].files.at("case.toml"), HasSubstr("role = \"inout\""));
}

TEST(CudaSource, MakesACaseOfEachKernelThatIsLaunched) {
  const ImportedSource source = imported(
      "__global__ void f(float* x) { x[0] = 1; }\n__global__ void g(float* x) { x[0] = 2; }\n"
      "__global__ void h(float* x) { x[0] = 3; }\n"
      "void run(float* x) { f<<<1, 1>>>(x); g<<<1, 1>>>(x); f<<<2, 2>>>(x); }");
  ASSERT_THAT(source.cases,
              ElementsAre(Field(&ImportedCase::kernel, "f"), Field(&ImportedCase::kernel, "g")));
  EXPECT_THAT(source.cases[0].files.at("kernel.cu"), HasSubstr(".grid = {1}"));
  EXPECT_THAT(source.others,
              ElementsAre(AllOf(Field(&NotImported::kernel, "h"),
                                Field(&NotImported::reason, HasSubstr("no launch")))));
}

TEST(CudaSource, ProposesSizesThatNobodyTells) {
  const ImportedCase made =
      only(with_host("void run(float* x, float* y, int n) { f<<<1, 64>>>(x, y, n); }"));
  EXPECT_THAT(made.blanks, IsEmpty());
  EXPECT_THAT(made.files.at("case.toml"), HasSubstr("n = 1048576  # proposed"));
  EXPECT_THAT(made.assumptions, Contains(Field(&Note::text, HasSubstr("n is 1048576"))));
}

TEST(CudaSource, LeavesBlankWhatItCannotTell) {
  const ImportedCase made = only(
      "__global__ void f(const int* at, const float* x, float* y) { y[threadIdx.x] = "
      "x[at[threadIdx.x]]; }\n"
      "void run(int* at, float* x, float* y) { f<<<1, 64>>>(at, x, y); }");
  EXPECT_THAT(made.blanks, AllOf(SizeIs(2), Each(Field(&Note::file, "case.toml")),
                                 Contains(Field(&Note::text, HasSubstr("shape of x"))),
                                 Contains(Field(&Note::text, HasSubstr("high of at")))));
  for (const Note& blank : made.blanks) {
    std::istringstream lines(made.files.at("case.toml"));
    std::string line;
    for (int i = 0; i < blank.line; ++i) std::getline(lines, line);
    EXPECT_THAT(line, HasSubstr("\"?\"")) << blank.text;
  }
}

TEST(CudaSource, FindsExtentsInTheIndices) {
  EXPECT_THAT(
      case_of("__global__ void f(const float* x, float* y, int rows, int columns) {\n"
              "  int r = blockIdx.y; int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  if (r >= rows || c >= columns) return;\n"
              "  for (int k = 0; k < 8; k++) y[r * columns + c] += x[k * columns + c];\n}\n"
              "void run(float* x, float* y, int rows, int columns) {\n"
              "  dim3 grid(columns / 32, rows); f<<<grid, 32>>>(x, y, rows, columns); }"),
      AllOf(HasSubstr("shape = [\"8\", \"columns\"]"), HasSubstr("shape = [\"columns\", \"rows\"]"),
            HasSubstr("columns = 1024"), HasSubstr("rows = 1024")));
}

TEST(CudaSource, KnowsWaysToLaunch) {
  EXPECT_THAT(kernel_of(with_host(
                  "void run(float* x, float* y) { int n = 64; void* args[] = {&x, &y, &n};\n"
                  "cudaLaunchCooperativeKernel((void*)f, dim3(2), dim3(32), args, 16, 0); }")),
              AllOf(HasSubstr(".grid = {2}"), HasSubstr(".shared_bytes = 16"),
                    HasSubstr(".cooperative = true"), HasSubstr("\"x, y, n\"")));
  EXPECT_THAT(
      kernel_of(with_host(
          "void run(float* x, float* y) { cudaLaunchConfig_t c; c.gridDim = 4;\n"
          "c.blockDim = dim3(32, 2); cudaLaunchAttribute a[1];\n"
          "a[0].val.clusterDim.x = 2; a[0].val.clusterDim.y = 1; a[0].val.clusterDim.z = 1;\n"
          "cudaLaunchKernelEx(&c, f, x, y, 64); }")),
      AllOf(HasSubstr(".grid = {4}"), HasSubstr(".block = {32, 2}"), HasSubstr(".cluster = {2}")));
  EXPECT_THAT(kernel_of(with_host("#define RUN(T) f<<<T, 32>>>(x, y, n);\n"
                                  "void run(float* x, float* y) { int n = 64; RUN(7) }")),
              HasSubstr(".grid = {7}"));
}

TEST(CudaSource, PassesNullPointersAndFloatingScalars) {
  const std::string text = case_of(
      "__global__ void f(const float* mask, float* y, float scale, double other) { y[threadIdx.x] "
      "= mask ? scale : other; }\n"
      "void run(float* y, double t) { f<<<1, 32>>>(nullptr, y, 2, t); }");
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"mask\"\ndtype = \"i64\"\nvalue = 0"),
                          HasSubstr("name = \"scale\"\ndtype = \"f32\"\nvalue = 2.0"),
                          HasSubstr("dtype = \"f64\"\nlow = 0.5\nhigh = 2.0")));
}

TEST(CudaSource, TellsReadFromWritten) {
  const std::string text = case_of(
      "__device__ void put(float* at, float v) { *at = v; }\n"
      "__global__ void f(float* a, float* b, float* c, float* d, float* e) {\n"
      "  float4* v = reinterpret_cast<float4*>(a); v[0] = make_float4(1, 2, 3, 4);\n"
      "  b[threadIdx.x]++; c[threadIdx.x] = b[threadIdx.x] + d[threadIdx.x]; put(e + threadIdx.x, "
      "1); }\n"
      "void run(float* a, float* b, float* c, float* d, float* e) { f<<<1, 32>>>(a, b, c, d, e); "
      "}");
  for (const char* const each : {"name = \"a\"\nrole = \"out\"", "name = \"b\"\nrole = \"inout\"",
                                 "name = \"c\"\nrole = \"out\"", "name = \"d\"\nrole = \"in\"",
                                 "name = \"e\"\nrole = \"out\""})
    EXPECT_THAT(text, HasSubstr(each));
}

TEST(CudaSource, SaysWhyThereIsNoCase) {
  const auto reason = [](const std::string& text) {
    const ImportedSource source = imported(text);
    return source.others.empty() ? "" : source.others[0].reason;
  };
  EXPECT_THAT(reason("__global__ void f(float** x) {}\nvoid run(float** x) { f<<<1, 1>>>(x); }"),
              HasSubstr("pointer to pointers"));
  EXPECT_THAT(reason("struct S { int a; float b; };\n__global__ void f(S* x) {}\n"
                     "void run(S* x) { f<<<1, 1>>>(x); }"),
              HasSubstr("points to S"));
  EXPECT_THAT(reason("__global__ void f(int n) {}\nvoid run() { f<<<1, 1>>>(3); }"),
              HasSubstr("none of its parameters is a pointer"));
  EXPECT_THAT(imported("int main() {}").others, IsEmpty());
}

TEST(CudaSource, TakesTextsThatCallThemselves) {
  EXPECT_THAT(
      imported(
          with_host(
              "#define N N + 1\nint g(int a) { return g(a); }\n"
              "void run(float* x, float* y) { run(x, y); int n = n; f<<<N, g(n)>>>(x, y, n); }"))
          .cases,
      SizeIs(1));
}

// k of x and n, and a main.
std::string with_main(const std::string& main) {
  return "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
         "int main(int argc, char** argv) { float* x; " +
         main + " }\n";
}

TEST(CudaSource, FollowsWhatChangesAVariable) {
  EXPECT_THAT(case_of(with_main("int n = 1000; n *= 4; n += 95; n++; cudaMalloc(&x, n * 4); "
                                "k<<<1, 64>>>(x, n);")),
              HasSubstr("n = 4096  #"));
  EXPECT_THAT(kernel_of(with_main("int n = 130; int g = n / 64; if (n % 64) g++; "
                                  "cudaMalloc(&x, n * 4); k<<<g, 64>>>(x, n);")),
              HasSubstr("n / 64 + 1"));
  EXPECT_THAT(case_of(with_main("int n = 1; while (n < argc) n *= 2; k<<<1, 64>>>(x, n);")),
              HasSubstr("# proposed"));
}

TEST(CudaSource, DecidesConditionsOfTheHost) {
  const ImportedCase made =
      only(with_main("int n = 4096; if (argc > 2) n = 64; bool small = false; if (small) n = 32; "
                     "cudaMalloc(&x, n * 4); k<<<1, 64>>>(x, n);"));
  EXPECT_THAT(made.files.at("case.toml"), HasSubstr("n = 4096  #"));
  EXPECT_THAT(made.assumptions, Contains(Field(&Note::text, HasSubstr("n keeps its value"))));
  const std::string kernel =
      "template <int B> __global__ void k(float* x) { x[threadIdx.x] *= B; }\n";
  EXPECT_THAT(
      kernel_of(kernel + "void run(float* x) { int b = 256; if (b == 64) k<64><<<1, 64>>>(x); "
                         "else k<256><<<2, 256>>>(x); }"),
      HasSubstr("&k<256>"));
  EXPECT_THAT(
      kernel_of(kernel + "void run(float* x, int b) { switch (b) { case 64: k<64><<<1, 64>>>(x); "
                         "break; case 32: k<32><<<1, 32>>>(x); break; } }\n"
                         "int main() { float* x; run(x, 32); }"),
      HasSubstr("&k<32>"));
}

TEST(CudaSource, TellsKernelsOfOneNameApart) {
  const std::string two =
      "namespace a { __global__ void k(float* x, int n) { x[0] = 1; } }\n"
      "namespace b { __global__ void k(float* x, int n) { x[0] = 2; } }\n";
  const ImportedSource source =
      imported(two + "void run(float* x) { b::k<<<1, 1>>>(x, 1); a::k<<<2, 1>>>(x, 1); }");
  ASSERT_THAT(source.cases, SizeIs(2));
  EXPECT_THAT(source.cases[0].files.at("kernel.cu"),
              AllOf(HasSubstr("&b::k"), HasSubstr(".grid = {1}"), HasSubstr("x[0] = 2")));
  EXPECT_THAT(kernel_of("template <typename T> __global__ void k(T* x) { x[0] = 1; }\n"
                        "template <> __global__ void k<float>(float* x) { x[0] = 2; }\n"
                        "void run(float* x) { k<float><<<1, 1>>>(x); }"),
              AllOf(HasSubstr("&k<float>"), HasSubstr("x[0] = 2")));
  EXPECT_THAT(kernel_of("namespace { __global__ void k(float* x) { x[0] = 1; } }\n"
                        "void run(float* x) { k<<<1, 1>>>(x); }"),
              HasSubstr("autokernel::kernel<&k>"));
}

TEST(CudaSource, KeepsNamesAndMacrosOfTheDevice) {
  const ImportedCase made = only(
      "const int N = 7;\n#define M 4 + 4\n#define HALF 0.5f\n#undef HALF\n#define HALF 2\n"
      "__device__ int step(int a) { return a; }\n"
      "__global__ void k(float* x, int n) { x[threadIdx.x] = N * M * step(n) * HALF; }\n"
      "int main() { int N = 64, step = 32; float* x; cudaMalloc(&x, N * 4); k<<<step, M>>>(x, N); "
      "}");
  EXPECT_THAT(made.files.at("kernel.cu"),
              AllOf(HasSubstr("const int N = 7;"), HasSubstr("#define M 4 + 4"),
                    HasSubstr("#undef HALF"), HasSubstr("int step(int a)"),
                    HasSubstr(".grid = {step_host}"), HasSubstr(".block = {8}")));
  EXPECT_THAT(made.files.at("case.toml"), HasSubstr("N_host = 64"));
}

TEST(CudaSource, TellsOfVariablesThatTheHostFills) {
  EXPECT_THAT(only("__constant__ float c[2];\n"
                   "__global__ void k(float* x) { x[0] = c[1]; }\n"
                   "void run(float* x, float* h) { cudaMemcpyToSymbol(c, h, 8); k<<<1, 1>>>(x); }")
                  .assumptions,
              Contains(Field(&Note::text, HasSubstr("c has the values that it begins with"))));
}

TEST(CudaSource, WritesNothingButNamesOfWhatItReads) {
  const std::string name = "b\ncompile.compiler = \"x\"\n#.cu";
  const ImportedSource source =
      import_cuda_source(name, "#ifdef A[x](y)\n#endif\n" + text_of("vector_add.cu"), {});
  ASSERT_THAT(source.cases, SizeIs(1));
  for (const auto& [path, text] : source.cases[0].files) {
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\ncompile")), Not(HasSubstr("[x](y)")))) << path;
  }
}

TEST(CudaSource, TakesNegativeNumbersAndDefaults) {
  EXPECT_THAT(
      case_of(
          "__global__ void k(float* x, int a, float s = 3.0f, int m = 7) { x[0] = a + s + m; }\n"
          "void run(float* x) { k<<<1, 1>>>(x, -5); }"),
      AllOf(HasSubstr("value = -5"), HasSubstr("value = 3.0"), HasSubstr("value = 7")));
}

TEST(CudaSource, EndsWithTextsThatGrow) {
  std::string min = "n";
  for (int i = 0; i < 40; ++i) min.insert(0, "min(m, ").push_back(')');
  EXPECT_THAT(imported(with_main("int n = 3, m = 4; k<<<" + min + ", 1>>>(x, n);")).cases,
              SizeIs(1));
  std::string product = "(a + b)";
  for (int i = 0; i < 16; ++i)
    product += " * (a" + std::to_string(i) + " + b" + std::to_string(i) + ")";
  EXPECT_THAT(imported(with_main("k<<<1, 1>>>(x, " + product + ");")).cases, SizeIs(1));
  EXPECT_THAT(imported("struct S { S s; }; struct B; struct A { B b; }; struct B { A a; };\n"
                       "__global__ void k(A* x) {}\n"
                       "void run(A* x) { cudaMalloc(&x, sizeof(S)); k<<<1, 1>>>(x); }")
                  .others,
              SizeIs(1));
  std::string chain;
  for (int i = 2000; i > 0; --i)
    chain += "__device__ void f" + std::to_string(i) + "(float* p) { f" + std::to_string(i + 1) +
             "(p); }\n";
  EXPECT_THAT(
      imported(chain +
               "__global__ void k(float* x) { f1(x); }\nvoid run(float* x) { k<<<1, 1>>>(x); }")
          .cases,
      SizeIs(1));
}

TEST(CudaSource, ReadsHeadersWhereTheyAreIncluded) {
  const ImportedSource source = import_cuda_source(
      "x.cu",
      "#define MODE 2\n#include \"z.cuh\"\n#if 0\n#include \"a.cuh\"\n#endif\n"
      "int main() { float* x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }",
      {{"z.cuh", "#include \"b.h\"\n__global__ void k(float* x) { x[0] = FACTOR; }\n"},
       {"b.h", "#if MODE == 2\n#define FACTOR 4\n#else\n#define FACTOR 5\n#endif\n"},
       {"a.cuh", "#define FACTOR 3\n"}});
  ASSERT_THAT(source.cases, SizeIs(1));
  const std::string kernel = source.cases[0].files.at("kernel.cu");
  EXPECT_THAT(kernel, AllOf(HasSubstr("#define FACTOR 4"), Not(HasSubstr("FACTOR 3"))));
  EXPECT_LT(kernel.find("#define FACTOR"), kernel.find("x[0] = FACTOR"));
}

TEST(CudaSource, IsReadWhereverItIsCutOff) {
  const std::string whole = text_of("rows.cu");
  const std::map<std::string, std::string> headers = {{"rows.cuh", text_of("rows.cuh")}};
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const ImportedSource source = import_cuda_source("x.cu", whole.substr(0, length), headers);
    EXPECT_LE(source.cases.size() + source.others.size(), 2U);
  }
}

}  // namespace
}  // namespace autokernel::bridge
