"""Requests of many kinds from patterns with slots, seeded. A family is one kind of request; HELD families are never trained on.

{slot} takes a word of slots.py, the same one everywhere in a conversation; {slot/2} another one of the same slot. {passage} is a short
text of passages.py, {n}, {m}, {k} are numbers. A pattern of several turns has them parted by " || "; the target answers each.
"""
import random
import re

from smollm2.passages import passage
from smollm2.slots import SLOTS

FOLLOW_UPS = ("Can you make it shorter?|Explain that in simpler words.|Give me one example.|Thanks! Can you say more about the first point?|Why is that?|"
              "Please put that into a list.|Can you rewrite that in a more friendly tone?|What else should I know?|Summarize your answer in one sentence.|"
              "Are you sure? Please check it again.|How would you explain that to a child?|What is the most important point?|"
              "Can you give me three questions to test whether I understood?|Now write it as a short email.|What are the disadvantages?").split("|")

# family: (domain, patterns)
TRAINED = {
    "explain": ("questions", ["What is {concept}?", "Explain {concept}.", "Explain {concept} to {audience}.", "How would you explain {concept} to {audience}?",
                              "What is {concept} and why does it matter?", "Can you explain {concept} in simple words?", "What is {concept}? Answer in one sentence.",
                              "Describe {concept} in {number} sentences.", "I never understood {concept}. Can you help me?", "Give a definition of {concept} and an example."]),
    "how it works": ("questions", ["How does {thing} work?", "Explain step by step how {thing} works.", "Who invented {thing}, and how does it work?",
                                   "What are the main parts of {thing}?", "How does {thing} work? Keep it under 100 words.", "Why was {thing} such an important invention?"]),
    "why": ("questions", ["Why {phenomenon}?", "My child asked me: why {phenomenon}? What should I say?", "Why {phenomenon}? Explain it to {audience}.", "In short, why {phenomenon}?"]),
    "facts": ("questions", ["What is the capital of {place}?", "Tell me {number} interesting facts about {place}.", "What is {place} known for?", "What should I see in {city}?",
                            "Tell me about {animal}.", "What do {animal} eat?", "How long do {animal} live?", "{number} facts about {animal}, please.", "Who was {figure}?",
                            "What did {figure} achieve?", "What happened during {event_of_history}?", "Why was {event_of_history} important?",
                            "What is the history of {city}?", "Which languages are spoken in {place}?", "What is traditional food from {place}?"]),
    "advice": ("chats", ["How can I {goal}?", "Give me {number} tips to {goal}.", "I want to {goal}. Where do I start?", "What is the best way to learn {skill}?",
                         "I'm {feeling} because {situation}. What should I do?", "I feel {feeling} today. Can you cheer me up?", "{situation}. Any ideas?",
                         "How long does it take to learn {skill}?", "Make a plan for 30 days to {goal}.", "What mistakes do beginners make when they start with {skill}?",
                         "What should I avoid if I want to {goal}?"]),
    "talk": ("chats", ["Hello! How are you?", "Hi, my name is {person}. I am a {job}.", "Good morning! What can you do?", "I live in {city}. What could I do this weekend?",
                       "Do you like {theme}?", "What is your favorite dish? Mine is {meal}.", "Can we talk about {skill}?", "I am a {job} and I feel {feeling}.",
                       "Tell me something interesting.", "Tell me a joke about a {job}.", "What would you do with one free day in {city}?", "I just made {meal}, and it was great!"]),
    "several turns": ("chats", ["What is {concept}? || {follow}", "How can I {goal}? || {follow}", "Tell me about {animal}. || {follow} || {follow/2}", "What should I see in {city}? || {follow}",
                                "Give me {number} tips to {goal}. || {follow} || {follow/2}", "How does {thing} work? || {follow}", "Write an email {mail}. || {follow}",
                                "Hi, my name is {person}. I am a {job} from {city}. || What is my name, and where do I live?", "How do I make {meal}? || {follow}",
                                "Who was {figure}? || {follow} || {follow/2}", "I'm {feeling} because {situation}. || Thank you, that helps. What should I do first?",
                                "Hello! || Can you explain {concept}? || {follow}", "What is the difference between {pair}? || Which one would you choose, and why?",
                                "Write a function in {language_of_code} that {code}. || Explain how it works. || Can you add a test for it?", "List {number} {item}. || Tell me more about the second one."]),
    "list": ("lists", ["List {number} {item}.", "Give me a list of {number} {item}.", "Name {number} {item}.", "Can you name some {item}?", "List {number} {item} with a short explanation of each.",
                       "List {number} {item}, separated by commas.", "Give me {number} {item} as a numbered list, without explanations.", "What are some {item}? Sort them alphabetically.",
                       "Brainstorm {number} {item}."]),
    "ideas": ("lists", ["Suggest {number} names for a {business} in {city}.", "Give me {number} ideas for {event}.", "What do I need for {event}? Make a checklist.", "Write a packing list for a trip to {place} in {month}.",
                        "Give me {number} slogans for a {business}.", "Write {number} questions for a quiz about {place}.", "List the pros and cons of {skill} as a hobby.",
                        "Give {number} arguments why {opinion}.", "Make a shopping list for {meal}.", "Suggest {number} titles for a story about {hero}."]),
    "function": ("code", ["Write a function in {language_of_code} that {code}.", "Write a Python function that {code}.", "In {language_of_code}, write a function that {code}. Add comments.",
                          "Write Python code that {code}, with a short example.", "How do I write a function that {code} in {language_of_code}?", "Write a Python function that {code}. Only code, no explanation.",
                          "Write a unit test for a Python function that {code}.", "I need a {language_of_code} program that {code}.", "Write a Python function that {code} and explain its running time."]),
    "class": ("code", ["Write a Python class for {class}.", "Write a {language_of_code} class for {class} with comments.", "Design a Python class for {class} and show how it is used.", "Implement {class} in {language_of_code}."]),
    "shell and sql": ("code", ["Write a shell command that {shell}.", "Write an SQL query that returns all {table} with the highest {column}.", "Write an SQL query that counts the {table} for each {column}.",
                               "Write an SQL statement that creates a table of {table} with the columns {column} and {column/2}.", "Write an SQL query that joins {table} and {table/2} and sorts the result by {column}.",
                               "Write a regular expression that matches a {record_word}.", "Explain what this command does: grep -rn \"{column}\" . | sort | uniq -c", "Write a bash script that {shell}."]),
    "read code": ("code", ["What does this Python code print?\n\n```python\n{snippet}\n```", "Explain this code line by line:\n\n```python\n{snippet}\n```", "Add a docstring and type hints to this code:\n\n```python\n{snippet}\n```",
                           "Rename the variables of this code so that it is easier to read:\n\n```python\n{snippet}\n```", "Translate this Python code to {language_of_code}:\n\n```python\n{snippet}\n```",
                           "Is there a bug in this code?\n\n```python\n{snippet}\n```"]),
    "json": ("structured", ["Write a JSON object for {record} with the fields {field}, {field/2} and {field/3}.", "Give me an example of {record} as JSON.", "Create a JSON array with {number} objects, each describing {record} with {field} and {field/2}.",
                            "Write {record} as JSON with the fields {field}, {field/2}, {field/3} and {field/4}. Only JSON.", "Write a JSON schema for {record}.", "Turn this into JSON: {person} {surname}, {n} years old, {job} from {city}.",
                            "Generate a JSON list of {number} {item} with a name and a description."]),
    "table": ("structured", ["Write a CSV table of {number} {table} with the columns {column}, {column/2} and {column/3}.", "Make a Markdown table that compares {pair}.", "Make a table with {number} {item} and one fact about each.",
                             "Write a YAML file that describes {record}.", "Write an XML example for {record} with {field} and {field/2}.", "Write an HTML page for a {business} in {city}.", "Make a weekly schedule as a table for someone who wants to {goal}."]),
    "correct": ("rewriting", ["Correct the grammar and spelling: {mistake}", "Fix the mistakes in this sentence: {mistake} {mistake/2}", "Is this sentence correct? {mistake}", "Correct this text and explain the mistakes: {mistake}"]),
    "rewrite": ("rewriting", ["Rewrite this in a {tone} tone: {plain}", "Say this in other words: {plain}", "Rewrite the following text for {audience}:\n\n{passage}", "Make this text shorter:\n\n{passage}", "Rewrite this text in the first person:\n\n{passage}",
                              "Turn this into a short news report:\n\n{passage}", "Make this sentence more {tone}: {plain}", "Rewrite this text in the present tense:\n\n{passage}", "Turn this text into a list of bullet points:\n\n{passage}",
                              "Rewrite this text as a dialogue between two people:\n\n{passage}"]),
    "summary": ("summaries", ["Summarize in one sentence: {passage}", "Summarize the following text:\n\n{passage}", "What is this text about?\n\n{passage}", "Give a title to this text:\n\n{passage}", "Summarize this for {audience}:\n\n{passage}",
                              "{passage}\n\nSummarize the text above in {number} bullet points.", "Write a summary of at most 30 words:\n\n{passage}", "TL;DR of this:\n\n{passage}", "What are the key points?\n\n{passage}"]),
    "extract": ("extraction", ["List all names in this text: {passage}", "Which numbers does this text mention, and what do they mean?\n\n{passage}", "Read the text and answer: what happened?\n\n{passage}", "Extract the people, places and dates as JSON:\n\n{passage}",
                               "{passage}\n\nAccording to the text, why did this happen?", "{passage}\n\nWhat do we not learn from this text?", "Write {number} questions about this text, with answers:\n\n{passage}", "Find the most important sentence of this text:\n\n{passage}",
                               "Is this text positive, negative or neutral? Say why.\n\n{passage}"]),
    "sums": ("problems", ["{person} has {n} {object} and buys {m} more. How many {object} does {person} have now?", "{person} has {n} {object} and gives {k} to {person/2}. How many are left?", "A box holds {k} {object}. How many {object} are in {m} boxes?",
                          "A {goods} costs {n} dollars. There is a discount of {k}0 percent. What is the new price?", "What is {n} times {m}?", "What is {n} plus {m}? Show your steps.", "A car drives {n} kilometers in {k} hours. What is its average speed?",
                          "{person} earns {n} dollars a day. How much is that in {m} days?", "{n} {object} are shared by {k} children. How many does each get, and how many are left?", "A rectangle is {n} meters long and {m} meters wide. What are its area and its perimeter?",
                          "{person} reads {m} pages a day. How long does a book of {n}0 pages take?", "{person} is {k} years older than {person/2}, who is {m}. How old are they together?", "Solve for x: {k}x + {m} = {n}.", "What is {k} percent of {n}?",
                          "A train leaves at {k}:15 and arrives {n} minutes later. When does it arrive?", "Convert {n} kilometers to miles.", "What is the average of {n}, {m} and {k}?"]),
    "story": ("stories", ["Write a short story about {hero}.", "Write a story about {hero} who {twist}.", "Write a short story {setting} about {hero} who {twist}.", "Tell me a bedtime story about {hero}.", "Write the first paragraph of a novel about {hero} {setting}.",
                          "Write {poem} about {theme}.", "Write {poem} about {hero}.", "Write a dialogue between {hero} and {hero/2}.", "Continue this story: It was a {theme_word} morning when {person} found a small box in front of the door.", "Write a song about {theme}.",
                          "Describe a scene {setting}.", "Write a fable about {animal} and {animal/2}.", "Write a story of exactly {number} sentences about {hero}."]),
    "letter": ("letters", ["Write an email {mail}.", "Write a {tone} email {mail}.", "Write a short message {mail}.", "Write a {tone} letter {mail}. Sign it {person} {surname}.", "Write a thank-you note for {event}.", "Write an invitation to {event} on {weekday} at {k} o'clock.",
                           "Write a cover letter for a job as a {job}.", "Write a postcard from {city}.", "Write a letter from {hero} to a friend.", "Write a short speech for {event}."]),
    "advertise": ("letters", ["Write a product description for {product}.", "Write an advertisement for a {business} in {city}.", "Write a social media post about {product}.", "Write a job posting for a {job} at a {business}.", "Write a review of {product} with {k} of 10 points.",
                              "Write a short press release: our {business} in {city} celebrates its {n}th birthday."]),
    "compare": ("comparisons", ["What is the difference between {pair}?", "Compare {pair}.", "Compare {place} and {place/2} as travel destinations.", "Which is better: {pair}? Give reasons.", "What do {animal} and {animal/2} have in common?", "Compare {figure} and {figure/2}.",
                                "Name {number} differences between {pair}.", "Compare the jobs of a {job} and a {job/2}."]),
    "opinion": ("comparisons", ["Do you agree that {opinion}?", "Write a paragraph that argues that {opinion}.", "Give arguments for and against: {opinion}.", "Write a short essay about whether {opinion}.", "Why do some people think that {opinion}?"]),
    "role": ("roles", ["Act as {role} and tell me about {place}.", "You are {role}. Greet me and ask me three questions.", "Pretend to be {role} and explain {concept}.", "Answer like {role}: how can I {goal}?", "You are {role}. I'm {feeling} because {situation}.",
                       "Speak as {role} would about {theme}.", "Imagine you are {hero}. Introduce yourself.", "You are a {job} {setting}. Describe your day."]),
    "recipe": ("lists", ["How do I make {meal}?", "Give me a recipe for {meal}.", "Write a recipe for {meal} for {k} people.", "I have flour, eggs and {meal_part}. What can I cook?", "What goes well with {meal}?", "Give me a week of dinners that includes {meal} and {meal/2}."]),
    "translate": ("rewriting", ["Translate to {language}: {plain}", "How do you say \"Where is the {building}?\" in {language}?", "Translate this sentence into {language}: {plain}"]),
    "long": ("stories", ["Write a long story about {hero} who {twist}, in at least five parts.", "Write a detailed guide on how to {goal}, with many sections.", "Write an essay of 1000 words about {concept}.", "Write a chapter of a novel {setting} about {hero} and {hero/2}.",
                         "Write a complete lesson plan about {concept} for {audience}.", "Write a detailed travel guide for {city} with sections on history, food, sights and transport.", "Write a long dialogue between {figure} and {figure/2} about {theme}.",
                         "Write a detailed business plan for a {business} in {city}.", "Explain {concept} in great detail, from the history to the newest research.", "Write a Python program of several classes that simulates {class}, with comments and an example."]),
}

