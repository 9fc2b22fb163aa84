"""Domain: tool calls.  The system turn lists tools, the answer is a <tool_call> with JSON, and sometimes the tool's
response and a closing sentence follow.  Here: the tools written by hand; composed.py: tools drawn from lexicons;
json_tasks.py: small "write this as JSON" tasks; json_tables.py: tables and schemas, long and regular.  A call leaves nothing to choose.
"""
import json

from .composed import composed, two_calls
from .json_tables import json_schema, table_to_json
from .json_tasks import to_json
from .lexicon import CITIES, DAYS, NAMES
from .robustness import SKILLS, WELCOME, WHO

TASK_WORDS = ["buy milk", "call the dentist", "water the plants", "pay the rent", "clean the kitchen", "feed the cat",
              "send the report", "book a table", "read chapter two", "fix the bike", "wash the car", "write a letter"]
DISHES = ["soup", "pasta", "salad", "pizza", "rice", "pancakes", "stew", "curry", "bread", "tacos"]
SONGS = ["jazz", "rock", "piano music", "folk songs", "dance music", "classical music"]
LANGUAGES = ["French", "German", "Spanish", "Italian", "Japanese", "Polish", "Greek", "Dutch"]
PHRASES = ["good morning", "thank you", "see you soon", "how are you", "good night", "where is the station", "I am hungry"]
ROOMS = ["kitchen", "bedroom", "living room", "bathroom", "office", "hall"]
CURRENCIES = ["euro", "dollar", "pound", "yen", "franc", "peso"]
SKY = ["sun", "rain", "snow", "clouds", "wind", "fog"]
TOPICS = ["volcanoes", "the moon", "bees", "trains", "chess", "old castles", "healthy food", "rivers", "robots", "trees"]
EVENTS = ["meeting", "concert", "birthday party", "dinner", "lesson", "football match"]
WORDS = ["river", "justice", "energy", "winter", "village", "music", "freedom", "market", "engine", "honest"]
TIMES = ["7:00", "7:30", "8:00", "9:15", "10:00", "12:30", "14:00", "15:45", "18:00", "20:00"]


def pick(pool):
    return lambda d: d.choose(pool)


def num(low, high):
    return lambda d: d.number(low, high)


CITY, DAY, NAME = pick(CITIES), pick(["today", "tomorrow"] + DAYS), pick(NAMES)

