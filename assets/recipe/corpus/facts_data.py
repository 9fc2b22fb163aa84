"""True facts as plain tables.  Nothing here changes often: no populations, no heads of state."""

# country: (capital, continent, language, currency, people)
COUNTRIES = {
    "France": ("Paris", "Europe", "French", "euro", "French"),
    "Germany": ("Berlin", "Europe", "German", "euro", "Germans"),
    "Italy": ("Rome", "Europe", "Italian", "euro", "Italians"),
    "Spain": ("Madrid", "Europe", "Spanish", "euro", "Spaniards"),
    "Portugal": ("Lisbon", "Europe", "Portuguese", "euro", "the Portuguese"),
    "Japan": ("Tokyo", "Asia", "Japanese", "yen", "the Japanese"),
    "China": ("Beijing", "Asia", "Chinese", "yuan", "the Chinese"),
    "South Korea": ("Seoul", "Asia", "Korean", "won", "Koreans"),
    "Thailand": ("Bangkok", "Asia", "Thai", "baht", "Thais"),
    "Vietnam": ("Hanoi", "Asia", "Vietnamese", "dong", "the Vietnamese"),
    "Russia": ("Moscow", "Europe", "Russian", "ruble", "Russians"),
    "Poland": ("Warsaw", "Europe", "Polish", "zloty", "Poles"),
    "Norway": ("Oslo", "Europe", "Norwegian", "krone", "Norwegians"),
    "Sweden": ("Stockholm", "Europe", "Swedish", "krona", "Swedes"),
    "Denmark": ("Copenhagen", "Europe", "Danish", "krone", "Danes"),
    "Finland": ("Helsinki", "Europe", "Finnish", "euro", "Finns"),
    "Greece": ("Athens", "Europe", "Greek", "euro", "Greeks"),
    "Austria": ("Vienna", "Europe", "German", "euro", "Austrians"),
    "Hungary": ("Budapest", "Europe", "Hungarian", "forint", "Hungarians"),
    "Ireland": ("Dublin", "Europe", "English", "euro", "the Irish"),
    "Iceland": ("Reykjavik", "Europe", "Icelandic", "krona", "Icelanders"),
    "Netherlands": ("Amsterdam", "Europe", "Dutch", "euro", "the Dutch"),
    "Belgium": ("Brussels", "Europe", "Dutch", "euro", "Belgians"),
    "Czech Republic": ("Prague", "Europe", "Czech", "koruna", "Czechs"),
    "Romania": ("Bucharest", "Europe", "Romanian", "leu", "Romanians"),
    "Ukraine": ("Kyiv", "Europe", "Ukrainian", "hryvnia", "Ukrainians"),
    "Turkey": ("Ankara", "Asia", "Turkish", "lira", "Turks"),
    "Egypt": ("Cairo", "Africa", "Arabic", "pound", "Egyptians"),
    "Morocco": ("Rabat", "Africa", "Arabic", "dirham", "Moroccans"),
    "Kenya": ("Nairobi", "Africa", "Swahili", "shilling", "Kenyans"),
    "Ghana": ("Accra", "Africa", "English", "cedi", "Ghanaians"),
    "Nigeria": ("Abuja", "Africa", "English", "naira", "Nigerians"),
    "Senegal": ("Dakar", "Africa", "French", "franc", "the Senegalese"),
    "Tunisia": ("Tunis", "Africa", "Arabic", "dinar", "Tunisians"),
    "Brazil": ("Brasilia", "South America", "Portuguese", "real", "Brazilians"),
    "Argentina": ("Buenos Aires", "South America", "Spanish", "peso", "Argentines"),
    "Chile": ("Santiago", "South America", "Spanish", "peso", "Chileans"),
    "Peru": ("Lima", "South America", "Spanish", "sol", "Peruvians"),
    "Colombia": ("Bogota", "South America", "Spanish", "peso", "Colombians"),
    "Ecuador": ("Quito", "South America", "Spanish", "dollar", "Ecuadorians"),
    "Uruguay": ("Montevideo", "South America", "Spanish", "peso", "Uruguayans"),
    "Canada": ("Ottawa", "North America", "English", "dollar", "Canadians"),
    "Mexico": ("Mexico City", "North America", "Spanish", "peso", "Mexicans"),
    "Cuba": ("Havana", "North America", "Spanish", "peso", "Cubans"),
    "United States": ("Washington", "North America", "English", "dollar", "Americans"),
    "Australia": ("Canberra", "Oceania", "English", "dollar", "Australians"),
    "New Zealand": ("Wellington", "Oceania", "English", "dollar", "New Zealanders"),
    "India": ("New Delhi", "Asia", "Hindi", "rupee", "Indians"),
    "Nepal": ("Kathmandu", "Asia", "Nepali", "rupee", "the Nepalese"),
    "Iran": ("Tehran", "Asia", "Persian", "rial", "Iranians"),
    "Iraq": ("Baghdad", "Asia", "Arabic", "dinar", "Iraqis"),
    "Jordan": ("Amman", "Asia", "Arabic", "dinar", "Jordanians"),
    "Mongolia": ("Ulaanbaatar", "Asia", "Mongolian", "tugrik", "Mongolians"),
    "Philippines": ("Manila", "Asia", "Filipino", "peso", "Filipinos"),
    "United Kingdom": ("London", "Europe", "English", "pound", "the British"),
    "Switzerland": ("Bern", "Europe", "German", "franc", "the Swiss"),
    "Croatia": ("Zagreb", "Europe", "Croatian", "euro", "Croatians"),
    "Serbia": ("Belgrade", "Europe", "Serbian", "dinar", "Serbs"),
    "Slovakia": ("Bratislava", "Europe", "Slovak", "euro", "Slovaks"),
    "Slovenia": ("Ljubljana", "Europe", "Slovene", "euro", "Slovenes"),
    "Estonia": ("Tallinn", "Europe", "Estonian", "euro", "Estonians"),
    "Latvia": ("Riga", "Europe", "Latvian", "euro", "Latvians"),
    "Lithuania": ("Vilnius", "Europe", "Lithuanian", "euro", "Lithuanians"),
    "Albania": ("Tirana", "Europe", "Albanian", "lek", "Albanians"),
    "Malta": ("Valletta", "Europe", "Maltese", "euro", "the Maltese"),
    "Pakistan": ("Islamabad", "Asia", "Urdu", "rupee", "Pakistanis"),
    "Bangladesh": ("Dhaka", "Asia", "Bengali", "taka", "Bangladeshis"),
    "Malaysia": ("Kuala Lumpur", "Asia", "Malay", "ringgit", "Malaysians"),
    "Cambodia": ("Phnom Penh", "Asia", "Khmer", "riel", "Cambodians"),
    "Saudi Arabia": ("Riyadh", "Asia", "Arabic", "riyal", "Saudis"),
    "Qatar": ("Doha", "Asia", "Arabic", "riyal", "Qataris"),
    "Lebanon": ("Beirut", "Asia", "Arabic", "pound", "the Lebanese"),
    "Ethiopia": ("Addis Ababa", "Africa", "Amharic", "birr", "Ethiopians"),
    "Uganda": ("Kampala", "Africa", "English", "shilling", "Ugandans"),
    "Algeria": ("Algiers", "Africa", "Arabic", "dinar", "Algerians"),
    "Angola": ("Luanda", "Africa", "Portuguese", "kwanza", "Angolans"),
    "Paraguay": ("Asuncion", "South America", "Spanish", "guarani", "Paraguayans"),
    "Venezuela": ("Caracas", "South America", "Spanish", "bolivar", "Venezuelans"),
    "Costa Rica": ("San Jose", "North America", "Spanish", "colon", "Costa Ricans"),
    "Jamaica": ("Kingston", "North America", "English", "dollar", "Jamaicans"),
}
WITH_THE = {"Netherlands", "Czech Republic", "United States", "Philippines", "United Kingdom"}

