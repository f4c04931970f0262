"""Blocks that stay, for many tiles each: what large products want. At 1024 there are but 32 tiles of 128 x 256."""

from structure import Parameter, Structure

PERSISTENT = Structure(
    "persistent",
    "persistent.cu.in",
    "persistent blocks with tiles of 128 x 256, the widest wgmma",
    {
        "cluster": Parameter((1, 2), "blocks of a cluster, which share B"),
        "lag": Parameter((2, 0, 1, 3), "stages that the second warpgroup is behind"),
        "first": Parameter((0, 1), "stages that the workers copy by themselves"),
        "tail": Parameter((0, 1, 2), "steps at the end that are done for half of the columns first"),
        "end": Parameter(("rows", "tensor", "streamed"), "how C is written"),
        "turn": Parameter((0, 1), "whether waves go to and fro"),
        "a_regs": Parameter((0, 1), "whether A comes from registers"),
        "touch": Parameter((0, 1), "whether C is touched at the start"),
        "ahead": Parameter((0, 3), "steps that the L2 is asked for at the start"),
        "wave_x": Parameter((8, 2), "tiles of a wave along N"),
        "wave_y": Parameter((16, 4), "tiles of a wave along M"),
    },
    uses=lambda p: (384 if p["a_regs"] else 288, 4 * 384 * 64 * 2 + 8 * 16 * 128 * 2 + 1024),
    allowed=lambda p: (not p["first"] or p["cluster"] == 1)
    and (not p["ahead"] or (p["first"] and not p["turn"]))
    and (not p["tail"] or (p["end"] != "tensor" and not p["a_regs"] and p["tail"] <= 2)),
    tries=5,
)
