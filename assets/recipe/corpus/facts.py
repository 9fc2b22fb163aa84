"""Domain: short facts and explanations, as chat and as raw sentences without a chat template."""
from .facts_data import (ANIMALS, COUNTRIES, DEFINITIONS, ELEMENTS, KNOWN_FOR, MIXES, OPPOSITES, PLANETS, SHAPES,
                         SINGLES, UNITS, WITH_THE)
from .grammar import a_or_an
from .lexicon import DAYS, MONTHS

COUNTRY_NAMES = list(COUNTRIES)


def country_slots(d, country):
    capital, continent, language, currency, people = COUNTRIES[country]
    the = "the " + country if country in WITH_THE else country
    d.slots.update(country=the, Country=the[0].upper() + the[1:], capital=capital, continent=continent,
                   language=language, currency=currency, people=people, People=people[0].upper() + people[1:])


# relation: (questions, sentences, raw openings); the sentence without its full stop
RELATIONS = {
    "capital": (
        "{What is the capital of $country?|What's the capital of $country?|Name the capital of $country."
        "|Which city is the capital of $country?|~Tell me the capital of $country.|~capital of $country"
        "|What is the capital city of $country?|Can you tell me the capital of $country?|$Country: what is the capital?"
        "|I need the name of the capital of $country.|$Country: capital?|Which capital does $country have?|What do you call the capital of $country?|The capital of $country is which city?|I forgot the capital of $country. What is it?|~$country capital city|Do you know the capital of $country?|Which city is the seat of government in $country?"
        "|!In which city is the government of $country?|!$Country has which capital?|!Please give me the capital of $country.}",
        "{The capital of $country is $capital|$capital is the capital of $country|The capital city of $country is $capital}",
        "{The capital of $country is $capital|The capital city of $country is $capital|$Country has the capital $capital"
        "|$capital is the capital of $country}"),
    "continent": (
        "{Which continent is $country in?|On which continent is $country?|Where is $country?|In what part of the world is $country?"
        "|Where in the world is $country?|What continent does $country belong to?|Can you tell me where $country is?|Where does $country lie?"
        "|Name the continent of $country.|$Country: which continent?|Is $country in Europe, Asia or somewhere else?|Which part of the world is $country in?|I cannot find $country on the map. Where is it?|~$country continent|~continent of $country|Find $country on the map: which continent?|$Country is on which continent?|To which continent does $country belong?|Where do I find $country?"
        "|!On what continent can I find $country?|!Please tell me the continent of $country.}",
        "{$Country is in $continent|$Country lies in $continent|$Country is a country in $continent}",
        "{$Country is in $continent|$Country is a country in $continent|$Country lies in $continent}"),
    "language": (
        "{What language do people speak in $country?|Which language is spoken in $country?|What do people speak in $country?"
        "|What is the main language of $country?|Which language do they speak in $country?|Name the main language of $country.|$Country: which language?|~language of $country|What do I hear when people talk in $country?|I am going to $country. Which language do they speak?|What is the language of $country?|people in $country speak what|Which language do children learn in $country?"
        "|What language is used in $country?|Tell me the language of $country.|What is spoken in $country?|In $country, which language do people speak?"
        "|Do you know the main language of $country?|Which language should I learn for $country?"
        "|!What language will I hear in $country?|!$Country: what do they speak there?}",
        "{People in $country speak $language|The main language of $country is $language|In $country, most people speak $language}",
        "{People in $country speak $language|The main language of $country is $language|In $country people speak $language}"),
    "currency": (
        "{What is the currency of $country?|What money is used in $country?|Which currency does $country use?|What do people pay with in $country?"
        "|Name the currency of $country.|$Country: which currency?|~currency of $country|I am going to $country. What money do I need?|What is the money in $country called?|How do I pay in a shop in $country?|~money in $country|Which coins do I use in $country?|What is the money of $country?|Tell me the currency of $country.|Which money does $country have?|What kind of money do I need in $country?"
        "|How do people pay in $country?|What currency do they use in $country?|In $country, what is the currency?|Which currency do I need for $country?"
        "|!With which currency do I pay in $country?|!$Country: what money do they use?}",
        "{The currency of $country is the $currency|$Country uses the $currency|People in $country pay with the $currency}",
        "{The currency of $country is the $currency|$Country uses the $currency|People in $country pay with the $currency}"),
}
RELATION_NAMES = list(RELATIONS)
MORE = {
    "capital": ["It {is in|lies in} $continent.", "{People there speak $language|The people there speak $language}."],
    "continent": ["{Its capital is $capital|The capital is $capital|People there speak $language}."],
    "language": ["{The country is in $continent|Its capital is $capital}."],
    "currency": ["{It is in $continent|The capital is $capital}."],
}


