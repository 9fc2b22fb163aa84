"""Domain: word problems with one to four steps, one line per step, then "The answer is N."

A schema is a list of problem texts plus the steps.  Slots: $name, $He/$he/$his/$him, $items, $boxes,
numbers $a $b $c ..., results $r1 $r2 ...
"""
from .arithmetic import apply, note, operands
from .grammar import bucket
from .lexicon import BOXES, COLORS, ITEMS, NAMES, PRONOUN

# (operation, problem, step); a step follows one of the openers below
ONE_STEP = [
    ("+", "$name has $a $items{ and buys| and gets|. $He buys|. $He finds} $b more. {How many $items does $name have now?|How many $items does $he have?|How many $items does $he have in all?}",
     "{$name has $a + $b = $r1 $items|$he has $a + $b = $r1 $items}."),
    ("+", "$name has $a $color $items and $b $color2 $items. How many $items does $he have {in all|in total|altogether}?",
     "{$name has $a + $b = $r1 $items in all|$he has $a + $b = $r1 $items in all}."),
    ("+", "$name has $a $items. $friend gives $him $b more. How many $items does $name have now?",
     "{$name has $a + $b = $r1 $items|$he has $a + $b = $r1 $items}."),
    ("+", "$name reads $a pages on Monday and $b pages on Tuesday. How many pages does $he read {in total|in all}?",
     "{$he reads $a + $b = $r1 pages|$name reads $a + $b = $r1 pages in total}."),
    ("+", "There are $a boys and $b girls in a class. How many children are in the class?",
     "{the class has $a + $b = $r1 children|there are $a + $b = $r1 children in the class}."),
    ("+", "A {bus|train} has $a people in it. At the next stop, $b people get on. How many people are there now?",
     "there are $a + $b = $r1 people."),
    ("+", "$name is $a years old. How old will $he be in $b years?",
     "$name will be $a + $b = $r1 years old."),
    ("+", "$name has $a $items and $friend has $b $items. How many $items do they have together?",
     "they have $a + $b = $r1 $items together."),
    ("-", "$name has $a $items{ and gives $b to $friend| and loses $b of them|. $He gives away $b|. $He sells $b of them}. How many $items {are left|does $he have left|does $name have now}?",
     "{$name has $a - $b = $r1 $items left|$he has $a - $b = $r1 $items left}."),
    ("-", "There are $a {birds|ducks|frogs|children} in {a tree|the garden|the park}. $b of them go away. How many are left?",
     "there are $a - $b = $r1 left."),
    ("-", "A book has $a pages. $name has read $b pages. How many pages are left?",
     "{there are $a - $b = $r1 pages left|$name has $a - $b = $r1 pages left}."),
    ("-", "$name has $a dollars and {spends|pays} $b dollars. How much money {is left|does $he have left}?",
     "{$name has $a - $b = $r1 dollars left|$he has $a - $b = $r1 dollars left}."),
    ("-", "$name has $a $items and $friend has $b $items. How many more $items does $name have?",
     "{$name has $a - $b = $r1 more $items|$he has $a - $b = $r1 more $items}."),
    ("x", "$name has $a $boxes with $b $items in each. How many $items does $he have {in all|in total}?",
     "{there are $a x $b = $r1 $items in all|$name has $a x $b = $r1 $items in all}."),
    ("x", "$name buys $a $boxes of $b $items. How many $items is that?",
     "$name buys $a x $b = $r1 $items."),
    ("x", "One $item costs $b dollars. How much do $a $items cost?",
     "{$a $items cost $a x $b = $r1 dollars|they cost $a x $b = $r1 dollars}."),
    ("x", "A room has $a rows of $b chairs. How many chairs are there?",
     "{there are $a x $b = $r1 chairs|the room has $a x $b = $r1 chairs}."),
    ("x", "$name walks $b kilometres every day. How far does $he walk in $a days?",
     "$name walks $a x $b = $r1 kilometres."),
    ("/", "$name shares $a $items among $b friends{| equally}. How many $items does each friend get?",
     "{each friend gets $a / $b = $r1 $items|every friend gets $a / $b = $r1 $items}."),
    ("/", "$name puts $a $items into $b $boxes{|, the same number in each}. How many $items are in each $box?",
     "{each $box has $a / $b = $r1 $items|there are $a / $b = $r1 $items in each $box}."),
]

