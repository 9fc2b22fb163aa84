"""Domain: symbolic mathematics: bare sums, linear equations, sequences, divisors, fractions, products."""
from math import gcd

from .arithmetic import note, sums, trained_sums
from .grammar import Table

WORDS = {"+": "plus", "-": "minus", "x": "times", "/": "divided by"}


def sum_chat(d):
    op, a, b = d.draw(sums())
    r = note(d, op, a, b)
    d.slots.update(a=a, b=b, op=op, r=r, word=WORDS[op])
    d.ask("{What is $a $op $b?|Calculate $a $op $b.|~$a $op $b = ?|What is $a $word $b?|~$a $op $b|Compute $a $op $b.|Work out $a $op $b.|~$a $word $b|What do I get for $a $op $b?|~result of $a $op $b|Add this up: $a $op $b|Find $a $op $b.|Give me the result of $a $op $b.|I need $a $op $b.|Do you know $a $word $b?|$a $op $b equals what?|Solve $a $op $b.|How much is $a $op $b?|!$a $op $b makes how much?|!How many is $a $word $b?}")
    d.begin("{The question is|This is a simple sum:} $a $op $b." if d.maybe(0.06) else None)
    d.say("{The answer is $r.|The result is $r.|It is $r.}" if d.maybe(0.25) else "$a $op $b = $r[0.1:, so the answer is $r].")
    d.expect = str(r)
    d.end()


def sum_raw(d):
    """Several sums, one per line: many small facts of arithmetic in few tokens; always trained pairs."""
    for i in range(d.number(1, 8)):
        op, a, b = d.draw(trained_sums())
        r = note(d, op, a, b)
        d.fixed(("\n" if i else "") + f"{a} {op} {b} = {r}")
    d.end_raw()


def linear(d):
    """a x + b = c with a whole solution."""
    x, a, b = d.number(1, 12), d.number(2, 9), d.number(1, 20)
    minus = a * x > b and d.chance(0.35)
    c = a * x - b if minus else a * x + b
    ax = note(d, "+" if minus else "-", c, b)
    note(d, "/", ax, a)
    d.key = ["linear", x, a, b, minus]
    sign, undo, word = ("-", "+", "Add") if minus else ("+", "-", "Subtract")
    d.slots.update(a=a, b=b, c=c, x=x, ax=ax, sign=sign, undo=undo, word=word)
    d.ask("{Solve $ax_ $sign $b = $c.|Solve for x: $ax_ $sign $b = $c|Find x if $ax_ $sign $b = $c.|Solve the equation $ax_ $sign $b = $c.|$ax_ $sign $b = $c|What is x if $ax_ $sign $b = $c?|Find the x in $ax_ $sign $b = $c.|$ax_ $sign $b = $c, what is x?|I need the solution of $ax_ $sign $b = $c.|Which number is x in $ax_ $sign $b = $c?|equation: $ax_ $sign $b = $c|x = ? for $ax_ $sign $b = $c|Give me the value of x: $ax_ $sign $b = $c|!For which x is $ax_ $sign $b = $c?}", ax_=f"{a}x")
    d.begin()
    d.say("{*$word $b on both sides: |First, $undo $b on both sides: |First of all, $undo $b: }$ax_ = $c $undo $b = $ax\n"
          "{*Divide by $a: |Now we divide by $a: |Now divide both sides by $a: }x = $ax / $a = $x\n"
          "{The answer is|So the answer is} ")
    d.expect = f"\\boxed{{{x}}}"
    d.fixed(f"\\boxed{{{x}}}.")
    d.end()


def sequence(d):
    kind = d.choose(("add", "double"), (0.85, 0.15))
    if kind == "add":
        start, step = d.number(1, 20), d.number(2, 12)
        terms = [start + i * step for i in range(5)]
        rule = f"Each number is {step} more than the one before."
    else:
        start = d.number(1, 8)
        terms = [start * 2 ** i for i in range(5)]
        rule = "Each number is twice the one before."
    d.key = ["sequence", kind] + terms
    shown, last = ", ".join(map(str, terms[:4])), terms[4]
    d.slots.update(shown=shown, last=last)
    d.ask("{What comes next: $shown?|What is the next number in $shown?|Continue the sequence $shown.|next number: $shown|$shown, and then?|What follows after $shown?|How does $shown go on?|Find the next number: $shown|$shown, what comes next?|Which number follows $shown?|I see the numbers $shown. What is next?|sequence: $shown|Which number comes next? $shown|!Write down the number that follows $shown.}")
    d.begin()
    d.fixed(rule)
    d.fixed(" ")
    if kind == "add":
        note(d, "+", terms[3], step)
        d.fixed(f"{terms[3]} + {step} = {last}.")
    else:
        note(d, "x", terms[3], 2)
        d.fixed(f"{terms[3]} x 2 = {last}.")
    d.say(" The next number is $last.")
    d.expect = f"next number is {last}."
    d.end()