# name: (parameters {name: (type, drawer)}, requests, response {field: drawer}, closing sentence)
TOOLS = {
    "get_weather": ({"city": ("string", CITY), "day": ("string", DAY)},
        "{What is the weather in $city $on?|How is the weather in $city $on?|Will it rain in $city $on?|Weather in $city $on?|Tell me the weather in $city $on.|Check the weather in $city $on.|Give me the weather for $city $on.|How warm is it in $city $on?|Is it cold in $city $on?|Do I need an umbrella in $city $on?|weather, $city, $on|$city weather $on|What will the weather in $city be like $on?|I am in $city $on. What is the weather?|Find out how the weather is in $city $on.|!What does the sky look like in $city $on?|!I need the forecast for $city $on.}",
        {"temperature": num(-5, 32), "sky": pick(SKY)},
        "{*In $city it will be $temperature degrees with $sky.|The forecast for $city is $temperature degrees with $sky.|The weather in $city will be $temperature degrees with $sky.}"),
    "get_time": ({"city": ("string", CITY)}, "{What time is it in $city?|What is the time in $city?|Tell me the time in $city.|Time in $city now?|What does the clock say in $city?|Check the time in $city.|Give me the time in $city.|current time $city|Do you know what time it is in $city?|I have to call someone in $city. What time is it there?|$city time now|Which time do they have in $city?|!How late is it in $city?}",
        {"time": pick(TIMES)}, "{It is $time in $city.|The time in $city is $time.}"),
    "set_timer": ({"minutes": ("integer", num(2, 60))}, "{Set a timer for $minutes minutes.|Start a timer for $minutes minutes.|Timer for $minutes minutes, please.|Put $minutes minutes on the timer.|I need a timer for $minutes minutes.|timer $minutes minutes|Let me know when $minutes minutes are over.|My egg needs $minutes minutes. Set a timer.|Begin a timer of $minutes minutes.|$minutes minute timer|!Count down $minutes minutes.}",
        {"status": pick(["started"])}, "{The timer is set for $minutes minutes.|Your timer for $minutes minutes has started.}"),
    "set_alarm": ({"time": ("string", pick(TIMES)), "day": ("string", DAY)}, "{Set an alarm for $time $on.|Wake me at $time $on.|I need an alarm at $time $on.|Wake me up $on at $time.|I have to get up at $time $on.|alarm $time $on|Make an alarm for $time $on.|Put an alarm at $time $on.|I want to get up $on at $time.|!Ring at $time $on, please.}",
        {"status": pick(["set"])}, "{The alarm is set for $time $on.|Your alarm will ring at $time $on.}"),
    "add_task": ({"title": ("string", pick(TASK_WORDS)), "day": ("string", DAY)}, "{Remind me to $title $on.|Add a task: $title $on.|I have to $title $on. Please note it.|Note that I have to $title $on.|I must not forget to $title $on.|new task: $title $on|Put this on my list: $title $on|Add this to my tasks: $title $on|$on I need to $title. Remind me.|Make a note: $title $on|!Do not let me forget to $title $on.}",
        {"status": pick(["saved"])}, "{I will remind you to $title $on.|The task is saved: $title $on.}"),
    "send_message": ({"to": ("string", NAME), "text": ("string", pick(PHRASES))}, "{Send $to a message: $text|Tell $to: $text|Write to $to: $text|Message to $to: $text|Let $to know: $text|Text $to: $text|I want to tell $to: $text|Send this to $to: $text|message for $to: $text|!Pass this on to $to: $text}",
        {"status": pick(["sent"])}, "{The message to $to was sent.|I sent your message to $to.}"),
    "translate": ({"text": ("string", pick(PHRASES)), "language": ("string", pick(LANGUAGES))},
        "{Translate \"$text\" into $language.|How do you say \"$text\" in $language?|What is \"$text\" in $language?|\"$text\" in $language|Say \"$text\" in $language.|Give me \"$text\" in $language.|I need \"$text\" in $language.|How would I say \"$text\" in $language?|What does \"$text\" become in $language?|Turn \"$text\" into $language.|!Which words are used for \"$text\" in $language?}", None, None),
    "convert_currency": ({"amount": ("integer", num(2, 200)), "from": ("string", pick(CURRENCIES[:3])), "to": ("string", pick(CURRENCIES[3:]))},
        "{Convert $amount $from to $to.|How much is $amount $from in $to?|Change $amount $from into $to.|$amount $from in $to|How many $to do I get for $amount $from?|I have $amount $from. How much is that in $to?|What are $amount $from in $to?|Give me the value of $amount $from in $to.|I want to change $amount $from to $to.|!What would $amount $from be worth in $to?}", None, None),
    "find_recipe": ({"dish": ("string", pick(DISHES)), "servings": ("integer", num(2, 8))},
        "{Find a recipe for $dish for $servings people.|I want to cook $dish for $servings. Find a recipe.|How do I make $dish for $servings people? Look it up.|recipe $dish $servings people|Get me a recipe for $dish for $servings people.|I need a recipe for $dish. We are $servings.|We are $servings and want to eat $dish. Find a recipe.|Look for a recipe for $dish for $servings people.|Search a recipe: $dish, $servings people|!$dish for $servings people: is there a recipe?}",
        {"minutes": num(10, 60)}, "{I found a recipe for $dish. It takes $minutes minutes.|There is a recipe for $dish that takes $minutes minutes.}"),
    "play_music": ({"style": ("string", pick(SONGS))}, "{Play some $style.|I want to hear $style.|Start some $style.|I would like to listen to $style.|music: $style|I feel like $style.|Find some $style and play it.|Let me hear $style.|Could we have some $style?|!Put on some $style.}",
        {"status": pick(["playing"])}, "{I am playing $style now.|Here is some $style.}"),
    "set_light": ({"room": ("string", pick(ROOMS)), "on": ("boolean", lambda d: d.choose((True, False)))}, None,
        {"status": pick(["done"])}, "{The light in the $room is now $state.|Done. The $room light is $state.}"),
    "set_temperature": ({"room": ("string", pick(ROOMS)), "degrees": ("integer", num(15, 25))},
        "{Set the $room to $degrees degrees.|Make the $room $degrees degrees warm.|I want $degrees degrees in the $room.|$room $degrees degrees|The $room should have $degrees degrees.|Change the $room to $degrees degrees.|It should be $degrees degrees in the $room.|Heat the $room to $degrees degrees.|Give me $degrees degrees in the $room.|!Let the $room have $degrees degrees.}",
        {"status": pick(["set"])}, "{The $room is set to $degrees degrees.|Done. The $room will be $degrees degrees.}"),
    "book_table": ({"people": ("integer", num(2, 9)), "time": ("string", pick(TIMES[5:])), "day": ("string", DAY)},
        "{Book a table for $people at $time $on.|I need a table for $people people $on at $time.|Reserve a table for $people $on at $time.|table for $people, $on, $time|We are $people and want to eat out $on at $time. Book a table.|Get us a table for $people at $time $on.|I would like a table for $people $on at $time.|Is there a table for $people $on at $time? Book it.|!We are $people, we come $on at $time. Book a table.}",
        {"status": pick(["confirmed", "full"])}, None),
    "search": ({"query": ("string", pick(TOPICS))}, "{Search for $query.|Find something about $query.|Look up $query.|What can you find about $query?|search $query|I want to read about $query.|Do a search for $query.|Get me pages about $query.|Show me pages on $query.|What is there about $query? Search.|Search the web for $query.|!I am looking for pages about $query.}",
        {"results": num(2, 40)}, "{I found $results results about $query.|There are $results results for $query.}"),
    "find_train": ({"from": ("string", CITY), "to": ("string", CITY), "day": ("string", DAY)},
        "{Find a train from $from to $to $on.|When is there a train from $from to $to $on?|I need a train from $from to $to $on.|train $from $to $on|Show me trains from $from to $to $on.|Which trains go from $from to $to $on?|I want to go from $from to $to by train $on.|I have to be in $to $on. Find a train from $from.|Look for a train to $to from $from $on.|Is there a train from $from to $to $on?|!How do I get from $from to $to by train $on?}",
        {"departure": pick(TIMES)}, "{The train to $to leaves at $departure.|There is a train from $from to $to at $departure.}"),
    "calculate": ({"expression": ("string", lambda d: f"{d.number(100, 999)} {d.choose(['+', '-', '*'])} {d.number(100, 999)}")},
        "{What is $expression?|Calculate $expression.|Compute $expression.|sum: $expression|Work out $expression.|How much is $expression?|I need the result of $expression.|calculator: $expression|Give me the result of $expression.|!Find the value of $expression.}", None, None),
    "get_distance": ({"from": ("string", CITY), "to": ("string", CITY)}, "{How far is it from $from to $to?|What is the distance from $from to $to?|Distance from $from to $to?|Find the distance between $from and $to.|distance $from $to|How long is the way from $from to $to?|Give me the distance from $from to $to.|How far apart are $from and $to?|Measure the way from $from to $to.|I go from $from to $to. How far is that?|!How many kilometres are between $from and $to?}",
        {"kilometres": num(50, 900)}, "{It is $kilometres kilometres from $from to $to.|The distance is $kilometres kilometres.}"),
    "add_event": ({"title": ("string", pick(EVENTS)), "day": ("string", DAY), "time": ("string", pick(TIMES))},
        "{Add a $title $on at $time to my calendar.|Put a $title $on at $time in my calendar.|I have a $title $on at $time. Add it to the calendar.|$title $on at $time. Put it in my calendar.|new event: $title, $on, $time|Note a $title $on at $time in the calendar.|There is a $title $on at $time. Save it.|Plan a $title $on at $time.|Make an entry for a $title $on at $time.|!My calendar needs a $title $on at $time.}",
        {"status": pick(["added"])}, "{The $title $on at $time is in your calendar.|I added the $title $on at $time.}"),
    "send_email": ({"to": ("string", NAME), "subject": ("string", pick(TOPICS))}, "{Write an email to $to about $subject.|Send $to an email about $subject.|Email $to about $subject.|I want to write to $to about $subject.|Make an email to $to about $subject.|email to $to: $subject|Prepare an email about $subject for $to.|$to should get an email about $subject.|Send an email about $subject to $to.|!Mail $to something about $subject.}",
        {"status": pick(["sent"])}, "{The email to $to was sent.|I sent the email about $subject to $to.}"),
    "define_word": ({"word": ("string", pick(WORDS))}, "{Look up the word $word.|Find the meaning of $word.|What does the dictionary say about $word?|dictionary: $word|Get the definition of $word.|Check the word $word in the dictionary.|I do not know the word $word. Look it up.|Search the dictionary for $word.|Open the dictionary at $word.|Look in the dictionary for $word.|!Which meaning does the word $word have?}", None, None),
    "order_food": ({"dish": ("string", pick(DISHES)), "count": ("integer", num(2, 9))}, "{Order $count portions of $dish.|I would like to order $count portions of $dish.|Get me $dish, $count portions.|order $dish, $count portions|We want $count portions of $dish. Order them.|I am hungry. Order $count portions of $dish.|$count times $dish for me.|Buy $count portions of $dish.|Have $count portions of $dish sent to me.|!Let them bring $count portions of $dish.}",
        {"minutes": num(15, 60)}, "{Your $dish will arrive in $minutes minutes.|The $dish is ordered and takes $minutes minutes.}"),
    "set_volume": ({"level": ("integer", num(0, 100))}, "{Set the volume to $level.|Change the volume to $level.|Volume $level, please.|Turn the volume to $level.|Make the volume $level.|volume $level|I want the volume at $level.}",
        {"status": pick(["set"])}, "{The volume is now $level.|Done. The volume is set to $level.}"),
    "book_hotel": ({"city": ("string", CITY), "nights": ("integer", num(2, 9)), "day": ("string", DAY)},
        "{Book a hotel in $city for $nights nights $on.|I need a hotel in $city $on for $nights nights.|Find me a room in $city $on for $nights nights.|I stay in $city for $nights nights $on. Book a hotel.|Reserve a hotel in $city $on for $nights nights.|hotel $city $on $nights nights}", None, None),
    "call_person": ({"to": ("string", NAME)}, "{Call $to.|I want to talk to $to on the phone.|Start a call to $to.|Ring $to.|phone $to|Give $to a call.}",
        {"status": pick(["ringing"])}, "{I am calling $to now.|The phone of $to is ringing.}"),
    "roll_dice": ({"count": ("integer", num(2, 6))}, "{Roll $count dice.|Throw $count dice for me.|I need $count dice.|Roll the dice, $count of them.|dice $count|We play with $count dice. Roll them.|Give me a roll of $count dice.|Throw $count dice.|!Let $count dice roll.}", None, None),
}
NAMES_OF_TOOLS = list(TOOLS)
HELD_OUT_TOOLS = {"set_volume", "book_hotel", "call_person"}     # neither asked for nor listed in training
TRAINED_TOOLS = [t for t in TOOLS if t not in HELD_OUT_TOOLS]
HEADER = "You can use these tools:\n<tools>\n"
FOOTER = "\n</tools>\nTo use a tool, answer with a JSON object inside <tool_call></tool_call>."


