"""A causal language model of transformers, its tokenizer, and one step of it."""

import inspect
import os

# All files are local. Without this, transformers asks its hub for newer ones first.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
import transformers  # noqa: E402


class LanguageModel:
    def __init__(self, path, device="auto"):
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(device)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        # "auto": the type that the weights are stored in.
        model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype="auto", local_files_only=True)
        self.model = model.to(self.device).eval()
        self.context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
        # Newer versions of transformers have another name for the argument, and for the result.
        names = inspect.signature(self.model.forward).parameters
        self._cache = "cache" if "cache" in names else "past_key_values"
        self.ends = _end_tokens(model, self.tokenizer)

    def step(self, tokens, cache=None):
        """The logits after these tokens, as a vector, and the cache that has them too."""
        with torch.inference_mode():
            output = self.model(
                input_ids=torch.tensor([tokens], device=self.device),
                use_cache=True,
                logits_to_keep=1,  # those of the last token: of a long prompt, all would fill the memory
                **{self._cache: cache},
            )
        return output.logits[0, -1], output[self._cache]


def _end_tokens(model, tokenizer):
    ends = model.generation_config.eos_token_id
    ends = set(ends) if isinstance(ends, list) else {ends}
    return (ends | {tokenizer.eos_token_id}) - {None}
