"""Words that templates.py puts into its slots. A value may hold slots of its own; what a task is called must lead to no function that
HumanEval asks for (overlap.py would drop the answer)."""


def _list(text):
    """Words between bars; \\n is a line break, and two strokes before it are the sign in a program."""
    return [word.strip().replace("\\\\n", "\0").replace("\\n", "\n").replace("\0", "\\n") for word in text.split("|")]


# how often each is asked for
LANGUAGES = (["Python"] * 14 + ["JavaScript"] * 4 + ["TypeScript"] * 2 + ["Java"] * 3 + ["C"] * 2 + ["C++"] * 3 + ["C#"] * 2 + ["Go"] * 2 + ["Rust"] * 2 +
             ["Ruby", "PHP", "Swift", "Kotlin", "Bash", "Scala", "Perl", "Lua", "R", "Julia", "Haskell", "Dart"])

SLOTS = {key: _list(text) for key, text in {
    "task": """parses a CSV line with quoted fields|counts the words of a text file|merges two dictionaries and sums the values of equal keys|flattens a nested list|
        groups a list of records by a key|splits a list into chunks of {k}|rotates a square matrix by 90 degrees|transposes a matrix|multiplies two matrices|
        validates an email address|validates an ISBN-13 number|checks whether a string is a valid IPv4 address|formats a number of bytes as a human-readable size|
        formats a number with thousands separators|converts a Roman numeral to an integer|converts seconds to hours, minutes and seconds|converts Celsius to Fahrenheit|
        computes the Levenshtein distance of two strings|computes the Hamming distance of two strings|finds the longest common subsequence of two strings|
        finds the longest increasing subsequence|finds all anagrams of a word in a list|capitalizes every word of a sentence|converts snake_case to camelCase|
        converts camelCase to kebab-case|truncates a text to {m} characters at a word boundary|wraps a text at {n} columns|removes all HTML tags from a string|
        escapes HTML special characters|parses a query string into key and value pairs|builds a URL from a base and parameters|extracts all links of an HTML page|
        reads a JSON file and prints all keys|updates a value in a nested JSON object by a dotted path|deep-copies a nested structure|compares two JSON documents and lists the differences|
        reads a configuration file and falls back to defaults|writes a log line with a timestamp|retries a request up to {k} times with exponential backoff|
        downloads a file and shows the progress|walks a folder and lists the {k} largest files|renames all files of a folder by a pattern|copies only files that are newer|
        computes the SHA-256 of a file|generates a random password of {m} characters|shuffles a list in place|picks a weighted random element|simulates {n} throws of two dice|
        estimates pi by random points|computes a moving average over {k} values|computes the standard deviation of a list|computes the Pearson correlation of two lists|
        normalizes a vector to length one|computes the dot product of two vectors|computes the cosine similarity of two texts|tokenizes an arithmetic expression|
        evaluates an expression in reverse Polish notation|converts an infix expression to postfix|implements binary search over a sorted list|implements insertion sort|
        implements merge sort|implements quicksort|implements heapsort|implements counting sort|finds the shortest path in an unweighted graph|implements Dijkstra's algorithm|
        implements breadth-first search|implements depth-first search without recursion|detects a cycle in a directed graph|sorts a graph topologically|
        finds the connected components of a graph|counts the islands in a grid|fills a region of a grid with a new value|solves a maze given as a grid|
        generates all permutations of a list|generates all subsets of a set|generates the rows of Pascal's triangle|prints a multiplication table|prints a calendar for a month|
        computes the day of the week of a date|counts the working days between two dates|lists all leap years between two years|computes somebody's age from the birth date|
        converts a time from one zone to another|computes a loan's monthly payment|splits a bill among {k} people with a tip|computes the change to give in coins|
        solves the coin change problem with dynamic programming|solves the knapsack problem|computes binomial coefficients|computes the least common multiple|
        checks whether a number is a perfect number|lists the divisors of a number|computes the sum of the digits of a large number as a string|inverts a dictionary|
        removes the n-th node from the end of a linked list|reverses a linked list|merges two sorted linked lists|checks whether a linked list has a cycle|
        inserts a value into a binary search tree|prints a binary tree level by level|computes the height of a binary tree|finds the lowest common ancestor of two nodes|
        serializes a binary tree to a string|checks a Sudoku board|plays one step of the Game of Life|finds the winner of a tic-tac-toe board|deals cards from a shuffled deck|
        draws a histogram with asterisks|encodes a text in Morse code|compresses a string by run lengths|shifts the letters of a text by {k} (Caesar cipher)|
        reads numbers from standard input until an empty line|watches a folder for new files|measures how long a function takes|caches the results of a function|
        limits how often a function may be called|runs {k} jobs in parallel and collects the results|reads a file line by line without loading all of it|
        sends an email with an attachment|queries a REST API and handles errors|uploads a file to a server|parses command line arguments|colors text in the terminal|
        resizes an image|reads the pixels of a PNG file|plots a sine wave|interpolates linearly between two points|fits a line to points by least squares|
        finds the root of a function by bisection|integrates a function by the trapezoidal rule|solves two linear equations|computes a power modulo a number""",
    "class": """a bank account with deposits, withdrawals and a history|a stack with push, pop and peek|a queue made of two stacks|a priority queue|a least recently used cache|
        a ring buffer|a linked list with iteration|a binary search tree|a trie with prefix lookup|a graph with weighted edges|a union-find structure|a hash map with chaining|
        a bloom filter|a matrix with addition and multiplication|a fraction with arithmetic|a complex number|a two-dimensional vector|a polynomial|a date range|a money amount with a currency|
        a shopping cart with discounts|a library with books and loans|a parking lot|an elevator|a vending machine as a state machine|a traffic light|a chess board|a deck of cards|
        a tic-tac-toe game|a snake game's state|a text adventure's rooms|a to-do list that is saved to a file|an address book|a student with grades|an employee hierarchy with salaries|
        a shape hierarchy with areas|an event emitter|an observer and a subject|a thread pool|a rate limiter|a logger with levels|a configuration with defaults and overrides|
        an inventory with stock levels|a ticket system|a hotel with reservations|a temperature sensor with a history|a music playlist|a chat room|a simple tokenizer|an undo and redo history""",
    "app": """a command line to-do list|a web server that says hello|a REST API for books|a URL shortener|a chat server with sockets|a weather widget|a countdown timer|a calculator|
        a unit converter|a quiz game|a hangman game|a number guessing game|a Markdown previewer|a note-taking page|a contact form with validation|an image gallery|a shopping list|
        a stopwatch|a password manager|a file backup script|a web scraper for headlines|a Discord bot that rolls dice|a log analyzer|a budget tracker|a habit tracker|
        a dashboard with a bar chart|a login page|a blog with comments|a typing test|a memory card game|a drawing canvas|a simple text editor|a music player page|a bookmark manager""",
    "concept": """recursion|closures|generators|decorators|list comprehensions|pointers|references|garbage collection|ownership and borrowing|smart pointers|templates|generics|interfaces|
        inheritance|polymorphism|encapsulation|dependency injection|the observer pattern|the factory pattern|the singleton pattern|the strategy pattern|event loops|promises|async and await|
        threads|mutexes|deadlocks|race conditions|coroutines|channels|immutability|pure functions|higher-order functions|currying|lazy evaluation|tail calls|monads|pattern matching|
        exceptions|context managers|iterators|hash tables|linked lists|binary trees|heaps|graphs|dynamic programming|memoization|greedy algorithms|divide and conquer|big O notation|
        amortized cost|stable sorting|floating point rounding|integer overflow|two's complement|endianness|Unicode and UTF-8|regular expressions|serialization|JSON Web Tokens|OAuth|
        HTTP status codes|cookies and sessions|CORS|REST and GraphQL|WebSockets|TCP and UDP|DNS|TLS|SQL joins|indexes of a database|transactions|normalization|foreign keys|
        SQL injection|cross-site scripting|password hashing|version control|Git branches|rebasing|merge conflicts|continuous integration|unit tests|mocking|code coverage|
        containers|virtual machines|environment variables|the call stack|the heap|memory leaks|caching|load balancing|message queues|microservices|the CAP theorem|
        compilers and interpreters|linkers|bytecode|just-in-time compilation|type inference|duck typing|static and dynamic typing|a virtual function table""",
    "pair": """a list and a tuple in Python|== and is in Python|a shallow and a deep copy|a process and a thread|a stack and a queue|an array and a linked list|let, const and var in JavaScript|
        == and === in JavaScript|null and undefined|an interface and an abstract class|a struct and a class in C++|a pointer and a reference in C++|malloc and new|
        ArrayList and LinkedList in Java|String and StringBuilder in Java|a left join and an inner join|WHERE and HAVING|DELETE and TRUNCATE|a primary key and a unique key|
        git merge and git rebase|git fetch and git pull|git reset and git revert|PUT and PATCH|GET and POST|TCP and UDP|HTTP and HTTPS|authentication and authorization|
        a unit test and an integration test|a compiler and an interpreter|breadth-first and depth-first search|merge sort and quicksort|a set and a map|
        a mutex and a semaphore|concurrency and parallelism|synchronous and asynchronous code|a monolith and microservices|SQL and NoSQL|JSON and XML|YAML and JSON|
        Docker and a virtual machine|an image and a container|REST and GraphQL|a function and a method|an argument and a parameter|overloading and overriding|
        margin and padding in CSS|flexbox and grid|inline and block elements|String and &str in Rust|Box and Rc in Rust|a goroutine and a thread|a slice and an array in Go""",
    "table": """customers(id, name, city, created_at)|orders(id, customer_id, total, ordered_at)|products(id, name, price, stock)|employees(id, name, department_id, salary, hired_at)|
        departments(id, name, location)|students(id, name, year)|grades(student_id, course, points)|books(id, title, author_id, published)|authors(id, name, country)|
        flights(id, origin, destination, departs_at, seats)|payments(id, order_id, amount, paid_at)|visits(id, page, user_id, seconds)|songs(id, title, artist, length)|
        rooms(id, hotel_id, beds, price)|reservations(id, room_id, guest, arrival, departure)""",
    "query": """lists the {k} newest rows|counts the rows of every month|finds rows that occur twice|shows the average for every group|lists the groups with more than {m} rows|
        finds the second highest value|ranks the rows with a window function|computes a running total|deletes rows older than {n} days|raises a number by {k} percent|
        finds rows without a match in another table|pivots months into columns|returns a page of {m} rows|adds an index for a slow filter|creates the table with constraints""",
    "pattern": """a date like 2024-05-31|a time like 14:30|a phone number with an optional country code|a hexadecimal color|a decimal number with an optional sign|a postal code|
        a URL|a version like 1.2.3|a quoted string with escapes|a MAC address|a hashtag|a line comment|a word that begins with a capital letter|a UUID|an amount like $1,234.56""",
    "shell": """finds all files larger than {n} MB|counts the lines of all source files|replaces a word in all text files of a folder|shows the {k} processes that use most memory|
        archives a folder with today's date in the name|deletes log files older than {m} days|checks whether a web page answers|renames all .jpeg files to .jpg|
        prints the unique IP addresses of an access log|watches a file and prints new lines|lists the users of the machine|backs up a database every night|
        warns when the disk is nearly full|converts all PNG images to JPEG|kills whatever listens on a port|merges all CSV files of a folder|downloads a list of URLs""",
    "config": """a Dockerfile for a {lang} web service|a docker-compose file with a web service and PostgreSQL|a GitHub Actions workflow that runs the tests of a {lang} project|
        a Makefile for a small C project|a CMakeLists.txt for a library with tests|a package.json with scripts for build and test|a pyproject.toml for a small package|
        an nginx configuration that serves a folder and forwards /api|a systemd unit for a {lang} service|a Kubernetes deployment with {k} replicas|a Terraform file for a storage bucket|
        a .gitignore for a {lang} project|an ESLint configuration|a pre-commit configuration|a crontab with {k} jobs|a YAML file of settings for a game|an OpenAPI description of a small API""",
    "record": """a person with address and phone numbers|a product with variants and prices|a weather report|a book with its authors and chapters|a recipe with ingredients and steps|
        an order with its items|a movie with its cast|a flight with stops|a hotel room|a song with its artist|a quiz question with answers|a server's configuration|
        a bank transaction|a blog post with comments|a car for sale|a support ticket|a sensor reading|a course with lessons|a sports match with its score|a job offer""",
    "goal": """faster|easier to read|shorter|safer|easier to test|work with very large inputs|handle errors|thread-safe|work without external libraries""",
    "library": """pandas|NumPy|matplotlib|requests|Flask|FastAPI|Django|SQLAlchemy|pytest|asyncio|argparse|React|Vue|Express|Node's fs module|jQuery|D3|Spring Boot|JUnit|Hibernate|
        the C++ standard library|Boost|Qt|serde|tokio|the Go net/http package|LINQ|Entity Framework|Rails|Laravel|Tkinter|scikit-learn|PyTorch|BeautifulSoup|SQLite""",
    "library_task": """read a table and show its first rows|plot two lines in one chart|make a request and check the status|group by a column and sum another|define a route with a parameter|
        write a test with a fixture|open a file and count its lines|show a list of items|handle a form|connect to a database|run tasks at the same time|parse a date|
        sort by two keys|join two tables|fill in missing values|log errors to a file|validate input|serve static files|send JSON|build a small window with a button""",
    "error": """IndexError: list index out of range|KeyError: 'name'|TypeError: 'NoneType' object is not iterable|TypeError: can only concatenate str (not \"int\") to str|
        ModuleNotFoundError: No module named 'requests'|RecursionError: maximum recursion depth exceeded|UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9|
        ValueError: invalid literal for int() with base 10: ''|IndentationError: unexpected indent|TypeError: Cannot read properties of undefined (reading 'map')|
        ReferenceError: x is not defined|Uncaught SyntaxError: Unexpected token '<'|java.lang.NullPointerException|ConcurrentModificationException|
        ArrayIndexOutOfBoundsException: 5|Segmentation fault (core dumped)|undefined reference to `main'|error: expected ';' before '}' token|stack smashing detected|
        borrow of moved value: `s`|cannot borrow `v` as mutable more than once at a time|panic: runtime error: invalid memory address or nil pointer dereference|
        fatal: refusing to merge unrelated histories|npm ERR! code ERESOLVE|CORS policy: No 'Access-Control-Allow-Origin' header|ERROR 1064 (42000): You have an error in your SQL syntax|
        Permission denied (publickey)|EADDRINUSE: address already in use :::3000|OSError: [Errno 28] No space left on device|segmentation fault after free()""",
    "audience": "a beginner|a ten-year-old|a student in the first semester|an experienced developer|a Java developer|a colleague who knows only Excel|my manager",
    "doc": """Return the lines of a text that contain a word, with their line numbers|Yield pairs of neighboring items|Return the index of the first item that satisfies a predicate|
        Return a copy of a dictionary without the given keys|Convert a list of rows to a Markdown table|Return the n most frequent words of a text|
        Return the text between two markers, or None|Replace every tab with spaces up to the next multiple of a width|Return how many days a month has|
        Parse a duration like '1h 30m' into seconds|Return the grid with a border of zeros|Return the largest rectangle of ones in a grid|
        Return the running totals of a list|Interleave two iterables until the longer one ends|Return the parts of a path as a list|Mask all but the last four characters|
        Return the items that occur in exactly one of two lists|Return the smallest window of a text that holds all given characters|Count how many steps a robot needs to leave a grid|
        Return the score of a bowling game|Return the balance after a list of transactions|Return the shortest unambiguous prefix of each word""",
    "name": "process_lines|pairwise_items|first_matching|without_keys|to_markdown|top_words|text_between|expand_tabs_to|month_length|parse_duration|with_border|largest_rectangle|running_totals|interleave_all|path_parts|mask_secret|exclusive_items|minimal_window|steps_to_exit|bowling_score|final_balance|short_prefixes",
    "snippet": """total = 0\\nfor row in rows:\\n    if row["amount"] > {n}:\\n        total += row["amount"]\\nprint(f"{total:.2f}")|words = text.lower().split()\\ncounts = {}\\nfor word in words:\\n    counts[word] = counts.get(word, 0) + 1\\nfor word in sorted(counts, key=counts.get, reverse=True)[:{k}]:\\n    print(word, counts[word])|
        def walk(node, depth=0):\\n    print("  " * depth + node.name)\\n    for child in node.children:\\n        walk(child, depth + 1)|grid = [[0] * {m} for _ in range({k})]\\nfor y, row in enumerate(grid):\\n    for x, _ in enumerate(row):\\n        row[x] = x * y\\nprint(grid[-1])|
        with open("data.txt") as file:\\n    lines = [line.strip() for line in file if line.strip()]\\nprint(len(lines), lines[:{k}])|def chunks(items, size):\\n    for start in range(0, len(items), size):\\n        yield items[start:start + size]\\n\\nprint(list(chunks(list(range({m})), {k})))|
        class Counter:\\n    def __init__(self, start={k}):\\n        self.value = start\\n\\n    def tick(self):\\n        self.value += 1\\n        return self.value|import time\\n\\ndef timed(function):\\n    def wrapper(*args):\\n        start = time.perf_counter()\\n        result = function(*args)\\n        print(time.perf_counter() - start)\\n        return result\\n    return wrapper|
        try:\\n    port = int(os.environ["PORT"])\\nexcept (KeyError, ValueError):\\n    port = {n}00|left, right = 0, len(items) - 1\\nwhile left <= right:\\n    middle = (left + right) // 2\\n    if items[middle] < target:\\n        left = middle + 1\\n    else:\\n        right = middle - 1""",
    "scripted": """const byCity = people.reduce((groups, person) => {\\n  (groups[person.city] ??= []).push(person);\\n  return groups;\\n}, {});|document.querySelectorAll("li").forEach((item, i) => {\\n  item.addEventListener("click", () => console.log(i));\\n});|
        async function load(url) {\\n  const answer = await fetch(url);\\n  if (!answer.ok) throw new Error(answer.status);\\n  return answer.json();\\n}|const timer = setInterval(() => {\\n  if (--left === 0) clearInterval(timer);\\n  box.textContent = left;\\n}, {n}0);|
        const unique = [...new Set(values)].slice(0, {k});|function debounce(call, wait = {n}0) {\\n  let timer;\\n  return (...args) => {\\n    clearTimeout(timer);\\n    timer = setTimeout(() => call(...args), wait);\\n  };\\n}""",
    "compiled": """std::map<std::string, int> counts;\\nfor (const auto& word : words) ++counts[word];\\nfor (const auto& [word, count] : counts)\\n    if (count > {k}) std::cout << word << '\\\\n';|int *p = malloc({m} * sizeof *p);\\nfor (int i = 0; i < {m}; i++) p[i] = i * i;\\nprintf("%d\\\\n", p[{k}]);\\nfree(p);|
        template <class T>\\nT clamp_to(T value, T low, T high) {\\n    return value < low ? low : value > high ? high : value;\\n}|char *s = "text";\\nint n = 0;\\nwhile (*s++) n++;\\nprintf("%d\\\\n", n);|
        auto owner = std::make_unique<Node>({k});\\nNode* raw = owner.get();\\nauto other = std::move(owner);|for (size_t i = v.size(); i-- > 0;)\\n    if (v[i] % {k} == 0) v.erase(v.begin() + i);""",
    "broken": """numbers = [1, 2, 3]\\nfor i in range(len(numbers) + 1):\\n    print(numbers[i])|age = input("Age: ")\\nif age > {n}:\\n    print("welcome")|items = [1, 2, 3, 4]\\nfor item in items:\\n    if item % 2 == 0:\\n        items.remove(item)|
        def append_to(value, items=[]):\\n    items.append(value)\\n    return items|prices = {"tea": 3}\\nprint(prices["coffee"])|import json\\ndata = json.loads("{'a': {k}}")|x = {m}\\ndef change():\\n    x += 1\\nchange()\\nprint(x)|
        text = None\\nprint(text.upper())|for i in range({k}):\\nprint(i)|result = "Total: " + {n}\\nprint(result)|class Dog:\\n    def bark():\\n        print("woof")\\nDog().bark()|with open("out.txt") as f:\\n    f.write("hello")""",
}.items()}
SLOTS["lang"] = LANGUAGES

