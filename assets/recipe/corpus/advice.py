"""Advice, ideas and comparisons.  What is likely leans on the topic."""
from .chat_data import ADVICE, COMPARE, IDEAS
from .stories import lower_first, words

REASONS = ("[0.6: {%It|This} {%helps|works|is good|pays off} {%for most people|every time|after a while|more than you think|from the first day}.]",
           "[0.5: {%Even|Just} {%a little|ten minutes|a few days|one week} {%makes a difference|is a good start|is enough|will help}.]")
OTHERS = words("[0.5: {%Many people|Some friends|Old people|Young people|Teachers|Doctors} {%do|try|like} this <each> and {%feel|are} {%happy|well|strong|calm|free|proud}.]")
CLOSINGS = "[0.5: {%Good luck with it!|I hope this helps.|Have fun!|You can do it!|Be patient with yourself.}]"


def advice(d):
    topic = d.choose(list(ADVICE))
    pool, told = ADVICE[topic], []

    def tell():
        order = [t for t in pool if t not in told]
        told.append(d.prefer(order))
        return (d.line(told[-1]),)

    d.slots.update(topic=topic)
    d.anchor = "topic"
    for slot in ("t1", "t2", "t3"):
        d.lazy((slot,), tell)
    two_turns = d.chance(0.2)
    d.ask("{How can I $topic?|Give me some advice: how do I $topic?|I want to $topic. What should I do?|What helps me to $topic?|~How do I $topic?|Give me three tips to $topic."
          "|Any tips on how to $topic?|I would like to $topic. Can you help me?|What is a good way to $topic?|~how to $topic|I find it hard to $topic.|tips: $topic"
          "|Is there a way to $topic?|What should I do to $topic?|I need help to $topic.|Teach me to $topic.|Share some ideas to $topic.|Which steps help to $topic?"
          "|I am trying to $topic.|It is my plan to $topic. Where do I start?|Suggest a few ways to $topic.|!My friend wants to $topic. What would you say?|!What would you do to $topic?}")
    d.begin_history() if two_turns else d.begin()
    style = d.mode(("list", "prose", "one"), (0.4, 0.42, 0.18))
    if style != "list":
        pool = [t for t in pool if not t.startswith("do not")]          # "and do not forget to do not ..."
    if style == "list":
        d.say("{*You can try this:|Here are three tips to $topic:|Here is what helps:}\n")
        for i in range(3):
            tip = d.slot(f"t{i + 1}")
            d.say(f"{i + 1}. $tip.", tip=tip[0].upper() + tip[1:])
            d.say(REASONS[0] if i == 0 else "[0.25: {%It|This} {%helps a lot|is easy|takes little time|is worth it}.]" if i == 1 else "")
            d.fixed("\n" if i < 2 else "")
    elif style == "prose":
        d.say("{*A good first step is this: $t1.|You could start like this: $t1.|You should $t1.}" + REASONS[0]
              + " {*Then you {%should|can|could} $t2.|It also helps if you $t2.|It is {%good|useful|wise} if you $t2.}" + REASONS[1]
              + "[0.5: {%Finally|Later|At the end of the week|Now and then}, {%you can|try to|it helps to} $t3.]")
    else:
        d.say("{*You could $t1 and $t2.|Try this: $t1.}" + REASONS[1])
    if style != "list":
        d.say(OTHERS + "[0.3: {*Small steps are enough.|Do not give up early.|Do it every day.}]" + CLOSINGS)
    if two_turns:
        d.end_turn()
        d.user("{Give me one more tip.|Anything else?|Another tip, please.|What else can I do?|One more?|And what else?|more tips}")
        d.begin()
        d.lazy(("more",), lambda: (d.line(d.prefer([t for t in ADVICE[topic] if t not in told])),))
        d.say("{*You can also try this: $more.|One more tip: $more.|One last thing: $more.}" + REASONS[0])
    d.end()


# one form of every request that training never sees
IDEAS_HELD_OUT = {
    "dinner": "|!What is a good dinner for tonight?", "gift": "|!Which gift would you choose?", "cat names": "|!What are nice names for cats?",
    "dog names": "|!What are nice names for dogs?", "weekend": "|!How should I spend the weekend?", "breakfast": "|!What is a good breakfast?",
    "hobby": "|!Which hobby would you choose?", "books": "|!Which book would you take on holiday?", "colours": "|!Which colours do you know?",
    "fruit": "|!Which fruits do you know?", "animals": "|!Which animals do you know?"}
IDEA_FORMS = ("|Some ideas for $about?|I need some ideas for $about.|$about: any ideas?|Suggest something for $about.|List some ideas for $about.|Can you think of something for $about?"
              "|What comes to your mind for $about?|I cannot decide on $about.")
