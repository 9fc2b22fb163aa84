"""Long and regular JSON: a table becomes a list of objects, and a list of fields becomes a JSON schema.

A table of one kind always begins with the column that names the kind, so that no table can be made in two ways.
Some pairs of columns never stand together in training.
"""
from itertools import combinations

from .composed_data import LABELS, LANGUAGES, MATERIALS, TIMES
from .grammar import bucket
from .json_tasks import DISHES, EVENTS, JOBS, SUBJECTS, THINGS, answer, between, one_of
from .lexicon import CITIES, COLORS, DAYS, NAMES

FREE = one_of([True, False])
# what a row is: (first column, its values, the other columns)
KINDS = {
    "a person": ("name", one_of(NAMES), {"age": between(5, 80), "city": one_of(CITIES), "job": one_of(JOBS), "language": one_of(LANGUAGES), "level": between(1, 10)}),
    "an item": ("item", one_of(THINGS), {"price": between(2, 60), "color": one_of([c for c in COLORS if c != "orange"]), "material": one_of(MATERIALS), "count": between(2, 40), "sold": FREE}),
    "an event": ("event", one_of(EVENTS), {"day": one_of(DAYS), "time": one_of(TIMES), "room": between(1, 99), "host": one_of(NAMES), "public": FREE}),
    "a trip": ("from", one_of(CITIES), {"to": one_of(CITIES), "day": one_of(DAYS), "price": between(20, 400), "minutes": between(30, 600)}),
    "an order": ("customer", one_of(NAMES), {"dish": one_of(DISHES), "count": between(2, 9), "time": one_of(TIMES), "paid": FREE}),
    "a lesson": ("subject", one_of(SUBJECTS), {"teacher": one_of(NAMES), "day": one_of(DAYS), "time": one_of(TIMES), "room": between(1, 99)}),
    "a file": ("title", one_of(LABELS), {"owner": one_of(NAMES), "size": between(2, 900), "day": one_of(DAYS), "shared": FREE}),
}
TABLE = ("{Convert this table to JSON:|Turn this table into JSON:|Write this table as JSON:|Convert this CSV to JSON:|Make a JSON list of this table:|As JSON, please:|Table to JSON:|CSV to JSON:"
         "|Put every row into a JSON object:|I need these rows as JSON:|Give me these rows as JSON:|Read this table and write JSON:|!Export this table as JSON:|!What does this table look like in JSON?}\n$table")
SCHEMA = ("{Write a JSON schema for $thing with $fields.|Give me a JSON schema for $thing with $fields.|JSON schema for $thing: $fields|Make a JSON schema with the fields $fields for $thing."
          "|I need a JSON schema for $thing with the fields $fields.|Define $thing as a JSON schema with $fields.|What is the JSON schema for $thing with $fields?|Create a JSON schema: $thing with $fields."
          "|Describe $thing with $fields in a JSON schema.|!Draft a JSON schema of $thing that has $fields.|!How does the JSON schema of $thing with $fields look?}")


def held_out_columns(first, names):
    """One pair of further columns in eight, in either order."""
    return any(bucket("columns", first, a, b, of=8) == 0 for a, b in combinations(sorted(names), 2))


def columns(d, counts, weights):
    """A kind of row and some of its columns, the first one included: [(name, drawer)]."""
    thing = d.choose(list(KINDS))
    first, drawer, others = KINDS[thing]
    chosen = d.several(list(others), d.choose(counts, weights) - 1)
    d.hold("columns", held_out_columns(first, chosen))
    return thing, [(first, drawer)] + [(name, others[name]) for name in chosen]


def cell(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def table_to_json(d):
    _, picked = columns(d, (2, 3, 4), (0.35, 0.45, 0.2))
    most = {2: (3, 4, 5, 6, 7), 3: (3, 4, 5), 4: (2, 3, 4)}[len(picked)]
    names = [name for name, _ in picked]
    rows = [[draw(d) for _, draw in picked] for _ in range(d.choose(most))]
    comma = d.choose((",", ", ", " | "), (0.6, 0.2, 0.2))
    table = "\n".join(comma.join(map(cell, row)) for row in [names, *rows])
    d.key = ["table", *names, *map(str, rows[0])]
    d.ask(TABLE, wrap=False, table=table)
    answer(d, [dict(zip(names, row)) for row in rows])


def json_schema(d):
    thing, picked = columns(d, (2, 3, 4), (0.3, 0.45, 0.25))
    names = [name for name, _ in picked]
    types = {bool: "boolean", int: "integer", str: "string"}
    kinds = [types[type(draw(_Any()))] for _, draw in picked]
    d.key = ["schema", *names]
    d.ask(SCHEMA, thing=thing, fields=", ".join(names[:-1]) + " and " + names[-1])
    answer(d, {"type": "object", "properties": {name: {"type": kind} for name, kind in zip(names, kinds)}, "required": names})


class _Any:
    """Draws the first of everything: what type a column has."""

    def choose(self, options):
        return options[0]

    def number(self, low, _high):
        return low