def common_divisor(d):
    g = d.number(2, 9)
    p, q = d.choose(((1, 2), (2, 3), (1, 3), (3, 4), (3, 2), (4, 3), (2, 5), (5, 3), (3, 5), (1, 4)))
    a, b = g * p, g * q
    d.key = ["gcd", a, b]
    assert gcd(a, b) == g
    note(d, "x", g, p)
    note(d, "x", g, q)
    d.slots.update(a=a, b=b, g=g)
    d.ask("{What is the greatest common divisor of $a and $b?|Find the gcd of $a and $b.|gcd of $a and $b|gcd($a, $b)|Give me the greatest common divisor of $a and $b.|What is the gcd of $a and $b?|Which number divides both $a and $b and is as large as possible?|Compute the gcd of $a and $b.|I need the greatest common divisor of $a and $b.|$a and $b: what is the gcd?|What is gcd($a, $b)?|!Which is the largest number that divides both $a and $b?}")
    d.begin()
    d.fixed(f"{a} = {g} x {p}\n{b} = {g} x {q}\n")
    d.say("{The greatest common divisor is|The gcd is} ")
    d.fixed(f"\\boxed{{{g}}}.")
    d.expect = f"\\boxed{{{g}}}"
    d.end()


def fraction(d):
    g, p, q = d.number(2, 9), *d.choose(((1, 2), (1, 3), (2, 3), (3, 4), (1, 4), (2, 5), (3, 5), (4, 5), (5, 6), (1, 5)))
    d.key = ["fraction", g, p, q]
    d.slots.update(a=g * p, b=g * q, g=g, p=p, q=q)
    d.ask("{Simplify $a/$b.|Simplify the fraction $a/$b.|Reduce $a/$b.|Reduce the fraction $a/$b.|What is $a/$b in lowest terms?|Can $a/$b be simplified?|Make $a/$b simpler.|$a/$b, simplified|Give me a simpler form of $a/$b.|How do I simplify $a/$b?|I need $a/$b in lowest terms.|fraction $a/$b in lowest terms|Shorten the fraction $a/$b.|Write $a/$b in lowest terms.|!Make the fraction $a/$b as simple as possible.}")
    d.begin()
    d.say("{*Divide both parts by $g: |The common divisor is $g: |The two numbers can be divided by $g: }$a/$b = $p/$q\n{The answer is|So the answer is} ")
    d.fixed(f"\\boxed{{{p}/{q}}}.")
    d.expect = f"\\boxed{{{p}/{q}}}"
    d.end()


# the factors of x^2 + sx + m, smaller one first
FACTORS = Table({(a, b): 1 if a == b else 2 for a in range(1, 10) for b in range(a, 10)})


def expand(d):
    factor = d.chance(0.4)
    a, b = d.draw(FACTORS) if factor else (d.number(1, 9), d.number(1, 9))
    s, m = a + b, a * b
    d.key = ["expand", min(a, b), max(a, b)]
    d.slots.update(a=a, b=b, s=s, m=m)
    if factor:
        d.ask("{Factor $form.|Factor the expression $form.|Write $form as a product.|factor $form =|What are the factors of $form?|Find the factors of $form.|Give me $form as a product.|How do I factor $form?|$form as a product|!Split $form into two factors.}", form=f"x^2 + {s}x + {m}")
        d.begin()
        d.fixed(f"{a} + {b} = {s} and {a} x {b} = {m}\nThe answer is \\boxed{{(x + {a})(x + {b})}}.")
        d.expect = f"(x + {a})(x + {b})"
    else:
        d.ask("{Expand (x + $a)(x + $b).|Multiply out (x + $a)(x + $b).|Expand the product (x + $a)(x + $b).|(x + $a)(x + $b)|What is (x + $a)(x + $b)?|Multiply (x + $a) by (x + $b).|(x + $a)(x + $b) = ?|Work out (x + $a)(x + $b).|Write (x + $a)(x + $b) without brackets.|!Remove the brackets of (x + $a)(x + $b).}")
        d.begin()
        d.fixed(f"{a} + {b} = {s} and {a} x {b} = {m}\nThe answer is \\boxed{{x^2 + {s}x + {m}}}.")
        d.expect = f"x^2 + {s}x + {m}"
    note(d, "+", a, b)
    note(d, "x", a, b)
    d.end()


def compare(d):
    a, b = d.number(1, 99), d.number(1, 98)
    b += b >= a
    big = max(a, b)
    d.key = ["compare", a, b]
    d.slots.update(a=a, b=b, big=big, small=min(a, b))
    d.ask("{Which number is larger, $a or $b?|Which is bigger: $a or $b?|$a or $b, which is larger?|the larger one of $a and $b|What is larger, $a or $b?|Which one is more, $a or $b?|Find the larger number: $a, $b|Give me the bigger one of $a and $b.|Is $a larger than $b?|!Compare the numbers $a and $b.}")
    d.begin()
    d.say("{$big is larger than $small.|The larger number is $big.}")
    d.expect = str(big)
    d.end()


def even_or_odd(d):
    a = d.number(1, 99)
    d.key = ["even", a]
    word = "odd" if a % 2 else "even"
    d.slots.update(a=a, last=a % 10, word=word)
    d.ask("{Is $a even or odd?|Is the number $a even?|$a: odd or even?|Is $a odd?|$a, even or odd|Is $a an even number?|Check if $a is even.|Can I divide $a by two, or is it odd?|Tell me if $a is odd or even.|!Look at $a: is it odd?}")
    d.begin()
    d.say("$a is $word[0.4: because its last digit is $last].")
    d.expect = word
    d.end()


FAMILIES = [(sum_chat, 0.37), (sum_raw, 0.24), (linear, 0.11), (sequence, 0.08), (common_divisor, 0.04), (fraction, 0.05),
            (expand, 0.05), (compare, 0.03), (even_or_odd, 0.03)]