TOOLS = (
    ("get_weather", "Current weather of a city", {"city": "string", "unit": "celsius or fahrenheit"},
     ("What is the weather like in {city}?", "Do I need an umbrella in {city} today?", "How warm is it in {city} and in {city/2} right now?", "Compare the weather in {city} and {city/2}.")),
    ("search_flights", "Flights between two cities on a date", {"origin": "string", "destination": "string", "date": "YYYY-MM-DD"},
     ("Find me a flight from {city} to {city/2} on 2025-0{k}-1{k}.", "I want to fly to {city} from {city/2} on the first of May 2025.", "Is there a flight from {city} to {city/2} on 2025-06-0{k}?")),
    ("convert_currency", "Converts an amount of money", {"amount": "number", "from": "currency code", "to": "currency code"},
     ("How much is {n} euros in dollars?", "Convert {n}0 Japanese yen to Swiss francs.", "I have {n} pounds. How many euros is that?")),
    ("send_email", "Sends an email", {"to": "string", "subject": "string", "body": "string"},
     ("Send an email to {person}@example.com that the meeting is moved to {weekday}.", "Tell {person} ({person}@example.org) by email that I am {m} minutes late.", "Write to {person}@example.com and ask for the report.")),
    ("create_event", "Puts an event into the calendar", {"title": "string", "start": "ISO 8601", "minutes": "integer"},
     ("Put lunch with {person} on {weekday} at noon into my calendar.", "Schedule a {n}-minute call with {person} for 2025-03-1{k} at {k}:30.", "Block {k} hours for writing on {weekday}.")),
    ("query_database", "Runs a read-only SQL query", {"sql": "string"},
     ("How many orders were there in March?", "Who are our {k} best customers?", "What is the average price of our products?", "List all employees hired after 2020.")),
    ("read_file", "Reads a text file", {"path": "string", "first_line": "integer", "last_line": "integer"},
     ("What is in src/main.py?", "Show me lines {m} to {n} of README.md.", "Look into config.yaml and tell me the port.")),
    ("run_tests", "Runs the tests of a project", {"path": "string", "pattern": "string"},
     ("Do the tests in tests/api still pass?", "Run only the tests about login.", "Check whether my change to the parser broke anything.")),
    ("get_stock_price", "Latest price of a share", {"symbol": "string"},
     ("What does a share of Apple cost?", "Are MSFT and GOOG up today?", "Tell me the price of {k} shares of NVDA.")),
    ("play_music", "Plays music", {"query": "string", "volume": "0 to 100"},
     ("Play some jazz, not too loud.", "Play something for a rainy {weekday} at volume {n}.", "I would like to hear the newest album of my favorite band.")),
    ("set_timer", "Starts a timer", {"seconds": "integer", "label": "string"},
     ("Wake me in {m} minutes.", "Set a timer for the pasta: {k} minutes.", "Remind me in {k} hours to call {person}.")),
    ("translate_text", "Translates a text", {"text": "string", "target_language": "string"},
     ("Translate 'Where is the station?' into {language}.", "How do you say 'thank you very much' in {language}?")),
)

