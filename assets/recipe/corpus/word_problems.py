"""Domain: word problems with one or two steps, one line per step, then "The answer is N."

A schema is a list of problem texts plus the steps.  Slots: $name, $He/$he/$his/$him, $items, $boxes,
numbers $a $b $c, results $r1 $r2.
"""
from .arithmetic import note, operands
from .lexicon import BOXES, COLORS, ITEMS, NAMES, PRONOUN

# (operation, problem, step texts before "a op b = r")
ONE_STEP = [
    ("+", "$name has $a $items{ and buys| and gets|. $He buys|. $He finds} $b more. {How many $items does $name have now?|How many $items does $he have?|How many $items does $he have in all?}",
     "{*$name now has $a + $b = $r1 $items.|$He now has $a + $b = $r1 $items.|In all, $he has $a + $b = $r1 $items.}"),
    ("+", "$name has $a $color $items and $b $color2 $items. How many $items does $he have {in all|in total|altogether}?",
     "{*$name has $a + $b = $r1 $items in all.|Together that is $a + $b = $r1 $items.|$He has $a + $b = $r1 $items in all.}"),
    ("+", "$name has $a $items. $friend gives $him $b more. How many $items does $name have now?",
     "{*$name now has $a + $b = $r1 $items.|$He now has $a + $b = $r1 $items.|With the gift, $he has $a + $b = $r1 $items.}"),
    ("+", "$name reads $a pages on Monday and $b pages on Tuesday. How many pages does $he read {in total|in all}?",
     "{*In total, $he reads $a + $b = $r1 pages.|$name reads $a + $b = $r1 pages in total.|That is $a + $b = $r1 pages.}"),
    ("+", "There are $a boys and $b girls in a class. How many children are in the class?",
     "{*The class has $a + $b = $r1 children.|There are $a + $b = $r1 children in the class.|That is $a + $b = $r1 children.}"),
    ("+", "A {bus|train} has $a people in it. At the next stop, $b people get on. How many people are there now?",
     "{*Now there are $a + $b = $r1 people.|There are now $a + $b = $r1 people.|That makes $a + $b = $r1 people.}"),
    ("+", "$name is $a years old. How old will $he be in $b years?",
     "{*In $b years, $he will be $a + $b = $r1 years old.|$name will be $a + $b = $r1 years old.|Then $he will be $a + $b = $r1 years old.}"),
    ("+", "$name has $a $items and $friend has $b $items. How many $items do they have together?",
     "{*Together they have $a + $b = $r1 $items.|They have $a + $b = $r1 $items together.|In all, they have $a + $b = $r1 $items.}"),
    ("-", "$name has $a $items{ and gives $b to $friend| and loses $b of them|. $He gives away $b|. $He sells $b of them}. How many $items {are left|does $he have left|does $name have now}?",
     "{*$name has $a - $b = $r1 $items left.|$He has $a - $b = $r1 $items left.|Now $he has $a - $b = $r1 $items.}"),
    ("-", "There are $a {birds|ducks|frogs|children} in {a tree|the garden|the park}. $b of them go away. How many are left?",
     "{*There are $a - $b = $r1 left.|Now $a - $b = $r1 are left.|After that, $a - $b = $r1 are left.}"),
    ("-", "A book has $a pages. $name has read $b pages. How many pages are left?",
     "{*There are $a - $b = $r1 pages left.|$name has $a - $b = $r1 pages left.|Now $a - $b = $r1 pages are left.}"),
    ("-", "$name has $a dollars and {spends|pays} $b dollars. How much money {is left|does $he have left}?",
     "{*$name has $a - $b = $r1 dollars left.|$He has $a - $b = $r1 dollars left.|Now $he has $a - $b = $r1 dollars.}"),
    ("-", "$name has $a $items and $friend has $b $items. How many more $items does $name have?",
     "{*$name has $a - $b = $r1 more $items.|$He has $a - $b = $r1 more $items.|The difference is $a - $b = $r1 $items.}"),
    ("x", "$name has $a $boxes with $b $items in each. How many $items does $he have {in all|in total}?",
     "{*There are $a x $b = $r1 $items in all.|$name has $a x $b = $r1 $items in all.|The $boxes hold $a x $b = $r1 $items.}"),
    ("x", "$name buys $a $boxes of $b $items. How many $items is that?",
     "{*That is $a x $b = $r1 $items.|$name buys $a x $b = $r1 $items.|In all, $he buys $a x $b = $r1 $items.}"),
    ("x", "One $item costs $b dollars. How much do $a $items cost?",
     "{*$a $items cost $a x $b = $r1 dollars.|They cost $a x $b = $r1 dollars.|The price is $a x $b = $r1 dollars.}"),
    ("x", "A room has $a rows of $b chairs. How many chairs are there?",
     "{*There are $a x $b = $r1 chairs.|The room has $a x $b = $r1 chairs.|That is $a x $b = $r1 chairs.}"),
    ("x", "$name walks $b kilometres every day. How far does $he walk in $a days?",
     "{*In $a days, $he walks $a x $b = $r1 kilometres.|$name walks $a x $b = $r1 kilometres.|That is $a x $b = $r1 kilometres.}"),
    ("/", "$name shares $a $items among $b friends{| equally}. How many $items does each friend get?",
     "{*Each friend gets $a / $b = $r1 $items.|Every friend gets $a / $b = $r1 $items.|That is $a / $b = $r1 $items for each friend.}"),
    ("/", "$name puts $a $items into $b $boxes{|, the same number in each}. How many $items are in each $box?",
     "{*Each $box has $a / $b = $r1 $items.|There are $a / $b = $r1 $items in each $box.|Every $box gets $a / $b = $r1 $items.}"),
]