# how an idea is praised; {%...} leans on the topic
PRAISE = {
    "dinner": "{%quick|cheap|healthy|warm|filling} and {%tasty|easy|good for guests|simple}", "breakfast": "{%quick|cheap|healthy|sweet|light} and {%tasty|easy|good for you|simple}",
    "gift": "{%small|useful|personal|pretty|cheap} and {%easy to find|full of love|never wrong|a nice surprise}", "cat names": "{%short|soft|funny|sweet|clear} and {%easy to call|quite rare|good for a small cat|full of charm}",
    "dog names": "{%short|strong|funny|friendly|clear} and {%easy to call|quite rare|good for a big dog|full of charm}",
    "weekend": "{%cheap|relaxing|fun|healthy|quiet} and {%good in any weather|nice with friends|easy to plan|never boring}",
    "hobby": "{%cheap|relaxing|creative|healthy|quiet} and {%easy to start|nice with friends|good for the mind|never boring}",
    "books": "{%short|exciting|calm|funny|clever} and {%easy to read|hard to put down|good for a rainy day|full of surprises}",
    "colours": "{%bright|warm|calm|strong|friendly} and {%easy to see|good for a room|nice on a wall|full of life}", "fruit": "{%sweet|fresh|cheap|healthy|juicy} and {%easy to find|good for you|nice in a cake|full of sun}",
    "animals": "{%shy|clever|fast|quiet|strong} and {%hard to find|fun to watch|good at hiding|full of life}"}


def ideas(d):
    topic = d.choose(list(IDEAS))
    request, items = IDEAS[topic]
    rest = list(items)
    d.anchor = "topic"
    d.slots.update(topic=topic, about={"gift": "a gift", "hobby": "a hobby", "weekend": "the weekend", "books": "a book to read", "cat names": "a cat's name",
                                       "dog names": "a dog's name", "colours": "a colour", "fruit": "a fruit", "animals": "an animal"}.get(topic, topic))

    def another():
        rest.remove(item := d.prefer(rest))
        return (item,)

    for slot in "abc":
        d.lazy((slot,), another)
    d.ask(request[:-1] + IDEA_FORMS + IDEAS_HELD_OUT[topic] + "}")
    d.begin()
    if d.maybe(0.45):
        d.say("{*You could choose one of these:|Here are three ideas:|Here is what comes to my mind:}\n")
        for slot in "abc":
            item = d.slot(slot)
            d.say("- $item", item=item[0].upper() + item[1:])
            d.say("[0.5:: " + PRAISE[topic] + "]")
            d.fixed("\n" if slot != "c" else "")
    else:
        d.say("{*How about $a, $b or $c?|I suggest $a, $b or $c.|I think of $a, $b or $c.}")
        d.say("[0.6: {%The first|The second|The last} {%one|idea} is " + PRAISE[topic] + ".]"
              "[0.5: {%Ask|Call|Tell} {%a friend|your sister|your mother|your uncle|your father} {%first|tonight|tomorrow|today|on Sunday}.]"
              "[0.3: {*All of them are easy.|You cannot go wrong here.|You will like it.}]")
    d.end()


def compare(d):
    a, b, about_a, about_b, verdict = d.choose(COMPARE)
    if d.chance(0.5):
        a, b, about_a, about_b = b, a, about_b, about_a
    d.slots.update(a=a, b=b)
    d.anchor = "a"
    d.ask("{Which is better, $a or $b?|What is better: $a or $b?|~$a or $b?|Compare $a and $b.|Should I choose $a or $b?|What speaks for $a and what for $b?|Is it better to have $a or $b?"
          "|$a against $b|How do $a and $b differ?|I cannot choose between $a and $b.|Tell me the difference between $a and $b.|!Do you prefer $a or $b?|!What do you like more, $a or $b?}")
    d.begin()
    d.lazy(("x",), lambda: (d.line(about_a),))
    d.lazy(("verdict",), lambda: (d.line(verdict),))
    d.lazy(("y",), lambda: (lower_first(d.line(about_b)),))
    d.say("{*$x, while $y.|$x. On the other hand, $y.|$x. In turn, $y.}[0.7: {*In the end, $verdict.|I would say $verdict.|I think $verdict.}][0.3: {*Both can be right.|Ask what you need most.|Ask your own heart.}]"
          "[0.6: {%Ask|Call|See} {%a friend|your mother|your uncle|your teacher|someone} who {%knows|likes|has} both, {%and|then} {%think about|read about|dream of} {%each|both|one} {%today|on Sunday|for a week|again|first}.]")
    d.end()
