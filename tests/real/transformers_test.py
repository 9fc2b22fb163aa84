#!/usr/bin/env python3
"""DFlash and MTP heads in transformers 5.23.0, which has networks of its own for both, and the DFlash 2 head in z-lab's package, against the program.

transformers_test.py SPECLENS FOLDER: makes an environment with torch and transformers in FOLDER (or takes the Python that
SPECLENS_TRANSFORMERS names), lets SPECLENS draft, and asks transformers for each of its rounds what it would have drafted: from the target's
states of the same text, by DFlashTokenCandidateGenerator (generate(assistant_model=…, speculation_type="dflash")), DFlash2DraftModel and MtpModel. The built-in
model's heads always, those of SmolLM2 and Qwen2.5-Coder 0.5B where these models were fetched. The built-in DFlash head is exported by
`export head --layout transformers` and opened by transformers itself; the other two rank some of the ids, and SmolLM2's has a row of its own as its
mask, which that layout cannot say: their tensors are renamed here, and their ids and mask are given by force.
Exit 77: skipped, with a sentence why."""
import json
import os
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
assets = os.path.normpath(os.path.join(here, "..", "..", "assets", "models"))
PACKAGES = ["torch==2.15.0", "transformers==5.23.0", "safetensors==0.8.0", "gguf==0.19.0", "accelerate==1.15.0"]
ALONE = "dflash==0.1.0"  # z-lab's; what it asks for is of a server, and not needed
PROMPTS = ["Write a poem about the sea.", "Once upon a time", "What is the capital of France?", "The cat sat on the mat. The cat sat on",
           "Give me three words."]
NEAR_TIE = 0.02  # logits this near may be chosen the other way by another order of additions


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def environment(folder):
    """The Python that has the packages."""
    if os.environ.get("SPECLENS_TRANSFORMERS"):
        return os.environ["SPECLENS_TRANSFORMERS"]
    place = os.path.join(folder, "transformers")
    python = os.path.join(place, "bin", "python")
    for words in ([sys.executable, "-m", "venv", place], [python, "-m", "pip", "install", "-q", *PACKAGES],
                  [python, "-m", "pip", "install", "-q", "--no-deps", ALONE]):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            skip(f"{' '.join(words[2:])}: {done.stderr.strip()[-200:]}")
    return python


def rounds(speclens, folder, model, drafter, head, k, prompt, tokens):
    """[(ids before the round, drafted ids)] of a greedy run in f32, its prompt's ids and those of its answer."""
    trace = os.path.join(folder, "trace.jsonl")
    command = [speclens, "run", "--model", model, "--drafter", f"{drafter}={head}", "--prompt", prompt, "--temp", "0", "--k", str(k),
               "--max-tokens", str(tokens), "--precision", "f32", "--weights", "bf16", "--json", trace]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    prompted, ids, found, drafted = [], [], [], []
    for line in open(trace):
        event = json.loads(line)
        if event["kind"] == "header":
            prompted, ids = event["prompt"], list(event["prompt"])
        elif event["kind"] == "draft":
            drafted.append(event["token"])
        elif event["kind"] == "commit":
            found.append((list(ids), drafted))
            ids, drafted = ids + event["tokens"], []
    # Where the limit leaves room for a shorter block its rows see fewer others; transformers' is always whole.
    found = [(before, drafted) for before, drafted in found if len(drafted) == k]
    return found, prompted, ids[len(prompted):]


def fetched(speclens, name):
    """The file of a model that was fetched; None: it was not."""
    def told(*words):
        return json.loads(subprocess.run([speclens, "get", *words, "--json"], capture_output=True, text=True, check=True).stdout)
    return told(name)["path"] if any(one["name"] == name and one["here"] for one in told()) else None