# (op1, op2, problem, step 1, step 2); the second operation is r1 op2 c
TWO_STEP = [
    ("x", "+", "$name has $c $items and buys $a $boxes of $b. How many $items does $he have now?",
     "{*The $boxes hold $a x $b = $r1 $items.|$He buys $a x $b = $r1 $items.|In the $boxes there are $a x $b = $r1 $items.}",
     "{*$name now has $r1 + $c = $r2 $items.|$He now has $r1 + $c = $r2 $items.|In all, $he has $r1 + $c = $r2 $items.}"),
    ("+", "-", "$name has $a $items. $He gets $b more and then gives $c to $friend. How many $items does $he have left?",
     "{*First $he has $a + $b = $r1 $items.|$name first has $a + $b = $r1 $items.|With the new ones, $he has $a + $b = $r1 $items.}",
     "{*Then $he has $r1 - $c = $r2 $items left.|$He then has $r1 - $c = $r2 $items left.|After that, $he has $r1 - $c = $r2 $items.}"),
    ("-", "+", "A {bus|train} has $a people in it. At a stop, $b people get off and $c get on. How many people are there now?",
     "{*After $b get off, there are $a - $b = $r1 people.|First there are $a - $b = $r1 people.|There are $a - $b = $r1 people left.}",
     "{*Then there are $r1 + $c = $r2 people.|Now there are $r1 + $c = $r2 people.|With the new ones, there are $r1 + $c = $r2 people.}"),
    ("x", "-", "$name buys $a $boxes of $b $items and gives $c $items to $friend. How many $items does $he have left?",
     "{*$name buys $a x $b = $r1 $items.|The $boxes hold $a x $b = $r1 $items.|$He first has $a x $b = $r1 $items.}",
     "{*Then $he has $r1 - $c = $r2 $items left.|$He has $r1 - $c = $r2 $items left.|After that, $he has $r1 - $c = $r2 $items.}"),
    ("+", "+", "$name reads $a pages on Monday, $b pages on Tuesday and $c pages on Friday. How many pages does $he read in total?",
     "{*On the first two days, $he reads $a + $b = $r1 pages.|Monday and Tuesday make $a + $b = $r1 pages.|First that is $a + $b = $r1 pages.}",
     "{*In total, $he reads $r1 + $c = $r2 pages.|With Friday, that is $r1 + $c = $r2 pages.|$name reads $r1 + $c = $r2 pages in total.}"),
    ("+", "/", "$name has $a $items and $friend has $b $items. They put them into $c $boxes, the same number in each. How many $items are in each $box?",
     "{*Together they have $a + $b = $r1 $items.|They have $a + $b = $r1 $items together.|In all, there are $a + $b = $r1 $items.}",
     "{*Each $box has $r1 / $c = $r2 $items.|There are $r1 / $c = $r2 $items in each $box.|Every $box gets $r1 / $c = $r2 $items.}"),
]



def fill(d):
    name = d.lazily(NAMES)
    friend = d.lazily([n for n in NAMES if n != name])
    he, his, him = PRONOUN[name]
    item, items = d.lazily(ITEMS)
    box, boxes = d.lazily(BOXES)
    color = d.lazily(COLORS)
    color2 = d.lazily([c for c in COLORS if c != color])
    d.slots.update(name=name, friend=friend, he=he, He=he.capitalize(), his=his, him=him, item=item, items=items,
                   box=box, boxes=boxes, color=color, color2=color2)
    return [name, item]


def close(d, result):
    d.say("\n{The answer is|So the answer is} ")
    d.expect = f"answer is {result}."
    d.fixed(f"{result}.")


def thought_for(d, op):
    if not d.chance(0.10):
        return None
    return {"+": "{I need to add|This is an addition:} $a and $b.", "-": "{I need to subtract|This is a subtraction:} $b from $a.",
            "x": "{I need to multiply|This is a product:} $a and $b.", "/": "{I need to divide|This is a division:} $a by $b."}[op]


def one_step(d):
    i = d.number(0, len(ONE_STEP) - 1)
    op, problem, step = ONE_STEP[i]
    d.key = ["one", i] + fill(d)
    a, b = operands(d, op)
    r = note(d, op, a, b)
    if " people" in problem and b == 1:
        problem = problem.replace("$b people get", "one person gets")
    d.slots.update(a=a, b=b, r1=r)
    d.key += [a, b]
    d.user(problem)
    d.begin(thought_for(d, op))
    d.say(step)
    close(d, r)
    d.end()


def two_step(d):
    i = d.number(0, len(TWO_STEP) - 1)
    op1, op2, problem, step1, step2 = TWO_STEP[i]
    d.key = ["two", i] + fill(d)
    if op2 == "/":
        c, q = d.number(2, 8), d.number(2, 10)
        total = c * q
        a = d.number(1, total - 1)
        b = total - a
    else:
        a, b = operands(d, op1)
        r = a * b if op1 == "x" else a + b if op1 == "+" else a - b
        c = d.number(1, min(r - 1, 20)) if op2 == "-" and r > 1 else d.number(1, 20)
        if op2 == "-" and r <= 1:
            a, b, c = 5, 4, 2
    if " people" in problem and b == 1:
        problem, step1 = problem.replace("$b people get", "one person gets"), step1.replace("After $b get", "After one gets")
    r1 = note(d, op1, a, b)
    r2 = note(d, op2, r1, c)
    d.slots.update(a=a, b=b, c=c, r1=r1, r2=r2)
    d.key += [a, b, c]
    d.user(problem)
    d.begin(thought_for(d, op1))
    d.say(step1)
    d.fixed("\n")
    d.say(step2)
    close(d, r2)
    d.end()


FAMILIES = [(one_step, 0.72), (two_step, 0.28)]
