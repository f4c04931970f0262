"""A small model of random weights for llama.cpp, in its file format: what the kernels of ggml are tried on.

    random_gguf.py FILE [--layers N] [--width N] [--type Q4_0|Q8_0|F16]

The architecture is "llama" with grouped-query attention; the vocabulary is the 256 bytes and fillers. Needs gguf (PyPI).
"""
import argparse

import gguf
import numpy as np

HEAD = 64  # elements of an attention head
QUERIES_PER_KEY = 4  # heads of queries that share one of keys
FEED_FORWARD = 2.75  # its width over the model's, rounded to whole blocks of quantised weights below
BLOCK = 256
CONTEXT = 4096


def vocabulary(size):
    """Tokens, scores and types of SentencePiece's kind: three special ones, the bytes, and pieces nobody types."""
    kinds = gguf.TokenType
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    types = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * 256
    fillers = size - len(tokens)
    tokens += [f"\u2581w{number}" for number in range(fillers)]
    types += [kinds.NORMAL] * fillers
    return tokens, [-float(number) for number in range(size)], [int(kind) for kind in types]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--type", choices=["Q4_0", "Q8_0", "F16"], default="Q4_0")
    options = parser.parse_args()
    width, words = options.width, options.vocabulary
    heads = width // HEAD
    keys = heads // QUERIES_PER_KEY
    inner = round(width * FEED_FORWARD / BLOCK) * BLOCK
    weights = gguf.GGMLQuantizationType[options.type]
    random = np.random.default_rng(1)

    writer = gguf.GGUFWriter(options.file, "llama")
    writer.add_name("random")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(options.layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(keys)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD)
    writer.add_vocab_size(words)
    writer.add_file_type({"Q4_0": 2, "Q8_0": 7, "F16": 1}[options.type])  # LlamaFileType
    tokens, scores, types = vocabulary(words)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def matrix(name, rows, columns):
        values = (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)
        writer.add_tensor(name, gguf.quants.quantize(values, weights), raw_dtype=weights)

    def norm(name):
        writer.add_tensor(name, np.ones(width, dtype=np.float32))

    matrix("token_embd.weight", words, width)
    for layer in range(options.layers):
        block = f"blk.{layer}."
        norm(block + "attn_norm.weight")
        matrix(block + "attn_q.weight", width, width)
        matrix(block + "attn_k.weight", keys * HEAD, width)
        matrix(block + "attn_v.weight", keys * HEAD, width)
        matrix(block + "attn_output.weight", width, width)
        norm(block + "ffn_norm.weight")
        matrix(block + "ffn_gate.weight", inner, width)
        matrix(block + "ffn_up.weight", inner, width)
        matrix(block + "ffn_down.weight", width, inner)
    norm("output_norm.weight")
    matrix("output.weight", words, width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