# (op1, op2, problem, step 1, step 2); the second operation is r1 op2 c
TWO_STEP = [
    ("x", "+", "$name has $c $items and buys $a $boxes of $b. How many $items does $he have now?",
     "{the $boxes hold $a x $b = $r1 $items|$he buys $a x $b = $r1 $items}.",
     "{$name has $r1 + $c = $r2 $items|$he has $r1 + $c = $r2 $items}."),
    ("x", "+", "$name has $c $items{ and gets|. $He finds|. Then $he buys|. $He also has|. In the shop, $he buys} $a $boxes of $b{| each| $items}. {How many $items does $he have now?|How many $items does $name have then?|How many does $he have in all?|How many $items are there in all?}",
     "{the $boxes hold $a x $b = $r1 $items|there are $a x $b = $r1 $items in the $boxes}.",
     "{$name has $r1 + $c = $r2 $items|$he has $r1 + $c = $r2 $items}."),
    ("x", "+", "{$name has $a $boxes with $b $items in each and $c more $items|There are $a $boxes of $b $items and $c single $items at the house of $name|$name owns $a $boxes of $b $items and $c loose $items}. How many $items {does $he have in all|are there in all|is that together}?",
     "the $boxes hold $a x $b = $r1 $items.",
     "{$name has $r1 + $c = $r2 $items|there are $r1 + $c = $r2 $items}."),
    ("x", "+", "{How many $items does $name have if|How many $items are there if} $name {has|starts with} $c $items and {buys|gets|finds} $a $boxes of $b?",
     "{the $boxes hold $a x $b = $r1 $items|there are $a x $b = $r1 $items in the $boxes}.",
     "{$name has $r1 + $c = $r2 $items|there are $r1 + $c = $r2 $items}."),
    ("x", "+", "$name {gets|buys} $a $boxes of $b $items from $friend and already {has|had} $c $items. How many $items {does $name have now|does $he have in total}?",
     "{the $boxes hold $a x $b = $r1 $items|$friend had $a x $b = $r1 $items in the $boxes}.",
     "$name has $r1 + $c = $r2 $items."),
    ("x", "-", "$name has $a $boxes {of $b $items|with $b $items in each|, each with $b $items}{. $He gives away|. $He loses| and sells|. $He uses} $c $items. How many $items {are left|does $he have left|are still there}?",
     "{the $boxes hold $a x $b = $r1 $items|$name has $a x $b = $r1 $items}.",
     "{$he has $r1 - $c = $r2 $items left|there are $r1 - $c = $r2 $items left}."),
    ("x", "+", "$name {buys|pays for} $a $items at $b dollars each and a bag for $c dollars. How much {does $he pay|does $he pay in all|is that together}?",
     "{the $items cost $a x $b = $r1 dollars|$a $items cost $a x $b = $r1 dollars}.",
     "{$he pays $r1 + $c = $r2 dollars|$name pays $r1 + $c = $r2 dollars}."),
    ("+", "-", "$name has $a $items. $He gets $b more and then gives $c to $friend. How many $items does $he have left?",
     "$name has $a + $b = $r1 $items.",
     "$he has $r1 - $c = $r2 $items left."),
    ("-", "+", "A {bus|train} has $a people in it. At a stop, $b people get off and $c get on. How many people are there now?",
     "there are $a - $b = $r1 people left.",
     "there are $r1 + $c = $r2 people."),
    ("x", "-", "$name buys $a $boxes of $b $items and gives $c $items to $friend. How many $items does $he have left?",
     "{$name buys $a x $b = $r1 $items|the $boxes hold $a x $b = $r1 $items}.",
     "$he has $r1 - $c = $r2 $items left."),
    ("+", "+", "$name reads $a pages on Monday, $b pages on Tuesday and $c pages on Friday. How many pages does $he read in total?",
     "{$he reads $a + $b = $r1 pages|Monday and Tuesday make $a + $b = $r1 pages}.",
     "{$he reads $r1 + $c = $r2 pages|$name reads $r1 + $c = $r2 pages in total}."),
    ("+", "/", "$name has $a $items and $friend has $b $items. They put them into $c $boxes, the same number in each. How many $items are in each $box?",
     "they have $a + $b = $r1 $items together.",
     "{each $box has $r1 / $c = $r2 $items|there are $r1 / $c = $r2 $items in each $box}."),
    ("-", "x", "$name has $a $boxes and gives $b of them to $friend. Each $box holds $c $items. How many $items does $name have left?",
     "{$name keeps $a - $b = $r1 $boxes|$he has $a - $b = $r1 $boxes left}.",
     "the $boxes hold $r1 x $c = $r2 $items."),
    ("+", "x", "In a room there are $a rows of chairs. Then $b more rows are added. Each row has $c chairs. How many chairs are there now?",
     "the room has $a + $b = $r1 rows.",
     "{the rows have $r1 x $c = $r2 chairs|there are $r1 x $c = $r2 chairs}."),
    ("-", "-", "$name has $a dollars. $He buys a book for $b dollars and a bag for $c dollars. How much money does $he have left?",
     "{$he has $a - $b = $r1 dollars|$name has $a - $b = $r1 dollars left}.",
     "$he has $r1 - $c = $r2 dollars."),
    ("x", "/", "$name packs $a $boxes with $b $items each. Then $c friends share all the $items equally. How many $items does each friend get?",
     "{the $boxes hold $a x $b = $r1 $items|there are $a x $b = $r1 $items}.",
     "{each friend gets $r1 / $c = $r2 $items|every friend gets $r1 / $c = $r2 $items}."),
    ("+", "-", "There are $a red cars and $b blue cars in a car park. Then $c cars leave. How many cars are left?",
     "{there are $a + $b = $r1 cars|red and blue make $a + $b = $r1 cars}.",
     "there are $r1 - $c = $r2 cars."),
    ("/", "+", "$name shares $a $items equally among $b friends. $friend is one of them and already has $c $items. How many $items does $friend have now?",
     "{each friend gets $a / $b = $r1 $items|every friend gets $a / $b = $r1 $items}.",
     "$friend has $r1 + $c = $r2 $items."),
]

