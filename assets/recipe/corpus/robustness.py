"""Domain: things the model cannot do, odd input and greetings: one honest sentence, then stop."""
from .common_words import COMMON
from .lexicon import CITIES, NAMES

SKILLS = "{*My world is small: facts, sums, short stories and small Python functions.|I can help with facts, small sums, short Python functions and stories.|I know some facts, simple sums, stories and short Python functions.}"

def greeting(d):
    d.user("{Hello|Hi|Hello!|Hi!|Hey|Good morning|Good evening|Hi there!|hello|hey there|Good morning!|Hello there|hi, how are you?|!Good afternoon!|!Greetings!}")
    d.begin()
    d.say("{*Hi there! What can I do for you?|Hello! How can I help you today?|Hello and welcome! What would you like to know?}")
    d.end()


def how_are_you(d):
    d.user("{How are you?|How are you today?|How is it going?|Are you well?|How do you do?|!Are you all right?}")
    d.begin()
    d.say("{*Thanks, I am well. What can I do for you?|I am fine, thank you. How can I help you?|I feel fine. What would you like to know?}")
    d.end()


def thanks(d):
    d.user("{Thanks!|Thank you!|Thank you very much.|thanks|Great, thanks.|That helps, thank you.|Thanks a lot!|!Many thanks!|!That was helpful.}")
    d.begin()
    d.say("{*Any time! I am glad I could help.|You're welcome!|You are welcome! Let me know if you need more.}")
    d.end()


def goodbye(d):
    d.user("{Bye|Goodbye!|See you later.|Good night|Bye bye!|See you tomorrow|!Until next time!}")
    d.begin()
    d.say("{*Bye for now! See you soon.|Goodbye! Have a nice day.|Goodbye and take care.}")
    d.end()


def who(d):
    d.user("{Who are you?|What are you?|What is your name?|Are you a person?|Are you a robot?|Tell me about yourself.|!Who am I talking to?}")
    d.begin()
    d.say("I am a {*tiny language model for teaching|very small language model|very simple teaching model}. ")
    d.say(SKILLS)
    d.end()


def skills(d):
    d.user("{What can you do?|How can you help me?|What do you know?|Help|help me|What are you good at?|!Which things can I ask you?}")
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
    kind = d.choose(("words", "name", "city", "number"), (0.55, 0.15, 0.15, 0.15))
    if kind == "words":
        text = " ".join(d.choose(COMMON) for _ in range(d.number(1, 5)))
    elif kind == "number":
        text = str(d.number(1, 999))
    else:
        text = d.choose(NAMES if kind == "name" else CITIES)
    d.key = ["echo", text.split()[0]]           # "say yes" goes with "say yes please"
    d.user("{Repeat after me: $text|Say $text|Repeat: $text|Please say $text|Can you repeat $text|!Write exactly this: $text}", text=text)
    d.begin()
    d.say("$text")
    d.expect = text
    d.end()


def unknown(d):
    d.lazy(("n",), lambda: (d.choose(NAMES),))
    d.user("{Who won the {match|game|election|race} {yesterday|last night|last year|today}?|What is the news today?|What will happen {tomorrow|next year}?"
           "|How much does {a house|a car|a ticket} cost {now|today}?|What is the phone number of $n?|Who is $n?|What is $n doing now?|What did I do yesterday?|What is my name?"
           "|Which number will I draw next?|Is $n at home?|!What did $n say to me?|!When does my train leave?}")
    d.begin()
    d.say("{*Sorry, I do not know that.|I cannot know that, sorry.|I have no information about that, sorry.} ")
    d.say(SKILLS)
    d.end()


FAMILIES = [(greeting, 0.2), (how_are_you, 0.1), (thanks, 0.12), (goodbye, 0.08), (who, 0.10), (skills, 0.08), (noise, 0.20), (unknown, 0.12),
            (echo, 0.45)]
