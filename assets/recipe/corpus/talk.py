"""Role play, poems, feelings and small dialogues."""
from .grammar import a_or_an
from .lexicon import STORY_ANIMALS
from .stories import words

# who: (greeting, a sentence, farewell); {%...} leans on who speaks
ROLES = {
    "a pirate": ("{%Ahoy, my friend|Ahoy there|Arr, welcome}!", "My {%ship|boat|crew|bird|map|coat} is {%fast|old|big|strong|hungry|black|angry}, and we {%sing|fight|swim|run|look} for {%gold|fish|an island|money|rice|the sea} {%all night|every day|until morning|in the storm}", "{%Arr|To the sea|Look out|Drink up}!"),
    "a knight": ("{%Greetings, good friend|Welcome, my friend|Hail, my friend}!", "My {%horse|coat|sword|heart|castle|dog} is {%old|fast|strong|black|heavy|ready|brave}, and I {%keep|love|serve|fight for} the {%king|queen|castle|bridge|city|truth} {%day and night|every winter|with honour|alone}", "{%Be brave|Be true|Ride well|Good night}!"),
    "a robot": ("{%Hello, human|Beep. Hello|Greetings, human}.", "My {%memory|head|left arm|voice|heart|battery} is {%full|clean|new|warm|empty|cold|strange}, and I {%counted|sorted|lost|found} {%your socks|the stars|all numbers|some cups|seven birds} {%twice|today|in a second|again}", "{%Beep|End of message|All is well|Good night, human}."),
    "a grandmother": ("{%Hello, my dear|Come in, my dear|Oh, how nice to see you}!", "The {%soup|cake|tea|bread|rice|coffee} is {%hot|ready|sweet|warm|good}, so {%sit down|take a chair|wash your hands|stay here|eat} and {%tell me|read me|sing me|show me} {%a story|everything|a song|your book|your plan}", "{%Eat more|Come again|Sleep well|Call your mother|Wear a hat}!"),
    "a wizard": ("{%Welcome, young one|Ah, a friend|Good evening, my child}.", "My {%book|old hat|cat|room|garden|castle} is {%full of|made of|known for} {%secrets|dreams|wind|light|stars|strange songs}, and the {%moon|birds|wind|trees|cats|sea} {%know|tell|sing|love|forget} {%my name|the truth|everything|the way}", "{%Now sleep|Drink this|Read on|Good night}!"),
    "a detective": ("{%Good evening|Do not move|Sit down, please}.", "The {%window|letter|clock|door|book|key} was {%open|wrong|red|warm|old|lost}, so the {%cook|uncle|doctor|teacher|king|painter} {%was|sat|stayed} {%in the garden|not alone|here at nine|at the station|at home|with the queen}", "{%Follow me|I know you|Sit down|Tell the truth}."),
    "a cook": ("{%Welcome to my kitchen|Come in|Good evening}!", "The {%fish|soup|rice|meat|bread|fruit} needs {%salt|time|butter|water|more fire|cheese|honey}, and the {%pot|water|oven|meal|table|kitchen} is {%hot|full|ready|clean|cold|too small}", "{%Eat|Enjoy|Bring salt|Wash your hands|Sit down}!"),
    "an astronaut": ("{%Hello, Earth|Good morning from space|Hello from the moon}!", "The {%moon|Earth|sun|station|sky|sea} looks {%small|blue|quiet|strange|white|cold|empty} {%from here|tonight|today|again}, and my {%soup|coat|book|watch|coffee|bread} {%flies|sleeps|goes|swims} {%past me|to the door|away|over my head}", "{%Good night, Earth|Send coffee|See you in May|All is well}!"),
    "a cat": ("{%Meow|Purr|Oh, it is you}.", "The {%bed|chair|window|table|book|garden} is {%mine|warm|soft|small|too cold|taken}, and {%my|the} {%fish|milk|mouse|meat|water} is {%late|cold|gone|not here|too small|far away} {%again|today|as always|tonight}", "{%Open the door|Feed me|Now I sleep|Stay there|Bring fish}."),
}


