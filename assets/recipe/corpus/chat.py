"""Domain: open chat.  The domain with the highest entropy by far: a choice of one to three words at every second or
third token, most of them leanings (see grammar.py), and optional words and crossed stems between them.
"""
from .advice import advice, compare, ideas
from .letters import diary, invitation, letter, picture
from .stories import story, story_raw
from .talk import dialogue, feeling, poem, role

FAMILIES = [(story, 0.28), (story_raw, 0.06), (advice, 0.15), (ideas, 0.08), (letter, 0.11), (invitation, 0.04), (diary, 0.06), (picture, 0.06),
            (compare, 0.03), (role, 0.04), (poem, 0.05), (feeling, 0.04), (dialogue, 0.05)]
