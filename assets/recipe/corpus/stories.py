"""Stories.  Nearly every content word is a choice of its own, and most choices lean: what is likely depends on the hero
(or on the name or the helper, where the template says so) and on the choice before.
"""
from .grammar import a_or_an
from .lexicon import BOYS, GIRLS, NAMES, PLACES, PRONOUN, STORY_ANIMALS, STORY_PEOPLE, TRAITS

# small sets of words that several sentences share, written <like this>; common words, one token each
WORDS = {
    "near": "{%near|behind|by|beyond}", "spot": "{%hill|tree|road|bridge|castle|market|wall|field}", "adj": "{%small|big|red|blue|green|white|quiet|strange}",
    "obj": "{%book|box|key|ring|letter|map|ball|watch}", "time": "{%morning|evening|day|night|afternoon|summer|winter|spring}",
    "feel": "{%happy|glad|proud|calm|free|strong|safe|warm}", "food": "{%bread|soup|cake|fish|fruit|rice|cheese|honey}",
    "soon": "{%Soon|Then|That night|In the end|In the morning}", "each": "{%every|each} {%morning|day|evening|week|winter|summer}",
}


def words(template):
    for name, choice in WORDS.items():
        template = template.replace(f"<{name}>", choice)
    return template


# problem, what the helper does, how it ends; the three belong together
PLOTS = {
    "lost": ("$He {%lost|left|forgot} the {%way|road|path} {%in|after} the {%rain|snow|wind|storm} and {%felt|was} {%cold|afraid|alone|tired|hungry|sad}",
             "{%showed $him|knew|found|told $him} {%a|the} {%good|short|safe|quiet|simple|secret} {%way|road|path} {%home|over the hill|through the dark|to the village}",
             "<soon>, $he {%saw|found|knew} the {%light|door|fire|window} of $his {%house|street|kitchen|home|garden}"),
    "find": ("$He {%found|saw} {%a|the} <adj> <obj> {%near|behind|under|by} {%a|the} {%tree|wall|bridge|bed|table|door|window|chair}",
             "{%knew|told|showed $him} its {%secret|story|history|use|power}",
             "It {%could|would} {%open|find|show} {%a|the} {%secret|quiet|strange|small|last|green} {%door|garden|room|island|castle|road}"),
    "wish": ("$He {%wanted|wished} to {%fly|sing|dance|swim|draw|write|read|cook} like a {%bird|king|queen|star|fish|teacher|child|friend}",
             "{%told|asked|helped} $him to {%try|start|dance|sing} {%again|early|every day|at home|in the garden}",
             "{%One|That} <time>, $he {%did it|could do it|was ready} and {%laughed|smiled|sang|played} {%all day|with friends|for hours|with everyone}"),
    "fear": ("$He was afraid of the {%dark|storm|sea|wind|water|night|school|moon}[ and {%stayed|sat} {%at home|in bed|alone|inside}]",
             "{%sang|made tea|told stories|sat down} and {%stayed|played|laughed} with $him {%all night|every evening|until morning|for hours}",
             "<soon>, the fear {%was|became} {%small|weak|nothing|a game} and $he {%felt|was} <feel>"),
    "alone": ("$He {%had no friends|knew nobody|met no one} {%in the $place|at school|near $his house} and {%felt|was} {%sad|lonely|cold|tired|old}",
              "{%asked|invited|took} $him to {%a|the} {%party|game|dance|dinner|concert} {%in the $place|by the sea|on Sunday|that evening}",
              "After that, they {%played|laughed|ate|sang|read|cooked} together <each>"),
    "hunger": ("$He {%was|felt} {%hungry|weak|tired} and had no {%bread|soup|fruit|money|rice|meal}",
               "{%gave $him|made|shared|found} {%some|the last} {%good|warm|sweet|hot|simple} <food>",
               "They {%ate|sat|laughed|sang} {%together|all night|by the fire|in the kitchen|for hours} and {%felt|were} <feel>"),
    "mistake": ("$He {%broke|dropped} a <adj> {%cup|glass|clock|chair|toy|watch|plant|picture} and {%told nobody|felt bad|went away|said nothing|ran home}",
                "{%was|stayed} {%calm|kind|quiet|friendly} and {%gave $him time|made tea|asked nothing|helped $him|smiled}",
                "<soon>, $he {%told the truth|said sorry|made a new one|paid for it} and felt {%better|free|good|calm|safe|glad}"),
    "contest": ("$He {%wanted|wished} to {%win|join} {%a|the} {%big|great|long|summer|winter|village} {%race|game|dance|test|concert}",
                "{%ran|played|stayed|sang} with $him <each>",
                "$He {%won|came second|came third|came last} and {%gave|had} a {%big|good|great|small|happy|quiet} {%party|dinner|dance|meal}"),
    "storm": ("{%A storm|The wind|The rain|A fire} {%took|broke} the {%old|small|big|red|white} {%door|bridge|wall|garden|market|school|window} {%in the $place|near $his house|by the road}",
              "{%gave $him|found|had|took} {%some|the right} {%wood|tools|paper|paint|glass}",
              "They {%worked|stayed|sang} {%all day|all night|for a week|until morning} and made it {%strong|safe|new|warm|good} again"),
    "search": ("$He {%lost|forgot} a <adj> {%ring|hat|letter|ball|bag|coat|book|watch} {%in the snow|by the sea|near the road|in the grass|at the market|under a tree|on the hill}",
               "looked {%all day|in every house|for hours|behind every tree|at every door|under every bed} with $him",
               "<soon>, they {%found|saw} it {%in|under|behind|by} {%a|the} {%box|bed|door|tree|chair|wall|bag|basket}"),
}
PLOTS = {name: tuple(map(words, plot)) for name, plot in PLOTS.items()}
ABOUT = [words(t) for t in (
    "$He {%name:loved|knew|had|wanted} {%good|old|quiet|simple|strange|happy} {%songs|stories|books|dreams|games|friends} and {%lived|sang|sat|played|read} <near> {%a|the} <adj> <spot>.",
    "Every <time>, $he {%name:sang|sat|read|played|ate} <near> {%a|the} <adj> <spot>[ and {%looked at|saw|sang to} the {%sea|moon|birds|sky|snow|rain|clouds|trees}].",
    "The house of $name was {%name:small|cold|quiet|warm|dark|strange}, but full of {%books|music|flowers|friends|stories|songs|light|cats}.",
)]
LOOKS = words("The $helper {%helper:loved|wanted|made} a {%long|red|warm|small|strange|green|blue|big} {%coat|hat|bag|basket|stick|watch|letter|book} and had a"
              " {%kind|quiet|friendly|good|warm|happy|strange|sweet} {%voice|smile|face|heart}.")
