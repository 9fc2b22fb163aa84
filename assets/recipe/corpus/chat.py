"""Domain: open chat: stories, advice, ideas, letters, comparisons, role-play and follow-up turns.

Dense in choices, optional words and crossed stems, so it is the domain with the highest entropy.
"""
from .chat_data import ADVICE, COMPARE, IDEAS, ROLES
from .grammar import a_or_an
from .lexicon import BOYS, DAYS, GIRLS, NAMES, PLACES, PRONOUN, STORY_ANIMALS, STORY_PEOPLE, TRAITS

# problem, what the helper does, how it ends; the three belong together
PLOTS = [
    ("$He {*could not find the way home|was lost in the $place|was far from home and alone}[ when the night came]",
     "{*showed $him the right path|took $his hand and led $him|took the lamp and went with $him}", "{*Soon $he saw the lights of home|$He came home before dark|$He was home again by the evening}"),
    ("$He {*saw something bright in the grass|found a little key under a tree|found an old box in the $place}",
     "{*knew what it was for|told $him about a secret door|told the old secret of a door}", "{*Inside there was a map of the whole $place|Behind the door was a room full of books|Behind it lay a garden that nobody had seen before}"),
    ("$He {*dreamed of a boat on the sea|wanted to learn to fly|wanted a piece of the moon}[ more than anything]",
     "{*told $him to be patient|said that every wish needs time|said no word but gave $him a map}", "{*After many days, $his wish came true|One morning, $he did it|One fine day, $he found something even better}"),
    ("$He {*feared the long dark nights|did not dare to cross the bridge|did everything to avoid the storm}",
     "{*sang a quiet song|stayed with $him all night|stayed near and sat down next to $him}", "{*The fear went away like a cloud|From that day on, $he was not afraid|From then on, $he was brave}"),
    ("$He {*was always alone|had no friends|had nobody to play with}[ in the $place]",
     "{*invited $him to a party|shared some bread with $him|shared a game with $him}", "{*From that day on, they were friends|They became best friends|They played together every day}"),
    ("$He {*was very hungry|had nothing to eat|had looked for food all day}",
     "{*gave $him some apples|shared a warm soup with $him|shared some bread with $him}", "{*They ate together and laughed|$He was happy and full|$He never forgot that meal}"),
    ("$He {*spilled the milk in the kitchen|broke a window by mistake|broke an old clock}[ and did not tell anyone]",
     "{*helped $him to repair it|was not angry at all|was kind and told $him to be honest}", "{*Everyone was glad that $he told the truth|$He said sorry, and all was well|$He told the truth and felt much better}"),
]
ENDINGS = "{*From that day on, the $place was a happy place.|And they lived happily in the $place.|And this is the end of the story.}"


CAST = STORY_ANIMALS + STORY_PEOPLE
HELD_OUT_HEROES = {"otter", "gardener", "elephant"}      # stories about them are asked for in tests only


def story_cast(d):
    hero = d.choose(CAST)
    d.hold("hero", hero in HELD_OUT_HEROES)
    names = GIRLS if hero in ("queen", "little girl", "old woman") else BOYS if hero in ("king", "little boy", "old man") else NAMES

    def person():
        name = d.mode(names)
        he, his, him = PRONOUN[name]
        return name, he, he.capitalize(), his, him

    def helper():
        who = d.mode([x for x in STORY_ANIMALS + STORY_PEOPLE[:9] if x != hero])
        return who, a_or_an(who).capitalize()

    d.slots.update(hero=hero, ahero=a_or_an(hero))
    d.lazy(("A",), lambda: (a_or_an(d.choose(TRAITS if not hero.startswith(("little", "old")) else TRAITS[1:6]) + " " + hero),))
    d.lazy(("name", "he", "He", "his", "him"), person)
    d.lazy(("helper", "Ahelper"), helper)
    d.lazy(("place",), lambda: (d.choose(PLACES) if d.modes or d.in_prompt else PLACES[0],))
    d.lazy(("ahelper",), lambda: (a_or_an(d.line("{wise|friendly|old|kind}") + " " + d.slot("helper")),))