class Oracle:
    """transformers' side; everything in f32."""

    def __init__(self, target):
        import torch
        from transformers import AutoModelForCausalLM
        torch.set_grad_enabled(False)
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
        self.torch = torch
        folder, file = (os.path.dirname(target), os.path.basename(target)) if target.endswith(".gguf") else (target, None)
        more = {"gguf_file": file} if file else {}
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **more).eval()
        if file:  # the program multiplies what it widened to bf16
            for weight in self.model.parameters():
                if weight.dim() == 2:
                    weight.copy_(weight.bfloat16().float())

    def states(self, ids):
        return self.model(self.torch.tensor([ids]), output_hidden_states=True, use_cache=False)

    def assistant(self, official):
        """A DFlash head of ours as an assistant, with the ids that it ranks and its mask, where these are its own."""
        from safetensors.torch import load_file
        from transformers import MuseGlimmerAssistantConfig, MuseGlimmerAssistantModel
        own = json.load(open(os.path.join(official, "config.json")))
        section = own["dflash_config"]
        config = MuseGlimmerAssistantConfig(
            **{key: own[key] for key in ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                                         "num_key_value_heads", "head_dim", "rms_norm_eps", "max_position_embeddings", "layer_types",
                                         "block_size")},
            rope_parameters={"rope_type": "default", "rope_theta": own["rope_theta"]}, target_layer_ids=section["target_layer_ids"],
            mask_token_id=section.get("mask_token_id", 0))
        tensors = load_file(os.path.join(official, "model.safetensors"))
        offsets, mask = tensors.pop("d2t", None), tensors.pop("mask_embedding", None)
        tensors.pop("t2d", None)
        names = {"fc.weight": "encoder.fc.weight", "hidden_norm.weight": "encoder.output_norm_enc.weight"}
        model = MuseGlimmerAssistantModel(config).eval()
        model.load_state_dict({names.get(name, name): value.float() for name, value in tensors.items()})
        ids = None if offsets is None else offsets.flatten() + self.torch.arange(offsets.numel())
        return model, ids, None if mask is None else mask.float()

    def opened(self, folder):
        """The exported layout, by transformers' own loader; every tensor has its place."""
        from transformers import MuseGlimmerAssistantModel
        model, info = MuseGlimmerAssistantModel.from_pretrained(folder, dtype=self.torch.float32, output_loading_info=True)
        assert not info["missing_keys"] and not info["unexpected_keys"] and not info["mismatched_keys"], info
        return model.eval()

    def dflash(self, assistant, ids, mask, sequence):
        """What DFlashTokenCandidateGenerator drafts behind `sequence`, and by how much each guess led."""
        from transformers import GenerationConfig
        from transformers.generation import DFlashTokenCandidateGenerator
        torch, embedding, head = self.torch, self.model.get_input_embeddings(), self.model.get_output_embeddings()

        class Ranked(torch.nn.Module):
            weight = head.weight

            def forward(self, rows):
                logits = head(rows)
                if ids is not None:
                    outside = torch.ones(logits.shape[-1], dtype=torch.bool)
                    outside[ids] = False
                    logits = logits.masked_fill(outside, float("-inf"))
                return logits

        generator = DFlashTokenCandidateGenerator(assistant_model=assistant, main_model_input_embeddings=embedding,
                                                  main_model_output_embeddings=Ranked(),
                                                  generation_config=GenerationConfig(max_length=10**6, do_sample=False))
        if mask is not None:
            generator._get_noise_embeds = lambda noise: torch.cat(
                [embedding(noise[:, :1]), mask.expand(noise.shape[1] - 1, -1)[None]], 1)
        tokens = torch.tensor([sequence])
        whole, logits = generator.get_candidates(
            tokens, model_kwargs={"position_ids": torch.arange(len(sequence))[None], "attention_mask": torch.ones_like(tokens)},
            model_outputs=self.states(sequence[:-1]), is_first_iteration=False, n_last_matches=0)
        best = logits[0].topk(2).values
        return whole[0, len(sequence):].tolist(), (best[:, 0] - best[:, 1]).tolist()

    def zlab(self, folder):
        """z-lab's own network with a DFlash 2 head of ours: what it drafts behind a text, and by how much each guess led."""
        from dflash.model import DFlash2DraftModel
        from safetensors.torch import load_file
        from transformers import DynamicCache, Qwen3Config
        torch, embedding, head = self.torch, self.model.get_input_embeddings(), self.model.get_output_embeddings()
        own = json.load(open(os.path.join(folder, "config.json")))
        net = DFlash2DraftModel(Qwen3Config(**{key: own[key] for key in own if key not in ("architectures", "torch_dtype")})).float().eval()
        net.load_state_dict({name + ".weight" * name.endswith("codebook"): value.float()
                             for name, value in load_file(os.path.join(folder, "model.safetensors")).items()})
        block = net.block_size

        def drafts(sequence):
            cache = DynamicCache(config=net.config)
            cache.activate_past_recording()
            hidden = self.states(sequence[:-1]).hidden_states
            ids = torch.tensor([sequence[-1:] + [net.mask_token_id] * (block - 1)])
            rows = net(target_hidden=torch.cat([hidden[layer + 1] for layer in own["dflash_config"]["target_layer_ids"]], -1),
                       noise_embedding=embedding(ids), past_key_values=cache, use_cache=True,
                       position_ids=torch.arange(len(sequence) - 1 + block)[None])[:, 1:]
            leads, argmax = [], torch.argmax  # of the scores that it walks by

            def noted(scores, dim):
                best = scores.flatten().topk(2).values
                leads.append(float(best[0] - best[1]))
                return argmax(scores, dim=dim)
            torch.argmax = noted
            try:
                drafted = net.propose(rows, ids[:, 0], head, 0.0)[0][0].tolist()
            finally:
                torch.argmax = argmax
            return drafted, leads
        return drafts

    def mtp(self, head, sequence):
        """What MtpModel guesses first behind `sequence`: its layers each have a cache, so only the first guess is that of a layer used again."""
        from safetensors.torch import load_file
        from transformers.cache_utils import MtpCache
        from transformers.modeling_layers import MtpModel
        torch = self.torch
        if not hasattr(self, "layer"):
            config = self.model.config
            config.num_mtp_layers, config.mtp_layer_types = 1, ["full_attention"]
            self.layer = MtpModel(self.model, 1).eval()
            names = {"input_proj": "eh_proj", "token_layernorm": "enorm", "hidden_layernorm": "hnorm", "final_layernorm": "post_norm"}
            tensors = {}
            for name, value in load_file(os.path.join(head, "model.safetensors")).items():
                name = name.removeprefix("mtp_layers.0.")
                part = name.split(".")[0]
                tensors["layers.0." + (names[part] + ".weight" if part in names else "mtp_block." + name)] = value.float()
            info = self.layer.load_state_dict(tensors, strict=False)
            assert not info.unexpected_keys, info
            assert all(not key.startswith("layers.") for key in info.missing_keys), info
        count = len(sequence) - 1
        guessed, logits, _ = self.layer(torch.tensor([sequence[1:]]), self.states(sequence[:-1]).hidden_states[-1],
                                        torch.ones(1, count, dtype=torch.long), torch.arange(1, count + 1)[None],
                                        MtpCache(config=self.model.config.get_mtp_config()))
        best = logits[0].topk(2).values
        return guessed[0].tolist(), (best[:, 0] - best[:, 1]).tolist()

    def text(self, assistant, prompt, tokens):
        """generate() itself with the assistant, and plain."""
        ids = self.torch.tensor([prompt])
        common = dict(do_sample=False, max_new_tokens=tokens, attention_mask=self.torch.ones_like(ids), eos_token_id=-1)
        return (self.model.generate(ids, assistant_model=assistant, speculation_type="dflash", **common)[0].tolist(),
                self.model.generate(ids, **common)[0].tolist())