HELD = {
    "riddles": ("problems", ["I am thinking of a number. Twice the number plus {m} is {n}. Which number is it?", "{person} is taller than {person/2}, and {person/2} is taller than {person/3}. Who is the shortest?",
                             "A snail climbs {k} meters a day and slips back 2 meters every night. How long does it need for a wall of {n} meters?", "If today is {weekday}, which day is it in {n} days?"]),
    "etymology": ("questions", ["Where does the word \"{word}\" come from?", "What does the word \"{word}\" mean, and how is it used?", "What is the opposite of \"{word}\"?"]),
    "what if": ("questions", ["What would happen if {concept} did not exist?", "What if {animal} could talk?", "Imagine that {opinion}. What would change first?"]),
    "glossary": ("structured", ["Write a glossary of {number} terms about {skill}, as JSON with term and meaning.", "Write a timeline of the life of {figure} as a table.", "Make a JSON object that maps {number} countries to their capitals."]),
    "meeting minutes": ("summaries", ["Turn these notes into a to-do list with names:\n\n{passage}", "Write a headline and a subheading for this:\n\n{passage}", "Write a tweet of at most 280 characters about this:\n\n{passage}"]),
    "style": ("rewriting", ["Rewrite this as Shakespeare would have said it: {plain}", "Turn this statement into a question: {plain}", "Replace every adjective in this text by another one:\n\n{passage}"]),
    "debug": ("code", ["This Python code raises an error. Why, and how do I fix it?\n\n```python\n{broken}\n```", "Write a Python generator that yields {series}.", "Write a decorator in Python that {decorator}."]),
    "interview": ("roles", ["Interview me for a job as a {job}: ask one question.", "You are a customer of a {business} and want to complain. Begin the conversation.", "Play a text adventure with me. I am {setting}."]),
    "invitation": ("letters", ["Write a toast for {person}, who becomes {k}0 years old.", "Write a letter of complaint to the mayor of {city} about {complaint}.", "Write an out-of-office reply for two weeks in {month}."]),
    "inventory": ("lists", ["List everything one can find in the kitchen of a {business}.", "Put these in order of size: {animal}, {animal/2}, {animal/3}.", "Group these words by topic: {theme}, {meal}, {job}, {theme/2}, {meal/2}, {job/2}."]),
    "proverbs": ("stories", ["Write a story that ends with the sentence: \"And nobody ever asked for the key again.\" It is about {hero}.", "Invent a proverb about {theme} and explain it.", "Write a diary entry of {hero} {setting}."]),
    "decide": ("comparisons", ["Should I learn {skill} or {skill/2}?", "I have {n}00 dollars. Should I visit {city} or {city/2}?", "Rank these from most to least useful and say why: {goods}, {goods/2}, {goods/3}."]),
    "quotes": ("extraction", ["Which sentence of this text is an opinion, and which is a fact?\n\n{passage}", "Write the text as question and answer pairs in JSON:\n\n{passage}", "Who does what in this text? Answer in a table.\n\n{passage}"]),
    "small talk": ("chats", ["It is {weekday}, and I have nothing to do. || I would rather stay inside. || {follow}", "Guess my job: I work in a {building} and wear a uniform. || No, try again!", "I am from {place}. Do you know it? || {follow}"]),
}

