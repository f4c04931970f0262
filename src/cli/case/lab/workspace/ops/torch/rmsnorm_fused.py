"""RMSNorm by torch's own fused operation, in place of five operations that each pass over memory."""

import types

import torch


def fused(x, weight, epsilon):
    # In fp32 until the product with the weight, and rounded before it, as the model's own does.
    normed = torch.nn.functional.rms_norm(x.float(), (x.shape[-1],), eps=epsilon).to(x.dtype)
    return weight * normed


def original(x, weight, epsilon):
    """What transformers computes in LlamaRMSNorm."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + epsilon)
    return weight * wide.to(x.dtype)


def install(model):
    replaced = 0
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm") and hasattr(module, "variance_epsilon"):
            _require_same(module)
            module.forward = types.MethodType(lambda self, x: fused(x, self.weight, self.variance_epsilon), module)
            replaced += 1
    if replaced == 0:
        raise RuntimeError("rmsnorm_fused: the model has no RMSNorm that it knows")


def examples(dtype, device, random):
    """For parity.py and micro.py: a label, this operator and the original, on the same input."""
    for rows, columns in ((1, 256), (7, 1000), (64, 4096)):
        x = torch.randn(rows, columns, generator=random).to(device, dtype)
        weight = (1 + 0.1 * torch.randn(columns, generator=random)).to(device, dtype)
        yield (
            f"{rows} x {columns}",
            lambda x=x, weight=weight: fused(x, weight, 1e-6),
            lambda x=x, weight=weight: original(x, weight, 1e-6),
        )


@torch.inference_mode()
def _require_same(module):
    """Some models have an RMSNorm that is another function, such as one of 1 + weight."""
    weight = module.weight
    random = torch.Generator().manual_seed(0)
    x = torch.randn(2, weight.shape[0], generator=random).to(weight.device, weight.dtype)
    expected = module(x)
    # A tenth is far above rounding in any type, and far below another function.
    if (fused(x, weight, module.variance_epsilon) - expected).abs().max() > 0.1 * expected.abs().max():
        raise RuntimeError(f"rmsnorm_fused: {type(module).__name__} is another function than that of LlamaRMSNorm")
