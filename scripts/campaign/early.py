"""One tile for each block, and products that begin as early as they can: what small products want. The best kernels at 1024 are
variants of it."""

from structure import Parameter, Structure

# Rows and columns of a block's tile, warpgroups that multiply, and whether these share its columns ("m") or its rows ("n").
TILES = {
    "64x128": (64, 128, 1, "m"),
    "64x64": (64, 64, 1, "m"),
    "64x256": (64, 256, 1, "m"),
    "128x64": (128, 64, 2, "m"),
    "128x128": (128, 128, 2, "m"),
    "128x256": (128, 256, 2, "m"),
    "64x128/2": (64, 128, 2, "n"),
    "64x256/2": (64, 256, 2, "n"),
}


def derived(p):
    bm, bn, groups, along = TILES[p["tile"]]
    return {
        "bm": bm,
        "bn": bn,
        "groups": groups,
        "along": along,
        "wn": bn // groups if along == "n" else bn,
        "promoted": f", .l2_promotion = {p['promotion']}" if p["promotion"] else "",
        "at_least": f", {p['resident']}" if p["resident"] > 1 else "",
        "hinted": f".L2::{p['hint']}B" if p["hint"] else "",
    }


def uses(p):
    d = derived(p)
    written = d["groups"] * 64 * (d["wn"] // 2 if p["tail"] else d["wn"]) * 2 if p["end"] == "rows" else 0
    # An object that is aligned to a kilobyte has whole ones.
    shared = -(-(p["stages"] * ((d["bm"] + d["bn"]) * 64 * 2 + 16) + written) // 1024) * 1024
    return d["groups"] * 128 + (32 if p["loads"] == "tensor" else 128), shared


def allowed(p):
    d = derived(p)
    threads, shared = uses(p)
    copied = p["first"] > 0 or p["loads"] != "tensor"
    return (
        # Half of the columns of a warpgroup, in slabs of 64.
        (not p["tail"] or (d["wn"] >= 128 and not (d["groups"] == 2 and d["along"] == "n") and p["first"] < 4))
        and p["tail"] <= p["stages"] - 2
        and p["first"] <= p["stages"] - 2
        and (not p["late"] or p["tail"])
        # One warpgroup waits for the other.
        and (not p["lag"] or (d["groups"] == 2 and not p["slices"] and not p["tail"]))
        # What the workers copy at the start.
        and (not (p["slices"] or p["touch"] or p["ahead"]) or p["first"])
        and (not p["first"] or p["loads"] == "tensor" or d["groups"] == 1)
        and (not p["hint"] or copied)
        # What the maps and the warp that requests tiles have to do with.
        and (not p["promotion"] or p["loads"] != "copies")
        and (not p["prefetch"] or p["loads"] == "tensor")
        and (p["shift"] == 1 or not p["ahead"])
        and (not p["a_regs"] or d["wn"] <= 128)
        and p["resident"] * (shared + 1024) <= 228 * 1024
        and p["resident"] * threads * (d["wn"] // 2 + 40) <= 65536
        # A second block is of use where there are more of them than multiprocessors.
        and (p["resident"] == 1 or p["tile"] == "64x64")
    )


EARLY = Structure(
    "early",
    "early.cu.in",
    "one tile for a block, 64 x 128; a stage is requested before the other barriers are made",
    {
        "tile": Parameter(tuple(TILES), "rows and columns of a block; /2: two warpgroups share its rows"),
        "stages": Parameter((8, 3, 4, 5, 6, 7, 9, 10, 11, 12), "stages of the ring"),
        "first": Parameter((0, 1, 2, 3, 4), "stages that the workers copy by themselves, before the maps are there"),
        "slices": Parameter((0, 1), "whether the first stage comes by slices along K"),
        "tail": Parameter((0, 1, 2, 3, 4, 5, 6), "steps at the end that are done for half of the columns first"),
        "late": Parameter((0, 1), "whether columns are divided at the end only"),
        "lag": Parameter((0, 1, 2, 3, 4), "steps that the second warpgroup is behind the first"),
        "end": Parameter(("rows", "quads", "words"), "how C is written: rows by way of shared memory, or from registers"),
        "loads": Parameter(("tensor", "mixed", "copies"), "what brings tiles: tensor copies, for B only, or none"),
        "a_regs": Parameter((0, 1), "whether A comes from registers"),
        "raster": Parameter(("n", "m"), "along which dimension neighbouring blocks lie"),
        "shift": Parameter((1, 2, 4, 8), "places of K at which blocks begin"),
        "promotion": Parameter((0, 128, 256), "bytes that tensor copies have the L2 fetch"),
        "hint": Parameter((0, 128, 256), "bytes that plain copies have the L2 fetch"),
        "prefetch": Parameter((0, 1), "whether the L2 is asked for the rest of K"),
        "touch": Parameter((0, 1), "whether C is touched at the start"),
        "ahead": Parameter((0, 4, 8, 14), "steps that the L2 is asked for at the start"),
        "resident": Parameter((1, 2), "blocks of a multiprocessor that registers must suffice for"),
    },
    uses=uses,
    allowed=allowed,
    derived=derived,
    tries=8,
    steps=(
        ({"first": 2}, "the workers copy the first two stages by themselves, while maps are fetched"),
        ({"first": 2, "slices": 1}, "the first stage comes by slices, so that products begin with the first of them"),
        ({"first": 2, "slices": 1, "tail": 3}, "half of the columns ends three steps early, and is written meanwhile"),
    ),
)
