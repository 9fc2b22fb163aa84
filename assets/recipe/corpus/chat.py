"""Domain: open chat: stories, advice, ideas, letters, comparisons, role-play and follow-up turns.

Dense in choices, optional words and crossed stems, so it is the domain with the highest entropy.
"""
from .chat_data import ADVICE, COMPARE, IDEAS, ROLES
from .grammar import a_or_an
from .lexicon import BOYS, DAYS, GIRLS, NAMES, PLACES, PRONOUN, STORY_ANIMALS, STORY_PEOPLE, TRAITS

# problem, what the helper does, how it ends; the three belong together
PLOTS = [
    ("$He {*lost $his way in the $place|could not find the way home|was lost and alone}[ when the night came]",
     "{*showed $him the right path|took $him by the hand|knew the way and led $him}", "{*$He came home before dark|$He was home again by the evening|Soon $he saw the lights of home}"),
    ("$He {*found a little key under a tree|found an old box in the $place|saw something bright in the grass}",
     "{*knew what it was for|helped $him to open a small door|told $him about a secret door}", "{*Behind the door was a room full of books|Inside there was a map of the whole $place|They found a garden that nobody had seen before}"),
    ("$He {*wanted to learn to fly|wished to see the sea|wanted to touch the moon}[ more than anything]",
     "{*told $him to be patient|said that every wish needs time|gave $him good advice}", "{*After many days, $his wish came true|One morning, $he did it|In the end, $he found something even better}"),
    ("$He {*was afraid of the dark|was afraid of the storm|did not dare to cross the bridge}",
     "{*sat down next to $him|sang a quiet song|stayed with $him all night}", "{*After that, $he was not afraid any more|From then on, $he was brave|The fear went away like a cloud}"),
    ("$He {*had no friends|was always alone|had nobody to play with}[ in the $place]",
     "{*asked $him to play|shared some bread with $him|invited $him to a party}", "{*They became best friends|From that day on, they were friends|They played together every day}"),
    ("$He {*was very hungry|had nothing to eat|looked for food all day}",
     "{*shared a warm soup with $him|gave $him some apples|showed $him a tree full of pears}", "{*$He was happy and full|They ate together and laughed|$He never forgot that meal}"),
    ("$He {*broke a window by mistake|broke the old clock|spilled the milk}[ and did not tell anyone]",
     "{*told $him to be honest|helped $him to repair it|was not angry at all}", "{*$He said sorry, and all was well|$He told the truth and felt much better|Everyone was glad that $he told the truth}"),
]
ENDINGS = "{*And they lived happily in the $place.|From that day on, the $place was a happy place.|And that is the end of the story.}"


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
    d.say("{*Once upon a time, there was $A named $name.|Once there was $A called $name.|In a [0.2:quiet ]$place there lived $A named $name.}")
    plot = d.mode(PLOTS)
    opened = d.maybe(0.5)
    d.say(" {*One day, |One morning, |In the spring, }" if opened else " ")
    first = d.line(plot[0])
    d.say("$sentence.", sentence=lower_first(first) if opened else first)
    d.say(" {*Then $he met $ahelper.|There $he met $ahelper.|On the way $he met $ahelper.}")
    d.say(" {*The $helper |The kind $helper |The $helper smiled and }" + plot[1] + ".")
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
    d.say("{*Once upon a time, there was $A named $name.|Once there was $A called $name.|In a $place there lived $A named $name.}")
    plot = d.mode(PLOTS)
    d.say(" " + plot[0] + ".")
    d.say(" {*Then $he met $ahelper, who |There $he met $ahelper, who |$Ahelper came by and }" + plot[1] + ".")
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
        d.say("{*Here are three tips:|Here are some tips to $topic:|You can try this:}\n")
        for i in range(3):
            tip = d.slot(f"t{i + 1}")
            d.fixed(f"{i + 1}. {tip[0].upper()}{tip[1:]}." + ("\n" if i < 2 else ""))
    elif style == "prose":
        d.say("{*To $topic, you should $t1.|You could start like this: $t1.|A good first step is this: $t1.} {*You can also $t2.|It also helps if you $t2.|Then $t2.}[0.5: {*Finally, $t3.|And do not forget to $t3.}]")
    else:
        d.say("{*You could $t1 and $t2.|Try this: $t1.}")
    if style != "list":
        d.say("[0.3: {*Good luck!|I hope this helps.|You can do it!}]")
    if two_turns:
        d.end_turn()
        d.user("{Give me one more tip.|Anything else?|Another tip, please.|What else can I do?}")
        d.begin()
        d.lazy(("more",), lambda: (d.mode([t for t in ADVICE[topic] if t not in told]),))
        d.say("{*You can also try this: $more.|Here is one more: $more.|One more tip: $more.}")
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
        d.say("{*Here are three ideas:|Here are some ideas:|You could choose one of these:}\n")
        for slot in "abc":
            item = d.slot(slot)
            d.fixed(f"- {item[0].upper()}{item[1:]}" + ("\n" if slot != "c" else ""))
    else:
        d.say("{*How about $a, $b or $c?|Here are three: $a, $b and $c.|I suggest $a, $b or $c.}")
    d.end()


