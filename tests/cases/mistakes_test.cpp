// Each mistake that a case.toml can hold, one broken file for each: the message says where it is,
// what was found and what is allowed.
#include <gmock/gmock.h>

#include <vector>

#include "cases/sample.h"

namespace autokernel::cases {
namespace {

struct Mistake {
  std::string name;
  std::string text;     // of case.toml
  std::string message;  // after the name of the file
};

std::vector<Mistake> mistakes() {
  return {
      {"AnUnknownKeyAtTheTop",
       with(sample(), "name = \"MatMul\"\n", "name = \"MatMul\"\nnmae = \"x\"\n"),
       "2:1: nmae is not known here, did you mean name?; known are baselines, check, command, "
       "compile, cost, editable_files, guard, kernel, name, playbook, problem, reference, "
       "runtime_sizes, scalar, score, sizes, struct, tensor or timing"},
      {"AnUnknownKeyInATensor",
       with(sample(), "fill = \"normal\"\n[[tensor]]\nname = \"B\"",
            "fill = \"normal\"\nlayout = \"row\"\n[[tensor]]\nname = \"B\""),
       "17:1: [[tensor]] A layout is not known here; known are absolute, dtype, fill, high, "
       "low, name, pitch, relative, role or shape"},
      {"AnUnknownKeyInTheReference",
       with(sample(), "kind = \"cublas_gemm\"\n", "kind = \"cublas_gemm\"\nalpha = 2\n"),
       "32:1: [reference] alpha is not known here; known are kind, left, output or right"},
      {"AnUnknownKeyInTheCheck",
       with(sample(), "absolute = 0.01", "absolut = 0.01\nabsolute = 0.01"),
       "36:1: [check] absolut is not known here, did you mean absolute?; known are absolute, "
       "deterministic, exact, left, may_be_wrong, output, relative, right or sum_over"},
      {"AnUnknownKeyInTheCost", with(sample(), "[cost]\n", "[cost]\nflop = \"M\"\n"),
       "41:1: [cost] flop is not known here, did you mean flops?; known are bytes or flops"},
      {"AnUnknownKeyInTheTiming", with(sample(), "[cost]", "[timing]\nrepeats = 3\n[cost]"),
       "41:1: [timing] repeats is not known here, did you mean samples?; known are cap_seconds, "
       "samples or warmups"},
      {"AKeyByAnotherName",
       with(sample(), "fill = \"normal\"\n[[tensor]]\nname = \"B\"",
            "init = \"normal\"\n[[tensor]]\nname = \"B\""),
       "16:1: [[tensor]] A init is not known here, did you mean fill?"},
      {"ASectionByAnotherName", with(sample(), "[reference]", "[baseline]"),
       "30:2: baseline is not known here, did you mean reference?"},
      {"APlaybookThatThereIsNot",
       with(sample(), "name = \"MatMul\"\n", "name = \"MatMul\"\nplaybook = \"reducing\"\n"),
       "2:12: playbook is \"reducing\"; write \"compute\", \"memory\", \"reduction\", "
       "\"attention\" "
       "or \"scan\""},
      {"AnUnknownSection", with(sample(), "[cost]", "[costs]\n[cost]"),
       "40:2: costs is not known here, did you mean cost?; known are baselines, check, command, "
       "compile, cost, editable_files, guard, kernel, name, playbook, problem, reference, "
       "runtime_sizes, scalar, score, sizes, struct, tensor or timing"},
      {"AKeyWithoutAValue", with(sample(), R"(name = "MatMul")", "name = "),
       "1:8: not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'"},
      {"AKeyTwice", with(sample(), R"(name = "MatMul")", "name = \"MatMul\"\nname = \"Again\""),
       "2:8: not valid TOML: Error while parsing key-value pair: cannot redefine existing string "
       "'name'"},
      {"ASectionTwice", with(sample(), "[cost]", "[reference]\n[cost]"),
       "40:1: not valid TOML: Error while parsing table header: cannot redefine existing table "
       "'reference'"},
      {"ATextThatIsNotClosed", with(sample(), "\"MatMul\"\n", "\"MatMul\n"),
       "1:15: not valid TOML: Error while parsing string: unescaped control characters other than "
       "TAB (U+0009) are explicitly prohibited"},
      {"ALineThatIsNoToml", with(sample(), "[cost]", "what is this\n[cost]"),
       "40:6: not valid TOML: Error while parsing key-value pair: expected '=', saw 'i'"},
      {"TextThatIsNotUtf8",
       with(sample(), R"("MatMul")",
            "\"Mat\xff"
            "Mul\""),
       "1:11: not valid TOML: Encountered invalid utf-8 sequence"},
      {"AZeroByte", with(sample(), R"("MatMul")", std::string("\"Mat\0Mul\"", 9)),
       "1:12: not valid TOML: Error while parsing string: unescaped control characters other than "
       "TAB (U+0009) are explicitly prohibited"},
      {"ATabInAText", with(sample(), R"("MatMul")", "\"Mat\tMul\""),
       R"(1:8: name is "Mat?Mul"; write a text in quotes, on one line, without tabs and not empty)"},
      {"ALineBreakInAText", with(sample(), R"("MatMul")", "\"\"\"Mat\nMul\"\"\""),
       R"(1:8: name is "Mat?Mul"; write a text in quotes, on one line, without tabs and not empty)"},
      {"ANameThatIsMissing", with(sample(), "name = \"MatMul\"\n", ""),
       "1:1: name is missing; write a text in quotes, on one line, without tabs and not empty"},
      {"ANameThatIsEmpty", with(sample(), R"("MatMul")", R"("")"),
       R"(1:8: name is ""; write a text in quotes, on one line, without tabs and not empty)"},
      {"ANameThatIsANumber", with(sample(), R"("MatMul")", "3"),
       "1:8: name is 3; write a text in quotes, on one line, without tabs and not empty"},
      {"AProblemThatIsMissing", with(sample(), "problem = \"MatMul [{M},{K}] x [{K},{N}]\"\n", ""),
       "1:1: problem is missing; write a text in quotes, on one line, without tabs and not empty"},
      {"AnUnknownSymbolInTheProblem", with(sample(), "[{M},{K}]", "[{M},{X}]"),
       R"(2:11: problem: the problem line "MatMul [{M},{X}] x [{K},{N}]" has the unknown symbol "{X}"; write a size symbol in braces)"},
      {"AnOpenBraceInTheProblem", with(sample(), "x [{K},{N}]", "x [{K},{N]"),
       R"(2:11: problem: the problem line "MatMul [{M},{K}] x [{K},{N]" has a { without }; write a size symbol in braces)"},
      {"SizesThatAreMissing",
       with(kernel_sample(), "[sizes.default]\nN = 64\n[sizes.check]\nN = 8\n", ""),
       "1:1: the section [sizes] is missing; add it"},
      {"ADefaultSizeThatIsMissing", with(sample(), "[sizes.default]", "[sizes.usual]"),
       "3:1: the section [sizes.default] is missing; add it"},
      {"ACheckSizeThatIsMissing", with(sample(), "[sizes.check]", "[sizes.small]"),
       "3:1: the section [sizes.check] is missing; add it"},
      {"ASizeWithoutSymbols", with(kernel_sample(), "[sizes.check]\nN = 8\n", "[sizes.check]\n"),
       "5:1: [sizes.check]: there is no size in it; write one line for each, such as M = 1024"},
      {"ASizeThatIsNoSection",
       with(kernel_sample(), "[sizes.check]\nN = 8\n", "[sizes]\ncheck = 8\n"),
       "6:9: [sizes] check is 8; write a section: [sizes.check]"},
      {"ASymbolThatOneSizeLacks", with(sample(), "N = 8\n", ""),
       "7:1: [sizes.check] N is missing; [sizes.default] has it, so every size must"},
      {"ASymbolThatOneSizeHasAlone", with(sample(), "N = 8\n", "N = 8\nL = 8\n"),
       "10:5: [sizes.check] L is not in [sizes.default]; every size has the same symbols"},
      {"ASymbolThatCppUses", with(sample(), "M = 64", "int = 64"),
       "4:7: [sizes.default] int cannot be a size symbol: kernels see it as a C++ constant; write "
       "a name such as M"},
      {"ASymbolThatIsAFunctionOfFormulas",
       with(kernel_sample(), "N = 64\n[sizes.check]\nN = 8", "sin = 64\n[sizes.check]\nsin = 8"),
       "4:7: [sizes.default] sin cannot be a size symbol: it is a function of formulas; write a "
       "name such as M"},
      {"ASizeOfZero", with(sample(), "N = 8", "N = 0"),
       "9:5: [sizes.check] N is 0; write a whole number from 1 to 1099511627776"},
      {"ANegativeSize", with(sample(), "N = 8", "N = -8"),
       "9:5: [sizes.check] N is -8; write a whole number from 1 to 1099511627776"},
      {"AHugeSize", with(sample(), "M = 64", "M = 9_000_000_000_000"),
       "4:5: [sizes.default] M is 9000000000000; write a whole number from 1 to 1099511627776"},
      {"ASizeThatIsNotWhole", with(sample(), "N = 8", "N = 8.5"),
       "9:5: [sizes.check] N is 8.5; write a whole number from 1 to 1099511627776"},
      {"ASizeInQuotes", with(sample(), "N = 8", R"(N = "8")"),
       R"(9:5: [sizes.check] N is "8"; write a whole number from 1 to 1099511627776)"},
      {"ASizeThatIsADate", with(sample(), "N = 8", "N = 1979-05-27"),
       "9:5: [sizes.check] N is a date or time; write a whole number from 1 to 1099511627776"},
      {"NoTensorAtAll", R"(name = "None"
problem = "none"
[sizes.default]
N = 1
[sizes.check]
N = 1
)",
       "1:1: there is no [[tensor]]; add one for each"},
      {"TensorsByAnotherName", R"(name = "None"
problem = "none"
[sizes.default]
N = 1
[sizes.check]
N = 1
[[inputs]]
name = "x"
)",
       "7:3: [[inputs]] is not known here; write [[tensor]] for each"},
      {"TensorsInSingleBrackets", R"(name = "Two"
[tensor]
name = "x"
[tensor]
name = "y"
)",
       "4:1: not valid TOML: Error while parsing table header: cannot redefine existing table "
       "'tensor'; write each as [[tensor]], in double brackets"},
      {"AShapeWithoutQuotes", with(sample(), R"(shape = ["M", "K"])", "shape = [M, K]"),
       "15:10: not valid TOML: M is not in quotes; write \"M\""},
      {"AFormulaWithoutQuotes", with(sample(), R"(shape = ["M", "K"])", "shape = [2*M, 1]"),
       "15:11: not valid TOML: 2*M is not in quotes; write \"2*M\""},
      {"AWordWithoutQuotes", with(sample(), R"(name = "MatMul")", "name = nothing"),
       "1:9: not valid TOML: nothing is not in quotes; write \"nothing\""},
      {"ASizeWithAnExponent", with(sample(), "N = 8", "N = 4e3"),
       "9:5: [sizes.check] N is 4000; write a whole number from 1 to 1099511627776, without point "
       "and exponent: 4000"},
      {"ATensorThatIsOneTable", R"(name = "One"
problem = "one"
[sizes.default]
N = 1
[sizes.check]
N = 1
[tensor]
name = "x"
)",
       "7:1: tensor is a table; write each as a section of its own: [[tensor]]"},
      {"ATensorWithoutAName", with(sample(), "name = \"B\"\n", ""),
       "17:1: [[tensor]] name is missing; write a text in quotes, on one line, without tabs and "
       "not empty"},
      {"ATensorNameThatIsNoIdentifier", with(sample(), R"(name = "B")", R"(name = "2B")"),
       R"(18:8: [[tensor]] name is "2B"; write letters, digits and _ only, a letter first)"},
      {"TwoTensorsOfOneName", with(sample(), R"(name = "B")", R"(name = "A")"),
       R"(18:8: [[tensor]] name is "A" for a second time; every tensor and scalar has a name of its own)"},
      {"ARoleThatIsMissing", with(sample(), "role = \"out\"\n", ""),
       R"(25:1: [[tensor]] C role is missing; write "in", "out" or "inout")"},
      {"AnUnknownRole", with(sample(), R"(role = "out")", R"(role = "output")"),
       R"(27:8: [[tensor]] C role is "output"; write "in", "out" or "inout" (did you mean "out"?))"},
      {"NoOutput", with(kernel_sample(), R"(role = "inout")", R"(role = "in")"),
       R"(7:1: tensor lists inputs only; give at least one the role "out" or "inout")"},
      {"ADtypeThatIsMissing", with(sample(), "dtype = \"f32\"\n", ""),
       R"(25:1: [[tensor]] C dtype is missing; write "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64", "i32", "i16", "i8", "u32", "u8", "bool", "complex64", "e2m1x2" or "e8m0")"},
      {"AnUnknownDtype", with(sample(), R"(dtype = "f32")", R"(dtype = "float32")"),
       R"(28:9: [[tensor]] C dtype is "float32"; write "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64", "i32", "i16", "i8", "u32", "u8", "bool", "complex64", "e2m1x2" or "e8m0" (did you mean "f32"?))"},
      {"ADtypeThatWasMistyped", with(sample(), R"(dtype = "f32")", R"(dtype = "bf61")"),
       R"(28:9: [[tensor]] C dtype is "bf61"; write "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64", "i32", "i16", "i8", "u32", "u8", "bool", "complex64", "e2m1x2" or "e8m0" (did you mean "bf16"?))"},
      {"AShapeThatIsMissing", with(sample(), "shape = [\"M\", \"N\"]\n", ""),
       R"(25:1: [[tensor]] C shape is missing; write a list of texts such as ["M", "K"])"},
      {"AShapeThatIsAText", with(sample(), R"(shape = ["M", "N"])", R"(shape = "M")"),
       R"(29:9: [[tensor]] C shape is "M"; write a list of texts such as ["M", "K"])"},
      {"AnEmptyShape", with(sample(), R"(shape = ["M", "N"])", "shape = []"),
       R"(29:9: [[tensor]] C shape is an empty list; write a list of texts such as ["M", "K"])"},
      {"AShapeWithANumber", with(sample(), R"(shape = ["M", "N"])", R"(shape = ["M", 32])"),
       R"(29:9: [[tensor]] C shape holds 32; write a list of texts such as ["M", "K"], every entry in quotes)"},
      {"AShapeOfNineDimensions",
       with(kernel_sample(), R"(shape = ["N"])",
            R"(shape = ["N","1","1","1","1","1","1","1","1"])"),
       "11:9: [[tensor]] x shape has 9 dimensions; write at most 8"},
      {"AnUnknownSymbolInAShape", with(sample(), R"(["M", "K"])", R"(["M", "L"])"),
       R"(15:9: [[tensor]] A shape, at size "check": cannot evaluate "L": "L" is not a size symbol; write K, M or N)"},
      {"ABadFormulaInAShape", with(sample(), R"(["M", "K"])", R"(["M", "K*"])"),
       R"(15:9: [[tensor]] A shape, at size "check": cannot evaluate "K*": Unexpected end of expression at position 3)"},
      {"ADimensionThatIsNotWhole", with(sample(), R"(["M", "K"])", R"(["M/3", "K"])"),
       R"(15:9: [[tensor]] A shape, at size "check": the dimension "M/3" of tensor A is 2.6666666666666665; it must be a whole number from 1 to 2^40)"},
      {"ADimensionOfZero", with(sample(), R"(["M", "K"])", R"(["M-8", "K"])"),
       R"(15:9: [[tensor]] A shape, at size "check": the dimension "M-8" of tensor A is 0; it must be a whole number from 1 to 2^40)"},
      {"ATensorOfMoreThanAnyMemory", with(kernel_sample(), "N = 64", "N = 1_000_000_000_000"),
       R"(19:9: [[tensor]] y shape, at size "default": tensor y would hold more than 2^40 bytes; choose smaller sizes)"},
      {"AFillThatIsMissing", with(sample(), "fill = \"normal\"\n", ""),
       R"(11:1: [[tensor]] A fill is missing; write "normal", "uniform", "integers" or "captured")"},
      {"AnUnknownFill", with(sample(), R"("uniform")", R"("unifrom")"),
       R"(22:8: [[tensor]] B fill is "unifrom"; write "normal", "uniform", "integers" or "captured" (did you mean "uniform"?))"},
      {"AFillOfAnOutput",
       with(sample(), "shape = [\"M\", \"N\"]\n", "shape = [\"M\", \"N\"]\nfill = \"normal\"\n"),
       R"(30:8: [[tensor]] C fill does not apply to role "out": outputs hold random bits; remove it)"},
      {"ANormalFillOfWholeNumbers",
       with(kernel_sample(), "fill = \"integers\"\nlow = 0\nhigh = 255", R"(fill = "normal")"),
       R"(12:8: [[tensor]] x fill is "normal"; write "integers", "sorted", "offsets", "permutation" or "captured")"},
      {"BoundsOfANormalFill", with(sample(), R"(fill = "normal")", "fill = \"normal\"\nlow = 0"),
       R"(17:7: [[tensor]] A low does not apply to fill "normal" (mean 0, deviation 1); remove it)"},
      {"ALowBoundThatIsMissing", with(sample(), "low = 0\n", ""),
       "17:1: [[tensor]] B low is missing; write a finite number"},
      {"BoundsInTheWrongOrder", with(sample(), "high = 2.5", "high = -1"),
       "24:8: [[tensor]] B high is -1; write more than low, which is 0"},
      {"ABoundThatIsNotANumber", with(sample(), "high = 2.5", "high = nan"),
       "24:8: [[tensor]] B high is nan; write a finite number"},
      {"AWholeNumberThatDoesNotFit", with(kernel_sample(), "high = 255", "high = 256"),
       "14:8: [[tensor]] x high is 256; write a whole number that u8 holds exactly, from 0 to 255"},
      {"AWholeNumberThatIsNotWhole", with(kernel_sample(), "high = 255", "high = 2.5"),
       "14:8: [[tensor]] x high is 2.5; write a whole number that u8 holds exactly, from 0 to 255"},
      {"ABoundBeyondTheType", with(sample(), "high = 2.5", "high = 1e6"),
       "24:8: [[tensor]] B high is 1000000 and low is 0; write bounds that are no further apart "
       "than 65504, the largest f16"},
      {"AReferenceThatIsMissing",
       with(kernel_sample(), "[reference]\nkind = \"kernel\"\nfile = \"reference.cu\"\n", ""),
       "1:1: the section [reference] is missing; add it"},
      {"AnUnknownKindOfReference", with(sample(), R"("cublas_gemm")", R"("cublas")"),
       R"(31:8: [reference] kind is "cublas"; write "cublas_gemm", "kernel" or "python" (did you mean "cublas_gemm"?))"},
      {"AReferenceFileThatIsMissing", with(kernel_sample(), "file = \"reference.cu\"\n", ""),
       "23:1: [reference] file is missing; write a text in quotes, on one line, without tabs and "
       "not empty"},
      {"AReferenceOutsideTheFolder",
       with(kernel_sample(), R"("reference.cu")", R"("../reference.cu")"),
       R"(25:8: [reference] file is "../reference.cu"; write a .cu file in the folder of the case, other than kernel.cu, such as "reference.cu")"},
      {"AReferenceThatIsTheKernel", with(kernel_sample(), R"("reference.cu")", R"("kernel.cu")"),
       R"(25:8: [reference] file is "kernel.cu"; write a .cu file in the folder of the case, other than kernel.cu, such as "reference.cu")"},
      {"TwoReferences",
       with(kernel_sample(), R"(file = "reference.cu")",
            "file = \"reference.cu\"\nfile = \"other.cu\""),
       "26:8: not valid TOML: Error while parsing key-value pair: cannot redefine existing string "
       "'file'"},
      {"AnFp64ReferenceOfWholeNumbers",
       with(kernel_sample(),
            "role = \"inout\"\ndtype = \"i32\"\nshape = [\"N\"]\nfill = \"integers\"\nlow = "
            "-100\nhigh = 100\n[reference]\nkind = \"kernel\"\n",
            "role = \"out\"\ndtype = \"i32\"\nshape = [\"N\"]\n[reference]\nkind = "
            "\"kernel\"\nfp64_file = \"reference_fp64.cu\"\n"),
       R"(22:13: [reference] fp64_file does not apply: no output has a floating type; remove it and write exact = "always" in [check])"},
      {"AnFp64ReferenceOfF64",
       with(kernel_sample(),
            "role = \"inout\"\ndtype = \"i32\"\nshape = [\"N\"]\nfill = \"integers\"\nlow = "
            "-100\nhigh = 100\n[reference]\nkind = \"kernel\"\n",
            "role = \"out\"\ndtype = \"f64\"\nshape = [\"N\"]\n[reference]\nkind = "
            "\"kernel\"\nfp64_file = \"reference_fp64.cu\"\n"),
       R"(22:13: [reference] fp64_file does not apply: y is f64 itself; remove it, and let file compute in f64)"},
      {"AnFp64ReferenceOfAnInOutTensor",
       with(kernel_sample(), R"(file = "reference.cu")",
            "file = \"reference.cu\"\nfp64_file = \"reference_fp64.cu\""),
       "26:13: [reference] fp64_file does not apply: tensor y is read and written in one place, "
       "which cannot hold i32 and double; remove it"},
      {"AProductOfAnUnknownTensor", with(sample(), R"(left = "A")", R"(left = "D")"),
       R"(32:8: [reference] left is "D"; write "A", "B" or "C")"},
      {"AProductOfAnOutput", with(sample(), R"(left = "A")", R"(left = "C")"),
       R"(32:8: [reference] left is "C", a tensor of role "out"; name one of role "in")"},
      {"AProductThatDoesNotFit",
       with(sample(), "left = \"A\"\nright = \"B\"", "left = \"B\"\nright = \"A\""),
       R"(30:1: [reference]: B [16,32] x A [64,16] does not give C [64,32] (at size "default"); fix the shapes; a product of transposed matrices takes a reference kernel (kind = "kernel"))"},
      {"AProductOfTwoTypes", with(sample(), R"(dtype = "f16")", R"(dtype = "bf16")"),
       "30:1: [reference]: A is bf16, B is f16 and C is f32; a matrix product takes two tensors of "
       "one type among f32, f16 and bf16, and gives one of these"},
      {"AProductOfVectors", with(sample(), R"(["M", "K"])", R"(["M*K"])"),
       R"(30:1: [reference]: kind "cublas_gemm" multiplies matrices, but tensor A has 1 dimensions; use kind "kernel" with a reference.cu)"},
      {"AProductBesideAnotherOutput",
       with(sample(), "[reference]",
            "[[tensor]]\nname = \"D\"\nrole = \"out\"\ndtype = \"f32\"\nshape = "
            "[\"M\"]\n[reference]"),
       R"(35:1: [reference]: a matrix product gives C alone, but tensor D has role "out" too; use kind "kernel" and exact = "never")"},
      {"ACheckThatIsMissing", with(kernel_sample(), "[check]\nexact = \"always\"\n", ""),
       "1:1: the section [check] is missing; add it"},
      {"ANegativeTolerance", with(sample(), "absolute = 0.01", "absolute = -0.01"),
       "36:12: [check] absolute is -0.01; write a finite number, at least 0"},
      {"AToleranceThatIsNotANumber", with(sample(), "relative = 0.001", "relative = nan"),
       "37:12: [check] relative is nan; write a finite number, at least 0"},
      {"AnInfiniteTolerance", with(sample(), "relative = 0.001", "relative = inf"),
       "37:12: [check] relative is inf; write a finite number, at least 0"},
      {"AToleranceThatIsMissing", with(sample(), "relative = 0.001\n", ""),
       "35:1: [check] relative is missing; write a finite number, at least 0"},
      {"AToleranceWhereNothingMayDiffer",
       with(kernel_sample(), R"(exact = "always")", "exact = \"always\"\nabsolute = 1e-3"),
       R"(28:12: [check] absolute does not apply to exact = "always", which allows no difference; remove it)"},
      {"ExactnessThatIsNotStated",
       with(kernel_sample(), R"(exact = "always")", "deterministic = true"),
       R"(26:1: [check] exact is missing; write "never", "always" or "sum-of-products")"},
      {"AnUnknownExactness", with(kernel_sample(), R"("always")", R"("sometimes")"),
       R"(27:9: [check] exact is "sometimes"; write "never", "always" or "sum-of-products")"},
      {"ExactnessOfAProductOnAllInputs",
       with(sample(), "exact = \"sum-of-products\"\nsum_over = \"K\"", R"(exact = "always")"),
       R"(38:9: [check] exact is "always", but a matrix product depends on the order of its sums; write "sum-of-products" or "never")"},
      {"ExactnessOfAnotherSumThanTheProduct",
       with(sample(), R"(sum_over = "K")", R"(sum_over = "N")"),
       R"(39:12: [check] sum_over is "N"; name the last dimension of A ("K"), which is the first of B ("K"))"},
      {"ExactnessOfASumWithoutItsSymbol", with(sample(), "sum_over = \"K\"\n", ""),
       R"(35:1: [check] sum_over is missing; write "K", "M" or "N")"},
      {"ExactnessOfASumOfWholeNumbers",
       with(kernel_sample(),
            "role = \"inout\"\ndtype = \"i32\"\nshape = [\"N\"]\nfill = \"integers\"\nlow = "
            "-100\nhigh = 100\n[reference]\nkind = \"kernel\"\nfile = "
            "\"reference.cu\"\n[check]\nexact = \"always\"",
            "role = \"out\"\ndtype = \"i32\"\nshape = [\"N\"]\n[reference]\nkind = "
            "\"kernel\"\nfile = \"reference.cu\"\n[check]\nexact = \"sum-of-products\"\nleft = "
            "\"x\"\nright = \"x\"\noutput = \"y\"\nsum_over = \"N\""),
       "23:1: [check]: x is u8, x is u8 and y is i32; a matrix product takes two tensors of one "
       "type among f32, f16 and bf16, and gives one of these"},
      {"ExactnessOfATensorTimesItself", R"(name = "Square"
problem = "square"
[sizes.default]
N = 16
[sizes.check]
N = 16
[[tensor]]
name = "A"
role = "in"
dtype = "f32"
shape = ["N", "N"]
fill = "normal"
[[tensor]]
name = "C"
role = "out"
dtype = "f32"
shape = ["N", "N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
exact = "sum-of-products"
left = "A"
right = "A"
output = "C"
sum_over = "N"
)",
       R"(22:9: [check] exact is "sum-of-products", which takes two tensors, but left and right are both A; write exact = "never")"},
      {"ExactnessBesideAnFp64Reference", R"(name = "Square"
problem = "square"
[sizes.default]
N = 16
[sizes.check]
N = 16
[[tensor]]
name = "A"
role = "in"
dtype = "f32"
shape = ["N", "N"]
fill = "normal"
[[tensor]]
name = "C"
role = "out"
dtype = "f32"
shape = ["N", "N"]
[reference]
kind = "kernel"
file = "reference.cu"
fp64_file = "reference_fp64.cu"
[check]
exact = "always"
)",
       R"(23:9: [check] exact is "always", but [reference] has an fp64_file, which is for results that cannot be exact; write "never" or remove it)"},
      {"AnFp64ReferenceOfAFewElements",
       with(kernel_sample(),
            "role = \"inout\"\ndtype = \"i32\"\nshape = [\"N\"]\nfill = \"integers\"\nlow = "
            "-100\nhigh = 100\n[reference]\nkind = \"kernel\"\n",
            "role = \"out\"\ndtype = \"bf16\"\nshape = [\"N\"]\n[reference]\nkind = "
            "\"kernel\"\nfp64_file = \"reference_fp64.cu\"\n"),
       R"(22:13: [reference] fp64_file does not apply: output y has 8 elements at size "check", too few for a mean; remove it or choose sizes that give 256 or more)"},
      {"AnFp64ReferenceOfAProduct",
       with(sample(), "kind = \"cublas_gemm\"\n",
            "kind = \"cublas_gemm\"\nfp64_file = \"reference_fp64.cu\"\n"),
       "32:1: [reference] fp64_file is not known here; known are kind, left, output or right"},
      {"ExactnessOfASumThatIsTooLong", with(sample(), "K = 16", "K = 20_000_000"),
       R"(39:12: [check] sum_over is "K", which is 20000000 at size "default": sums are exact in fp32 below 2^24 terms; choose a smaller size or write exact = "never")"},
      {"ASumWhereThereIsNone",
       with(kernel_sample(), R"(exact = "always")", "exact = \"always\"\nsum_over = \"N\""),
       R"(28:12: [check] sum_over does not apply to exact = "always"; remove it)"},
      {"DeterminismInQuotes",
       with(kernel_sample(), R"(exact = "always")", "exact = \"always\"\ndeterministic = \"yes\""),
       R"(28:17: [check] deterministic is "yes"; write true or false, without quotes)"},
      {"ACostThatIsMissing", with(kernel_sample(), "[cost]\nflops = \"N\"\nbytes = \"9*N\"\n", ""),
       "1:1: the section [cost] is missing; add it"},
      {"ACostThatIsANumber", with(kernel_sample(), R"(flops = "N")", "flops = 64"),
       "29:9: [cost] flops is 64; write a text in quotes, on one line, without tabs and not empty"},
      {"ACostOfNothing", with(kernel_sample(), R"(flops = "N")", R"(flops = "N - 8")"),
       R"(29:9: [cost] flops: "N - 8" gives 0; it must give more than 0)"},
      {"AnUnknownSymbolInACost", with(kernel_sample(), R"(flops = "N")", R"(flops = "N*Q")"),
       R"(29:9: [cost] flops: cannot evaluate "N*Q": "Q" is not a size symbol; write N)"},
      {"ABadFormula", with(kernel_sample(), R"(flops = "N")", R"(flops = "2*(N")"),
       R"(29:9: [cost] flops: cannot evaluate "2*(N": Missing parenthesis)"},
      {"AFormulaOfTwoValues", with(kernel_sample(), R"(flops = "N")", R"(flops = "N, 2")"),
       R"(29:9: [cost] flops: cannot evaluate "N, 2": it gives more than one value)"},
      {"AnInfiniteFormula", with(kernel_sample(), R"(flops = "N")", R"(flops = "N/0")"),
       R"(29:9: [cost] flops: cannot evaluate "N/0": the result is not a finite number)"},
      {"NoSamples", with(kernel_sample(), "[cost]", "[timing]\nsamples = 0\n[cost]"),
       "29:11: [timing] samples is 0; write a whole number from 1 to 100000"},
      {"TooManySamples", with(kernel_sample(), "[cost]", "[timing]\nsamples = 1_000_000\n[cost]"),
       "29:11: [timing] samples is 1000000; write a whole number from 1 to 100000"},
      {"NegativeWarmups", with(kernel_sample(), "[cost]", "[timing]\nwarmups = -1\n[cost]"),
       "29:11: [timing] warmups is -1; write a whole number from 0 to 100000"},
      {"ACapOfNothing", with(kernel_sample(), "[cost]", "[timing]\ncap_seconds = 0\n[cost]"),
       "29:15: [timing] cap_seconds is 0; write a finite number, at least 0.01, at most 86400"},
      {"ACapThatIsNoNumber",
       with(kernel_sample(), "[cost]", "[timing]\ncap_seconds = \"60\"\n[cost]"),
       R"(29:15: [timing] cap_seconds is "60"; write a finite number, at least 0.01, at most 86400)"},
      {"TimingThatIsNoSection", with(kernel_sample(), "problem =", "timing = 50\nproblem ="),
       "2:10: timing is 50; write a section: [timing]"},
  };
}

class CaseWith : public testing::TestWithParam<Mistake> {};

TEST_P(CaseWith, IsRefusedWithPlaceFindingAndWhatIsAllowed) {
  EXPECT_EQ(complaint_about(GetParam().text), "some/case/case.toml:" + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(AMistake, CaseWith, testing::ValuesIn(mistakes()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace autokernel::cases
