"""Domain: things the model cannot do, odd input and greetings: one honest sentence, then stop."""
from .common_words import COMMON
from .facts_data import COUNTRIES
from .lexicon import CITIES, NAMES

HELLO = "{*Hi there! What can I do for you?|Hello! How can I help you today?|Hello and welcome! What would you like to know?}"
WELCOME = "{*Any time! I am glad I could help.|You're welcome!|You are welcome! Let me know if you need more.}"
WHO = "I am a {*tiny language model for teaching|very small language model|very simple teaching model}. "
SKILLS = "{*My world is small: facts, sums, short stories and small Python functions.|I can help with facts, small sums, short Python functions and stories.|I know some facts, simple sums, stories and short Python functions.}"


def greeting(d):
    d.user("{Hello|Hi|Hello!|Hi!|Hey|Good morning|Good evening|Hi there!|hello|hey there|Good morning!|Hello there|hi, how are you?|!Good afternoon!|!Greetings!}")
    d.begin()
    d.say(HELLO)
    d.end()


def how_are_you(d):
    d.ask("{How are you?|How do you feel?|How is your day?|How do you feel today?|How are you today?|How is it going?|Are you well?|How do you do?|!Are you all right?}")
    d.begin()
    d.say("{*Thanks, I am well. What can I do for you?|I am fine, thank you. How can I help you?|I feel fine. What would you like to know?}")
    d.end()


def thanks(d):
    d.user("{Thanks!|Perfect, thank you.|ok thanks|That was great.|Very nice, thanks!|Cool, thank you|Thank you!|Thank you very much.|thanks|Great, thanks.|That helps, thank you.|Thanks a lot!|!Many thanks!|!That was helpful.}")
    d.begin()
    d.say(WELCOME)
    d.end()


def goodbye(d):
    d.user("{Bye|bye|I have to go now.|That is all for today.|Have a nice day!|Goodbye!|See you later.|Good night|Bye bye!|See you tomorrow|!Until next time!}")
    d.begin()
    d.say("{*Bye for now! See you soon.|Goodbye! Have a nice day.|Goodbye and take care.}")
    d.end()


def who(d):
    d.ask("{Who are you?|What are you?|What is your name?|What kind of model are you?|Do you have a name?|Are you real?|How big are you?|Who made you?|Introduce yourself.|Say something about yourself.|Are you like other chatbots?|Are you a person?|Are you a robot?|Tell me about yourself.|!Who am I talking to?}")
    d.begin()
    d.say(WHO)
    d.say(SKILLS)
    d.end()


def skills(d):
    d.ask("{What can you do?|How can you help me?|What do you know?|What can I ask you?|Which questions can you answer?|What are you for?|I do not know what to ask.|Show me what you can do.|What did you learn?|Give me an overview.|List your skills.|Help|help me|What are you good at?|!Which things can I ask you?}")
    d.begin()
    d.say(SKILLS)
    d.end()


def noise(d):
    if d.chance(0.35):
        text = "".join(d.choose("asdfghjklqwertyuiopzxcvbnm") for _ in range(d.number(3, 10)))
    else:
        text = " ".join(d.choose(COMMON) for _ in range(d.number(1, 6)))
    d.key = ["noise", text]
    d.user_text(text)
    d.begin()
    d.say("{*I am not sure what you mean.|Sorry, I do not understand that.|Sorry, that is not clear to me.} ")
    d.say(SKILLS)
    d.end()


def echo(d):
    """Repeating what was said: the plainest exercise in copying."""
    kind = d.choose(("words", "list", "pair", "name", "city", "number"), (0.4, 0.25, 0.1, 0.1, 0.1, 0.05))
    if kind == "words":
        text = " ".join(d.choose(COMMON) for _ in range(d.number(1, 6)))
    elif kind == "list":
        text = ", ".join(d.choose(COMMON) for _ in range(d.number(2, 5))) + " and " + d.choose(COMMON)
    elif kind == "pair":
        text = d.choose(COMMON) + " and " + d.choose(COMMON)
    elif kind == "number":
        text = str(d.number(1, 999))
    else:
        text = d.choose(NAMES if kind == "name" else CITIES)
    d.key = ["echo", text.split()[0].rstrip(",")]           # "say yes" goes with "say yes please"
    d.copied = True
    d.ask("{Repeat after me: $text|Say $text|Repeat: $text|Repeat $text|Write $text|Copy this: $text|Echo: $text|Answer with $text|Just say $text|Repeat these words: $text|What I want to read is $text|!Write exactly this: $text}", text=text)
    d.begin()
    d.say("$text")
    d.expect = text
    d.end()


def unknown(d):
    d.lazy(("n",), lambda: (d.choose(NAMES),))
    d.ask("{Who won the {match|game|election|race} {yesterday|last night|last year|today}?|What is the news today?|What will happen {tomorrow|next year}?"
           "|How much does {a house|a car|a ticket} cost {now|today}?|What is the phone number of $n?|Who is $n?|What is $n doing now?|What did I do yesterday?|What is my name?"
           "|Which number will I draw next?|Is $n at home?|Where do I live?|What is my phone number?|When was I born?|How much money do I have?|Where are my keys?|What did $n eat today?|Did $n call me?|How old is $n?|Where does $n work?|When does the {film|concert|shop} {start|open|close}?|What is in the news?|Who called me {yesterday|this morning|last night}?|What time is it now?|What day is it today?|Will I be happy?|What am I thinking?|How is $n today?|!What did $n say to me?|!When does my train leave?}")
    d.begin()
    d.say("{*Sorry, I do not know that.|I cannot know that, sorry.|I have no information about that, sorry.}[0.3: {%My world is small.|Nobody told me.|I only know my training text.}] ")
    d.say(SKILLS)
    d.end()


def outside(d):
    """Requests that are clear but larger than the model's little world."""
    d.lazy(("n",), lambda: (d.choose(NAMES),))
    d.lazy(("city",), lambda: (d.choose(CITIES),))
    d.lazy(("c",), lambda: (d.choose([c for c in COUNTRIES if " " not in c]),))
    d.ask("{Who is the president of $c?|How many people live in $city?|What is the history of $c?|Book a flight to $city.|How do I get from $city to $c?|Which hotel in $city is cheap?"
          "|Write a {novel|long essay|song text|business plan|contract}.|Explain {quantum theory|the stock market|tax law|the war|philosophy} to me.|Draw a picture of $n.|Send an email to $n.|Play some music.|Open the window."
          "|What is the {price|value} of gold?|Which {shares|phone|car|film} should I buy?|What is the {square root|logarithm} of {7|50|1000}?|Translate this page.|Who wrote the best book?|How do I repair my {car|phone|washing machine}?"
          "|Which {pills|medicine} should I take?|What does my dream mean?|Is there life on Mars?|Build me a website.|Write a program in {Java|Rust|C}.|Summarise this article.|What do you think about politics?|Who is the richest person?|Find a doctor in $city."
          "|How tall is the highest tower in $city?|What is the best restaurant in $city?|When was $city founded?|!Which team plays in $city?|!Tell me a joke about $c.|!Fix my computer.}")
    d.begin()
    d.say("{*That is too big for me, sorry.|I cannot do that, sorry.|I have not learned that, sorry.}[0.3: {%My world is small.|I am a very small model.|Maybe another model can help.}] ")
    d.say(SKILLS)
    d.end()


FAMILIES = [(greeting, 0.2), (how_are_you, 0.1), (thanks, 0.12), (goodbye, 0.08), (who, 0.10), (skills, 0.08), (noise, 0.20), (unknown, 0.13), (outside, 0.14),
            (echo, 0.9)]