def country_more(d, relation):
    """Zero to two further true sentences."""
    city = d.slots["capital"]
    if relation == "capital" and city in KNOWN_FOR and d.maybe(0.35):
        d.say(" {The city is known for $known|It is famous for $known|Many people visit it for $known}.", known=KNOWN_FOR[city])
        return
    if d.maybe(0.45):
        d.fixed(" ")
        d.say(d.ranked(MORE[relation]))
        if d.chance(0.25):
            d.say(" {The currency is the $currency|People pay with the $currency}." if relation != "currency"
                  else " {Most people speak $language|The language is $language}.")


def country_raw(d):
    country = d.choose(COUNTRY_NAMES)
    relation = d.choose(RELATION_NAMES, (0.55, 0.15, 0.15, 0.15))
    country_slots(d, country)
    d.say(RELATIONS[relation][2])
    if relation == "capital" and d.maybe(0.25):
        d.say("{*. The country is in $continent.|, and people there speak $language.|, a city in $continent.}")
    else:
        d.fixed(".")
        country_more(d, relation)
    d.end_raw()


def country_chat(d):
    country = d.choose(COUNTRY_NAMES)
    relation = d.choose(RELATION_NAMES, (0.46, 0.18, 0.18, 0.18))
    country_slots(d, country)
    if d.chance(0.12):                       # a first exchange about another relation, then a follow-up
        other = d.choose([r for r in RELATION_NAMES if r != relation])
        d.ask(RELATIONS[other][0])
        d.begin_history()
        d.say(RELATIONS[other][1])
        d.fixed(".")
        d.end_turn()
        d.user({"capital": "{And the capital?|And what is the capital?|What is its capital?}",
                "continent": "{And where is it?|Which continent is it in?}",
                "language": "{And the language?|What do people speak there?}",
                "currency": "{And the currency?|What money do they use?}"}[relation])
        d.begin()
    else:
        d.ask(RELATIONS[relation][0], lower=True)
        thought = "The user asks about $country. I know this: " + d.slots[relation] + "." if d.maybe(0.04) else None
        d.begin(thought)
    d.expect = d.slots[relation]
    d.say(RELATIONS[relation][1])
    d.fixed(".")
    country_more(d, relation)
    d.end()


def country_about(d):
    country = d.choose(COUNTRY_NAMES)
    country_slots(d, country)
    if d.parts or d.chance(0.5):
        d.ask("{Tell me about $country.|~facts about $country|What can you say about $country?|Introduce $country to me.|I would like to know more about $country.|$Country: some facts|What do you know about $country?|Describe $country.|Give me some facts about $country.|What should I know about $country?|!I want to learn something about $country.}")
        d.begin()
        end = d.end
    else:
        end = d.end_raw
    d.expect = d.slots["capital"]
    d.anchor = "country"
    d.say("$Country is a country in $continent. {*People there speak $language, and the capital is $capital."
          "|Its capital is $capital, and the currency is the $currency.|Its people speak $language, and the capital is $capital.}")
    if d.slots["capital"] in KNOWN_FOR and d.maybe(0.4):
        d.say(" {%Many people visit|People love|It is good to see} {%the city|$capital|the capital} for $known.", known=KNOWN_FOR[d.slots["capital"]])
    end()


def element(d):
    name = d.choose(list(ELEMENTS))
    symbol, number, kind, state = ELEMENTS[name]
    what = d.choose(("symbol", "number", "kind", "state"), (0.4, 0.3, 0.15, 0.15))
    d.slots.update(name=name, Name=name.capitalize(), symbol=symbol, number=number, kind=a_or_an(kind), state=a_or_an(state))
    question, answer = {
        "symbol": ("{What is the symbol of $name?|What is the chemical symbol for $name?|Which symbol does $name have?|~symbol of $name|What do the letters for $name look like?|Give me the symbol of $name.|$Name: which symbol?|What is $name in the periodic table, as a symbol?|!How do chemists write $name?}",
                   "{The symbol of $name is $symbol|The chemical symbol for $name is $symbol}."),
        "number": ("{What is the atomic number of $name?|Which atomic number does $name have?|What number is $name in the periodic table?|~atomic number of $name|Give me the atomic number of $name.|$Name: which atomic number?|Where is $name in the periodic table?|!How many protons does $name have?}",
                   "{The atomic number of $name is $number|$Name has the atomic number $number}."),
        "kind": ("{What kind of element is $name?|Is $name a metal?|To which kind of elements does $name belong?|$Name: what kind of element?}", "$Name is $kind."),
        "state": ("{Is $name a solid, a liquid or a gas?|In which state is $name at room temperature?|What does $name look like in a room, solid, liquid or gas?|$Name: solid, liquid or gas?|!At room temperature, what is $name?}",
                  "{At room temperature $name is $state|$Name is $state at room temperature}."),
    }[what]
    d.expect = str({"symbol": symbol, "number": number, "kind": kind, "state": state}[what])
    extra = {"symbol": "[0.3: Its atomic number is $number.]", "number": "[0.3: Its symbol is $symbol.]",
             "kind": "[0.3: Its symbol is $symbol.]", "state": ""}[what]
    answer_chat_or_raw(d, question, answer + extra)


