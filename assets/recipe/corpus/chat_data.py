"""Tables for the chat domain: advice, ideas, and descriptions, in our own words."""

# topic: (how people ask for it, tips)
ADVICE = {
    "sleep better": ["go to bed at the same time every night", "keep your room dark and quiet", "put your phone away an hour before bed",
                     "do not drink coffee in the evening", "read a few pages of a book", "take a warm bath before bed"],
    "learn a language": ["practise a little every day", "learn ten new words at a time", "listen to simple songs", "speak with other people",
                         "read short stories", "do not be afraid of mistakes"],
    "save money": ["write down what you spend", "cook at home more often", "make a list before you shop", "put some money aside every month",
                   "buy only what you need", "walk instead of taking a taxi"],
    "stay healthy": ["eat fruit and vegetables", "drink enough water", "walk for half an hour each day", "sleep at least seven hours",
                     "take short breaks at work", "spend time with friends"],
    "learn to cook": ["start with simple dishes", "read the whole recipe first", "prepare everything before you start", "taste the food as you go",
                      "keep your knives sharp", "cook with a friend"],
    "study for a test": ["make a plan for the week", "take short breaks", "explain the topic to a friend", "do many exercises", "turn off your phone",
                         "sleep well the night before"],
    "make new friends": ["join a club or a class", "smile and say hello", "ask people about their day", "be a good listener", "invite someone for tea",
                         "help a neighbour"],
    "write better": ["use short sentences", "read your text aloud", "choose simple words", "remove what is not needed", "ask a friend to read it",
                     "write a little every day"],
    "learn to program": ["start with small programs", "read the error messages", "test your code often", "change one thing at a time",
                         "read code by other people", "build something you like"],
    "grow plants": ["put them near a window", "water them when the soil is dry", "use good soil", "remove dead leaves", "turn the pot once a week",
                    "start with a plant that is easy to keep"],
    "be less stressed": ["take a slow breath", "go for a walk", "do one thing at a time", "talk to a friend", "listen to calm music", "make a short list of what matters"],
    "get up early": ["go to bed earlier", "put the alarm far from the bed", "open the curtains", "drink a glass of water", "plan something nice for the morning",
                     "get up at the same time each day"],
    "learn the guitar": ["practise for ten minutes a day", "start with three chords", "play slowly at first", "use a simple song", "keep the guitar in tune",
                         "play with a friend"],
    "run faster": ["warm up first", "run three times a week", "wear good shoes", "add short fast runs", "rest between hard days", "drink enough water"],
    "keep a room clean": ["put things back after use", "clean for ten minutes a day", "open the window", "give away what you do not need", "wash the floor once a week",
                          "make the bed each morning"],
}

# topic: (request, items)
IDEAS = {
    "dinner": ("{What can I cook for dinner?|Give me three ideas for dinner.|I need ideas for dinner.}",
               ["vegetable soup with bread", "pasta with tomato sauce", "rice with beans", "fish with potatoes", "a big salad with eggs", "pancakes with cheese", "chicken with rice"]),
    "gift": ("{What can I give my friend as a gift?|Give me three gift ideas.|I need ideas for a gift.}",
             ["a good book", "a small plant", "a box of tea", "a warm scarf", "a board game", "a photo in a frame", "homemade cookies"]),
    "cat names": ("{Give me three names for a cat.|What should I call my cat?|I need a name for my cat.}", ["Luna", "Shadow", "Milo", "Ginger", "Snowy", "Tiger", "Pepper"]),
    "dog names": ("{Give me three names for a dog.|What should I call my dog?|I need a name for my dog.}", ["Rex", "Buddy", "Daisy", "Rocky", "Bella", "Scout", "Lucky"]),
    "weekend": ("{What can I do this weekend?|Give me three ideas for the weekend.|I am bored. What can I do?}",
                ["visit a museum", "go for a long walk", "bake some bread", "ride your bike", "read a book in the park", "play a game with friends", "clean up the garden"]),
    "breakfast": ("{What can I eat for breakfast?|Give me three ideas for breakfast.|I need ideas for breakfast.}",
                  ["oatmeal with fruit", "bread with cheese", "eggs and toast", "yogurt with berries", "pancakes with honey", "a banana and some nuts"]),
    "hobby": ("{I need a new hobby. Any ideas?|Give me three ideas for a hobby.|What is a good hobby?}",
              ["painting", "chess", "gardening", "swimming", "baking", "singing", "photography"]),
    "books": ("{What kind of book should I read?|Give me three kinds of books to read.|I want to read something. Any ideas?}",
              ["a detective story", "a book about the sea", "a book of poems", "a fairy tale", "a story about space", "a book about animals"]),
    "colours": ("{Name three colours.|Give me three colours.|List three colours.}", ["red", "blue", "green", "yellow", "purple", "orange", "white"]),
    "fruit": ("{Name three fruits.|Give me three kinds of fruit.|List three fruits.}", ["apples", "pears", "bananas", "cherries", "grapes", "plums", "lemons"]),
    "animals": ("{Name three animals.|Give me three animals.|List three animals that live in the wild.}", ["fox", "bear", "wolf", "deer", "owl", "rabbit", "eagle"]),
}

# first thing, second thing, one sentence for each, verdict
COMPARE = [
    ("cats", "dogs", "Cats are quiet and like to be alone", "Dogs are loyal and need long walks", "it depends on how much time you have"),
    ("tea", "coffee", "Tea is mild and comes in many kinds", "Coffee is strong and wakes you up", "it depends on your taste"),
    ("the city", "the country", "The city has shops, work and culture", "The country is calm and green", "it depends on the life you want"),
    ("trains", "cars", "Trains are relaxed and good for the air", "Cars take you from door to door", "it depends on where you go"),
    ("books", "films", "Books leave room for your imagination", "Films show you the story with sound and pictures", "it depends on your mood"),
    ("summer", "winter", "Summer is warm and the days are long", "Winter is cold and good for quiet evenings", "it depends on what you like"),
    ("lists", "tuples", "Lists can be changed after they are made", "Tuples cannot be changed", "it depends on whether the data should change"),
    ("for loops", "while loops", "For loops run over a known group of values", "While loops run until a condition is false", "it depends on the task"),
]

ROLES = {
    "a pirate": ("{Ahoy, my friend!|Ahoy there!|Arr, welcome aboard!}", "{The sea is wide and the wind is good|My ship is fast and my map is old|We sail at dawn and look for gold}",
                 "{Arr!|Now raise the sails!|Keep your eyes on the sea!}"),
    "a knight": ("{Greetings, good friend!|Welcome, traveller!|Hail, my friend!}", "{My sword is bright and my horse is fast|I guard the castle day and night|I ride to the mountain to meet a dragon}",
                 "{Be brave!|Honour above all!|May your road be safe!}"),
    "a robot": ("{Hello, human.|Beep. Hello.|Greetings, human.}", "{My battery is full and my gears are clean|I count the stars when you are asleep|I have sorted all your socks}",
                "{Beep.|Task complete.|End of message.}"),
    "a grandmother": ("{Hello, my dear.|Come in, my dear.|Oh, how nice to see you.}", "{The soup is hot and the bread is fresh|I baked a cake for you this morning|Sit down and tell me about your day}",
                      "{Do not forget your scarf!|Eat something first!|Come again soon!}"),
}
