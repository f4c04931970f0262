"""Makes a small language model with random weights and its tokenizer, without a network, to try the case with.

    python3 scripts/make_model.py --out /tmp/small-model

The same folder results each time, byte by byte but for the version of transformers in it. Its answers are nonsense,
and depend on every weight: an operator that is wrong shows as another answer.
"""

import argparse
import json
import os
import random

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402

SEED = 20
VOCABULARY = 4096
END, USER, ASSISTANT = "<|end|>", "<|user|>", "<|assistant|>"
CONTEXT = 2048  # tokens: several times the longest request of the timed load
# The usual 0.02 makes layers so weak that the next token depends on the last one alone.
SPREAD_OF_WEIGHTS = 0.06
TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
# Words that prompts are made of are a token each, as in tokenizers of real models.
WORDS = """
the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you
were all her she there would their we him been has when who will no more if out so up said what its about than into
them can only other time new some
""".split()


def make_tokenizer():
    """Byte-level pair encoding: any text can be written, and some tokens are a part of a character."""
    letters = random.Random(SEED)
    blank = "\u0120"  # how the byte-level encoding writes a blank
    vocabulary = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges, known = [], set(vocabulary)

    def add(word):
        for end in range(2, len(word) + 1):
            if word[:end] not in known:
                merges.append((word[:end - 1], word[end - 1]))
                known.add(word[:end])
                vocabulary.append(word[:end])

    for word in WORDS:
        add(blank + word)
        add(word)
    marks = [END, USER, ASSISTANT]
    while len(vocabulary) < VOCABULARY - len(marks):
        word = blank + "".join(letters.choice("aeiou" if i % 2 else "bcdfghklmnprstvw") for i in range(4))
        if len(vocabulary) + len(word) < VOCABULARY - len(marks):
            add(word)
        else:
            vocabulary.append(f"{blank}{len(vocabulary)}")
    numbers = {token: number for number, token in enumerate(vocabulary)}
    # With ignore_merges, a word that is in the vocabulary is one token, whatever merges come first.
    tokenizer = Tokenizer(models.BPE(vocab=numbers, merges=merges, ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, additional_special_tokens=marks[1:], model_max_length=CONTEXT)
    fast.chat_template = TEMPLATE
    return fast


def main():
    parser = argparse.ArgumentParser(description="Make a small language model with random weights")
    parser.add_argument("--out", required=True, help="folder to write it into")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256, help="a multiple of 64")
    parser.add_argument("--dtype", default="float32", help="float32, float16 or bfloat16 [float32]")
    options = parser.parse_args()
    tokenizer = make_tokenizer()
    assert len(tokenizer) == VOCABULARY, len(tokenizer)
    torch.manual_seed(SEED)
    heads = options.hidden // 32
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=options.hidden,
        intermediate_size=3 * options.hidden,
        num_hidden_layers=options.layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,  # two heads of queries share one of keys, as in most models
        max_position_embeddings=CONTEXT,
        initializer_range=SPREAD_OF_WEIGHTS,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config).to(getattr(torch, options.dtype))
    model.save_pretrained(options.out)
    tokenizer.save_pretrained(options.out)
    parameters = sum(weight.numel() for weight in model.parameters())
    print(json.dumps({"folder": options.out, "parameters": parameters, "tokens": len(tokenizer)}))


if __name__ == "__main__":
    main()