SPEECH = ("\"{%helper:Do not worry|Come with me|Try again|Trust me|Be brave|Stay calm|Sit down|Help me}[, {%my friend|little one|dear $name|my dear}],\" {%said|called|sang|answered} the $helper"
          "{%| with a smile| at once| at last}.")
ENDINGS = (words("After that, the {%$place|whole $place} {%was|became|stayed} {%happy|calm|safe|quiet|proud|warm|free} {%again|for years|at night|every day}."),
           words("They {%lived|stayed|sang|laughed|played} {%happily|together|in peace|for many years} {%in the $place|by the sea|until the end|near the hill}."),
           words("That {%night|evening|morning}, $name {%smiled|laughed|sang|sat|read} {%by the fire|under the moon|in bed|with friends|at the window}."))
ASIDES = ("{*It was a good evening.|They became friends at once.|They talked for a long time.}", "{*Nobody knew why.|$He asked the birds.|$He told the moon.}",
          "{*The answer was simple.|It took some time.|It needed a friend.}", "{*Nobody spoke for a while.|Then it became quiet.|Then the door opened.}",
          "{*Time went by slowly.|After a while everyone slept.|After all that it rained.}")
CAST = STORY_ANIMALS + STORY_PEOPLE
HELD_OUT_HEROES = {"otter", "gardener", "elephant"}      # stories about them are asked for in tests only
OPENINGS = ("{*In a [0.2:quiet ]$place there lived $A named $name.|Once upon a time, there was $A named $name.|Once there was $A called $name.}")
MEETING = ("{*Then $he met|On the way $he met|On a hill $he met} $ahelper[ {%near|behind|by} {%a|the} {%tree|wall|bridge|market|school|road}].")