def answer_chat_or_raw(d, question, answer, chat=0.62):
    if d.parts or d.chance(chat):
        d.ask(question, lower=True)
        d.begin()
        d.say(answer)
        d.end()
    else:
        d.say(answer)
        d.end_raw()


def planet(d):
    name = d.choose(list(PLANETS))
    place, remark = PLANETS[name]
    d.slots.update(name=name, place=place, remark=remark)
    if d.chance(0.3):
        d.expect = name
        answer_chat_or_raw(d, "{Which planet is the $place from the sun?|What is the $place planet from the sun?|~$place planet from the sun|Which planet comes at the $place place from the sun?|Give me the $place planet from the sun.|!Name the $place planet from the sun.}",
                           "{The $place planet from the sun is $name|$name is the $place planet from the sun}.[0.3: It is $remark.]")
    elif d.chance(0.35):
        d.expect = name
        answer_chat_or_raw(d, "{Which planet is $remark?|What planet is $remark?|One planet is $remark. Which one?|!Name the planet that is $remark.}", "{$name is $remark|The planet $name is $remark}.[0.3: It is the $place planet from the sun.]")
    else:
        d.expect = place
        answer_chat_or_raw(d, "{Tell me about the planet $name.|~planet $name|Give me a fact about $name.|Explain what $name is.|$name: what is that?|What is $name?|What do you know about $name?|!Describe the planet $name.}",
                           "$name is the $place planet from the sun, and it is $remark.")


def animal(d):
    name = d.choose(list(ANIMALS))
    young, group, food, legs = ANIMALS[name]
    what = d.choose(("young", "class", "food", "legs"), (0.34, 0.26, 0.22, 0.18))
    number = {0: "no", 2: "two", 4: "four", 6: "six", 8: "eight"}[legs]
    d.slots.update(name=name, a=a_or_an(name), A=a_or_an(name).capitalize(), young=a_or_an(young), group=a_or_an(group), food=food, legs=number)
    question, answer = {
        "young": ("{What is a baby $name called?|What do you call a young $name?|How do you call a baby $name?|baby $name name|What is a young $name called?|Give me the word for a baby $name.|The young of $a is called what?|!What is the name for a young $name?}",
                  "{A baby $name is called $young|A young $name is called $young}."),
        "class": ("{What kind of animal is $a?|To which group does the $name belong?|Which group of animals is $a in?|The $name: which group?|$name animal group|Is $a a mammal?|!What class of animal is the $name?}", "{$A is $group|The $name is $group}."),
        "food": ("{What does $a eat?|What do you feed $a?|What food does $a need?|~food of $a|The $name: what does it eat?|What does the $name live on?|!Which food does $a like?}", "$A eats $food."),
        "legs": ("{How many legs does $a have?|How many legs has $a?|~legs of $a|How many legs does the $name have?|Count the legs of $a.|!On how many legs does $a walk?}", "$A has $legs legs."),
    }[what]
    d.expect = {"young": young, "class": group, "food": food, "legs": number}[what]
    answer_chat_or_raw(d, question, answer)


def an_hour(large):
    return "an hour" if large == "hour" else a_or_an(large)


def unit(d):
    n, small, large = d.choose(UNITS)
    d.slots.update(n=n, small=small, large=large, a=an_hour(large), A=an_hour(large).capitalize())
    d.expect = str(n)
    answer_chat_or_raw(d, "{How many $small are in $a?|How many $small are there in $a?|How many $small does $a have?|~$small in $a|How many $small make $a?|$A is how many $small?|Give me the number of $small in $a.|!$A has how many $small?}",
                       "{There are $n $small in $a|One $large has $n $small}.")