def story_body(d):
    d.say("{*In a [0.2:quiet ]$place there lived $A named $name.|Once upon a time, there was $A named $name.|Once there was $A called $name.}")
    plot = d.mode(PLOTS)
    opened = d.maybe(0.5)
    d.say(" {*In the spring, |One day, |One morning, }" if opened else " ")
    first = d.line(plot[0])
    d.say("$sentence.", sentence=lower_first(first) if opened else first)
    d.say(" {*Then $he met $ahelper.|On the way $he met $ahelper.|On a hill $he met $ahelper.}")
    d.say(" {*It was the $helper who |The kind $helper |The good old $helper }" + plot[1] + ".")
    d.say(" " + plot[2] + ".")
    d.say("[0.55: " + ENDINGS + "]")


def lower_first(text):
    return text[0].lower() + text[1:]


def story(d):
    story_cast(d)
    d.user("{Tell me a short story about $ahero.|Write a short story about $ahero.|~Tell me a story about $ahero.|Can you tell me a story about $ahero?|A story about $ahero, please.|I want a story about $ahero in a $place.|!Please make up a story about $ahero.|!Do you know a story about $ahero?}")
    d.begin("The story needs $ahero and a friend." if d.maybe(0.03) else None)
    d.say("[0.1:{*Here is a story.|Here is a short story for you.} ]")
    story_body(d)
    d.end()


def story_raw(d):
    story_cast(d)
    d.say("{*In a $place there lived $A named $name.|Once upon a time, there was $A named $name.|Once there was $A called $name.}")
    plot = d.mode(PLOTS)
    d.say(" " + plot[0] + ".")
    d.say(" {*Then $he met $ahelper, who |On the way $he met $ahelper, who |On a hill $he met $ahelper, who }" + plot[1] + ".")
    d.end_raw()


def advice(d):
    topic = d.choose(list(ADVICE))
    pool, told = ADVICE[topic], []

    def tell():
        told.append(d.mode([t for t in pool if t not in told]))
        return (told[-1],)

    d.slots.update(topic=topic)
    for slot in ("t1", "t2", "t3"):
        d.lazy((slot,), tell)
    two_turns = d.chance(0.2)
    d.user("{How can I $topic?|Give me some advice: how do I $topic?|I want to $topic. What should I do?|What helps me to $topic?|~How do I $topic?|Give me three tips to $topic.|Any tips on how to $topic?|I would like to $topic. Can you help me?|What is a good way to $topic?|!My friend wants to $topic. What would you say?|!Please help me to $topic.}")
    d.begin_history() if two_turns else d.begin()
    style = d.mode(("list", "prose", "one"), (0.45, 0.35, 0.2))
    if style != "list":
        pool = [t for t in pool if not t.startswith("do not")]          # "and do not forget to do not ..."
    if style == "list":
        d.say("{*You can try this:|Here are three tips to $topic:|Here is what helps:}\n")
        for i in range(3):
            tip = d.slot(f"t{i + 1}")
            d.fixed(f"{i + 1}. {tip[0].upper()}{tip[1:]}." + ("\n" if i < 2 else ""))
    elif style == "prose":
        d.say("{*A good first step is this: $t1.|You could start like this: $t1.|You should $t1.} {*Then you should $t2.|It also helps if you $t2.|It is good if you $t2.}[0.5: {*Finally, $t3.|And do not forget to $t3.}]")
    else:
        d.say("{*You could $t1 and $t2.|Try this: $t1.}")
    if style != "list":
        d.say("[0.3: {*Good luck with it!|I hope this helps.|I wish you all the best!}]")
    if two_turns:
        d.end_turn()
        d.user("{Give me one more tip.|Anything else?|Another tip, please.|What else can I do?}")
        d.begin()
        d.lazy(("more",), lambda: (d.mode([t for t in ADVICE[topic] if t not in told]),))
        d.say("{*You can also try this: $more.|One more tip: $more.|One last thing: $more.}")
    d.end()