# (operations, problem, steps); step k computes r(k-1) op operand k+1, the first one a op b
LONGER = [
    ("+-+", "$name has $a $items. $He gets $b from $friend, loses $c and then finds $e more. How many $items does $he have now?",
     ["{$he has $a + $b = $r1 $items|$name has $a + $b = $r1 $items}.",
      "$he has $r1 - $c = $r2 $items.",
      "{$he has $r2 + $e = $r3 $items|$name has $r2 + $e = $r3 $items}."]),
    ("x+-", "$name buys $a $boxes of $b $items. $He already has $c $items and gives $e to $friend. How many $items does $he have left?",
     ["{the $boxes hold $a x $b = $r1 $items|$he buys $a x $b = $r1 $items}.",
      "$he has $r1 + $c = $r2 $items.",
      "{$he has $r2 - $e = $r3 $items left|$name has $r2 - $e = $r3 $items left}."]),
    ("+++", "$name reads $a pages on Monday, $b on Tuesday, $c on Thursday and $e on Friday. How many pages does $he read in total?",
     ["{$he reads $a + $b = $r1 pages|Monday and Tuesday make $a + $b = $r1 pages}.",
      "{that is $r1 + $c = $r2 pages|Thursday makes it $r1 + $c = $r2 pages}.",
      "{that is $r2 + $e = $r3 pages|$name reads $r2 + $e = $r3 pages in total}."]),
    ("+--", "A bus has $a people in it. At the first stop $b people get on, at the second stop $c get off, and at the third stop $e get off. How many people are in the bus now?",
     ["there are $a + $b = $r1 people.",
      "{there are $r1 - $c = $r2 people|the second stop leaves $r1 - $c = $r2 people}.",
      "there are $r2 - $e = $r3 people."]),
    ("x--", "$name has $a $boxes with $b $items in each. $He gives $c $items to $friend and loses $e. How many $items does $he have left?",
     ["{$name has $a x $b = $r1 $items|the $boxes hold $a x $b = $r1 $items}.",
      "{$he has $r1 - $c = $r2 $items|$friend gets some, and $r1 - $c = $r2 $items are left}.",
      "$he has $r2 - $e = $r3 $items."]),
    ("+-++", "$name has $a $items and buys $b. $He gives $c to $friend, finds $e and gets $f for $his birthday. How many $items does $he have now?",
     ["$name has $a + $b = $r1 $items.",
      "$he has $r1 - $c = $r2 $items.",
      "$he has $r2 + $e = $r3 $items.",
      "$he has $r3 + $f = $r4 $items."]),
    ("x+-+", "$name buys $a $boxes of $b $items and has $c more at home. $He gives $e to $friend and then buys another $f. How many $items does $he have now?",
     ["{the $boxes hold $a x $b = $r1 $items|$he buys $a x $b = $r1 $items}.",
      "$he has $r1 + $c = $r2 $items.",
      "$he has $r2 - $e = $r3 $items.",
      "{$he has $r3 + $f = $r4 $items|$name has $r3 + $f = $r4 $items}."]),
    ("+-+-", "There are $a people in a shop. Then $b come in, $c go out, $e come in and $f go out. How many people are in the shop now?",
     ["{there are $a + $b = $r1 people|the shop has $a + $b = $r1 people}.",
      "there are $r1 - $c = $r2 people.",
      "there are $r2 + $e = $r3 people.",
      "there are $r3 - $f = $r4 people left."]),
]
SLOTS = "abcef"
# how a step begins: crossed modes, so "In" is the most likely first word and "now" the most likely second, but never both
ONLY, FIRST = "{*So now |This means that |This way, }", "{*At first, |To begin with, |To start, }"
BEFORE = ("[0.28:{Solve this: |Here is a problem: |Can you solve this? |Help me with this: |Please solve: |A small problem: |Math question: |Work this out: |My homework says: "
          "|I have a question. |Please help. |Try this one: |Word problem: |!A riddle for you: }]")