def opposite(d):
    a, b = d.choose(OPPOSITES)
    if d.chance(0.5):
        a, b = b, a
    d.expect = b
    d.slots.update(a=a, b=b)
    answer_chat_or_raw(d, "{What is the opposite of $a?|Give me the opposite of $a.|Name the opposite of $a.|$a: what is the opposite?|What is not $a, but the opposite?|What do you call the opposite of $a?|$a and its opposite|~Opposite of $a?|!Which word means the opposite of $a?}", "The opposite of $a is $b.")


def sequence_fact(d):
    names, word = d.choose(((DAYS, "day"), (MONTHS, "month")))
    i = d.number(0, len(names) - 1)
    after = d.chance(0.6)
    j = (i + 1 if after else i - 1) % len(names)
    d.expect = names[j]
    d.slots.update(x=names[i], y=names[j], word=word, rel="after" if after else "before")
    answer_chat_or_raw(d, "{What $word comes $rel $x?|Which $word is $rel $x?|~the $word $rel $x|Give me the $word $rel $x.|What comes $rel $x?|What is the $word $rel $x?|!Name the $word $rel $x.}",
                       "{The $word $rel $x is $y|$y comes $rel $x}.")


def shape_or_mix(d):
    if d.chance(0.5):
        shape = d.choose(list(SHAPES))
        d.expect = str(SHAPES[shape])
        d.slots.update(a=a_or_an(shape), A=a_or_an(shape).capitalize(), n=SHAPES[shape])
        answer_chat_or_raw(d, "{How many sides does $a have?|How many corners does $a have?|~sides of $a|What number of sides does $a have?|$A has how many sides?|Give me the number of corners of $a.|!Count the sides of $a.}", "$A has $n sides.")
    else:
        x, y, z = d.choose(MIXES)
        if d.chance(0.5):
            x, y = y, x
        d.expect = z
        d.slots.update(x=x, y=y, z=z)
        answer_chat_or_raw(d, "{What colour do you get when you mix $x and $y?|Which colour do $x and $y make?|~$x and $y mixed|I mix $x and $y. What colour is that?|$x plus $y is which colour?|Which colour comes out when I mix $x and $y?|What do $x and $y make?|!Mix $x and $y: which colour is it?}",
                           "{If you mix $x and $y, you get $z|The colours $x and $y make $z}.")


def single(d):
    question, short, sentence = d.choose(SINGLES)
    d.expect = short
    if d.parts or d.chance(0.7):
        d.ask("$question", question=question)
        d.begin()
        d.fixed(sentence)
        d.end()
    else:
        d.fixed(sentence)
        d.end_raw()


def definition(d):
    term = d.choose(list(DEFINITIONS), DEFINITION_WEIGHTS)
    lines = DEFINITIONS[term]
    bare = term.split(" ", 1)[1] if term.startswith(("a ", "an ")) else term
    d.slots.update(term=term, bare=bare)
    d.expect = lines[0]
    raw = not d.parts and d.chance(0.25)
    if not raw:
        d.ask("{What is $term?|Explain what $term is.|What does $bare mean?|~Explain $bare[ in simple words].|Define $bare.|~definition of $bare|Give me a definition of $bare.|What do people mean by $bare?|I have a question about $bare. What is it?|$bare: what is that?|Describe what $term is.|What exactly is $term?|~meaning of $bare|What should I know about $bare?|Please tell me what $term is.|How would you explain $term?|!I do not know what $term is.|!Describe $bare.}")
        d.begin("The user wants a short explanation of $bare." if d.maybe(0.03) else None)
        d.say("[0.12:Good question. ]")
    d.fixed(lines[0] + ".")
    for extra in lines[1:]:
        if not d.modes or d.chance(0.75 if len(lines) > 2 else 0.7):
            d.fixed(" " + extra + ".")
    d.end_raw() if raw else d.end()


DEFINITION_WEIGHTS = [0.10, 0.05, 0.05] + [0.8 / (len(DEFINITIONS) - 3)] * (len(DEFINITIONS) - 3)

# (builder, share of the domain's documents)
FAMILIES = [(country_raw, 0.25), (country_chat, 0.25), (country_about, 0.05), (element, 0.09), (planet, 0.04),
            (animal, 0.07), (unit, 0.04), (opposite, 0.04), (sequence_fact, 0.035), (shape_or_mix, 0.025),
            (single, 0.06), (definition, 0.10)]
