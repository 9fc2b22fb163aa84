"""Word lists shared by the domains: people, things, places, animals.  Ordinary words only."""

GIRLS = """Mia Anna Emma Lily Zoe Nora Ella Ruby Ivy Clara Alice Eva Lucy Maya Sara Rosa Iris Leah Nina Tara
Amy Beth Dana Elena Fiona Grace Hanna Ines Julia Kate Lena Maria Olga Paula Rita Sofia Tina Vera Wendy Yara""".split()
BOYS = """Tom Ben Sam Leo Max Noah Adam Jack Omar Luca Paul Eric Finn Hugo Ivan Jonas Karl Liam Mark Nico
Oscar Peter Ravi Simon Theo Victor Will Yusuf Alex Carl David Erik Felix George Henry Jacob Kofi Martin Otto Rafa""".split()

PRONOUN = {**{n: ("she", "her", "her") for n in GIRLS}, **{n: ("he", "his", "him") for n in BOYS}}
NAMES = GIRLS + BOYS

# (singular, plural)
ITEMS = [("apple", "apples"), ("book", "books"), ("pencil", "pencils"), ("marble", "marbles"),
         ("sticker", "stickers"), ("cookie", "cookies"), ("orange", "oranges"), ("card", "cards"),
         ("shell", "shells"), ("stamp", "stamps"), ("coin", "coins"), ("balloon", "balloons"),
         ("flower", "flowers"), ("egg", "eggs"), ("stone", "stones"), ("button", "buttons"),
         ("muffin", "muffins"), ("pear", "pears"), ("plum", "plums"), ("ticket", "tickets"),
         ("bead", "beads"), ("crayon", "crayons"), ("lemon", "lemons"), ("toy car", "toy cars")]
BOXES = [("box", "boxes"), ("bag", "bags"), ("pack", "packs"), ("basket", "baskets"), ("jar", "jars")]
SHOPS = ["shop", "market", "fair", "library sale", "school fair"]

CITIES = """Oslo Paris Rome Berlin Madrid London Tokyo Cairo Lima Athens Vienna Prague Dublin Lisbon Nairobi
Toronto Sydney Chicago Boston Seattle Mumbai Delhi Seoul Beijing Warsaw Zurich Geneva Milan Naples Munich Hamburg
Bergen Porto Lyon Quito Havana Manila Hanoi Accra Dakar Tunis Oxford York Leeds Bristol Kyoto Osaka Perth""".split() + \
    ["New York", "San Francisco", "San Diego", "Cape Town", "Mexico City", "Buenos Aires", "Hong Kong"]

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]
COLORS = ["red", "blue", "green", "yellow", "black", "white", "brown", "grey", "orange", "purple"]

STORY_ANIMALS = ["fox", "rabbit", "bear", "mouse", "owl", "cat", "dog", "turtle", "hedgehog", "squirrel",
                 "duck", "frog", "goat", "horse", "crow", "bee", "otter", "lion", "elephant", "penguin"]
STORY_PEOPLE = ["king", "queen", "sailor", "baker", "teacher", "robot", "gardener", "dragon", "wizard", "farmer",
                "knight", "painter", "little girl", "little boy", "old man", "old woman"]
TRAITS = ["small", "brave", "shy", "clever", "kind", "curious", "lazy", "young", "old", "quiet", "proud", "lonely"]
PLACES = ["forest", "village", "garden", "valley", "city", "harbour", "castle", "meadow", "town", "park",
          "desert", "farm"]
