"""Words that templates.py puts into its slots. A value may hold slots of its own."""

SLOTS = {
    "concept": """photosynthesis|gravity|inflation|evolution|the water cycle|supply and demand|a black hole|an eclipse|the greenhouse effect|DNA|a vaccine|
        an antibiotic|osmosis|friction|momentum|an echo|a rainbow|magnetism|electricity|a battery|a transistor|the internet|Wi-Fi|a search engine|encryption|
        a blockchain|machine learning|a neural network|an operating system|a database|cloud computing|recursion|a compiler|an algorithm|open source software|
        democracy|a constitution|the separation of powers|human rights|a trade deficit|compound interest|a mortgage|a budget deficit|a stock exchange|insurance|
        taxation|a monopoly|globalization|urbanization|biodiversity|an ecosystem|a food chain|pollination|plate tectonics|a volcano|an earthquake|a tsunami|
        erosion|a glacier|the ozone layer|an ocean current|the tides|a comet|the solar system|a light-year|a supernova|relativity|quantum mechanics|
        nuclear fusion|radioactivity|a chemical bond|the periodic table|an acid|fermentation|metabolism|the immune system|the nervous system|blood pressure|
        a protein|a virus|natural selection|a fossil|the Renaissance|the Industrial Revolution|the Cold War|the Silk Road|the Enlightenment|feudalism|a metaphor|
        irony|a sonnet|impressionism|a symphony|counterpoint|perspective in painting|game theory|probability|a prime number|a logarithm|a derivative|an integral|
        a matrix|the Pythagorean theorem|a hypothesis|the scientific method|peer review|confirmation bias|the placebo effect|empathy|motivation|memory|
        stoicism|utilitarianism|free will|an ethical dilemma|sustainable development|renewable energy|recycling|composting|a heat pump|a wind turbine""",
    "audience": """a five-year-old child|a ten-year-old|a high school student|a beginner|someone without a technical background|my grandmother|a new employee|
        a college freshman|a busy manager|a curious teenager|a classroom of twelve-year-olds|a non-native speaker of English""",
    "thing": """a refrigerator|a microwave oven|a vacuum cleaner|a bicycle|an airplane|a helicopter|a submarine|a solar panel|a thermometer|a camera|a telescope|
        a microscope|a touch screen|a hard disk|a printer|a telephone|a radio|GPS|a clock|a lock|an elevator|a steam engine|an electric motor|a jet engine|a dam|
        a water filter|a smoke detector|a hearing aid|a pacemaker|an X-ray machine|a barcode scanner|a credit card|an air conditioner|a washing machine|a piano|
        a guitar|a violin|a toaster|a light bulb|a laser|a parachute|a hot-air balloon|a sewing machine|a compass|a barometer""",
    "phenomenon": """is the sky blue|is the sea salty|do leaves change color in autumn|do cats purr|do we dream|do we yawn|does ice float|does bread rise|
        do birds migrate|do bees make honey|do stars twinkle|does the moon have phases|do seasons change|do volcanoes erupt|does metal feel colder than wood|
        do onions make us cry|do we have fingerprints|does thunder follow lightning|do some animals hibernate|do camels have humps|does iron rust|does soap clean|
        do plants need sunlight|do we get hiccups|do airplanes leave white trails|does coffee keep us awake|does salt melt ice|do eggs harden when cooked|
        do some people need glasses|does time feel faster as we age|do languages change|do prices rise|do companies advertise|do people tell stories|
        do cities grow near rivers|do dogs wag their tails|do fish live in schools|do spiders build webs|does popcorn pop|do mirrors reverse left and right""",
    "place": """Japan|Italy|Brazil|Egypt|Canada|India|Norway|Kenya|Mexico|Australia|France|Peru|Thailand|Greece|Iceland|Morocco|New Zealand|South Korea|Spain|Turkey|
        Germany|Portugal|Vietnam|Argentina|Ireland|Scotland|Chile|Indonesia|Sweden|Switzerland""",
    "city": """Paris|Tokyo|New York|London|Rome|Cairo|Sydney|Berlin|Barcelona|Istanbul|Lisbon|Prague|Vienna|Amsterdam|Dublin|Chicago|San Francisco|Toronto|Boston|
        Seattle|Singapore|Bangkok|Mumbai|Nairobi|Buenos Aires|Mexico City|Athens|Edinburgh|Stockholm|Copenhagen|Seoul|Kyoto|Marrakesh|Montreal|Melbourne""",
    "animal": """elephants|dolphins|penguins|owls|wolves|octopuses|honeybees|butterflies|crocodiles|giraffes|kangaroos|polar bears|bats|hummingbirds|sharks|
        sea turtles|tigers|foxes|beavers|ants|eagles|frogs|horses|whales|squirrels|hedgehogs|snakes|spiders|camels|otters|chimpanzees|parrots""",
    "skill": """playing the guitar|cooking|public speaking|drawing|swimming|chess|a foreign language|photography|gardening|touch typing|programming|juggling|
        meditation|running long distances|writing poems|knitting|baking bread|playing the piano|sewing|woodworking|painting with watercolors|dancing|singing|
        rock climbing|skiing|time management|negotiation|mental arithmetic|calligraphy|first aid|bird watching|bookkeeping|video editing|public relations""",
    "goal": """sleep better|save money|eat more vegetables|read more books|drink more water|reduce stress|exercise regularly|learn faster|remember names|
        use my phone less|get up earlier|write every day|stay focused at work|keep my house tidy|waste less food|make new friends|prepare for an exam|
        find a new job|improve my handwriting|save electricity|lower my carbon footprint|work well from home|give better presentations|become more patient|
        manage my time|build a habit|improve my posture|cook at home more often|learn to say no|plan a vacation on a budget|raise a happy puppy|
        grow tomatoes on a balcony|keep a journal|organize my email|spend more time with my family|stop procrastinating|train for a marathon""",
    "item": """fruits|vegetables|animals that live in the desert|musical instruments|kinds of trees|board games|breakfast dishes|sports played with a ball|
        programming languages|inventions of the twentieth century|rivers in Europe|spices|tools for a workshop|things to pack for a trip|birthday gift ideas|
        icebreaker questions|names for a cat|names for a bakery|team-building activities|indoor plants|healthy snacks|classic novels|jobs in a hospital|
        kinds of pasta|kinds of clouds|planets and moons|emotions|words that rhyme with light|synonyms of happy|synonyms of important|famous scientists|
        famous paintings|desserts|kinds of bridges|materials used in construction|ways to recycle a glass jar|rainy-day activities|winter sports|
        questions for a job interview|rules for a library|safety rules for a laboratory|benefits of walking|uses of baking soda|habits of good students|
        reasons to learn a language|ways to say thank you|ideas for a science fair|ideas for a short film|topics for a debate|gemstones|kinds of cheese""",
    "number": "three|four|five|six|seven|eight|ten|twelve",
    "person": """Anna|Ben|Clara|David|Emma|Felix|Grace|Henry|Isabel|Jack|Karim|Laura|Marco|Nina|Oscar|Priya|Quentin|Rosa|Samuel|Tara|Umar|Vera|William|Yara|Zoe|
        Daniel|Maria|Ahmed|Sofia|Leo|Julia|Peter|Helen|Thomas|Alice|Robert|Mei|Carlos|Fatima|Ivan""",
    "surname": "Smith|Garcia|Chen|Patel|Müller|Rossi|Johnson|Kowalski|Tanaka|Okafor|Silva|Brown|Novak|Andersen|Dubois|Haddad|Kim|Taylor|Moreau|Lopez",
    "job": """teacher|nurse|engineer|baker|carpenter|librarian|pilot|farmer|chef|journalist|dentist|architect|electrician|gardener|musician|police officer|
        photographer|plumber|software developer|veterinarian|tailor|translator|truck driver|scientist|firefighter|lawyer|accountant|hairdresser|sailor|painter""",
    "hero": """a lighthouse keeper|a lost dog|a young inventor|an old sailor|a shy dragon|a curious robot|two sisters|a retired detective|a baker|a little fox|
        a time traveler|a clockmaker|a gardener who talks to plants|a boy who cannot sleep|a girl who finds a map|an astronaut|a night watchman|a traveling musician|
        a librarian|a cat with nine names|a mountain guide|a street painter|a painter who lost her colors|a king without a crown|a ghost who is afraid of the dark|
        a mail carrier|a scientist in Antarctica|a beekeeper|a chess player|a tailor|a bus driver|a wizard's apprentice|an orphan|a snowman|a swimmer""",
    "setting": """in a small village by the sea|on a distant planet|in a big city at night|in an old castle|during a long winter|on a train|in a forest|
        in the year 2150|on a desert island|in a library|in a school|at a market|in the mountains|on a ship|in a quiet museum|during a thunderstorm|
        in a bakery before sunrise|in an abandoned theme park|under the sea|at an airport""",
    "twist": """finds a letter|makes an unexpected friend|loses something precious|hears a strange sound|has to keep a secret|learns to forgive|wins a race|
        discovers a hidden door|tells a lie|solves a mystery|gets lost|saves the day|keeps a promise|meets a stranger|has one wish|returns home after many years""",
    "poem": "a poem|a short poem|a haiku|a limerick|a poem of four lines|a rhyming poem|a lullaby",
    "theme": """the sea|autumn|friendship|the moon|rain|hope|a long road|the first snow|a garden|silence|a train at night|memory|the city|a candle|morning coffee|
        the stars|a river|home|growing old|an empty room|bread|the wind|a cat|spring|courage""",
    "meal": """pancakes|tomato soup|a vegetable curry|apple pie|fried rice|a lentil salad|chocolate cookies|roast chicken|pizza dough|banana bread|an omelette|
        guacamole|lasagna|pumpkin soup|a fruit smoothie|potato salad|mushroom risotto|carrot cake|chili|pesto|noodle soup|bean burgers|lemonade|granola""",
    "product": """a reusable water bottle|a folding bicycle|noise-canceling headphones|a desk lamp|a coffee machine|a backpack|an electric toothbrush|running shoes|
        a plant-based burger|a language-learning app|a fitness tracker|a board game|a scented candle|a tent for two|a notebook made of stone paper|a smart thermostat|
        a set of kitchen knives|an online course on photography|a pet camera|a standing desk|a solar charger|a cookbook|a subscription for fresh vegetables""",
    "business": """bakery|bookshop|bicycle repair shop|coffee shop|yoga studio|flower shop|dog-walking service|software company|travel agency|language school|
        furniture workshop|photo studio|organic farm|restaurant|cleaning service|toy store|gym|tutoring service|ice cream truck|museum""",
    "event": """a birthday party|a wedding|a school trip|a team meeting|a charity run|a book club evening|a farewell party|a job interview|a concert|
        an open day|a summer barbecue|a workshop|a family reunion|a science fair|a film night|a conference|a garage sale|a hackathon|a cooking class""",
    "mail": """asking for a day off|thanking a colleague for help|inviting the team to {event}|apologizing for a late reply|asking a landlord to repair the heating|
        canceling an appointment|asking a professor for feedback|complaining about a broken {goods}|accepting a job offer|declining an invitation to {event}|
        asking for a refund for a {goods}|introducing myself to a new team|reminding a customer about an unpaid invoice|asking for the notes of yesterday's meeting|
        announcing a change of opening hours at our {business}|asking a neighbor to water my plants|recommending a former student|
        asking for an extension of a deadline|congratulating a friend on a new job|requesting information about a course on {skill}""",
    "goods": "laptop|jacket|phone|chair|kettle|bicycle|lamp|printer|watch|suitcase|blender|headset|keyboard|tent|camera",
    "tone": "formal|friendly|polite|short|enthusiastic|apologetic|professional|humorous|warm",
    "language": "French|Spanish|German|Italian|Portuguese",
    "code": """returns the {nth} Fibonacci number|checks whether a string is a palindrome|counts the vowels in a string|reverses a list|finds the largest number in a list|
        sorts a list of numbers|removes duplicates from a list|computes the factorial of a number|checks whether a number is prime|
        returns the average of a list of numbers|merges two dictionaries|converts Celsius to Fahrenheit|counts the words in a text|
        finds the most frequent character in a string|checks whether two strings are anagrams|flattens a nested list|computes the greatest common divisor of two numbers|
        converts a number to binary|finds the second largest number in a list|sums the digits of a number|generates a random password|reads a CSV file|
        writes a list of lines to a file|searches a sorted list with binary search|computes the median of a list|rotates a list by k places|
        removes all punctuation from a text|capitalizes every word of a sentence|returns the common elements of two lists|groups words by their first letter|
        validates an email address|counts how often each word occurs|computes the distance between two points|transposes a matrix|multiplies two matrices|
        returns all permutations of a string|finds the longest word in a sentence|converts a Roman numeral to an integer|checks whether brackets are balanced|
        splits a list into chunks of size n|computes compound interest|finds the missing number in a list from 1 to n|counts the lines of a file|
        returns all prime numbers below n|checks whether a year is a leap year|computes the area of a circle|inverts a dictionary|parses a date""",
    "nth": "n-th|10th|n-th even",
    "language_of_code": "Python|Python|Python|JavaScript|Java|C|C++|Go|Rust|Ruby|TypeScript",
    "class": """a bank account|a stack|a queue|a linked list|a binary tree|a shopping cart|a library of books|a car|a student with grades|a rectangle|a timer|
        a deck of cards|a parking lot|an inventory|a to-do list|a temperature sensor|a vending machine|a playlist|a graph|a matrix""",
    "shell": """lists all files larger than 10 MB|renames all .txt files to .md|counts the lines of all Python files|finds files changed in the last day|
        shows the disk usage of each folder|deletes empty folders|copies a folder to a remote host|replaces a word in all files|compresses a folder|
        shows which process uses port 8080|sorts a file and removes duplicate lines|prints the third column of a file|downloads a file|shows free memory""",
    "table": "customers|orders|employees|products|students|books|flights|invoices|rooms|movies",
    "column": "name|price|created_at|city|salary|grade|year|quantity|status|rating",
    "record": """a book|a movie|a customer|a recipe|a car|a city|an employee|a song|a hotel booking|a weather report|a product in an online shop|a calendar event|
        a student|a flight|a restaurant|a pet|a bank transaction|a football match|a blog post|a library member|an invoice|a house for sale|a plant|a museum|
        a train ticket|a user profile|a computer|a game character|a workout|a doctor's appointment""",
    "field": """name|title|author|year|price|rating|city|country|email|phone|age|date|time|color|size|weight|language|category|tags|description|quantity|
        status|duration|address|width|height|owner|id|score|notes""",
    "pair": """cats and dogs|tea and coffee|trains and airplanes|books and films|living in a city and living in the country|a laptop and a tablet|renting and buying a home|
        Python and JavaScript|electric cars and gasoline cars|solar power and wind power|online classes and classroom lessons|summer and winter|
        a stack and a queue|HTTP and HTTPS|a virus and a bacterium|weather and climate|mass and weight|an alligator and a crocodile|a simile and a metaphor|
        RAM and a hard disk|a lake and a pond|jazz and classical music|running and swimming|cash and credit cards|a list and a tuple in Python|
        an array and a linked list|SQL and NoSQL databases|a comet and an asteroid|mitosis and meiosis|butter and margarine|working from home and working in an office|
        debit and credit|a novel and a short story|capitalism and socialism|a frog and a toad|speed and velocity|planning and improvising|gas stoves and induction stoves""",
    "opinion": """students should wear uniforms|homework should be abolished|cities should ban cars from their centers|everyone should learn to program|
        social media does more harm than good|museums should be free|a four-day week is better for everyone|zoos should be closed|
        handwriting is still worth learning|space travel is worth its cost|advertising for children should be forbidden|public transport should be free|
        people should eat less meat|voting should be mandatory|video games can be art|robots will take more jobs than they create|
        every school should teach cooking|books are better than films|paper money should be abolished|exams should be replaced by projects""",
    "feature": """is closed on Mondays|opened in 1962|has a small garden|is run by volunteers|is famous for its view|offers free tours|needs a new roof|
        was renovated last year|attracts many tourists|has a collection of old maps|is next to the station|costs four euros""",
    "building": "museum|library|theater|town hall|market hall|swimming pool|railway station|school|castle|church|observatory|concert hall|stadium|hospital",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "season": "spring|summer|autumn|winter",
    "object": "pencils|apples|books|marbles|tickets|cookies|stickers|stamps|eggs|bottles|balloons|chairs|oranges|coins|flowers|cards|cups|boxes",
    "role": """a travel guide|a math tutor|a job interviewer|a chef|a fitness coach|a pirate|a museum guide|a news reporter|a career counselor|a storyteller|
        a technical support agent|a history professor|a detective|a poet|a gardener|an English teacher|a movie critic|a librarian|a nutritionist|a debate coach|
        an astronaut|a medieval knight|a waiter|a weather forecaster|a software architect|a kind grandmother|a philosopher|a sports commentator""",
    "feeling": "nervous|tired|bored|stressed|homesick|excited|lonely|confused|proud|unmotivated|curious|disappointed",
    "situation": """I start a new job tomorrow|my exam is next week|I moved to a new city|my best friend moved away|I have to give a speech|I lost my keys|
        I cannot decide what to study|my computer is very slow|my plants are dying|my neighbor is very loud|I have a long flight ahead|I burned the dinner|
        I forgot my friend's birthday|I want to adopt a dog|I have no idea what to cook tonight|it has rained for a week|my team lost the game|
        I am learning {skill} and make no progress|I have an interview at a {business}|my bicycle has a flat tire|I have two hours before my train leaves""",
    "event_of_history": """the fall of the Berlin Wall|the French Revolution|the moon landing|the invention of the printing press|the building of the pyramids|
        the discovery of penicillin|the Great Fire of London|the first Olympic Games|the voyage of Magellan|the eruption of Vesuvius|the American Civil War|
        the construction of the Panama Canal|the end of apartheid|the Black Death|the invention of the telephone|the signing of the Magna Carta""",
    "figure": """Marie Curie|Albert Einstein|Leonardo da Vinci|Ada Lovelace|Isaac Newton|Mahatma Gandhi|Nelson Mandela|William Shakespeare|Ludwig van Beethoven|
        Charles Darwin|Galileo Galilei|Cleopatra|Vincent van Gogh|Amelia Earhart|Alan Turing|Jane Austen|Nikola Tesla|Rosa Parks|Johann Sebastian Bach|
        Florence Nightingale|Alexander the Great|Frida Kahlo|Martin Luther King Jr.|Marco Polo|Confucius|Aristotle""",
    "mistake": """She go to school every day and she like it.|He don't know where is the station.|I has two brothers which lives in London.|
        Their going to the park if it don't rain.|Yesterday we was eating at a restaurant what is new.|The informations are not correct and too much old.|
        Me and him was late because of the trafic.|If I would have time I would of come.|This shoes is to small for me.|She sayed that she will come yesterday.|
        We discussed about the problem since two hours.|Its a beatiful day and the birds is singing.|I am agree with you but he do not.|
        Every students must brings there own book.|The childs was playing in the gardin.|He is more taller then his sister.|
        I look forward to hear from you soon, beside I needs the adress.|There is many peoples in the city who has no car.""",
    "plain": """The meeting was moved because the room was not available.|We could not finish the work in time, since two people were ill.|
        The new bus line makes it much easier to get to the center.|I think that the plan is good, but it costs too much.|
        Nobody told me that the shop would be closed today.|The weather was bad, so we stayed at home and played cards.|
        The results were better than we had expected.|You have to press the button for three seconds until the light turns green.|
        The company wants to sell more products in other countries next year.|Our guide told us many stories about the old town.|
        Please send the documents before the end of the week.|The book is long, but it is never boring.|He fixed the roof without any help.|
        It is important to drink enough water when it is hot.|The children built a small house of wood and old blankets.""",
}

SLOTS = {name: [" ".join(value.split()) for value in values.split("|")] for name, values in SLOTS.items()}
