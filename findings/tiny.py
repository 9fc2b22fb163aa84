"""Models of transformers with random or made weights and tokenizers of single letters, for findings that need no trained ones."""
import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

transformers.logging.set_verbosity_error()
torch.set_grad_enabled(False)
torch.set_num_threads(1)


def llama(seed, vocabulary, layers=2, scale=20.0):
    """Random weights; scale says how sure it is of its next token."""
    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": layers, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(vocab_size=vocabulary, max_position_embeddings=256, bos_token_id=0, eos_token_id=None, pad_token_id=0, **sizes)
    model = transformers.LlamaForCausalLM(config).eval()
    model.lm_head.weight.mul_(scale)
    return model


def sure(following):
    """A model that knows what follows each token, whatever came before it."""
    model = llama(1, len(following), layers=1)
    layer = model.model.layers[0]
    for matrix in (layer.self_attn.o_proj, layer.mlp.down_proj, model.model.embed_tokens, model.lm_head):
        matrix.weight.zero_()
    for token, after in enumerate(following):
        model.model.embed_tokens.weight[token, token] = 1
        model.lm_head.weight[after, token] = 4
    return model


def letters(all_of_them):
    """A tokenizer that knows these letters, by their places."""
    tokenizer = Tokenizer(models.BPE({letter: place for place, letter in enumerate(all_of_them)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def counted(model):
    """A list that grows by one with each pass of the model, by how many tokens it was given."""
    passes = []
    model.register_forward_hook(lambda module, ids, words, out: passes.append(words["input_ids"].shape[1]), with_kwargs=True)
    return passes