def role(d):
    who = d.choose(list(ROLES))
    hello, middle, bye = ROLES[who]
    d.anchor = "w"
    d.ask("{Talk like $w.|Say hello like $w.|Pretend that you are $w.|Speak like $w.|Be $w for a moment.|What would $w say?|Answer like $w.|Play $w.|How does $w greet me?|I want to talk to $w.|Greet me as $w.|act like $w"
          "|Imagine that you are $w.|!How would $w talk?|!Take the part of $w.}", w=who)
    d.begin()
    d.say(f"{hello} {middle}.[0.65: {bye}]")
    d.end()


SAY = "I {%dream of|sing to|think of|wait for|write to|read to|talk to|dance with} $topic "
RHYMES = {
    "night": (SAY + "in the {%cold|warm|quiet|dark|long|short|last} night,", "and {%my heart|my room|the world|the street|the sea|my house|the sky} is {%quiet|warm|still|soft|full|calm} and {%full of|like the|in the} light."),
    "day": (SAY + "{%every|the whole|this warm|this cold|one} day,", "and {%every|a small|a quiet|an old} {%song|bird|star|wind|cloud|dream} will {%find|know|show|see|sing} {%its|the|a|my} way."),
    "sea": (SAY + "by the {%cold|warm|quiet|dark|blue|green|old} sea,", "and {%all the|the white|the small|the old} {%birds|winds|clouds|songs|boats|stars} {%come back to|sing for|look at|play with|laugh with} me."),
    "sky": (SAY + "under the {%cold|warm|quiet|dark|blue|red|white} sky,", "and {%white|small|old|strange|happy} {%clouds|birds|songs|hours|dreams} {%are passing|run|dance|fly} by."),
    "rain": (SAY + "in the {%cold|warm|quiet|dark|soft|green|long} rain,", "and {%run|smile|wake|sing|eat|swim} and {%laugh|hope|read|play} and {%dance|dream|fly|love} again."),
}
TOPICS = ["the moon", "the sea", "the rain", "spring", "a cat", "the night", "winter", "a tree", "the wind", "autumn", "a river", "snow", "a star", "my home"]
MIDDLE = ("{*Each hill is soft, each path is steep,|The world is wide, the sea is deep,|The trees are still, the shadows creep,}\n"
          "{*while $topic sings the town to sleep.|and there are dreams for us to keep.|and all the little children sleep.}",
          "The {%grass|sky|street|field|sea|snow} is {%green|white|grey|wide|warm|cold|dark}, the {%hours|days|nights|winters|roads} are long,\nI {%hear|know|love|sing|need|write} {%an old|a new|a sweet|a short|a strange} and {%quiet|simple|happy|small|warm|sad} song.",
          "{%My friend|Dear friend|My love|My child}, {%come near|come in|sit down|stay here} and {%stay|rest|laugh|sing|eat|dream} with me,\n{%we are|we feel|we will be} as {%light|free|young|warm|quiet|happy} as {%birds|snow|clouds|the wind|the sky|a song} can be.")


def poem(d):
    topic = d.choose(TOPICS)
    d.slots["topic"] = topic
    d.anchor = "topic"
    d.ask("{~Write a short poem about $topic.|Write a poem about $topic.|~A poem about $topic, please.|Can you write a little poem about $topic?|~poem about $topic|Make a poem about $topic.|I would like a poem about $topic."
          "|Write some verses about $topic.|Four lines about $topic, please.|Let me hear a poem about $topic.|I love $topic. Write a poem.|Give me a poem about $topic.|!Please rhyme a few lines about $topic.|!Sing of $topic in verse.}")
    d.begin()
    first, second = RHYMES[d.prefer(list(RHYMES))]
    d.say(first + "\n" + second + "\n")
    d.say(MIDDLE[d.mode((0, 1, 2), (0.4, 0.33, 0.27))])
    d.end()