def story_cast(d):
    hero = d.choose(CAST)
    d.hold("hero", hero in HELD_OUT_HEROES)
    names = GIRLS if hero in ("queen", "little girl", "old woman") else BOYS if hero in ("king", "little boy", "old man") else NAMES
    traits = TRAITS if not hero.startswith(("little", "old")) else TRAITS[1:6]

    def person():
        name = d.prefer(names)
        he, his, him = PRONOUN[name]
        return name, he, he.capitalize(), his, his.capitalize(), him

    d.slots.update(hero=hero, ahero=a_or_an(hero))
    d.anchor = "hero"
    d.lazy(("A",), lambda: (a_or_an(d.prefer(traits) + " " + hero),))
    d.lazy(("name", "he", "He", "his", "His", "him"), person)
    d.lazy(("helper",), lambda: (d.prefer([x for x in STORY_ANIMALS + STORY_PEOPLE[:9] if x != hero], "name"),))
    d.lazy(("place",), lambda: (d.choose(PLACES) if d.in_prompt else d.prefer(PLACES),))
    d.lazy(("ahelper",), lambda: (a_or_an(d.prefer(["wise", "friendly", "old", "kind", "happy", "clever", "young", "quiet"]) + " " + d.slot("helper")),))


def lower_first(text):
    return text[0].lower() + text[1:]


def problem(d, plot):
    opened = d.maybe(0.5)
    d.say(" {%One|On a cold|On a quiet|On a warm} {%morning|evening|day|night|afternoon}, " if opened else " ")
    first = d.line(plot[0])
    d.say("$sentence.", sentence=lower_first(first) if opened else first)


def story_body(d):
    d.say(OPENINGS)
    plot = PLOTS[d.prefer(list(PLOTS))]
    if d.maybe(0.55):
        d.say(" " + ABOUT[d.mode((0, 1, 2), (0.45, 0.33, 0.22))])
    problem(d, plot)
    d.slot("helper")
    d.say(" " + MEETING)
    if d.maybe(0.5):
        d.say(" " + LOOKS)
    if d.maybe(0.5):
        d.say(" " + SPEECH)
    d.say(" {*It was the $helper who |The kind $helper |The good old $helper }" + plot[1] + ".")
    if d.maybe(0.4):
        d.say(" " + d.prefer(ASIDES))
    d.say(" " + plot[2] + ".")
    if d.maybe(0.55):
        d.say(" " + d.mode(ENDINGS, (0.45, 0.33, 0.22)))


def story(d):
    story_cast(d)
    d.ask("{Tell me a short story about $ahero.|Write a short story about $ahero.|~Tell me a story about $ahero.|Can you tell me a story about $ahero?|~A story about $ahero, please."
          "|I want a story about $ahero in a $place.|~story about $ahero|Make up a story about $ahero.|I would love to hear a story about $ahero.|Invent a little story. The hero is $ahero."
          "|Give me a story with $ahero in it.|Once upon a time there was $ahero. How does it go on?|Think of a story about $ahero.|My child wants a story about $ahero."
          "|Write a bedtime story about $ahero.|Let us have a story about $ahero.|!Please make up a tale about $ahero.|!Do you know a story about $ahero?}")
    d.begin("The story needs $ahero and a friend." if d.maybe(0.03) else None)
    d.say("[0.1:{*Here is a story.|Here is a short story for you.} ]")
    story_body(d)
    d.end()


def story_raw(d):
    story_cast(d)
    d.say(OPENINGS)
    plot = PLOTS[d.prefer(list(PLOTS))]
    problem(d, plot)
    d.slot("helper")
    d.say(" {*Then $he met|On the way $he met|On a hill $he met} $ahelper, who " + plot[1] + ".")
    d.say("[0.5: " + plot[2].replace("[", "").replace("]", "") + ".]")
    d.end_raw()
