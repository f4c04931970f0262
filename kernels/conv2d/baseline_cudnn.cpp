#include <autokernel_cudnn.cuh>

namespace autokernel_cudnn {

std::string describe(Graph& graph) {
  constexpr int kPadding = KERNEL / 2;
  // Channels are the second extent and come last in memory.
  const Tensor x = tensor(graph, 0, {BATCH, IN, HEIGHT, WIDTH},
                          {static_cast<std::int64_t>(HEIGHT) * WIDTH * IN, 1, WIDTH * IN, IN});
  const Tensor weight =
      tensor(graph, 1, {OUT, IN, KERNEL, KERNEL}, {KERNEL * KERNEL * IN, 1, KERNEL * IN, IN});
  const Tensor y = graph.conv_fprop(x, weight,
                                    fe::graph::Conv_fprop_attributes()
                                        .set_padding({kPadding, kPadding})
                                        .set_stride({STRIDE, STRIDE})
                                        .set_dilation({1, 1}));
  give(y, 2, {BATCH, OUT, OUT_HEIGHT, OUT_WIDTH},
       {static_cast<std::int64_t>(OUT_HEIGHT) * OUT_WIDTH * OUT, 1, OUT_WIDTH * OUT, OUT});
  return "convolution";
}

}  // namespace autokernel_cudnn