EXTRA = {
    "follow": FOLLOW_UPS,
    "record_word": ["phone number", "date like 2024-05-31", "hexadecimal color", "postal code", "URL", "time like 14:30", "number with two decimals", "version like 1.2.3"],
    "theme_word": ["cold", "bright", "foggy", "quiet", "strange", "rainy", "golden"],
    "meal_part": ["cheese", "tomatoes", "milk", "apples", "potatoes", "spinach", "rice", "bananas", "carrots"],
    "word": ["window", "salary", "robot", "disaster", "muscle", "quarantine", "alphabet", "breakfast", "candidate", "clue", "nice", "sandwich", "panic", "holiday", "algebra",
             "serendipity", "generous", "ancient", "fragile", "ambitious", "transparent", "reluctant", "abundant", "temporary"],
    "broken": ["numbers = [1, 2, 3]\nprint(numbers[3])", "def total(items):\n    for i in items:\n        sum += i\n    return sum", "age = input()\nif age > 18:\n    print(\"adult\")",
               "d = {\"a\": 1}\nprint(d[\"b\"])", "def f(x)\n    return x * 2", "print(\"3\" + 4)", "import maths\nprint(maths.sqrt(2))", "for i in range(3):\nprint(i)", "x = None\nprint(x.upper())"],
    "series": ["all square numbers", "the lines of a file in reverse", "all pairs of a list", "the digits of a number", "prime numbers without end", "the moving average of a stream"],
    "decorator": ["measures the running time", "retries a function three times", "caches results", "logs every call", "checks the types of the arguments"],
    "complaint": ["the broken street lights", "noise at night", "the closed library", "dirty parks", "the late buses", "missing bicycle paths"],
}
SNIPPETS = ("total = 0\nfor i in range({a}, {b}):\n    total += i\nprint(total)", "x = [{a}, {b}, {c}]\nx.append(sum(x))\nprint(x[::-1])",
            "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\n\nprint(f({c}))", "words = \"the cat and the {w} and the dog\".split()\ncounts = {{}}\nfor w in words:\n    counts[w] = counts.get(w, 0) + 1\nprint(counts)",
            "a, b = {a}, {b}\nwhile b:\n    a, b = b, a % b\nprint(a)", "s = \"{w}\"\nprint(s.upper(), len(s), s[0])", "squares = [n * n for n in range({c}) if n % 2 == 0]\nprint(squares)",
            "def g(x, y={a}):\n    if x > y:\n        return x - y\n    return y - x\n\nprint(g({b}), g({c}, {a}))", "d = {{\"{w}\": {a}, \"b\": {b}}}\nfor k, v in sorted(d.items()):\n    print(k, v)",
            "i = {b}\nwhile i > {c}:\n    i -= {c}\nprint(i)", "names = [\"{w}\", \"Ann\", \"Bo\"]\nprint(\", \".join(sorted(names, key=len)))", "try:\n    print({a} / 0)\nexcept ZeroDivisionError:\n    print(\"{w}\")")