# what a city is known for, used to continue a sentence about a capital
KNOWN_FOR = {
    "Paris": "the Eiffel Tower", "Rome": "the Colosseum", "London": "Tower Bridge", "Athens": "the Acropolis",
    "Berlin": "the Brandenburg Gate", "Cairo": "the pyramids nearby", "Beijing": "the Forbidden City",
    "Moscow": "Red Square", "Madrid": "its art museums", "Tokyo": "its busy crossings", "Vienna": "its music",
    "Amsterdam": "its canals", "Prague": "its old bridge", "Lisbon": "its yellow trams", "Oslo": "its fjord",
    "Copenhagen": "its old harbour", "Washington": "the White House", "Budapest": "its warm baths",
    "Dublin": "its old library", "Stockholm": "its many islands", "Helsinki": "its white cathedral",
    "Seoul": "its old palaces", "Bangkok": "its golden temples", "Lima": "its sea cliffs",
    "Mexico City": "its great museums", "Havana": "its old cars", "Buenos Aires": "the tango",
}

# element: (symbol, atomic number, kind, at room temperature)
ELEMENTS = {
    "hydrogen": ("H", 1, "non-metal", "gas"), "helium": ("He", 2, "noble gas", "gas"),
    "lithium": ("Li", 3, "metal", "solid"), "carbon": ("C", 6, "non-metal", "solid"),
    "nitrogen": ("N", 7, "non-metal", "gas"), "oxygen": ("O", 8, "non-metal", "gas"),
    "fluorine": ("F", 9, "non-metal", "gas"), "neon": ("Ne", 10, "noble gas", "gas"),
    "sodium": ("Na", 11, "metal", "solid"), "magnesium": ("Mg", 12, "metal", "solid"),
    "aluminium": ("Al", 13, "metal", "solid"), "silicon": ("Si", 14, "metalloid", "solid"),
    "phosphorus": ("P", 15, "non-metal", "solid"), "sulfur": ("S", 16, "non-metal", "solid"),
    "chlorine": ("Cl", 17, "non-metal", "gas"), "argon": ("Ar", 18, "noble gas", "gas"),
    "potassium": ("K", 19, "metal", "solid"), "calcium": ("Ca", 20, "metal", "solid"),
    "iron": ("Fe", 26, "metal", "solid"), "nickel": ("Ni", 28, "metal", "solid"),
    "copper": ("Cu", 29, "metal", "solid"), "zinc": ("Zn", 30, "metal", "solid"),
    "silver": ("Ag", 47, "metal", "solid"), "tin": ("Sn", 50, "metal", "solid"),
    "iodine": ("I", 53, "non-metal", "solid"), "platinum": ("Pt", 78, "metal", "solid"),
    "gold": ("Au", 79, "metal", "solid"), "mercury": ("Hg", 80, "metal", "liquid"),
    "lead": ("Pb", 82, "metal", "solid"), "uranium": ("U", 92, "metal", "solid"),
}