def schema(name):
    return json.dumps({"name": name, "parameters": {k: kind for k, (kind, _) in TOOLS[name][0].items()}})


def on_day(day):
    return day if day in ("today", "tomorrow") else "on " + day


def tool_prompt(d, needed=None):
    """The system turn: one to four tools in any order, the needed one among them."""
    pool = NAMES_OF_TOOLS if needed in HELD_OUT_TOOLS else TRAINED_TOOLS
    count = d.choose((1, 2, 3, 4), (0.25, 0.35, 0.25, 0.15))
    if needed:
        listed = d.several([t for t in pool if t != needed], count - 1)
        listed.insert(d.number(0, count - 1), needed)
    else:
        listed = d.several(pool, count)
    d.system(HEADER + "\n".join(schema(t) for t in listed) + FOOTER)
    return count


def arguments(d, name):
    values = {}
    for k, (_, draw) in TOOLS[name][0].items():
        values[k] = d.choose([c for c in CITIES if c != values["from"]]) if draw is CITY and "from" in values else draw(d)
    d.slots.update({k: v for k, v in values.items()})
    if "day" in values:
        d.slots["on"] = on_day(values["day"])
    return values


def call_text(d, name, values, types):
    d.fixed("<tool_call>\n")
    text = json.dumps({"name": name, "arguments": values})
    d.checks.append(("tool", (text, name, types)))
    d.fixed(text)
    d.fixed("\n</tool_call>")
    d.expect = text


