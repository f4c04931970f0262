"""Attention in Triton, in one pass over the keys: a block has some queries of a head, and a running softmax of each."""
import triton
import triton.language as tl
from autokernel import BATCH, DIM, FIRST_SEES, HEADS, KEYS, KV_HEADS, QUERIES


@triton.jit
def attention(q, k, v, o, scale, queries, keys, heads, kv_heads, first_sees,
              DIM: tl.constexpr, WIDE: tl.constexpr, TILE_Q: tl.constexpr, TILE_K: tl.constexpr):
    head = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    query = tl.program_id(0) * TILE_Q + tl.arange(0, TILE_Q)
    within = tl.arange(0, WIDE)
    of_query = ((batch * queries + query[:, None]) * heads + head) * DIM + within[None, :]
    is_query = (query[:, None] < queries) & (within[None, :] < DIM)
    # In base 2, whose exponential is the faster one.
    rows = tl.load(q + of_query, mask=is_query, other=0.0)
    factor = scale * 1.4426950408889634
    most = tl.full((TILE_Q,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((TILE_Q,), dtype=tl.float32)
    sums = tl.zeros((TILE_Q, WIDE), dtype=tl.float32)
    kv_head = head // (heads // kv_heads)
    # The last query of the block sees so many keys, and no other sees more.
    seen = tl.minimum(keys, first_sees + (tl.program_id(0) + 1) * TILE_Q - 1)
    for begin in range(0, seen, TILE_K):
        key = begin + tl.arange(0, TILE_K)
        of_key = ((batch * keys + key) * kv_heads + kv_head) * DIM
        columns = tl.load(k + of_key[None, :] + within[:, None],
                          mask=(key[None, :] < keys) & (within[:, None] < DIM), other=0.0)
        scores = tl.dot(rows, columns) * factor
        is_seen = (key[None, :] < keys) & (key[None, :] < first_sees + query[:, None])
        scores = tl.where(is_seen, scores, float("-inf"))
        larger = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        fading = tl.exp2(most - larger)
        values = tl.load(v + of_key[:, None] + within[None, :],
                         mask=(key[:, None] < keys) & (within[None, :] < DIM), other=0.0)
        sums = sums * fading[:, None] + tl.dot(weights.to(values.dtype), values)
        total = total * fading + tl.sum(weights, axis=1)
        most = larger
    tl.store(o + of_query, (sums / total[:, None]).to(o.dtype.element_ty), mask=is_query)


def launch(q, k, v, o, scale):
    tile_q, tile_k = 64, 32
    grid = (triton.cdiv(QUERIES, tile_q), HEADS, BATCH)
    attention[grid](q, k, v, o, scale, QUERIES, KEYS, HEADS, KV_HEADS, FIRST_SEES, DIM=DIM,
                    WIDE=max(16, triton.next_power_of_2(DIM)), TILE_Q=tile_q, TILE_K=tile_k, num_warps=4)