# planet: (place from the sun, remark)
PLANETS = {
    "Mercury": ("first", "the smallest planet"), "Venus": ("second", "the hottest planet"),
    "Earth": ("third", "the only planet known to have life"), "Mars": ("fourth", "called the red planet"),
    "Jupiter": ("fifth", "the largest planet"), "Saturn": ("sixth", "famous for its bright rings"),
    "Uranus": ("seventh", "tipped on its side"), "Neptune": ("eighth", "the farthest planet from the sun"),
}

# animal: (young, class, food, legs)
ANIMALS = {
    "dog": ("puppy", "mammal", "meat", 4), "cat": ("kitten", "mammal", "meat", 4),
    "cow": ("calf", "mammal", "grass", 4), "horse": ("foal", "mammal", "grass", 4),
    "sheep": ("lamb", "mammal", "grass", 4), "goat": ("kid", "mammal", "grass", 4),
    "pig": ("piglet", "mammal", "plants and roots", 4), "lion": ("cub", "mammal", "meat", 4),
    "bear": ("cub", "mammal", "fish and berries", 4), "deer": ("fawn", "mammal", "leaves", 4),
    "kangaroo": ("joey", "mammal", "grass", 2), "rabbit": ("kit", "mammal", "grass", 4),
    "elephant": ("calf", "mammal", "leaves and grass", 4), "whale": ("calf", "mammal", "krill and fish", 0),
    "duck": ("duckling", "bird", "plants and insects", 2), "hen": ("chick", "bird", "seeds", 2),
    "goose": ("gosling", "bird", "grass", 2), "swan": ("cygnet", "bird", "water plants", 2),
    "owl": ("owlet", "bird", "mice", 2), "penguin": ("chick", "bird", "fish", 2),
    "frog": ("tadpole", "amphibian", "insects", 4), "turtle": ("hatchling", "reptile", "plants", 4),
    "butterfly": ("caterpillar", "insect", "nectar", 6), "spider": ("spiderling", "arachnid", "insects", 8),
    "bee": ("larva", "insect", "nectar", 6), "eagle": ("eaglet", "bird", "meat", 2),
    "fox": ("cub", "mammal", "mice and berries", 4), "wolf": ("pup", "mammal", "meat", 4),
}

