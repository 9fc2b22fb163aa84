"""Small "write this as JSON" tasks: one sentence about a person or a thing becomes an object.

The fields come in the order of the tables below.  When the request names fields ("with the fields name and city"),
the object has these only, in their order and under their names.
"""
import json

from .composed_data import LANGUAGES, MATERIALS, TIMES
from .lexicon import CITIES, COLORS, DAYS, NAMES


def one_of(pool):
    return lambda d: d.choose(pool)


def between(low, high):
    return lambda d: d.number(low, high)


EVENTS = ["meeting", "concert", "birthday party", "dinner", "lesson", "football match", "workshop", "test", "picnic"]
THINGS = ["apple", "book", "lamp", "chair", "bag", "hat", "cup", "ball", "clock", "scarf", "mirror", "kettle"]
PETS = {"cat": ["Luna", "Shadow", "Milo", "Ginger"], "dog": ["Rex", "Buddy", "Daisy", "Rocky"], "rabbit": ["Snowy", "Clover", "Pepper"]}
DISHES = ["soup", "pasta", "salad", "pizza", "rice", "pancakes", "stew", "curry"]
JOBS = ["teacher", "baker", "painter", "doctor", "farmer", "driver", "cook", "singer"]
GOODS = ["milk", "bread", "eggs", "rice", "tea", "apples", "cheese", "butter", "salt", "honey", "soap", "carrots"]
SUBJECTS = ["history", "music", "physics", "biology", "art", "chess", "drawing"]

# kind: (share, fields {name: (other names for it, drawer)}, sentences)
KINDS = {
    "person": (0.17, {"name": (["person", "who"], one_of(NAMES)), "age": (["years"], between(5, 80)), "city": (["town", "home"], one_of(CITIES))},
               "{$name is $age years old and lives in $city.|$name, $age, from $city.|My friend $name lives in $city and is $age years old.|$name comes from $city and is $age.|In $city lives $name, who is $age years old.|The name is $name, the age is $age, the city is $city.}"),
    "event": (0.11, {"event": (["what", "title"], one_of(EVENTS)), "day": (["date"], one_of(DAYS)), "time": (["start", "hour"], one_of(TIMES))},
              "{The $event is on $day at $time.|There is a $event on $day at $time.|$event, $day, $time|On $day at $time we have a $event.|The $event starts at $time on $day.}"),
    "item": (0.11, {"item": (["thing", "product"], one_of(THINGS)), "price": (["cost", "dollars"], between(2, 60)), "color": (["colour"], one_of([c for c in COLORS if c != "orange"]))},
             "{The $color $item costs $price dollars.|$item, $color, $price dollars|I bought a $color $item for $price dollars.|They sell a $color $item for $price dollars.|For $price dollars you get a $color $item.}"),
    "trip": (0.09, {"from": (["start"], one_of(CITIES)), "to": (["goal", "end"], one_of(CITIES)), "day": (["date"], one_of(DAYS))},
             "{We go from $from to $to on $day.|On $day I travel from $from to $to.|$from to $to, $day|The trip from $from to $to is on $day.|My train leaves $from on $day and goes to $to.}"),
    "order": (0.09, {"customer": (["name", "buyer"], one_of(NAMES)), "dish": (["food", "meal"], one_of(DISHES)), "count": (["number", "portions"], between(2, 9))},
              "{$customer orders $count portions of $dish.|$count portions of $dish for $customer|We have an order from $customer: $count portions of $dish.|$customer wants $dish, $count portions.}"),
    "pet": (0.08, {"name": (["pet"], None), "kind": (["animal", "species"], one_of(list(PETS))), "owner": (["person"], one_of(NAMES))},
            "{$name is a $kind and belongs to $owner.|$owner has a $kind called $name.|The $kind of $owner is called $name.|$name the $kind lives with $owner.}"),
    "job": (0.08, {"name": (["person", "who"], one_of(NAMES)), "job": (["work"], one_of(JOBS)), "city": (["place", "town"], one_of(CITIES))},
            "{$name works as a $job in $city.|$name, $job, $city|$name is a $job and works in $city.|In $city, $name has a job as a $job.}"),
    "room": (0.06, {"room": (["number"], between(1, 99)), "beds": (["places"], between(2, 6)), "free": (["empty"], one_of([True, False]))},
             "{Room $room has $beds beds and is $state.|Room $room is $state and has $beds beds.|There are $beds beds in room $room, which is $state.}"),
    "lesson": (0.07, {"subject": (["topic", "course"], one_of(SUBJECTS)), "teacher": (["name"], one_of(NAMES)), "day": (["date"], one_of(DAYS))},
               "{$teacher teaches $subject on $day.|$subject with $teacher, $day|On $day there is a lesson in $subject with $teacher.|The lesson in $subject is on $day, the teacher is $teacher.}"),
    "speaker": (0.06, {"name": (["person", "who"], one_of(NAMES)), "language": (["tongue"], one_of(LANGUAGES)), "level": (["grade"], between(1, 10))},
                "{$name speaks $language at level $level.|$name has reached level $level in $language.|$language, level $level: $name|In $language, $name is at level $level.}"),
    "box": (0.04, {"material": (["made_of"], one_of(MATERIALS)), "height": (["high"], between(5, 95)), "width": (["wide"], between(5, 95))},
            "{The box is made of $material, $height high and $width wide.|A box of $material, height $height, width $width|The width of the box is $width, the height is $height, and it is made of $material.}"),
    "list": (0.04, {"items": ([], None)}, "{Shopping list: $joined|We need $joined.|Buy $joined.|On my list are $joined.}"),
}
LABELS, SHARES = list(KINDS), tuple(share for share, _, _ in KINDS.values())
TASKS = ("{Convert to JSON: $text|Write this as JSON: $text|Turn this into JSON: $text|Make a JSON object from this: $text|JSON: $text|Put this into JSON: $text"
         "|As JSON: $text|Give me the JSON for this: $text|I need this as JSON: $text|What is this in JSON? $text|Create a JSON object: $text|Write down as JSON: $text"
         "|Change this sentence to JSON: $text|!Make this machine-readable as JSON: $text|!How would you write this in JSON? $text}")
