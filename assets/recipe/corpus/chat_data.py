"""Tables for advice, ideas and comparisons, in our own words.  {%a|b} leans on the topic, see grammar.py."""

# topic: tips
ADVICE = {
    "sleep better": ["go to bed at the same {%time|hour} {%every night|each night|every day}", "keep your room {%dark|cool|quiet} and {%tidy|calm|fresh}", "put your {%phone|tablet|laptop} away {%an hour|half an hour|some time} before bed",
                     "do not drink {%coffee|strong tea|cola} in the {%evening|afternoon}", "read {%a few pages|a chapter|some pages} of a {%good|calm|light} book", "take a {%warm|hot|long} {%bath|shower} before bed"],
    "learn a language": ["practise {%a little|some words|for ten minutes} {%every day|each morning|each evening}", "learn {%ten|five|a few} new words {%at a time|a day|a week}", "listen to {%simple|slow|old} songs",
                         "speak with {%other people|a friend|your neighbours}", "read {%short stories|children's books|the news}", "do not be afraid of {%mistakes|long words|grammar}"],
    "save money": ["write down what you {%spend|buy|pay for}", "cook at home {%more often|every evening|with friends}", "make a {%list|plan|budget} before you {%shop|go out|spend anything}",
                   "put {%some money|ten dollars|a little} aside {%every month|each week|first}", "buy only what you {%need|use|really want}", "{%walk|cycle|go by bus} instead of taking a taxi"],
    "stay healthy": ["eat {%fruit|beans|salad|nuts} and {%vegetables|whole bread|fish}", "drink {%enough|more|plenty of} {%water|tea}", "{%walk|cycle|swim} for half an hour {%each day|in the morning|after work}",
                     "sleep at least {%seven|eight} hours", "take {%short|regular|real} breaks {%at work|every hour|outside}", "spend {%time|an evening|the weekend} with {%friends|your family|nice people}"],
    "learn to cook": ["start with {%simple|easy|small} {%dishes|soups|meals}", "read the {%whole|full} recipe {%first|twice|slowly}", "prepare {%everything|the vegetables|all you need} before you start",
                      "taste the {%food|sauce|soup} {%as you go|from time to time|before you serve it}", "keep your {%knives|tools} {%sharp|clean}", "cook with a {%friend|neighbour|good book}"],
    "study for a test": ["make a {%plan|list|timetable} for the {%week|days before|month}", "take {%short|regular|small} breaks", "explain the {%topic|idea|hard parts} to {%a friend|your sister|yourself}", "do {%many|some|old} {%exercises|tests|examples}",
                         "turn off your {%phone|music|screen}", "sleep {%well|enough|long} the night before"],
    "make new friends": ["join a {%club|class|choir|team}", "{%smile|look up|stop} and say {%hello|good morning|something nice}", "ask people about their {%day|work|hobbies|plans}", "be a good {%listener|neighbour}", "invite {%someone|a neighbour|a colleague} for {%tea|lunch|a walk}",
                         "help {%a neighbour|at a school|in a garden}"],
    "write better": ["use {%short|clear|simple} sentences", "read your text {%aloud|twice|slowly|the next day}", "choose {%simple|clear|exact} words", "remove {%what is not needed|long words|every second adjective}", "ask {%a friend|someone} to read it",
                     "write {%a little|a page|for ten minutes} {%every day|each morning|each evening}"],
    "learn to program": ["start with {%small|simple|tiny} {%programs|games|scripts}", "read the {%error messages|manual|examples} {%slowly|carefully|first}", "test your code {%often|early|after every change}", "change {%one thing|one line} at a time",
                         "read code by {%other people|good programmers|a friend}", "build something you {%like|need|can show}"],
    "grow plants": ["put them near a {%window|sunny wall|bright door}", "water them {%when the soil is dry|in the morning|twice a week}", "use {%good|fresh|rich} soil", "remove {%dead|yellow|dry} leaves", "turn the {%pot|plant} {%once a week|every few days|towards the light}",
                    "start with a plant that is {%easy to keep|strong|cheap}"],
    "be less stressed": ["take a {%slow|deep|long} breath", "go for a {%walk|swim|ride}", "do one thing {%at a time|after the other}", "talk to {%a friend|someone|your family}", "listen to {%calm|soft|slow} music", "make a short list of what {%matters|is urgent|can wait}"],
    "get up early": ["go to bed {%earlier|before ten|on time}", "put the alarm {%far from the bed|in the next room|on a shelf}", "open the {%curtains|window}", "drink a glass of {%water|juice|milk}", "plan something {%nice|good|easy} for the {%morning|first hour}",
                     "get up at the same {%time|hour} {%each day|every morning}"],
    "learn the guitar": ["practise for {%ten|twenty} minutes {%a day|every morning|every evening}", "start with {%three|two|easy} chords", "play {%slowly|softly|quietly} at first", "use a {%simple|short|slow} song", "keep the guitar {%in tune|in sight|dry}",
                         "play with {%a friend|a teacher|others}"],
    "run faster": ["warm up {%first|for ten minutes|well}", "run {%three|four} times a week", "wear {%good|light|new} shoes", "add {%short|some|a few} fast runs", "rest between {%hard days|long runs|the races}", "drink {%enough|more} {%water|tea}"],
    "keep a room clean": ["put things back {%after use|at once|in the evening}", "clean for {%ten|five} minutes {%a day|every evening}", "open the {%window|door} {%often|every morning}", "give away what you do not {%need|use|like}", "wash the {%floor|windows|sheets} {%once a week|on Saturday|regularly}",
                          "make the bed {%each morning|first|after breakfast}"],
}