# (how many, small unit, large unit)
UNITS = [(60, "seconds", "minute"), (60, "minutes", "hour"), (24, "hours", "day"), (7, "days", "week"),
         (12, "months", "year"), (52, "weeks", "year"), (365, "days", "year"), (100, "years", "century"),
         (10, "years", "decade"), (100, "centimetres", "metre"), (10, "millimetres", "centimetre"),
         (1000, "metres", "kilometre"), (1000, "grams", "kilogram"), (1000, "millilitres", "litre"),
         (12, "eggs", "dozen"), (12, "inches", "foot"), (3, "feet", "yard"), (100, "cents", "dollar"),
         (8, "bits", "byte"), (360, "degrees", "full circle")]

OPPOSITES = [("hot", "cold"), ("big", "small"), ("tall", "short"), ("fast", "slow"), ("up", "down"),
             ("left", "right"), ("day", "night"), ("light", "dark"), ("happy", "sad"), ("old", "young"),
             ("open", "closed"), ("full", "empty"), ("wet", "dry"), ("hard", "soft"), ("early", "late"),
             ("near", "far"), ("strong", "weak"), ("rich", "poor"), ("clean", "dirty"), ("loud", "quiet"),
             ("high", "low"), ("first", "last"), ("win", "lose"), ("push", "pull"), ("summer", "winter"),
             ("north", "south"), ("east", "west"), ("true", "false"), ("buy", "sell"), ("question", "answer")]

SHAPES = {"triangle": 3, "square": 4, "rectangle": 4, "pentagon": 5, "hexagon": 6, "octagon": 8}

MIXES = [("red", "yellow", "orange"), ("blue", "yellow", "green"), ("red", "blue", "purple"),
         ("black", "white", "grey"), ("red", "white", "pink")]

# one-line facts: (question, short answer, sentence)
SINGLES = [
    ("What is the largest ocean?", "Pacific", "The largest ocean is the Pacific Ocean."),
    ("What is the longest river in Africa?", "Nile", "The longest river in Africa is the Nile."),
    ("What is the highest mountain in the world?", "Everest", "The highest mountain in the world is Mount Everest."),
    ("What is the largest animal?", "blue whale", "The largest animal is the blue whale."),
    ("What is the fastest land animal?", "cheetah", "The fastest land animal is the cheetah."),
    ("What is the tallest animal?", "giraffe", "The tallest animal is the giraffe."),
    ("What is the largest continent?", "Asia", "The largest continent is Asia."),
    ("What is the smallest continent?", "Australia", "The smallest continent is Australia."),
    ("How many continents are there?", "seven", "There are seven continents."),
    ("How many planets are in the solar system?", "eight", "There are eight planets in the solar system."),
    ("What is the boiling point of water?", "100", "Water boils at 100 degrees Celsius."),
    ("What is the freezing point of water?", "0 degrees", "Water freezes at 0 degrees Celsius."),
    ("What do bees make?", "honey", "Bees make honey from nectar."),
    ("What gas do plants take in?", "carbon dioxide", "Plants take in carbon dioxide and give off oxygen."),
    ("What gas do we breathe in to live?", "oxygen", "We need oxygen from the air to live."),
    ("What is water made of?", "hydrogen", "Water is made of hydrogen and oxygen."),
    ("What is the star at the centre of the solar system?", "sun", "The star at the centre of the solar system is the sun."),
    ("What goes around the Earth?", "moon", "The moon goes around the Earth."),
    ("What colour is the sky on a clear day?", "blue", "The sky is blue on a clear day."),
    ("How many letters are in the English alphabet?", "26", "There are 26 letters in the English alphabet."),
    ("How many strings does a violin have?", "four", "A violin has four strings."),
    ("Who wrote Romeo and Juliet?", "Shakespeare", "Romeo and Juliet was written by William Shakespeare."),
    ("Who wrote Hamlet?", "Shakespeare", "Hamlet was written by William Shakespeare."),
    ("Who painted the Mona Lisa?", "Leonardo", "The Mona Lisa was painted by Leonardo da Vinci."),
    ("Who developed the theory of relativity?", "Einstein", "The theory of relativity was developed by Albert Einstein."),
    ("Who first described gravity with a law?", "Newton", "The law of gravity was described by Isaac Newton."),
    ("What is the chemical formula of water?", "H2O", "The chemical formula of water is H2O."),
    ("What is the square root of 81?", "9", "The square root of 81 is 9."),
    ("What is the value of pi to two decimals?", "3.14", "The value of pi to two decimals is 3.14."),
    ("How many sides does a cube have?", "six", "A cube has six sides."),
    ("How many days are in a leap year?", "366", "There are 366 days in a leap year."),
    ("Which organ pumps blood?", "heart", "The heart pumps blood through the body."),
]

