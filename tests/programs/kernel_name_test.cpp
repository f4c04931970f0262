#include "programs/profile/kernel_name.h"

#include <gtest/gtest.h>

namespace autokernel::programs {
namespace {

TEST(ShortName, KeepsTheFunctionAndItsTemplateArguments) {
  EXPECT_EQ(short_name("void ns::scale<float, 4>(float*, int)"), "scale<float, 4>");
  EXPECT_EQ(short_name("vecAdd(float*, float*, int)"), "vecAdd");
  EXPECT_EQ(short_name("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
}

TEST(ShortName, NamesTheOperatorOfAnElementwiseKernel) {
  EXPECT_EQ(short_name("void at::native::vectorized_elementwise_kernel<4, "
                       "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
                       "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"),
            "vectorized_elementwise_kernel<4, CUDAFunctor_add, array>");
}

TEST(ShortName, CallsALambdaLikeTheFunctionThatItIsWrittenIn) {
  EXPECT_EQ(short_name("void at::native::vectorized_elementwise_kernel<8, "
                       "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
                       "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::"
                       "operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> "
                       ">(int)"),
            "vectorized_elementwise_kernel<8, GeluCUDAKernelImpl, array>");
}

TEST(ShortName, LooksIntoWrappers) {
  EXPECT_EQ(short_name("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                       "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, "
                       "float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, "
                       "unsigned int, float, 4, 4> >(at::native::ReduceOp<float>)"),
            "reduce_kernel<512, 1, ReduceOp<float, func_wrapper_t<float, sum_functor>, int, float, "
            "4, 4>>");
}

TEST(ShortName, SurvivesBracketsThatAreNone) {
  EXPECT_EQ(short_name("operator<(int)"), "operator<");
  EXPECT_EQ(short_name("void f<&ns::operator<, 3>(int)"), "f<operator<, 3>");
  EXPECT_NE(short_name("(((("), "");
  EXPECT_NE(short_name(">>>><<<<"), "");
  EXPECT_EQ(short_name(""), "");
}

TEST(Demangled, LeavesAloneWhatIsNotMangled) {
  EXPECT_EQ(demangled("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(demangled("_Z6vecAddPfS_S_i"), "vecAdd(float*, float*, float*, int)");
  EXPECT_EQ(demangled("_Zbroken("), "_Zbroken(");
}

TEST(Origin, IsToldByTheName) {
  const auto of = [](const std::string& name) { return origin_of(name, demangled(name)); };
  EXPECT_EQ(of("nvjet_sm90_tst_128x64_64x8_1x2_h_bz_bias_TNT"), Origin::cublas);
  EXPECT_EQ(of("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>(Params)"),
            Origin::cublas);
  EXPECT_EQ(of("void cutlass::device_kernel<ns::MyGemm>(ns::MyGemm::Params)"), Origin::cutlass);
  EXPECT_EQ(of("cudnn_generated_fort_native_sdpa_sm90_flash_fprop"), Origin::cudnn);
  EXPECT_EQ(of("void pytorch_flash::flash_fwd_kernel<T>(pytorch_flash::Flash_fwd_params)"),
            Origin::flash_attention);
  EXPECT_EQ(of("void at::native::(anonymous namespace)::softmax_warp_forward<float>(float*)"),
            Origin::aten);
  EXPECT_EQ(of("void mul_mat_q<(ggml_type)2, 64>(char const*)"), Origin::ggml);
  EXPECT_EQ(of("void rms_norm_f32<1024, true, false, false>(float const*, float*, int)"),
            Origin::ggml);
  EXPECT_EQ(of("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"), Origin::nccl);
  EXPECT_EQ(of("triton_poi_fused_add_0"), Origin::triton);
  EXPECT_EQ(of("void cub::DeviceScanKernel<int>(int*)"), Origin::cub);
  EXPECT_EQ(of("_Z6vecAddPfS_S_i"), Origin::own);
}

}  // namespace
}  // namespace autokernel::programs