# topic: (request, items)
IDEAS = {
    "dinner": ("{What can I cook for dinner?|Give me three ideas for dinner.|I need ideas for dinner.|What could we eat tonight?}",
               ["vegetable soup with bread", "pasta with tomato sauce", "rice with beans", "fish with potatoes", "a big salad with eggs", "pancakes with cheese", "chicken with rice", "mushrooms on toast", "lentil stew"]),
    "gift": ("{What can I give my friend as a gift?|Give me three gift ideas.|I need ideas for a gift.|What could I bring to a birthday?}",
             ["a good book", "a small plant", "a box of tea", "a warm scarf", "a board game", "a photo in a frame", "homemade cookies", "a blue cup", "a concert ticket"]),
    "cat names": ("{Give me three names for a cat.|What should I call my cat?|I need a name for my cat.|My new cat has no name yet.}", ["Luna", "Shadow", "Milo", "Ginger", "Snowy", "Tiger", "Pepper", "Cleo", "Misty"]),
    "dog names": ("{Give me three names for a dog.|What should I call my dog?|I need a name for my dog.|My new dog has no name yet.}", ["Rex", "Buddy", "Daisy", "Rocky", "Bella", "Scout", "Lucky", "Bruno", "Sandy"]),
    "weekend": ("{What can I do this weekend?|Give me three ideas for the weekend.|I am bored. What can I do?|I have nothing to do on Sunday.}",
                ["a museum", "a long walk", "some baking", "a bike ride", "a book in the park", "a game with friends", "work in the garden", "a swim in the sea", "a letter to a friend"]),
    "breakfast": ("{What can I eat for breakfast?|Give me three ideas for breakfast.|I need ideas for breakfast.|What could I have in the morning?}",
                  ["oatmeal with fruit", "bread with cheese", "eggs and toast", "yogurt with berries", "pancakes with honey", "a banana and some nuts", "an apple and tea", "rolls with jam"]),
    "hobby": ("{I need a new hobby. Any ideas?|Give me three ideas for a hobby.|What is a good hobby?|How could I spend my evenings?}",
              ["painting", "chess", "gardening", "swimming", "baking", "singing", "photography", "knitting", "dancing"]),
    "books": ("{What kind of book should I read?|Give me three kinds of books to read.|I want to read something. Any ideas?|Recommend a book.}",
              ["a detective story", "a book about the sea", "a book of poems", "a fairy tale", "a story about space", "a book about animals", "a travel diary", "a family story"]),
    "colours": ("{Name three colours.|Give me three colours.|List three colours.|What colours are there?}", ["red", "blue", "green", "yellow", "purple", "orange", "white", "brown", "grey"]),
    "fruit": ("{Name three fruits.|Give me three kinds of fruit.|List three fruits.|What fruit can I buy?}", ["apples", "pears", "bananas", "cherries", "grapes", "plums", "lemons", "oranges", "melons"]),
    "animals": ("{Name three animals.|Give me three animals.|List three animals that live in the wild.|What animals live in the forest?}", ["fox", "bear", "wolf", "deer", "owl", "rabbit", "eagle", "badger", "squirrel"]),
}

# first thing, second thing, one sentence for each, verdict
COMPARE = [
    ("cats", "dogs", "Cats are {%quiet|clean|gentle} and like to be {%alone|warm|left in peace}", "Dogs are {%loyal|playful|friendly} and need {%long walks|company|a lot of time}", "it depends on {%how much time you have|your home|your day}"),
    ("tea", "coffee", "Tea is {%mild|light|gentle} and {%comes in many kinds|calms you down|good in the evening}", "Coffee is strong and {%wakes you up|smells wonderful|good in the morning}", "it depends on {%your taste|the time of day|how tired you are}"),
    ("the city", "the country", "The city has {%shops|cinemas|schools}, {%work|cafes|trains} and {%culture|museums|music}", "The country is {%calm|quiet|wide} and {%green|full of animals|good for children}", "it depends on {%the life you want|your work|what you enjoy}"),
    ("trains", "cars", "Trains are {%relaxed|safe|fast} and {%good for the air|let you read|need no parking}", "Cars {%take you from door to door|carry heavy things|leave when you like}", "it depends on {%where you go|the distance|how much you carry}"),
    ("books", "films", "Books leave {%room|time|space} for your {%imagination|own pictures|thoughts}", "Films show you the story with {%sound|music|light} and {%pictures|faces|colours}", "it depends on {%your mood|the story|the evening}"),
    ("summer", "winter", "Summer is {%warm|bright|green} and the {%days|evenings} are long", "Winter is {%cold|white|dark} and good for {%quiet evenings|hot tea|reading}", "it depends on {%what you like|the place|your plans}"),
    ("pen", "pencil", "A pen is {%dark|clear|neat} and {%lasts long|looks serious|does not fade}", "A pencil is {%soft|light|cheap} and {%easy to erase|good for sketches|never leaks}", "it depends on {%the paper|what you write|your hand}"),
    ("the sea", "the mountains", "The sea is {%wide|blue|warm} and {%good for swimming|smells of salt|never quiet}", "The mountains are {%high|cool|still} and {%good for walking|full of flowers|close to the stars}", "it depends on {%the season|your legs|what you enjoy}"),
    ("lists", "tuples", "Lists can be changed after they are made", "Tuples cannot be changed", "it depends on whether the data should change"),
    ("for loops", "while loops", "For loops run over a known group of values", "While loops run until a condition is false", "it depends on the task"),
]
COMPARE = [("a " + a, "a " + b, *rest) if a == "pen" else (a, b, *rest) for a, b, *rest in COMPARE]