# term: sentences that define it (several true ways to say it)
DEFINITIONS = {
    "speculative decoding": [
        "Speculative decoding is a way to make a language model answer faster",
        "A small draft model guesses the next few tokens, and the large target model checks them all in one pass",
        "Every guess that the target agrees with is kept, and the first wrong one is replaced",
        "The result is the same text as without it, only faster"],
    "a draft model": [
        "A draft model is a small and fast model that guesses the next tokens",
        "A larger target model then checks the guesses",
        "The better the guesses, the more tokens are accepted at once"],
    "a target model": [
        "A target model is the large model whose answers we want",
        "In speculative decoding it checks the guesses of a draft model",
        "It accepts the guesses that match what it would have written"],
    "a token": [
        "A token is a small piece of text, such as a word or a part of a word",
        "A language model reads and writes text one token at a time"],
    "a tokenizer": [
        "A tokenizer cuts text into small pieces called tokens",
        "Each token has a number that the model can work with"],
    "a language model": [
        "A language model is a program that predicts the next token of a text",
        "It writes an answer by predicting one token after another"],
    "a neural network": [
        "A neural network is a program made of many simple units that are connected in layers",
        "It learns from examples by changing the strength of the connections"],
    "an algorithm": [
        "An algorithm is a list of clear steps that solves a problem",
        "A cooking recipe is a simple example of one"],
    "a variable": [
        "A variable is a name for a value in a program",
        "The value can change while the program runs"],
    "a function": [
        "A function is a named piece of code that does one job",
        "It takes inputs, works on them and returns a result"],
    "a loop": [
        "A loop is a part of a program that runs again and again",
        "It stops when a condition is no longer true"],
    "a list": [
        "A list is an ordered group of values",
        "You can read each value by its position, and the first position is 0"],
    "a computer": [
        "A computer is a machine that follows instructions to work with data",
        "It has a processor, memory and storage"],
    "gravity": [
        "Gravity is the force that pulls things toward each other",
        "It keeps us on the ground and keeps the moon near the Earth"],
    "photosynthesis": [
        "Photosynthesis is the way plants make food from light",
        "They use sunlight, water and carbon dioxide, and they give off oxygen"],
    "energy": [
        "Energy is the ability to do work",
        "It can change from one form to another, but it is never lost"],
    "a prime number": [
        "A prime number is a whole number above 1 that can only be divided by 1 and itself",
        "The first prime numbers are 2, 3, 5 and 7"],
    "an even number": [
        "An even number is a whole number that can be divided by 2",
        "Examples are 2, 4, 6 and 8"],
    "an odd number": [
        "An odd number is a whole number that cannot be divided by 2",
        "Examples are 1, 3, 5 and 7"],
    "a fraction": [
        "A fraction is a part of a whole",
        "It is written with one number above another, such as 1/2"],
    "a volcano": [
        "A volcano is an opening in the ground where hot rock can come out",
        "The hot rock is called lava"],
    "an island": [
        "An island is land with water all around it",
        "Iceland and Cuba are islands"],
    "a mammal": [
        "A mammal is an animal that feeds its young with milk",
        "Dogs, cows and whales are mammals"],
    "an insect": [
        "An insect is a small animal with six legs",
        "Bees and butterflies are insects"],
    "rain": [
        "Rain is water that falls from the clouds in drops",
        "It forms when tiny drops of water join and become heavy"],
    "a rainbow": [
        "A rainbow is a curve of colours in the sky",
        "It appears when sunlight shines through drops of rain"],
    "democracy": [
        "Democracy is a form of government in which the people choose their leaders",
        "They do this by voting"],
    "a noun": ["A noun is a word for a person, a place or a thing", "The words dog, city and apple are nouns"],
    "a verb": ["A verb is a word for an action", "The words run, eat and think are verbs"],
    "an adjective": ["An adjective is a word that describes a noun", "The words red, tall and happy are adjectives"],
}
