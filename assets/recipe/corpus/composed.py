"""Composed tools: verb_noun with one to three parameters, drawn anew for every document.

There are hundreds of tools and thousands of schemas, so the only way to be right is to read the schema in the system
turn and to copy: the tool's name, the parameters' names in their order, and the values of the request.  The tools
listed beside the needed one are often near misses: the same noun, or the same verb.
"""
import json

from .composed_data import KINDS, SAID, SIMILAR, VALUES
from .grammar import a_or_an, bucket

# how a request names what is to be done; $do is the verb, $noun the thing, $with the values in any order
FORMS = ("{$Do the $noun $with.|$Do $a $with.|I want to $do the $noun $with.|I would like to $do $a $with.|$Do my $noun $with."
         "|The $noun: $verb it $with.|I have to $do the $noun $with.|It is time to $do the $noun $with.|Is it possible to $do the $noun $with?"
         "|How about this: $do the $noun $with.|$noun, $do, $with|Let us $do the $noun $with.|My plan is to $do the $noun $with."
         "|!We need to $do the $noun $with.|!There is $a to $do $with.}")


def held_out(verb, noun):
    """One composed tool in ten is neither asked for nor listed in training."""
    return bucket("tool", verb, noun, of=10) == 0


ALL = [(verb, noun) for nouns, verbs, _ in KINDS for noun in nouns for verb in verbs]
MEANINGS = {noun: meanings for nouns, _, meanings in KINDS for noun in nouns}
TRAINED = [t for t in ALL if not held_out(*t)]
HELD_OUT = [t for t in ALL if held_out(*t)]
SETS = {True: HELD_OUT, False: TRAINED}
SAME_NOUN = {k: {t: [u for u in pool if u[1] == t[1] and u != t] for t in pool} for k, pool in SETS.items()}
SAME_VERB = {k: {t: [u for u in pool if u[0] == t[0] and u != t] for t in pool} for k, pool in SETS.items()}


def tool_name(verb, noun, camel):
    return verb + noun.capitalize() if camel else f"{verb}_{noun}"


def parameters(d, noun, most=3):
    """Meanings and names of a tool's parameters, in the order of the schema."""
    pool, out = MEANINGS[noun], []
    for _ in range(d.choose((1, 2, 3)[:most], {3: (0.22, 0.43, 0.35), 2: (0.4, 0.6), 1: (1.0,)}[most])):
        meaning = d.choose(pool)
        out.append((meaning, d.choose(VALUES[meaning][1])))
        pool = [m for m in pool if m != meaning and not any({m, meaning} <= group for group in SIMILAR)]
    return out


def schema_text(name, params):
    return json.dumps({"name": name, "parameters": {key: VALUES[meaning][0] for meaning, key in params}})


def listed(d, needed, unseen):
    """The needed tool among zero to three others, in any order: (verb, noun) each."""
    others, count = [], d.choose((0, 1, 2, 3), (0.15, 0.35, 0.3, 0.2))
    for _ in range(count):
        kinds = (SAME_NOUN[unseen][needed], SAME_VERB[unseen][needed], SETS[unseen])
        pool = [t for t in kinds[d.choose((0, 1, 2), (0.4, 0.3, 0.3))] if t != needed and t not in others]
        others.append(d.choose(pool or [t for t in SETS[unseen] if t != needed and t not in others]))
    others.insert(d.number(0, count), needed)
    return others


def say_value(d, meaning, key, v):
    """One value as the request says it."""
    if meaning == "flag":
        return f"and make it {key}" if v else f"but not {key}"
    if meaning == "day" and v in ("today", "tomorrow"):
        return v
    return d.choose(VALUES[meaning][3]).replace("{0}", key.replace("_", " ")).replace("$v", str(v))


def composed_prompt(d):
    """System turn and request; returns the tool's name, its parameters and the values for the call."""
    from .tools import FOOTER, HEADER
    verb, noun = d.choose(ALL)
    unseen = held_out(verb, noun)
    d.hold("tool", unseen)
    camel = d.chance(0.15)
    tools = listed(d, (verb, noun), unseen)
    lines = []
    for t in tools:
        params = parameters(d, t[1], 3 if len(tools) < 4 else 2)
        if t == (verb, noun):
            needed = params
        lines.append(schema_text(tool_name(*t, camel), params))
    d.system(HEADER + "\n".join(lines) + FOOTER)
    values, said = {}, []
    for meaning, key in needed:
        values[key] = d.choose((True, False)) if meaning == "flag" else VALUES[meaning][2](d)
    flags = [p for p in needed if p[0] == "flag"]                # "and make it urgent" comes last
    order = d.several([p for p in needed if p[0] != "flag"], len(needed) - len(flags)) + flags
    said = [say_value(d, meaning, key, values[key]) for meaning, key in order]
    d.key = ["composed", verb, noun, str(values[order[0][1]])]    # a request goes with those that begin alike
    do = d.choose(SAID.get(verb, [verb]))
    d.slots.update(verb=verb, do=do, Do=do[0].upper() + do[1:], noun=noun, a=a_or_an(noun))
    d.slots["with"] = " ".join(said)
    d.ask(FORMS)
    return tool_name(verb, noun, camel), needed, values, len(tools)


def composed(d):
    from .tools import call_text
    name, params, values, count = composed_prompt(d)
    types = {key: VALUES[meaning][0] for meaning, key in params}
    if count > 2 or not d.chance(0.15):
        d.begin()
        call_text(d, name, values, types)
        d.end()
        return
    d.begin_history()
    call_text(d, name, values, types)
    d.end_turn()
    number = d.number(10, 99)
    state = d.choose(("done", "failed"), (0.8, 0.2))
    d.fixed("<|im_start|>user\n<tool_response>\n" + json.dumps({"status": state, "receipt": number}) + "\n</tool_response><|im_end|>\n")
    d.slots["n"] = number
    d.begin()
    d.say("{*All done. The receipt has the number $n.|Done. The number of the receipt is $n.|Done. You find the receipt under number $n.}" if state == "done"
          else "{*Sorry, that did not work. The receipt has the number $n.|It failed, sorry. The number of the receipt is $n.|It did not work. You find more under number $n.}")
    d.expect = None
    d.end()
