"""Composed tools: verb_noun with one to three parameters, drawn anew for every document.

There are hundreds of tools and thousands of schemas, so the only way to be right is to read the schema in the system
turn and to copy: the tool's name, the parameters' names in their order, and the values of the request.  The tools
listed beside the needed one are often near misses: the same noun, or the same verb.  Two requests in one turn get two calls, with
two of the listed tools: whoever reads the wrong line of the schema for one of them is caught there.
"""
import json

from .composed_data import KINDS, SAID, SIMILAR, VALUES
from .grammar import a_or_an, bucket

# how a request names what is to be done; $do is the verb, $noun the thing, $with the values in any order
FORMS = ("{$Do the $noun $with.|$Do $a $with.|I want to $do the $noun $with.|I would like to $do $a $with.|$Do my $noun $with."
         "|The $noun: $verb it $with.|I have to $do the $noun $with.|It is time to $do the $noun $with.|Is it possible to $do the $noun $with?"
         "|How about this: $do the $noun $with.|$noun, $do, $with|Let us $do the $noun $with.|My plan is to $do the $noun $with."
         "|!We need to $do the $noun $with.|!There is $a to $do $with.}")

SEPARATOR = "\n</tool_call>\n<tool_call>\n"      # between two calls
# two requests in one turn: $do2, $noun2 and $with2 are those of the second
BOTH = ("{$Do the $noun $with. Then $do2 the $noun2 $with2.|$Do the $noun $with and $do2 the $noun2 $with2.|First $do the $noun $with, then $do2 the $noun2 $with2."
        "|Two things: $do the $noun $with, and $do2 the $noun2 $with2.|I want to $do the $noun $with and to $do2 the $noun2 $with2."
        "|$Do the $noun $with. After that, $do2 the $noun2 $with2.|!$Do the $noun $with. I also want to $do2 the $noun2 $with2.}")


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


def listed(d, needed, unseen, count):
    """The needed tool among `count` others, in any order: (verb, noun) each."""
    others = []
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


def offer(d, others, weights, most):
    """The system turn lists a tool and some others, each with at most `most` parameters. Returns the tool, whether names
    are in camel case, and {(verb, noun): parameters} of all."""
    from .tools import FOOTER, HEADER
    verb, noun = d.choose(ALL)
    unseen = held_out(verb, noun)
    d.hold("tool", unseen)
    camel = d.chance(0.15)
    tools = listed(d, (verb, noun), unseen, d.choose(others, weights))
    params = {t: parameters(d, t[1], most if len(tools) < 4 else 2) for t in tools}
    d.system(HEADER + "\n".join(schema_text(tool_name(*t, camel), p) for t, p in params.items()) + FOOTER)
    return (verb, noun), camel, params


def request(d, tool, params, suffix=""):
    """Slots for one request; returns the values of the call and the key that its split hangs on."""
    verb, noun = tool
    values = {}
    for meaning, key in params:
        values[key] = d.choose((True, False)) if meaning == "flag" else VALUES[meaning][2](d)
    flags = [p for p in params if p[0] == "flag"]                # "and make it urgent" comes last
    order = d.several([p for p in params if p[0] != "flag"], len(params) - len(flags)) + flags
    said = [say_value(d, meaning, key, values[key]) for meaning, key in order]
    do = d.choose(SAID.get(verb, [verb]))
    d.slots.update({name + suffix: text for name, text in dict(verb=verb, do=do, Do=do[0].upper() + do[1:], noun=noun, a=a_or_an(noun)).items()})
    d.slots["with" + suffix] = " ".join(said)
    return values, ["composed", verb, noun, str(values[order[0][1]])]      # a request goes with those that begin alike


def types_of(params):
    return {key: VALUES[meaning][0] for meaning, key in params}


def composed(d):
    from .tools import call_text
    tool, camel, tools = offer(d, (0, 1, 2, 3), (0.15, 0.35, 0.3, 0.2), 3)
    values, d.key = request(d, tool, tools[tool])
    d.ask(FORMS)
    call = tool_name(*tool, camel), values, types_of(tools[tool])
    if len(tools) > 2 or not d.chance(0.15):
        d.begin()
        call_text(d, *call)
        d.end()
        return
    d.begin_history()
    call_text(d, *call)
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


def two_calls(d):
    from .tools import call_text
    first, camel, tools = offer(d, (1, 2), (0.55, 0.45), 2)
    second = d.choose([t for t in tools if t != first])
    calls = []
    for tool, suffix in ((first, ""), (second, "2")):
        values, key = request(d, tool, tools[tool], suffix)
        d.hold("content", bucket("json", "composed", *key, of=50) < 2)       # each as it would be alone, see gen.split_of
        calls.append((tool_name(*tool, camel), values, types_of(tools[tool])))
    d.key = ["two", *first, *second, str(calls[0][1])]
    d.ask(BOTH)
    d.begin()
    call_text(d, *calls[0])
    d.fixed("\n")
    one = d.expect
    call_text(d, *calls[1])
    d.expect = one + SEPARATOR + d.expect
    d.end()