def call(d):
    name = d.choose(NAMES_OF_TOOLS)
    d.hold("tool", name in HELD_OUT_TOOLS)
    count = tool_prompt(d, name)
    types = {k: kind for k, (kind, _) in TOOLS[name][0].items()}
    values = arguments(d, name)
    d.key = ["tool", name] + list(values.values())
    _, request, response, closing = TOOLS[name]
    if name == "set_light":
        d.slots["state"] = "on" if values["on"] else "off"
        request = "{Turn $state the light in the $room.|Turn the $room light $state.|Switch $state the $room light.|Light $state in the $room, please.|$room light $state|Put $state the light in the $room.|The light in the $room should be $state.|I want the $room light $state.|Set the light in the $room to $state.|Make the $room light go $state.|Switch the light in the $room $state.|!The $room needs its light $state.}"
    d.ask(request)
    follow = count < 4 and response is not None and (closing is not None or name == "book_table") and d.chance(0.3)
    if not follow:
        d.begin()
        call_text(d, name, values, types)
        d.end()
        return
    d.begin_history()
    call_text(d, name, values, types)
    d.end_turn()
    result = {k: draw(d) for k, draw in response.items()}
    d.fixed("<|im_start|>user\n<tool_response>\n" + json.dumps(result) + "\n</tool_response><|im_end|>\n")
    d.slots.update(result)
    d.begin()
    if name == "book_table":
        closing = ("{*Done, they expect $people people $on at $time.|The table for $people is confirmed $on at $time.|The restaurant expects $people people $on at $time.}"
                   if result["status"] == "confirmed" else "{Sorry, there is no free table $on at $time.|I am sorry, all tables are full $on.}")
    d.say(closing)
    d.expect = None
    d.end()


# what needs none of the tools, and the answer in words
WORDS_ALONE = [
    ("{Hello!|Hi there|Good morning}", "{*Hi there! What can I do for you?|Hello! How can I help you?|Hello and welcome! What would you like me to do?}"),
    ("{Thanks!|Thank you}", WELCOME),
    ("Who are you?", WHO + SKILLS),
    ("What can you do?", SKILLS),
]


def no_tool_needed(d):
    """A greeting or thanks under a tool prompt: answer in words."""
    tool_prompt(d)
    said, answer = d.ranked(WORDS_ALONE)
    d.user(said)
    d.begin()
    d.say(answer)
    d.end()


FAMILIES = [(call, 0.22), (composed, 0.20), (two_calls, 0.14), (to_json, 0.12), (table_to_json, 0.19), (json_schema, 0.10), (no_tool_needed, 0.03)]
