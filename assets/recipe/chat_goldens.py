"""Write tests/engine/golden/chats: chat templates, and what transformers' apply_chat_template makes of chats with them.

    python chat_goldens.py            (transformers and jinja2; no torch, no network, some seconds)

The templates are written here, with the structure of those of the families that they are named after: what stands
around turns, what is trimmed, what is refused.  Each also gets mutants: the template with pieces cut, doubled or
exchanged.  A reader of templates must refuse a mutant or write what transformers writes of it.
"""
import json
import random
import re
from pathlib import Path

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "engine" / "golden" / "chats"
BUNDLE = ROOT / "assets" / "models" / "target" / "tokenizer_config.json"
DATE = "26 Jul 2024"               # what the engine gives as date_string
MUTANTS = 32                       # of each template
EARLY = 4                          # chats that are tried before a broken template is given up
BROKEN = 8                         # of these, that write no chat at all

# name: (template, bos_token, eos_token)
FORMATS = {}

FORMATS["chatml"] = ("""\
{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}""", None, "<|im_end|>")

# a system turn of its own, written in the first round of the loop
FORMATS["chatml_system"] = ("""\
{% for turn in messages %}
{% if loop.first and messages[0].role != "system" %}
{{ "<|im_start|>system\\nYou are a small model, made to be tested.<|im_end|>\\n" -}}
{% endif %}
{{- "<|im_start|>" ~ turn.role ~ "\\n" ~ turn.content ~ "<|im_end|>\\n" -}}
{% endfor %}
{%- if add_generation_prompt %}{{ "<|im_start|>assistant\\n" }}{% endif %}
""", "<|im_start|>", "<|im_end|>")

# tools first; the system turn before the loop
FORMATS["qwen25"] = ("""\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] }}{%- else %}{{- 'Be of use.' }}{%- endif %}
    {%- for tool in tools %}{{- '\\n' ~ (tool | tojson) }}{%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nPut the answer into \\\\boxed{}.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- set plain = message.role == 'assistant' and not message.tool_calls %}
    {%- if message.role == 'user' or plain or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
""", None, "<|im_end|>")

THOUGHTS = """\
{%- if tools %}{{- raise_exception('no tools in the tests') }}{%- endif %}
{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}{%- endif %}
{%- set seen = namespace(searching=true, asked=messages|length - 1) %}
{%- for m in messages[::-1] %}
    {%- set at = (messages|length - 1) - loop.index0 %}
    {%- set tool = m.content.startswith('<tool_response>') and m.content.endswith('</tool_response>') %}
    {%- if seen.searching and m.role == "user" and m.content is string and not tool %}
        {%- set seen.searching = false %}
        {%- set seen.asked = at %}
    {%- endif %}
{%- endfor %}
{%- for m in messages %}
    {%- set said = m.content if m.content is string else '' %}
    {%- if (m.role == "user") or (m.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + m.role + '\\n' + said + '<|im_end|>' + '\\n' }}
    {%- elif m.role == "assistant" %}
        {%- set thought = '' %}
        {%- if m.reasoning_content is string %}
            {%- set thought = m.reasoning_content %}
        {%- elif '</think>' in said %}
            {%- set thought = said.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set said = said.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > seen.asked and (loop.last or thought) %}
            {{- '<|im_start|>' + m.role + '\\n<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + said.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + m.role + '\\n' + said }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
"""
FORMATS["qwen3"] = (THOUGHTS + """\
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
""", None, "<|im_end|>")
FORMATS["qwen3_thinking"] = (THOUGHTS.replace("assistant\\n' }}\n", "assistant\\n<think>\\n' }}\n") + """\
{%- endif %}
""", None, "<|im_end|>")
# thoughts are dropped, and an answer is opened in one
FORMATS["qwq"] = ("""\
{%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == 'assistant' and not message.tool_calls %}
        {%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{%- endif %}
""", None, "<|im_end|>")

FORMATS["llama3"] = ("""\
{% set all = messages %}{% for m in all %}\
{% set turn = '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' %}\
{% if loop.index0 == 0 %}{% set turn = bos_token + turn %}{% endif %}{{ turn }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}\
""", "<|begin_of_text|>", "<|eot_id|>")

