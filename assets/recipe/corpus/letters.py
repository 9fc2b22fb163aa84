"""Letters, invitations, diary entries and pictures in words.  What is likely leans on the person, the mood or the scene."""
from .lexicon import DAYS, NAMES, PRONOUN
from .stories import words

LETTERS = {
    "thank you": ("{Write a short thank you note to $n.|Write a thank you message to $n.|Help me thank $n for a gift.|Thank $n for a gift from me.|I got a gift from $n. What can I write?|thank you note for $n"
                  "|Write a few lines to thank $n.|I want to thank $n.|A thank you card for $n, please.|!Find the right words to thank $n.}",
                  "{*many thanks for the lovely $gift|thank you very much for the $gift|thank goodness, your $gift came just in time}. It {%is|looks} {%so|very|really} {%good|warm|sweet|pretty|strange|small|strong} and"
                  " {%made|makes} {%me|us|everyone|my mother|my father} {%happy|glad|proud|smile|laugh}. I {%keep|have|see|use|need} it {%near|by|behind} {%my|the} {%bed|door|window|table|books|garden} and {%think of you|smile|sing|feel better} <each>.[0.4: {*What a surprise!|You know me well.|You made my day.}]"),
    "sorry": ("{Write an apology to $n. I was late.|Help me say sorry to $n.|Write a short apology to $n.|I was late and $n is angry. What can I write?|apology to $n|I want to say sorry to $n."
              "|Write to $n that I am sorry.|A short apology for $n, please.|!Find words to say sorry to $n.}",
              "{*please forgive me for being late|I am sorry that I was late|I feel bad about being late} {%on $day|last night|for dinner|at the station|for the concert|at school}. {%My|The} {%train|bus|bike|car|clock|phone} was {%slow|late|old|broken|wrong}, {%but|and}"
              " I {%know|see|think} that {%you were alone|it was my fault|it was rude|I made you sad|I lost time}. {%Next time|On $day|From now on}, I will {%be early|leave early|call you|run|take a taxi} and {%bring|make|buy|give} you {%some|a lot of} {%good|warm|sweet} {%cake|tea|soup|bread|coffee}.[0.4: {*It will not happen again.|Please be my friend again.|Please give me some time.}]"),
    "miss": ("{Write a message to $n. I have not seen $nhim for a long time.|Write a friendly message to $n.|Help me write to my friend $n.|I miss $n. Write to $nhim.|friendly message to $n"
             "|I have not heard from $n for a long time. What can I write?|A few friendly lines for $n, please.|!Write something nice to $n.}",
             "{*it has been a long time since we met|I thought of you today|I was at our old place yesterday}. {%My|The} {%garden|street|park|house|school|village} is {%green|quiet|white|empty|warm|cold|busy} {%now|again|today|at night}, and I"
             " {%work|read|walk|sleep|cook|sing|play} {%a lot|too much|alone|at night|<each>}.[0.4: {*All is well here.|We talk about you often.|We miss your songs.}] {%How|Where|And how} {%are you|is your mother|is your sister|is your dog|is your cat}? {%Can you|Will you|Do you want to} {%come|call|eat with me|write} {%on $day|soon|next week|this summer}?"),
    "birthday": ("{Write a birthday card to $n.|Write birthday wishes to $n.|It is the birthday of $n. What can I write?|birthday card for $n|Help me with a birthday card for $n.|A birthday message for $n, please.|!What do I write to $n on $nhis birthday?}",
                 "{*happy birthday to you|all the best for your birthday|all my good wishes on your big day}! I {%wish|send} you {%good|happy|new|old|quiet|strong|funny} {%friends|songs|books|days|dreams} and {%a lot of|enough} {%cake|music|sun|time|money|sleep|light}."
                 " {%Have|Take|Eat} a {%big|good|sweet|warm|long|happy} {%cake|breakfast|dinner|meal|soup}, {%dance|sing|rest|laugh|sleep} {%a little|all day|all night|with friends} and {%think of|write to|call} {%me|us} {%on $day|soon|tonight|at night}.[0.4: {*May all your wishes come true.|Stay as you are.|Stay young and funny.}]"),
    "well": ("{Write a get well message to $n.|$n is ill. Write to $nhim.|get well card for $n|Help me write to $n, who is ill.|A get well card for $n, please.|$n has a cold. What can I write?|!Cheer up $n, who is ill.}",
             "{*get well soon|I am sad that you are ill|I think of you}. {%Drink|Have|Make} {%some|a lot of} {%hot|good|warm|sweet} {%tea|milk|soup|water}, {%sleep|rest|stay in bed} {%until $day|all day|a lot|as long as you can} and {%read|hear|write} a {%funny|good|short|sweet|quiet} {%book|story|poem|song|letter}."
             " I {%can|will} {%bring|make|cook|buy} you {%some|a little} {%soup|fruit|bread|tea|cake} {%tonight|tomorrow|on $day|after work} and {%feed|look after} your {%dog|cat|birds|horse}.[0.4: {*The doctor knows what to do.|You will be fine soon.|You need a good rest.}]"),
}
LETTERS = {kind: (request, words(body)) for kind, (request, body) in LETTERS.items()}
GIFTS = ["book", "scarf", "flowers", "tea", "cake", "picture", "plant", "cup", "hat", "puzzle"]
ONE_GIFT = [g for g in GIFTS if g != "flowers"]


