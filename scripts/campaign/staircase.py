"""The structures of the library in the order in which they are tried, from a thread for each element to tensor copies and wgmma.
Names of parameters are those of the constants in the files."""

from early import EARLY
from persistent import PERSISTENT
from structure import Parameter, Structure

BF16 = 2  # bytes
FLOAT = 4


def tile_of_threads(p):
    return p["bm"] // p["tm"] * (p["bn"] // p["tn"])


TILE = {
    "bm": Parameter((64, 32, 128), "rows of a block's tile"),
    "bn": Parameter((64, 32, 128), "columns of a block's tile"),
    "tm": Parameter((4, 2, 8), "rows of a thread"),
    "tn": Parameter((4, 2, 8), "columns of a thread"),
}
PAD = {"pad": Parameter((8, 0, 16), "elements behind a row of A in shared memory")}

NAIVE = Structure(
    "naive",
    "stage_1_naive.cu",
    "a thread for each element, with some steps of K under way together",
    {
        "block_cols": Parameter((32, 64, 128), "columns of a block"),
        "block_rows": Parameter((8, 2, 4, 16), "rows of a block"),
        "unroll": Parameter((4, 8, 16), "steps of K whose loads are under way together"),
    },
    uses=lambda p: (p["block_cols"] * p["block_rows"], 0),
    tries=4,
)
TILES = Structure(
    "tiles",
    "stage_2_tiles.cu",
    "tiles of 32 x 32 in shared memory: each element is read once for a tile of C",
    {
        "tile": Parameter((32, 16, 64), "rows, columns and depth of a tile"),
        "rows": Parameter((4, 1, 2, 8, 16), "rows of C for each thread"),
    },
    uses=lambda p: (p["tile"] ** 2 // p["rows"], 2 * p["tile"] ** 2 * FLOAT),
    allowed=lambda p: p["tile"] ** 2 // p["rows"] >= 64,
    tries=4,
)
REGISTERS = Structure(
    "registers",
    "stage_3_registers.cu",
    "64 x 64 for a block, a small tile of sums in the registers of each thread",
    {**TILE, "bk": Parameter((16, 8, 32), "depth of a tile")},
    uses=lambda p: (tile_of_threads(p), (p["bk"] * (p["bm"] + 4) + p["bk"] * p["bn"]) * FLOAT),
    allowed=lambda p: tile_of_threads(p) >= 64,
    tries=5,
)
DEPTH64 = Structure(
    "depth64",
    "stage_4_depth64.cu",
    "tiles of bf16, 64 deep: half the bytes of float, a quarter of the barriers",
    {**TILE, "bk": Parameter((64, 32, 128), "depth of a tile"), **PAD},
    uses=lambda p: (tile_of_threads(p), (p["bm"] * (p["bk"] + p["pad"]) + p["bk"] * p["bn"]) * BF16),
    # Static shared memory ends at 48 KB.
    allowed=lambda p: tile_of_threads(p) >= 64 and DEPTH64.uses(p)[1] <= 48 * 1024,
    tries=4,
)
CP_ASYNC = Structure(
    "cp_async",
    "stage_5_cp_async.cu",
    "cp.async: the next tiles come while these are multiplied",
    {
        **TILE,
        "bk": Parameter((64, 32, 128), "depth of a tile"),
        **PAD,
        "stages": Parameter((2, 3, 4), "tiles in shared memory"),
    },
    uses=lambda p: (tile_of_threads(p), p["stages"] * (p["bm"] * (p["bk"] + p["pad"]) + p["bk"] * p["bn"]) * BF16),
    allowed=lambda p: tile_of_threads(p) >= 64,
    tries=5,
)
MMA = Structure(
    "mma",
    "stage_6_mma.cu",
    "tensor cores by mma.sync, from fragments that ldmatrix reads, behind a ring of stages",
    {
        "bm": Parameter((64, 32, 128), "rows of a block's tile"),
        "bn": Parameter((64, 128), "columns of a block's tile"),
        "stages": Parameter((4, 2, 3, 5, 6), "stages of the ring"),
        "warp_m": Parameter((32, 16, 64), "rows of a warp"),
        "warp_n": Parameter((32, 16, 64), "columns of a warp"),
        "resident": Parameter((1, 2, 3), "blocks of a multiprocessor that registers must suffice for"),
    },
    uses=lambda p: (p["bm"] // p["warp_m"] * (p["bn"] // p["warp_n"]) * 32, p["stages"] * (p["bm"] + p["bn"]) * 64 * BF16),
    # Two to sixteen warps; no more blocks than shared memory and the registers of their sums have room for.
    allowed=lambda p: 64 <= MMA.uses(p)[0] <= 512
    and p["resident"] * (MMA.uses(p)[1] + 1024) <= 228 * 1024
    and p["resident"] * p["bm"] * p["bn"] <= 128 * 256,
    tries=8,
)
RING = {"stages": Parameter((8, 3, 4, 5, 6, 7), "stages of the ring")}
WGMMA = Structure(
    "wgmma",
    "examples/wgmma_tma.cu",
    "wgmma from a ring of stages that a warp fills by tensor copies",
    {"bm": Parameter((128, 64, 256), "rows of a block's tile"), **RING},
    uses=lambda p: (p["bm"] * 2 + 32, p["stages"] * (p["bm"] + 64) * 64 * BF16 + p["bm"] * 64 * BF16 + 2048),
    tries=6,
)
MULTICAST = Structure(
    "multicast",
    "examples/cluster_multicast.cu",
    "clusters of blocks that share what they read, by multicast",
    {
        "bm": Parameter((128, 64, 256), "rows of a block's tile"),
        **RING,
        "cx": Parameter((2, 1, 4), "blocks of a cluster along N, which share A"),
        "cy": Parameter((1, 2, 4), "blocks of a cluster along M, which share B"),
    },
    uses=WGMMA.uses,
    # A swizzle repeats every eight rows; what a block brings of a tile is whole ones.
    allowed=lambda p: 2 <= p["cx"] * p["cy"] <= 8 and 256 // p["bm"] >= p["cy"] and 256 // 64 >= p["cx"],
    tries=4,
)
SPLIT_K = Structure(
    "split_k",
    "examples/cluster_split_k.cu",
    "two blocks of a cluster divide K and add up in distributed shared memory",
    {"stages": Parameter((5, 2, 3, 4), "stages of the ring")},
    uses=lambda p: (288, p["stages"] * (128 + 128) * 64 * BF16 + 64 * 128 * FLOAT + 2048),
    tries=2,
)

STAIRCASE = (NAIVE, TILES, REGISTERS, DEPTH64, CP_ASYNC, MMA, WGMMA, MULTICAST, SPLIT_K, PERSISTENT, EARLY)
STRUCTURES = {structure.name: structure for structure in STAIRCASE}