WITH_FIELDS = ("{Convert to JSON with the fields $fields: $text|Write this as JSON with the fields $fields: $text|Make a JSON object with $fields from this: $text"
               "|Give me JSON with the keys $fields: $text|Take $fields from this and write JSON: $text|JSON with $fields: $text|Turn this into JSON with the keys $fields: $text"
               "|I need a JSON object with the fields $fields: $text|!Use $fields as the keys of a JSON object: $text}")


def draw(d, kind):
    fields = KINDS[kind][1]
    values = {}
    if kind == "pet":
        values["kind"] = d.choose(list(PETS))
        values = {"name": d.choose(PETS[values["kind"]]), **values, "owner": d.choose(NAMES)}
    elif kind == "list":
        values["items"] = d.several(GOODS, d.number(2, 4))
    else:
        for field, (_, drawer) in fields.items():
            pool = [c for c in CITIES if c != values.get("from")] if field == "to" else None
            values[field] = d.choose(pool) if pool else drawer(d)
    return values


def renamed(d, kind, values):
    """Two or three fields in any order, under one of their names."""
    chosen = d.several(list(values), d.choose((2, 3), (0.4, 0.6)))
    out = {}
    for field in chosen:
        others = [n for n in KINDS[kind][1][field][0] if n not in values and n not in out]
        name = field if not others or d.chance(0.6) else d.choose(others)
        out[name] = values[field]
    return out


def list_to_json(d, kind):
    """Two or three sentences about things of one kind become a list of objects."""
    both, texts = [], []
    for _ in range(d.choose((2, 3), (0.6, 0.4))):
        values = draw(d, kind)
        d.in_prompt = True
        texts.append(d.line(KINDS[kind][2], **{**values, "state": "free" if values.get("free") else "taken"}).rstrip("."))
        d.in_prompt = False
        both.append(values)
    d.key = ["json", kind] + list(both[0].values())
    d.ask("{Convert to a JSON list: $text|Write all of this as JSON: $text|Turn these sentences into JSON: $text|Make a JSON list of this: $text|JSON list: $text|As a list of JSON objects: $text"
          "|Give me one JSON list for this: $text|!Collect this in a JSON list: $text}", text=". ".join(texts) + ".")
    answer(d, both)


def answer(d, value):
    d.begin()
    d.expect = json.dumps(value)
    d.checks.append(("json", d.expect))
    d.fixed(d.expect)
    d.end()


def to_json(d):
    kind = d.choose(LABELS, SHARES)
    if kind != "list" and d.chance(0.32):
        list_to_json(d, kind)
        return
    values = draw(d, kind)
    shown = {**values, "state": "free" if values.get("free") else "taken", "joined": ", ".join(values.get("items", ()))}
    d.in_prompt = True
    text = d.line(KINDS[kind][2], **shown)
    d.in_prompt = False
    d.key = ["json", kind] + (values["items"][:2] if kind == "list" else list(values.values()))     # a list goes with its longer ones
    d.slots.update(text=text)
    if kind != "list" and d.chance(0.4):
        values = renamed(d, kind, values)
        names = list(values)
        d.ask(WITH_FIELDS, fields=", ".join(names[:-1]) + " and " + names[-1])
    else:
        d.ask(TASKS)
    answer(d, values)