def person(d, kind):
    name = d.choose(NAMES)
    d.slots.update(n=name, nhim=PRONOUN[name][2], nhis=PRONOUN[name][1])
    d.anchor = "n"
    d.lazy(("day",), lambda: (d.choose(DAYS) if d.in_prompt else d.prefer(DAYS),))
    d.lazy(("gift",), lambda: (d.prefer(ONE_GIFT),))
    d.key = [kind, name]
    return name


def frame(d, body):
    d.begin()
    d.say("{*Dear $n,|Hi $n,|Hello $n,}\n\n")
    text = d.line(body)
    d.fixed(text)
    d.say("[0.3: {%Take care|I think of you|I wait for you|Stay well|Be happy}.]" if not text.endswith("?") else "")
    d.say("\n\n{*See you soon|Best wishes|Best regards}[0.3:, {%your|from your} {%friend|old friend|neighbour}]")
    d.end()


def letter(d):
    kind = d.choose(list(LETTERS))
    person(d, kind)
    request, body = LETTERS[kind]
    d.ask(request)
    frame(d, body)


PARTIES = ["party", "dinner", "picnic", "concert", "garden party"]


def invitation(d):
    person(d, "invitation")
    d.lazy(("party",), lambda: (d.choose(PARTIES) if d.in_prompt else d.prefer(PARTIES),))
    d.ask("{Write an invitation to $n for my $party on $day.|Invite $n to my $party on $day.|Write a short invitation for $n.|I want to invite $n to my $party.|invitation for $n: $party on $day"
          "|Help me invite $n to a $party.|My $party is on $day. Invite $n.|A short invitation for $n, please.|!Ask $n in a letter to come to my $party.}")
    frame(d, words("{*my $party is on $day, and you must come|I would like to invite you to my $party on $day|I want to see you at my $party on $day}. {%We start|We meet|It starts} at {%five|six|seven|eight|four} {%in the garden|at my house|by the sea|at school|under the old tree|in the park}"
                   ", and {%there will be|we have} {%good|some|new|old|hot} {%music|cake|soup|songs|tea|games} and {%a lot of|many|some} {%old friends|music|stories|flowers|dogs}. {%Bring|Take} {%a friend|your sister|a song|a warm coat|your dog|a cake|a story} and {%come|be} {%early|in time|happy|hungry}.[0.4: {*Please tell me if you come.|You can stay until late.|You may bring a guest.}]"))


DAYS_OF = {"a good day": "good", "a bad day": "bad", "a rainy day": "rainy", "a day at the sea": "sea", "a day in the mountains": "high", "a long day at work": "work", "my first day at school": "school", "a quiet Sunday": "quiet"}
ENTRIES = {
    "good": "I {%found|got|won|made} a {%new|red|blue|small|warm|strange} {%cup|book|hat|bag|letter|song|watch} {%at the market|at school|in the park|by the sea} and {%sang|smiled|laughed} {%all day|all the way home|for hours}.",
    "bad": "I {%lost|forgot|broke} my {%new|old|red|blue|small|good} {%key|cup|bag|watch|letter|phone|bike} {%on the bus|at the station|in a shop|at school} and {%lost|forgot} {%my way|a name|the time|my coat}.",
    "rainy": "the {%rain|water|snow} {%fell|ran|came} {%on the|over the|down the} {%garden|window|road|hill|trees} {%all day|for hours|without end}, and I {%read|cooked|sang|sat|wrote} {%in bed|by the fire|in the kitchen|alone}.",
    "sea": "the {%water|wind|sky|sea} was {%cold|blue|green|calm|wild|warm|quiet}, and we {%sang|played|sat|ate|ran} {%near|by|behind} {%a|the} {%boat|rock|bridge|hill|big stone} and {%found|saw|had} {%fish|birds|bread|cheese|fruit}.",
    "high": "we {%saw|met|heard} {%an eagle|a deer|a goat|a wolf|a horse|a bear} {%near|behind|by} {%a|the} {%tree|wall|bridge|road|hill} and {%sat|ate|sang|read} in the {%snow|sun|wind|grass|rain}.",
    "work": "I {%wrote|read|sent|lost} {%a long|a short|a strange|an important} {%letter|report|message|list|test} and {%sat|stayed} {%in meetings|at my table|on the phone|alone} {%for hours|all day|until six|until dark}.",
    "school": "the teacher was {%kind|strict|funny|young|old|quiet|happy|clever}, and I {%sat|sang|played|ate|read} with {%a shy|a big|a funny|a quiet} {%boy|girl|child|friend}.",
    "quiet": "I {%read|sat|stayed} {%in bed|in the garden|at home|by the window|alone} {%until ten|for hours|all day} and {%made|had|took} {%some|a lot of} {%tea|coffee|soup|hot milk|cake|bread} {%with my cat|with friends|with a book|with my sister}.",
}