# In other human languages: domain by kind, patterns with the names of programming languages as they are.
HUMAN = {
    "de": ("Schreibe eine Funktion in {lang}, die {de}.", "Erkläre mir {de_idea} so, dass es ein Anfänger versteht.", "Was ist der Unterschied zwischen {de_pair}?", "Wie kann ich in {lang} {de_how}?",
           "Erstelle eine JSON-Datei für {de_record}.", "Was macht dieser Code?\n\n```python\n{snippet}\n```", "Finde den Fehler in diesem Programm:\n\n```python\n{broken}\n```", "Schreibe eine kurze Geschichte über {de_hero}."),
    "fr": ("Écris une fonction en {lang} qui {fr}.", "Explique {fr_idea} à un débutant.", "Quelle est la différence entre {fr_pair} ?", "Comment puis-je {fr_how} en {lang} ?", "Crée un fichier JSON pour {fr_record}.",
           "Que fait ce code ?\n\n```python\n{snippet}\n```", "Trouve l'erreur dans ce programme :\n\n```python\n{broken}\n```", "Donne-moi trois conseils pour apprendre {lang}."),
    "es": ("Escribe una función en {lang} que {es}.", "Explica {es_idea} a un principiante.", "¿Cuál es la diferencia entre {es_pair}?", "¿Cómo puedo {es_how} en {lang}?", "Crea un archivo JSON para {es_record}.",
           "¿Qué hace este código?\n\n```python\n{snippet}\n```", "Encuentra el error en este programa:\n\n```python\n{broken}\n```", "Dame tres consejos para aprender {lang}."),
    "zh": ("用{lang}写一个函数，{zh}。", "请向初学者解释{zh_idea}。", "{zh_pair}有什么区别？", "在{lang}中如何{zh_how}？", "为{zh_record}写一个JSON示例。", "这段代码做什么？\n\n```python\n{snippet}\n```",
           "找出下面程序中的错误：\n\n```python\n{broken}\n```", "给我三个学习{lang}的建议。"),
    "ja": ("{lang}で{ja}関数を書いてください。", "{zh_idea}について初心者にもわかるように説明してください。", "次のコードは何をしますか？\n\n```python\n{snippet}\n```", "このプログラムの間違いを見つけてください。\n\n```python\n{broken}\n```", "{lang}を学ぶためのコツを三つ教えてください。"),
    "ru": ("Напиши функцию на {lang}, которая {ru}.", "Объясни новичку, что такое {ru_idea}.", "Что делает этот код?\n\n```python\n{snippet}\n```", "Найди ошибку в этой программе:\n\n```python\n{broken}\n```", "Как на {lang} {ru_how}?"),
    "pt": ("Escreva uma função em {lang} que {pt}.", "Explique {pt_idea} para um iniciante.", "O que este código faz?\n\n```python\n{snippet}\n```", "Dê três dicas para aprender {lang}."),
    "it": ("Scrivi una funzione in {lang} che {it}.", "Spiega {it_idea} a un principiante.", "Che cosa fa questo codice?\n\n```python\n{snippet}\n```", "Dammi tre consigli per imparare {lang}."),
}
SLOTS.update({key: _list(text) for key, text in {
    "de": "eine CSV-Zeile zerlegt|die Wörter eines Textes zählt|eine Matrix transponiert|eine verkettete Liste umdreht|das größte gemeinsame Präfix von Wörtern findet|eine Datei zeilenweise liest|zwei sortierte Listen zusammenführt|ein Datum formatiert|eine E-Mail-Adresse prüft|ein zufälliges Passwort erzeugt",
    "de_idea": "Rekursion|Vererbung|eine Hashtabelle|Zeiger|asynchrone Programmierung|eine Datenbanktransaktion|Versionskontrolle mit Git|reguläre Ausdrücke|Unit-Tests|eine Schnittstelle",
    "de_pair": "einer Liste und einem Tupel|einem Prozess und einem Thread|SQL und NoSQL|Stapel und Warteschlange|TCP und UDP|einer Klasse und einem Objekt",
    "de_how": "eine Liste nach zwei Schlüsseln sortieren|eine JSON-Datei lesen|Fehler abfangen|ein Datum einlesen|Zeichenketten zusammenfügen|eine HTTP-Anfrage senden",
    "de_record": "ein Buch mit Autor und Kapiteln|eine Bestellung mit Positionen|ein Rezept|eine Person mit Adresse|einen Wetterbericht",
    "de_hero": "einen neugierigen Roboter|eine alte Uhrmacherin|einen Hund, der programmieren kann|zwei Schwestern am Meer",
    "fr": "analyse une ligne CSV|compte les mots d'un texte|transpose une matrice|inverse une liste chaînée|lit un fichier ligne par ligne|fusionne deux listes triées|vérifie une adresse e-mail|génère un mot de passe aléatoire",
    "fr_idea": "la récursivité|l'héritage|une table de hachage|les pointeurs|la programmation asynchrone|les expressions régulières|les tests unitaires",
    "fr_pair": "une liste et un tuple|un processus et un thread|SQL et NoSQL|une pile et une file|TCP et UDP",
    "fr_how": "trier une liste selon deux clés|lire un fichier JSON|gérer les erreurs|envoyer une requête HTTP|concaténer des chaînes",
    "fr_record": "un livre avec ses chapitres|une commande|une recette|une personne avec son adresse|un bulletin météo",
    "es": "analiza una línea CSV|cuenta las palabras de un texto|transpone una matriz|invierte una lista enlazada|lee un archivo línea por línea|combina dos listas ordenadas|valida un correo electrónico|genera una contraseña aleatoria",
    "es_idea": "la recursión|la herencia|una tabla hash|los punteros|la programación asíncrona|las expresiones regulares|las pruebas unitarias",
    "es_pair": "una lista y una tupla|un proceso y un hilo|SQL y NoSQL|una pila y una cola|TCP y UDP",
    "es_how": "ordenar una lista por dos claves|leer un archivo JSON|manejar errores|enviar una petición HTTP|unir cadenas",
    "es_record": "un libro con sus capítulos|un pedido|una receta|una persona con su dirección|un informe del tiempo",
    "zh": "解析一行CSV|统计文本中的单词数量|转置矩阵|反转链表|逐行读取文件|合并两个有序列表|验证电子邮件地址|生成随机密码|计算两个日期之间的天数|把嵌套列表展平",
    "zh_idea": "递归|继承|哈希表|指针|异步编程|正则表达式|单元测试|数据库索引|闭包|多线程",
    "zh_pair": "列表和元组|进程和线程|SQL和NoSQL|栈和队列|TCP和UDP|类和对象",
    "zh_how": "按两个键排序|读取JSON文件|处理异常|发送HTTP请求|拼接字符串|格式化日期",
    "zh_record": "一本书|一个订单|一份食谱|一个人和他的地址|天气预报",
    "ja": "CSVの一行を解析する|テキストの単語を数える|行列を転置する|連結リストを逆順にする|ファイルを一行ずつ読む|ランダムなパスワードを作る",
    "ru": "разбирает строку CSV|считает слова в тексте|транспонирует матрицу|переворачивает связный список|читает файл построчно|создаёт случайный пароль|объединяет два отсортированных списка",
    "ru_idea": "рекурсия|наследование|хеш-таблица|указатель|асинхронное программирование|регулярное выражение|модульный тест",
    "ru_how": "отсортировать список по двум ключам|прочитать файл JSON|обработать исключение|отправить HTTP-запрос",
    "pt": "analisa uma linha CSV|conta as palavras de um texto|transpõe uma matriz|inverte uma lista ligada|lê um arquivo linha por linha|gera uma senha aleatória",
    "pt_idea": "a recursão|a herança|uma tabela de dispersão|os ponteiros|as expressões regulares|os testes unitários",
    "it": "analizza una riga CSV|conta le parole di un testo|traspone una matrice|inverte una lista concatenata|legge un file riga per riga|genera una password casuale",
    "it_idea": "la ricorsione|l'ereditarietà|una tabella hash|i puntatori|le espressioni regolari|i test unitari",
}.items()})