class Words:
    """Draws words for slots: the same slot gives the same word, /2 another."""

    def __init__(self, dice):
        self.dice, self.taken = dice, {}

    def options(self, slot):
        return SLOTS[slot] if slot in SLOTS else EXTRA[slot]

    def fresh(self, slot):
        return self.fill(self.dice.choice(self.options(slot)))

    def one(self, slot):
        if slot in self.taken:
            return self.taken[slot]
        base = slot.split("/")[0]
        if base == "passage":
            word = passage(self.dice, self.fresh)
        elif base == "snippet":
            word = self.dice.choice(SNIPPETS).format(a=self.dice.randint(1, 20), b=self.dice.randint(21, 60), c=self.dice.randint(3, 9), w=self.dice.choice(("lamp", "river", "Oslo", "mint", "zebra")))
        elif base in ("n", "m", "k"):
            word = str(self.dice.randint(*{"n": (12, 99), "m": (3, 30), "k": (2, 9)}[base]))
        else:
            used = {w for s, w in self.taken.items() if s.split("/")[0] == base}
            options = [w for w in self.options(base) if w not in used] or self.options(base)
            word = self.fill(self.dice.choice(options))
        self.taken[slot] = word
        return word

    def fill(self, pattern):
        return re.sub(r"\{([a-z_]+(?:/\d)?)\}", lambda m: self.one(m[1]), pattern)


def request(families, seed, index):
    """{domain, family, turns} of the given families, by seed and index."""
    dice = random.Random(f"{seed} request {index}")
    names = sorted(families)
    family = dice.choice(names)
    domain, patterns = families[family]
    turns = [sentence(t) for t in Words(dice).fill(dice.choice(patterns)).split(" || ")]
    if dice.random() < 0.08 and len(turns) == 1:                          # people are not always neat
        turns[0] = turns[0].rstrip(".?!").lower() if dice.random() < 0.5 and "\n" not in turns[0] else "Please " + turns[0][0].lower() + turns[0][1:] if turns[0].split()[0] in (
            "Write", "List", "Give", "Explain", "Describe", "Summarize", "Rewrite", "Translate", "Compare", "Name", "Make") else turns[0]
    return dict(domain=domain, family=family, turns=turns)


def sentence(text):
    """Its first letter large; "a" before a vowel becomes "an" outside code."""
    if "```" not in text:
        text = re.sub(r"\b([Aa]) (?=(?:[aio]|e(?!u)|un(?!i)|umb)(?!ne\b|nce\b))", r"\1n ", text)
    return text[0].upper() + text[1:]