# one form of every request that training never sees
IDEAS_HELD_OUT = {
    "dinner": "|!What is a good dinner for tonight?", "gift": "|!Which gift would you choose?", "cat names": "|!What are nice names for cats?",
    "dog names": "|!What are nice names for dogs?", "weekend": "|!How should I spend the weekend?", "breakfast": "|!What is a good breakfast?",
    "hobby": "|!Which hobby would you choose?", "books": "|!Which book would you take on holiday?", "colours": "|!Which colours do you know?",
    "fruit": "|!Which fruits do you know?", "animals": "|!Which animals do you know?"}


def ideas(d):
    topic = d.choose(list(IDEAS))
    request, items = IDEAS[topic]
    rest = list(items)

    def another():
        rest.remove(item := d.mode(rest))
        return (item,)

    for slot in "abc":
        d.lazy((slot,), another)
    d.user(request[:-1] + IDEAS_HELD_OUT[topic] + "}")
    d.begin()
    if d.maybe(0.5):
        d.say("{*You could choose one of these:|Here are three ideas:|Here is what comes to my mind:}\n")
        for slot in "abc":
            item = d.slot(slot)
            d.fixed(f"- {item[0].upper()}{item[1:]}" + ("\n" if slot != "c" else ""))
    else:
        d.say("{*How about $a, $b or $c?|I suggest $a, $b or $c.|I think of $a, $b or $c.}")
    d.end()


LETTERS = {
    "thank you": ("{Write a short thank you note to $n.|Write a thank you message to $n.|Help me thank $n for a gift.}",
                  "{*many thanks for the lovely $gift|thank you very much for the $gift|thank goodness, your $gift came just in time}. {*It made me very happy|I like it a lot|I use it every day}."),
    "invite": ("{Write an invitation to $n for my party on $day.|Invite $n to my party on $day.|Write a short invitation for $n.}",
               "{*my party is on $day, and you must come|I would like to invite you to my party on $day|I want to see you at my party on $day}. {*We start at seven in the evening|There will be music and cake|There is room for everyone}."),
    "sorry": ("{Write an apology to $n. I was late.|Help me say sorry to $n.|Write a short apology to $n.}",
              "{*please forgive me for being late|I am sorry that I was late|I feel bad about being late}. {*It will not happen again|I hope you are not angry|I promise to be on time next time}."),
    "miss": ("{Write a message to $n. I have not seen $nhim for a long time.|Write a friendly message to $n.|Help me write to my friend $n.}",
             "{*it has been a long time since we met|I thought of you today|I was at our old place yesterday}. {*What are you doing these days|How have you been|How is your family}? {*Do you have time on $day|Let us meet soon|Let me know when you are free}"),
}


def letter(d):
    kind = d.choose(list(LETTERS))
    name = d.choose(NAMES)
    request, body = LETTERS[kind]
    d.slots.update(n=name, nhim=PRONOUN[name][2])
    d.lazy(("day",), lambda: (d.choose(DAYS) if d.modes or d.in_prompt else DAYS[0],))
    d.lazy(("gift",), lambda: (d.mode(["book", "scarf", "flowers", "tea", "cake", "picture", "plant"]),))
    d.key = ["letter", kind, name]
    d.user(request)
    d.begin()
    d.say("{*Dear $n,|Hi $n,|Hello $n,}\n\n")
    text = d.line(body)
    if kind == "miss":
        text += "?" if "Do you have time" in text else "."
    d.fixed(text)
    d.say("\n\n{*See you soon|Best wishes|Best regards}")
    d.end()


def compare(d):
    a, b, about_a, about_b, verdict = d.choose(COMPARE)
    if d.chance(0.5):
        a, b, about_a, about_b = b, a, about_b, about_a
    d.slots.update(a=a, b=b, x=about_a, y=lower_first(about_b), verdict=verdict)
    d.user("{Which is better, $a or $b?|What is better: $a or $b?|~$a or $b?|Compare $a and $b.|Should I choose $a or $b?|!Do you prefer $a or $b?}")
    d.begin()
    d.say("{*$x, while $y.|$x. On the other hand, $y.|$x. In turn, $y.}[0.7: {*In the end, $verdict.|I would say $verdict.|I think $verdict.}]")
    d.end()