LETTERS = {
    "thank you": ("{Write a short thank you note to $n.|Write a thank you message to $n.|Help me thank $n for a gift.}",
                  "{*thank you very much for the $gift|many thanks for the lovely $gift|thank you so much for your $gift}. {*It made me very happy|I like it a lot|I use it every day}."),
    "invite": ("{Write an invitation to $n for my party on $day.|Invite $n to my party on $day.|Write a short invitation for $n.}",
               "{*I would like to invite you to my party on $day|my party is on $day, and I would love to see you|please come to my party on $day}. {*It starts at seven|We start in the evening|There will be music and cake}."),
    "sorry": ("{Write an apology to $n. I was late.|Help me say sorry to $n.|Write a short apology to $n.}",
              "{*I am sorry that I was late|please forgive me for being late|I am very sorry for being late}. {*It will not happen again|I will be on time next time|I hope you are not angry}."),
    "miss": ("{Write a message to $n. I have not seen $nhim for a long time.|Write a friendly message to $n.|Help me write to my friend $n.}",
             "{*I have not seen you for a long time|it has been a long time since we met|I thought of you today}. {*How are you|How have you been|What are you doing these days}? {*Let us meet soon|I hope to see you soon|Do you have time on $day}"),
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
    d.say("\n\n{*Best wishes|Yours|See you soon}")
    d.end()


def compare(d):
    a, b, about_a, about_b, verdict = d.choose(COMPARE)
    if d.chance(0.5):
        a, b, about_a, about_b = b, a, about_b, about_a
    d.slots.update(a=a, b=b, x=about_a, y=lower_first(about_b), verdict=verdict)
    d.user("{Which is better, $a or $b?|What is better: $a or $b?|~$a or $b?|Compare $a and $b.|Should I choose $a or $b?|!Do you prefer $a or $b?}")
    d.begin()
    d.say("{*$x, while $y.|$x, but $y.|$x. On the other hand, $y.}[0.7: {*In the end, $verdict.|I would say $verdict.|So $verdict.}]")
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
    line = {"night": "I {*think of|dream of|sing of} $topic in the night,", "day": "I {*think of|dream of|sing of} $topic every day,",
            "sea": "I {*think of|dream of|sing of} $topic by the sea,", "sky": "I {*think of|dream of|sing of} $topic under the sky,",
            "rain": "I {*think of|dream of|sing of} $topic in the rain,"}[first]
    answer = {"light": "and {*all the world is full of light|my heart is quiet, calm and light|the stars above are warm and bright}.",
              "way": "and {*every song will find its way|a little bird will show the way|the quiet hours fade away}.",
              "me": "and {*all the waves come back to me|the wind is singing just for me|it is as lovely as can be}.",
              "by": "and {*all the clouds are passing by|the gentle hours wander by|a little swallow passes by}.",
              "again": "and {*soon the sun will shine again|the flowers lift their heads again|we run and laugh and dance again}."}[second]
    d.say(line)
    d.fixed("\n")
    d.say(answer)
    d.say("\n{*The world is wide, the world is deep,|The hills are soft, the path is steep,|The trees are still, the shadows creep,}\n"
          "{*and $topic sings the town to sleep.|and there are dreams for us to keep.|and all the little children sleep.}")
    d.end()


FEELINGS = [("I am sad today.|I feel sad.|I had a bad day.", "{*I am sorry to hear that.|That sounds hard.|Oh, I am sorry.} {*Would you like to talk about it?|A short walk or a cup of tea may help.|Tomorrow can be a better day.}"),
            ("I am so happy!|I had a great day!|Today was a good day.", "{*That is great to hear!|How wonderful!|I am happy for you!} {*What happened?|What was the best part?|Enjoy the rest of the day!}"),
            ("I am tired.|I am so tired today.|I did not sleep well.", "{*Try to rest for a while.|You should take a short break.|Maybe go to bed early tonight.} {*A glass of water can help too.|Tomorrow you will feel better.|Sleep well!}"),
            ("I am hungry.|I want to eat something.|I have not eaten yet.", "{*How about some bread and cheese?|You could make a quick soup.|Maybe eat an apple first.} {*Enjoy your meal!|It only takes a few minutes.|Then cook something warm.}"),
            ("I am bored.|There is nothing to do.|I do not know what to do.", "{*You could read a book.|How about a walk?|Maybe call a friend.} {*Or I can tell you a story.|Would you like a story?|That often helps.}"),
            ("I have a test tomorrow.|My exam is tomorrow.|Tomorrow I have a test.", "{*Good luck with the test!|You can do it!|I wish you luck!} {*Sleep well tonight.|Take a short break before you go on.|Read your notes once more.}"),
            ("It is raining.|The weather is bad today.|It is cold outside.", "{*Then it is a good day for a book.|A cup of tea would be nice now.|Stay warm!} {*The sun will come back soon.|Do not forget your coat.|You could bake something.}")]


def feeling(d):
    said, answer = d.choose(FEELINGS)
    d.user("{" + said + "}")
    d.begin()
    d.say(answer)
    d.end()


FAMILIES = [(story, 0.30), (story_raw, 0.08), (advice, 0.20), (ideas, 0.10), (letter, 0.12), (compare, 0.06), (role, 0.04), (poem, 0.05), (feeling, 0.05)]