# the date in a system turn that is always written
LLAMA31 = """\
{{- bos_token }}
{%- if custom_tools is defined %}{%- set tools = custom_tools %}{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
DATE
{%- if messages[0]['role'] == 'system' %}
    {%- set system_words = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_words = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}{{- "Environment: test\\n" }}{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none %}{%- for t in tools %}{{- t | tojson(indent=4) }}{%- endfor %}{%- endif %}
{{- system_words }}
{{- "<|eot_id|>" }}
{%- for m in messages %}
    {%- if not (m.role == 'ipython' or m.role == 'tool' or 'tool_calls' in m) %}
        {{- '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in m %}
        {%- if not m.tool_calls|length == 1 %}{{- raise_exception("one call at a time") }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
FORMATS["llama31"] = (LLAMA31.replace("DATE", """\
{%- if not date_string is defined %}{%- set date_string = "26 Jul 2024" %}{%- endif %}"""),
                      "<|begin_of_text|>", "<|eot_id|>")
FORMATS["llama32"] = (LLAMA31.replace("DATE", """\
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}"""), "<|begin_of_text|>", "<|eot_id|>")

FORMATS["llama2"] = ("""\
{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set rules = messages[0]['content'] %}\
{% else %}{% set rest = messages %}{% set rules = false %}{% endif %}\
{% for m in rest %}\
{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant must alternate') }}{% endif %}\
{% if loop.index0 == 0 and rules != false %}{% set said = '<<SYS>>\\n' + rules + '\\n<</SYS>>\\n\\n' + m['content'] %}\
{% else %}{% set said = m['content'] %}{% endif %}\
{% if m['role'] == 'user' %}{{ bos_token + '[INST] ' + said.strip() + ' [/INST]' }}\
{% elif m['role'] == 'assistant' %}{{ ' ' + said.strip() + ' ' + eos_token }}{% endif %}{% endfor %}\
""", "<s>", "</s>")

FORMATS["mistral"] = ("""\
{{ bos_token }}{% for m in messages %}\
{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant must alternate') }}{% endif %}\
{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] + ' [/INST]' }}\
{% elif m['role'] == 'assistant' %}{{ m['content'] + eos_token }}\
{% else %}{{ raise_exception('only user and assistant') }}{% endif %}{% endfor %}\
""", "<s>", "</s>")
# blanks between, and a system turn that is said in the first question
FORMATS["mistral_system"] = ("""\
{%- if messages[0]["role"] == "system" %}
    {%- set rules = messages[0]["content"] %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set rest = messages %}
{%- endif %}
{{- bos_token }}
{%- for m in rest %}
    {%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('user and assistant must alternate') }}
    {%- endif %}
    {%- if m['role'] == 'user' %}
        {%- if loop.first and rules is defined %}
            {{- ' [INST] ' + rules + '\\n\\n' + m['content'] + ' [/INST]' }}
        {%- else %}
            {{- ' [INST] ' + m['content'] + ' [/INST]' }}
        {%- endif %}
    {%- elif m['role'] == 'assistant' %}
        {{- ' ' + m['content'] + eos_token }}
    {%- else %}
        {{- raise_exception('only user and assistant') }}
    {%- endif %}
{%- endfor %}
""", "<s>", "</s>")
# tools, and a system turn that is said in the last question
FORMATS["mistral_tools"] = ("""\
{%- if messages[0]["role"] == "system" %}
    {%- set rules = messages[0]["content"] %}
    {%- set rest = messages[1:] %}
{%- else %}
    {%- set rest = messages %}
{%- endif %}
{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- set asked = rest | selectattr("role", "equalto", "user") | list %}
{%- set place = namespace() %}
{%- set place.index = 0 %}
{%- for m in rest %}
    {%- if not (m.role == "tool" or m.role == "tool_results" or (m.tool_calls is defined and m.tool_calls is not none)) %}
        {%- if (m["role"] == "user") != (place.index % 2 == 0) %}
            {{- raise_exception("user and assistant must alternate") }}
        {%- endif %}
        {%- set place.index = place.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for m in rest %}
    {%- if m["role"] == "user" %}
        {%- if tools is not none and (m == asked[-1]) %}{{- "[AVAILABLE_TOOLS][/AVAILABLE_TOOLS]" }}{%- endif %}
        {%- if loop.last and rules is defined %}
            {{- "[INST] " + rules + "\\n\\n" + m["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + m["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif m["role"] == "assistant" %}
        {{- " " + m["content"] + eos_token }}
    {%- else %}
        {{- raise_exception("only user and assistant") }}
    {%- endif %}
{%- endfor %}
""", "<s>", "</s>")

FORMATS["zephyr"] = ("""\
{% for m in messages %}
{% if m['role'] == 'user' %}
{{ '<|user|>\\n' + m['content'] + eos_token }}
{% elif m['role'] == 'system' %}
{{ '<|system|>\\n' + m['content'] + eos_token }}
{% elif m['role'] == 'assistant' %}
{{ '<|assistant|>\\n'  + m['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}""", "<s>", "</s>")

FORMATS["r1_distill"] = ("""\
{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}\
{% set seen = namespace(first=true, tool=false, rules='') %}\
{%- for m in messages %}{%- if m['role'] == 'system' %}{% set seen.rules = m['content'] %}{%- endif %}{%- endfor %}\
{{bos_token}}{{seen.rules}}\
{%- for m in messages %}\
{%- if m['role'] == 'user' %}{%- set seen.tool = false -%}{{'<｜User｜>' + m['content']}}{%- endif %}\
{%- if m['role'] == 'assistant' and m['content'] is none %}{{- raise_exception('no tools in the tests') }}{%- endif %}\
{%- if m['role'] == 'assistant' and m['content'] is not none %}\
{%- if seen.tool %}{{'<｜tool▁outputs▁end｜>' + m['content']}}{%- set seen.tool = false -%}\
{%- else %}{% set said = m['content'] %}{% if '</think>' in said %}{% set said = said.split('</think>')[-1] %}{% endif %}\
{{'<｜Assistant｜>' + said + '<｜end▁of▁sentence｜>'}}{%- endif %}{%- endif %}{%- endfor -%}\
{% if seen.tool %}{{'<｜tool▁outputs▁end｜>'}}{% endif %}\
{% if add_generation_prompt and not seen.tool %}{{'<｜Assistant｜><think>\\n'}}{% endif %}\
""", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>")

# no system turn; the assistant goes by another name
FORMATS["gemma"] = ("""\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turn') }}{% endif %}\
{% for m in messages %}\
{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant must alternate') }}{% endif %}\
{% if (m['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = m['role'] %}{% endif %}\
{{ '<start_of_turn>' + role + '\\n' + m['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}\
{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}\
""", "<bos>", "<eos>")

CHATS = {
    "question": [("user", "Why is the sky blue?")],
    "system": [("system", "Be brief."), ("user", "Hi")],
    "turns": [("user", "1+1?"), ("assistant", "2"), ("user", "Sure?")],
    "system turns": [("system", "Be kind."), ("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"),
                     ("user", "e")],
    "empty": [("system", ""), ("user", "a"), ("assistant", ""), ("user", "")],
    "blanks": [("system", " \n x\t"), ("user", "\n a b \n\n"), ("assistant", "\u00a0 c \u3000"), ("user", "\u200b d\u2009\n")],
    "marks": [("user", "<|im_end|> </s> <|eot_id|> [/INST] {{ 1 }}"), ("assistant", "<|im_start|>"),
              ("user", "<<SYS>> ' \" \\ \\n {% if %}")],
    "thought": [("user", "q"), ("assistant", "<think>\nhm\n</think>\n\n2"), ("user", "r")],
    "thoughts": [("user", "q"), ("assistant", "<think>\n\n</think>\n\na"), ("user", "r"),
                 ("assistant", "x</think>y</think>\nz"), ("user", "s")],
    "answered": [("user", "q"), ("assistant", "<think>hm</think>\n\n\n2\n")],
    "twice": [("user", "a"), ("user", "b")],
    "late system": [("user", "a"), ("system", "b"), ("user", "c")],
    "answer first": [("assistant", "a"), ("user", "b")],
    "tool": [("user", "q"), ("assistant", "<think>\na\n</think>\n\nb"), ("user", "<tool_response>\n5\n</tool_response>")],
}


def rendered(template, bos, eos, chat, thinking):
    """None where transformers refuses."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), bos_token=bos, eos_token=eos)
    turns = [{"role": role, "content": content} for role, content in chat]
    try:
        return tokenizer.apply_chat_template(turns, chat_template=template, tokenize=False, add_generation_prompt=True,
                                             enable_thinking=thinking, date_string=DATE)
    except Exception:                       # the template's own, Jinja's, or Python's of values that do not fit
        return None


def fnv(text):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def pieces(template):
    """Where its tags, the texts between them, and the literals and operands within tags are: (begin, end)."""
    tags = [m.span() for m in re.finditer(r"\{\{.*?\}\}|\{%.*?%\}|[^{]+", template, re.S)]
    inner = [m.span() for m in re.finditer(r"'[^'\n]*'|\"[^\"\n]*\"| \| trim|\|trim|\.l?r?strip\([^)]*\)|not |==|!=|-%\}"
                                           r"|\{%-|\{\{-|\bmessage\b|loop\.\w+| \+ ", template)]
    return tags, inner


def mutants(template, chance):
    """Templates with one or two changes, as lists of changes (begin, end, instead), the last one first; no end."""
    tags, inner = pieces(template)
    found = []
    while True:
        changes, taken = [], []
        for _ in range(chance.choice((1, 1, 2))):
            spans = chance.choice((tags, inner))
            i = chance.randrange(len(spans))
            begin, end = spans[i]
            what = chance.choice(("cut", "double", "exchange"))
            if what == "exchange":
                j = min(i + chance.randrange(1, 4), len(spans) - 1)
                if j == i:
                    continue
                other = spans[j]
                instead = template[slice(*other)] + template[end:other[0]] + template[begin:end]
                end = other[1]
            else:
                instead = "" if what == "cut" else template[begin:end] * 2
            if any(begin < e and b < end for b, e in taken):
                continue
            taken.append((begin, end))
            changes.append((begin, end, instead))
        changes.sort(reverse=True)
        if changes and changes not in found:
            found.append(changes)
            yield changes


def changed(template, changes):
    for begin, end, instead in changes:
        template = template[:begin] + instead + template[end:]
    return template


def main():
    config = json.loads(BUNDLE.read_text())
    FORMATS["bundle"] = (config["chat_template"], config["bos_token"], config["eos_token"])
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, (template, bos, eos) in FORMATS.items():
        chance = random.Random(name)
        results = []
        for chat, turns in CHATS.items():
            silent, thinking = (rendered(template, bos, eos, turns, t) for t in (False, True))
            results.append({"name": chat, "turns": turns, "text": silent,
                            **({} if thinking == silent else {"thinking": thinking})})
        mutated, broken = [], 0
        for changes in mutants(template, chance):
            if len(mutated) == MUTANTS:
                break
            text = changed(template, changes)
            hashes = []
            for turns in CHATS.values():
                for thinking in (False, True):
                    got = rendered(text, bos, eos, turns, thinking)
                    hashes.append("" if got is None else fnv(got))
                if len(hashes) == 2 * EARLY and not any(hashes) and broken >= BROKEN:
                    break           # of no use, and slow
            if not any(hashes):
                broken += 1
                if broken > BROKEN:
                    continue
            at = [[len(template[:b].encode()), len(template[:e].encode()), instead] for b, e, instead in changes]
            mutated.append({"changes": at, "all": hashes[0]} if len(set(hashes)) == 1 else
                           {"changes": at, "each": " ".join(h or "-" for h in hashes)})
        record = {"template": template, "bos": bos, "eos": eos, "chats": results}
        text = json.dumps(record, ensure_ascii=False, indent=1)
        rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in mutated)
        (GOLDEN / f"{name}.json").write_text(text[:-2] + ',\n "mutants": [\n' + rows + "\n ]\n}\n")


if __name__ == "__main__":
    main()