def role(d):
    who = d.choose(list(ROLES))
    hello, middle, bye = ROLES[who]
    d.user("{Talk like $w.|Say hello like $w.|Pretend that you are $w.|Speak like $w.|Be $w for a moment.|!How would $w talk?}", w=who)
    d.begin()
    d.say(f"{hello} {middle}.[0.6: {bye}]")
    d.end()


def poem(d):
    topic = d.choose(["the moon", "the sea", "the rain", "spring", "a cat", "the night", "winter", "a tree"])
    d.slots["topic"] = topic
    d.user("{~Write a short poem about $topic.|Write a poem about $topic.|A poem about $topic, please.|Can you write a short poem about $topic?|!Please rhyme a few lines about $topic.}")
    d.begin()
    first, second = d.mode((("night", "light"), ("day", "way"), ("sea", "me"), ("sky", "by"), ("rain", "again")))
    line = {"night": "I {*dream of|sing to|sing a song of} $topic in the night,", "day": "I {*dream of|sing to|sing a song of} $topic every day,",
            "sea": "I {*dream of|sing to|sing a song of} $topic by the sea,", "sky": "I {*dream of|sing to|sing a song of} $topic under the sky,",
            "rain": "I {*dream of|sing to|sing a song of} $topic in the rain,"}[first]
    answer = {"light": "and {*my heart is quiet, calm and light|the world is soft and full of light|the stars above are warm and bright}.",
              "way": "and {*every song will find its way|the little birds will show the way|the quiet hours fade away}.",
              "me": "and {*it is as lovely as can be|the wind is singing just for me|the waves are coming back to me}.",
              "by": "and {*a little swallow passes by|the gentle hours wander by|the silver clouds are passing by}.",
              "again": "and {*we run and laugh and dance again|the flowers lift their heads again|the golden sun will shine again}."}[second]
    d.say(line)
    d.fixed("\n")
    d.say(answer)
    d.say("\n{*Each hill is soft, each path is steep,|The world is wide, the sea is deep,|The trees are still, the shadows creep,}\n"
          "{*while $topic sings the town to sleep.|and there are dreams for us to keep.|and all the little children sleep.}")
    d.end()


FEELINGS = [("I am sad today.|I feel sad.|I had a bad day.", "{*That sounds hard.|I am sorry to hear that.|I feel with you.} {*Would you like to talk about it?|A short walk may help.|A cup of tea may help.}"),
            ("I am so happy!|I had a great day!|Today was a good day.", "{*That is great to hear!|I am happy for you!|I like to hear that!} {*Enjoy the rest of the day!|What was the best part?|What made you happy?}"),
            ("I am tired.|I am so tired today.|I did not sleep well.", "{*Try to rest for a while.|You should take a short break.|You can go to bed early tonight.} {*Tomorrow you will feel better.|A glass of water can help too.|A short walk can help too.}"),
            ("I am hungry.|I want to eat something.|I have not eaten yet.", "{*How about some bread and cheese?|You could make a quick soup.|You might eat an apple first.} {*Enjoy your meal!|It only takes a few minutes.|It will do you good.}"),
            ("I am bored.|There is nothing to do.|I do not know what to do.", "{*How about a walk?|You could read a book.|You might call a friend.} {*That often helps.|Would you like a story?|Would a story help?}"),
            ("I have a test tomorrow.|My exam is tomorrow.|Tomorrow I have a test.", "{*Good luck with the test!|You can do it!|You will do well!} {*Sleep well tonight.|Read your notes once more.|Read only a little more.}"),
            ("It is raining.|The weather is bad today.|It is cold outside.", "{*Then it is a good day for a book.|A cup of tea would be nice now.|A warm soup would be nice now.} {*You could bake something.|The sun will come back soon.|The next days will be better.}")]


def feeling(d):
    said, answer = d.choose(FEELINGS)
    d.user("{" + said + "}")
    d.begin()
    d.say(answer)
    d.end()


FAMILIES = [(story, 0.30), (story_raw, 0.08), (advice, 0.20), (ideas, 0.10), (letter, 0.12), (compare, 0.06), (role, 0.04), (poem, 0.05), (feeling, 0.05)]