def compared(found, theirs):
    """(rounds that are the same, rounds, near ties, what differs): guesses beside each other up to the first near tie."""
    same = ties = 0
    wrong = []
    for before, ours in found:
        if not ours:
            continue
        drafted, leads = theirs(before)
        at = next((i for i, (a, b) in enumerate(zip(ours, drafted)) if a != b), None)
        if at is None:
            same += 1
        elif leads[at] < NEAR_TIE:
            ties += 1
        else:
            wrong.append(f"behind {len(before)} tokens, guess {at + 1}: {ours[at]}, transformers {drafted[at]} by {leads[at]:.3f}")
    return same, sum(1 for _, ours in found if ours), ties, wrong


def main():
    speclens, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    if len(sys.argv) == 3:
        python = environment(folder)
        sys.exit(subprocess.run([python, os.path.abspath(__file__), speclens, folder, "within"]).returncode)
    try:
        import transformers
    except ImportError as error:
        skip(f"no transformers: {error}")
    print("transformers", transformers.__version__)
    failed = False

    def report(name, result):
        same, count, ties, wrong = result
        print(f"{name}: {same} of {count} rounds the same, {ties} near ties", flush=True)
        for one in wrong[:5]:
            print("  DIFFERS:", one)
        return bool(wrong) or count == 0

    tiny = Oracle(os.path.join(assets, "target"))
    exported = os.path.join(folder, "assistant")
    if not os.path.exists(exported):
        subprocess.run([speclens, "export", "head", os.path.join(assets, "dflash"), "--layout", "transformers", "-o", exported], check=True)
    assistant = tiny.opened(exported)
    for block in (8, 16):
        assistant.config.block_size = block
        head = os.path.join(folder, f"block{block}")
        if not os.path.exists(head):
            subprocess.run([speclens, "export", "head", os.path.join(assets, "dflash"), "-o", head], check=True)
            config = json.load(open(os.path.join(head, "config.json")))
            config["block_size"] = block
            json.dump(config, open(os.path.join(head, "config.json"), "w"))
        found = []
        for prompt in PROMPTS:
            some, prompted, answer = rounds(speclens, folder, "tiny", "dflash", head, block - 1, prompt, 48)
            found += some
            if any(text != prompted + answer for text in tiny.text(assistant, prompted, len(answer))):
                print(f"  DIFFERS: the text of {prompt!r}")
                failed = True
        failed |= report(f"tiny, dflash, blocks of {block}", compared(found, lambda before: tiny.dflash(assistant, None, None, before)))
    for block in (8, 16):
        head = os.path.join(folder, f"selects{block}")
        shutil.copytree(os.path.join(assets, "dflash2"), head, dirs_exist_ok=True)
        config = json.load(open(os.path.join(head, "config.json")))
        config["block_size"] = config["dflash_config"]["block_size"] = block
        json.dump(config, open(os.path.join(head, "config.json"), "w"))
        found = [one for prompt in PROMPTS for one in rounds(speclens, folder, "tiny", "dflash2", head, block - 1, prompt, 48)[0]]
        failed |= report(f"tiny, dflash2, blocks of {block}", compared(found, tiny.zlab(head)))
    found = []
    for prompt in PROMPTS:
        found += [(before, drafted[:1]) for before, drafted in rounds(speclens, folder, "tiny", "mtp", os.path.join(assets, "mtp"), 3, prompt, 48)[0]]
    failed |= report("tiny, mtp, first guess", compared(found, lambda before: tiny.mtp(os.path.join(assets, "mtp"), before)))

    for name, count in (("smollm2", 24), ("qwen-0.5b", 16)):
        file = fetched(speclens, name)
        if not file:
            print(f"left out: {name} was not fetched (speclens get {name})")
            continue
        official = os.path.join(folder, name)
        if not os.path.exists(official):
            subprocess.run([speclens, "export", "head", os.path.join(assets, name, "dflash"), "-o", official], check=True)
        oracle = Oracle(file)
        head, ids, mask = oracle.assistant(official)
        found = []
        for prompt in PROMPTS[:3]:
            found += rounds(speclens, folder, name, "dflash", official, head.config.block_size - 1, prompt, count)[0]
        failed |= report(f"{name}, dflash", compared(found, lambda before: oracle.dflash(head, ids, mask, before)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