AFTER = "[0.12: {Show the steps.|Think step by step.|What is the answer?|Show how you get there.|I need the number.|Please explain.}]"
NEXT, LAST = "{*And then |After that, |After this, }", "{*So now |In the end, |In this way, }"


def name_and_item_held_out(name, item):
    """One pair of a person and a thing in ten is never trained on."""
    return bucket(name, item, of=10) == 0


def fill(d):
    """Names and things; each is drawn when the problem first shows it."""
    def person():
        name = d.choose(NAMES)
        he, his, him = PRONOUN[name]
        return name, he, he.capitalize(), his, him

    d.lazy(("name", "he", "He", "his", "him"), person)
    d.lazy(("friend",), lambda: (d.choose(OTHERS[d.slot("name")]),))
    d.lazy(("item", "items"), lambda: d.choose(ITEMS))
    d.lazy(("box", "boxes"), lambda: d.choose(BOXES))
    d.lazy(("color",), lambda: (d.choose(COLORS),))
    d.lazy(("color2",), lambda: (d.choose([c for c in COLORS if c != d.slot("color")]),))


OTHERS = {name: [n for n in NAMES if n != name] for name in NAMES}


def close(d, result):
    d.say("\n{The answer is|So the answer is} ")
    d.expect = f"answer is {result}."
    d.fixed(f"{result}.")
    d.end()
    if d.shown("name") and d.shown("item"):
        d.hold("name and thing", name_and_item_held_out(d.slot("name"), d.slot("item")))


def thought_for(d, op):
    if not d.maybe(0.10):
        return None
    return {"+": "{I need to add|This is an addition:} $a and $b.", "-": "{I need to subtract|This is a subtraction:} $b from $a.",
            "x": "{I need to multiply|This is a product:} $a and $b.", "/": "{I need to divide|This is a division:} $a by $b."}[op]


def solve(d, operations, numbers, problem, steps):
    """The whole chat: the problem, one line per step, the answer.  Records every sum."""
    d.key += numbers
    d.slots.update(zip(SLOTS, numbers))
    result = numbers[0]
    for k, (op, operand) in enumerate(zip(operations, numbers[1:])):
        result = note(d, op, result, operand)
        d.slots[f"r{k + 1}"] = result
    d.ask(BEFORE + problem + AFTER)
    d.begin(thought_for(d, operations[0]))
    for k, step in enumerate(steps):
        opener = ONLY if len(steps) == 1 else FIRST if k == 0 else LAST if k == len(steps) - 1 else NEXT
        d.say(("\n" if k else "") + opener + step)
    close(d, result)


def one_step(d):
    i = d.number(0, len(ONE_STEP) - 1)
    op, problem, step = ONE_STEP[i]
    d.key = ["one", i]
    fill(d)
    solve(d, op, operands(d, op, low=2), problem, [step])


def next_operand(d, op, total):
    """An operand that leaves at least half of the total in a subtraction, and divides it in a division."""
    if op == "+":
        return d.number(2, 20)
    if op == "-":
        return d.number(min(2, total // 2), min(total // 2, 20))
    if op == "x":
        return d.number(2, 12)
    return d.choose([c for c in range(2, 13) if total % c == 0 and total // c >= 2])


def two_step(d):
    i = d.number(0, len(TWO_STEP) - 1)
    op1, op2, problem, step1, step2 = TWO_STEP[i]
    d.key = ["two", i]
    fill(d)
    if (op1, op2) == ("+", "/"):
        c, q = d.number(2, 8), d.number(2, 10)
        a = d.number(2, c * q - 2)
        b = c * q - a
    else:
        a, b = small_first(d, op1) if op2 == "x" else operands(d, op1, low=4 if op1 + op2 == "--" else 2)
        c = next_operand(d, op2, apply(op1, a, b))
    solve(d, op1 + op2, (a, b, c), problem, [step1, step2])


def small_first(d, op):
    """Operands whose result can be multiplied."""
    if op == "+":
        return d.number(2, 9), d.number(2, 9)
    a = d.number(4, 15)
    return a, d.number(max(2, a - 12), a - 2)


def longer(d):
    i = d.number(0, len(LONGER) - 1)
    operations, problem, steps = LONGER[i]
    d.key = ["longer", i]
    fill(d)
    numbers = [d.number(5, 20), d.number(5, 20)] if operations[0] == "+" else [d.number(3, 12), d.number(3, 12)]
    total = apply(operations[0], *numbers)
    for op in operations[1:]:
        numbers.append(next_operand(d, op, total))
        total = apply(op, total, numbers[-1])
    solve(d, operations, numbers, problem, steps)


FAMILIES = [(one_step, 0.60), (two_step, 0.28), (longer, 0.12)]