FEELINGS = [
    ("I am sad today.|I feel sad.|I had a bad day.|Today nothing works.|I am a bit down.", "{*That sounds hard.|I am sorry to hear that.|I feel with you.} {%A short walk|A cup of tea|A warm bath|Some music} {%may|might|could|will} {%help|do you good|bring some light}.", 0),
    ("I am so happy!|I had a great day!|Today was a good day.|Everything is wonderful today.", "{*That is great to hear!|I am happy for you!|I like to hear that!} {%Enjoy|Celebrate|Remember} {%the rest of the day|this moment|every minute}!", 1),
    ("I am tired.|I am so tired today.|I did not sleep well.|so tired", "{*Try to rest for a while.|You should take a short break.|You can go to bed early tonight.} {%A glass of water|Fresh air|A warm soup|An apple} {%helps|is good|may help} {%too|a little|right now}.", 2),
    ("I am hungry.|I want to eat something.|I have not eaten yet.|My stomach is empty.", "{*How about some bread and cheese?|You could make a quick soup.|You might eat an apple first.} {%It|That} {%takes|needs} {%only|just} {%five|ten|a few} minutes.", 3),
    ("I am bored.|There is nothing to do.|I do not know what to do.|so boring today", "{*How about a walk?|You could read a book.|You might call a friend.} {%Or|Maybe} {%bake|paint|write|repair} something {%small|new|for a friend|for fun}.", 4),
    ("I have a test tomorrow.|My exam is tomorrow.|Tomorrow I have a test.|Tomorrow is the big exam.", "{*Good luck with the test!|You can do it!|You will do well!} {%Sleep|Eat|Rest} {%well|early|enough} {%tonight|this evening} and {%read|check|look at} your {%notes|summary|plan} {%once more|in the morning}.", 5),
    ("It is raining.|The weather is bad today.|It is cold outside.|What a storm outside!", "{*Then it is a good day for a book.|A cup of tea would be nice now.|A warm soup would be nice now.} {%Bake|Read|Draw|Cook} something {%and|then} {%wait for the sun|listen to the rain|enjoy the warm room}.", 6),
    ("I am nervous.|I am afraid of tomorrow.|I worry a lot.", "{*Take a slow breath.|You are not alone with that.|You can do this.} {%Write down|Tell a friend|Say aloud} what {%worries|scares|bothers} you{%| today| tonight}.", 7),
    ("I am lonely.|I miss my friends.|Nobody calls me.", "{*Many people feel that way.|I am here to talk.|I hear you.} {%Call|Write to|Visit} {%an old friend|a neighbour|your family} {%today|this week|now}.", 8),
]


def feeling(d):
    said, answer, number = d.choose(FEELINGS)
    d.slots["mood"] = number
    d.anchor = "mood"
    d.ask("{" + said + "}")
    d.begin()
    d.say(answer)
    if number not in (1, 3):
        d.say("[0.5: {%Tomorrow|Soon|Later} {%you will|you may} {%feel better|smile about it|be glad}.]")
    d.end()


PAIRS = [(a, b) for a in STORY_ANIMALS[:10] for b in STORY_ANIMALS[:10] if a < b]


def dialogue(d):
    a, b = d.choose(PAIRS)
    d.slots.update(x=a, y=b, ax=a_or_an(a), ay=a_or_an(b), X=a.capitalize(), Y=b.capitalize())
    d.anchor = "x"
    d.key = ["dialogue", a, b]
    d.ask("{Write a short dialogue between $ax and $ay.|Write a talk between $ax and $ay.|What do $ax and $ay talk about?|dialogue: $x and $y|Let $ax and $ay talk.|A small dialogue of $ax and $ay, please.|$X meets $y. What do they say?"
          "|I want to read a talk between $ax and $ay.|Invent a dialogue between $ax and $ay.|!What would $ax say to $ay?}")
    d.begin()
    d.say(words("$X: {%Good morning|Hello|Hey|Good evening}, {%$y|my friend|neighbour|old friend|little one}! {%Where|Why} do you {%run|walk|sing|read|sit|dance|sleep} {%today|so early|alone|again|in this wind}?\n"))
    d.anchor = "y"
    d.say(words("$Y: I {%need|want|found|lost|love|forgot} {%some|a lot of|the last} {%honey|bread|money|music|tea|water|books|fruit}. {%My|The} {%house|room|kitchen|bed|garden|village|street} is {%cold|empty|small|quiet|strange|dark|wet} {%today|again|this week|at night}.\n"))
    d.say(words("$X: {%Then|Well, then} {%come|walk|go|run} {%with me|to my house|to the market|to the sea|home} and {%eat|drink|sleep|sing|play} {%with me|with us|there|until morning}! {%I have|There is|We will find} {%enough|good soup|warm bread|cheese|a lot of fruit}.[0.55:\n$Y: {%Thank you|Yes|With joy|How kind}! {%You are|I call you} a {%good|true|real|dear|kind|great} {%friend|neighbour|$x}.]"))
    d.end()