def diary(d):
    topic = d.choose(list(DAYS_OF))
    d.slots.update(topic=topic)
    d.anchor = "topic"
    d.ask("{Write a diary entry about $topic.|Write a short diary entry about $topic.|diary entry: $topic|I want to write in my diary about $topic.|A diary entry about $topic, please.|My diary should tell of $topic. Write it."
          "|Help me with my diary: $topic|Describe $topic as in a diary.|!Dear diary: $topic. Go on.}")
    d.begin()
    bright = DAYS_OF[topic] not in ("bad", "work")
    d.say("{*Dear diary,|My dear diary,|My good diary,}\n\n{%today|this} was $topic. {%In the morning|After breakfast|At nine|At ten}, ")
    d.say("$entry", entry=d.line(ENTRIES[DAYS_OF[topic]]))
    d.say(" {%In the afternoon|Then|At four|At six}, {%my sister|my mother|my uncle|a friend|my teacher} {%called|came|wrote} and {%told me|knew|had} {%something new|a secret|a story|a joke|good news} about {%a|the} {%dog|king|car|garden|house|book|concert|party}.")
    d.say("[0.4: {*What a day!|I will not forget this.|I still think about it.}]")
    d.say("[0.65: {%Now|At last} the {%moon|house|street|sky|cat|sea} is {%quiet|dark|calm|white|warm}, and I {%feel|am} " + ("{%happy|calm|glad|proud|free|well}" if bright else "{%tired|sad|cold|angry|old|lonely}") + " {%tonight|again|and sleepy}.]"
          "[0.5: {%On Monday|Next week|In the summer} I {%will|want to|must} {%rest|sing|start again|go there again|write more|sleep more}.]")
    d.end()


SCENES = {"a market": ("people", "{%apples|flowers|fish|cheese|bread|eggs}"), "a harbour": ("boats", "{%birds|water|sailors|fish|bags|boxes}"),
          "a forest": ("trees", "{%flowers|stones|birds|grass|snow|light}"), "a kitchen": ("pots", "{%bread|eggs|fruit|cups|books|cheese}"),
          "a street in winter": ("houses", "{%snow|children|dogs|cars|bikes|light}"), "a garden": ("trees", "{%bees|apples|birds|chairs|grass|plums}"),
          "a train station": ("people", "{%bags|clocks|children|bikes|dogs|soldiers}"), "a beach": ("stones", "{%shells|birds|towels|boats|children|balls}"),
          "a library": ("tables", "{%books|lamps|students|chairs|maps|letters}"), "a farm": ("animals", "{%hens|goats|ducks|horses|eggs|stones}")}


def picture(d):
    scene = d.choose(list(SCENES))
    things, detail = SCENES[scene]
    d.slots.update(scene=scene, things=things)
    d.anchor = "scene"
    d.ask("{Describe a picture of $scene.|Describe a painting of $scene.|What could a picture of $scene show?|picture of $scene|Imagine a picture of $scene.|Paint $scene in words.|I want to paint $scene. Describe it."
          "|A description of $scene, please.|What do you see in a picture of $scene?|!Draw me $scene with words.}")
    d.begin()
    d.say(words("{*The picture shows|In the picture there is|In this picture you see} $scene {%in the morning|at noon|at night|in the evening|after the rain}. {%On the left|On the right|In the middle} {%are|you see|I see} {%some|many|three|two|seven|a few} {%old|big|small|strange|lovely|simple} $things"
                ", {%behind|near|under|between} them {%are|I see|you find} {%some|a lot of} " + detail + ".[0.65: {%The light|The air|The sky|The wind} is {%cold|soft|clear|grey|warm|white|quiet}[ and {%full of birds|calm|strange|sweet}].]"
                "[0.65: A {%young|small|tired|happy|quiet|lonely|proud} {%girl|woman|man|boy|child|teacher} in a {%red|blue|long|warm|green|black} {%coat|hat|dress|scarf} {%reads|sings|eats|smiles|waits|sleeps|draws}.]"
                "[0.4: {*Nobody is in a hurry.|It must be Sunday.|It could be a dream.}]"
                "[0.5: {%It|The picture} {%feels|seems} {%calm|lonely|happy|warm|strange|sad|like a dream|like home}.]"))
    d.end()
