"""Lexicons of composed tools: what can be done with which things, and the typed values that a tool may ask for."""
from .lexicon import CITIES, COLORS, DAYS, NAMES

# things of one kind, what can be done with each of them (a tool is verb_noun), and what such a tool may ask for
KINDS = [
    ("report letter note file page invoice form poster photo video drawing contract brochure list map certificate",
     "open print copy save share delete rename scan sort archive translate review edit sign frame",
     "day person time colour label language number times flag"),
    ("heater fan oven printer camera washer dishwasher radio projector sprinkler freezer pump scanner lamp",
     "activate disable check clean reset test repair pause inspect charge lock",
     "day time room label minutes number times flag"),
    ("car bike boat van scooter tent hall desk studio cabin locker garage court sledge",
     "rent reserve cancel inspect return find hold clean value",
     "city day person time label minutes price number flag"),
    ("chair jacket ticket parcel cake blanket carpet helmet basket mirror bottle clock umbrella guitar vase",
     "buy sell order wrap ship pack track weigh rate compare return collect",
     "city day person time colour label material price number flag"),
    ("lesson course trip tour meeting workshop party match exam concert picnic race interview ceremony",
     "plan join book cancel move start record announce rate extend shorten",
     "city day person time room label language minutes number flag"),
]
KINDS = [tuple(map(str.split, kind)) for kind in KINDS]

# other words for a verb in a request; no two verbs share one
SAID = {"activate": ["activate", "switch on", "turn on"], "disable": ["disable", "switch off", "turn off"], "start": ["start", "begin"],
        "delete": ["delete", "remove", "throw away"],
        "repair": ["repair", "fix", "mend"], "check": ["check", "look at"], "buy": ["buy", "purchase"], "rent": ["rent", "hire"],
        "print": ["print", "print out"], "share": ["share", "pass on"], "cancel": ["cancel", "call off"], "track": ["track", "follow"],
        "rename": ["rename", "give a new name to"], "collect": ["collect", "pick up"], "plan": ["plan", "organise"],
        "join": ["join", "take part in"], "move": ["move", "shift"], "inspect": ["inspect", "examine"], "charge": ["charge", "load up"],
        "hold": ["hold", "keep"], "wrap": ["wrap", "wrap up"]}

TIMES = ["6:30", "7:15", "8:45", "9:30", "10:15", "11:00", "12:45", "13:30", "14:15", "16:00", "17:30", "19:45", "21:00"]
LABELS = ["river", "winter", "comet", "amber", "garden", "falcon", "maple", "signal", "harbour", "silver", "lantern", "island", "orchid", "summit",
          "copper", "meadow", "rocket", "violin", "thunder", "pepper"]
ROOMS = ["kitchen", "bedroom", "bathroom", "office", "hall", "cellar", "library", "attic"]
FLAGS = ["urgent", "public", "private", "silent", "secret", "final", "express", "shared"]
MATERIALS = ["wood", "paper", "glass", "metal", "cotton", "leather"]
LANGUAGES = ["French", "German", "Spanish", "Italian", "Japanese", "Polish", "Greek", "Dutch"]


def one_of(pool):
    return lambda d: d.choose(pool)


def between(low, high):
    return lambda d: d.number(low, high)


# what a parameter means: (JSON type, names it may have in a schema, how a value is drawn, how a request says it)
VALUES = {
    "city": ("string", ["city", "place", "town", "location"], one_of(CITIES), ["in $v"]),
    "day": ("string", ["day", "date", "when"], one_of(["today", "tomorrow"] + DAYS), ["on $v", "for $v"]),
    "person": ("string", ["person", "name", "owner", "contact", "customer"], one_of(NAMES), ["for $v"]),
    "time": ("string", ["time", "hour", "clock"], one_of(TIMES), ["at $v"]),
    "colour": ("string", ["colour", "color", "paint"], one_of(COLORS), ["in $v", "in the colour $v"]),
    "room": ("string", ["room", "area", "part"], one_of(ROOMS), ["in the $v"]),
    "label": ("string", ["title", "label", "tag", "code"], one_of(LABELS), ["called $v", "with the {0} $v"]),
    "material": ("string", ["material", "made_of"], one_of(MATERIALS), ["made of $v"]),
    "language": ("string", ["language", "tongue"], one_of(LANGUAGES), ["in $v"]),
    "minutes": ("integer", ["minutes", "duration", "length"], between(2, 90), ["for $v minutes"]),
    "price": ("integer", ["price", "budget", "limit", "dollars"], between(5, 400), ["for $v dollars", "for at most $v dollars"]),
    "number": ("integer", ["number", "id", "index"], between(1, 999), ["with the {0} $v", "number $v"]),
    "times": ("integer", ["times", "repeats", "count"], between(2, 12), ["$v times"]),
    "flag": ("boolean", FLAGS, None, None),
}
# of these at most one in a tool: their values are said alike
SIMILAR = [{"city", "room", "colour", "language"}, {"label", "number"}, {"person", "minutes", "price"}]
