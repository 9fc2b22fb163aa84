"""Short texts to summarise, rewrite, shorten, question or extract from: each built of sentences with choices, so that no two are alike."""


def _of(dice, *options):
    return dice.choice(options)


def building(dice, word):
    b, city, p = word("building"), word("city"), word("person") + " " + word("surname")
    years, cost = dice.randint(12, 140), dice.randint(2, 90)
    return [f"The old {b} in {city} {_of(dice, 'will be closed', 'was closed', 'has been closed')} {_of(dice, 'since spring', 'for two years', 'until ' + word('month'))} "
            f"because {_of(dice, 'engineers found cracks in the walls', 'the roof was damaged by a storm', 'the heating no longer works', 'the floor has to be replaced')}.",
            f"It was built {years} years ago and {_of(dice, 'is one of the best known places of the city', 'was used as a warehouse for a long time', 'has never been renovated')}.",
            f"The work will cost about {cost} million {_of(dice, 'dollars', 'euros')}, {_of(dice, 'half of which is paid by the state', 'more than was planned', 'and most of it comes from donations')}.",
            f"{p}, who {_of(dice, 'leads the project', 'lives next door', 'has worked there for ' + str(dice.randint(3, 30)) + ' years')}, "
            f"{_of(dice, 'hopes that it will open again in ' + word('month'), 'says that the neighbors were not asked', 'is happy that something is done at last')}.",
            _of(dice, "Until then, visitors are sent to another place nearby.", "A small exhibition shows the plans.", "Not everyone agrees: some would rather have a park.")]


def animal(dice, word):
    a = word("animal")
    return [f"Researchers {_of(dice, 'from ' + word('city'), 'in ' + word('place'))} have watched {a} for {dice.randint(2, 20)} years.",
            f"They found that {a} {_of(dice, 'recognize each other by sound', 'sleep much less than was believed', 'share food with neighbors', 'travel up to ' + str(dice.randint(5, 90)) + ' kilometers a day', 'learn from older animals')}.",
            f"{_of(dice, 'The team used small cameras', 'Small transmitters were used', 'Volunteers wrote down what they saw')}, "
            f"{_of(dice, 'which did not disturb the animals', 'and collected data of ' + str(dice.randint(40, 900)) + ' animals', 'day and night')}.",
            _of(dice, "The results may help to protect them.", "Other experts warn that the sample is small.", "The next study will look at their young.",
                f"\"Nobody expected that,\" says {word('person')} {word('surname')}, one of the authors.")]


def shop(dice, word):
    p, b = word("person"), word("business")
    return [f"{p} {_of(dice, 'opened', 'took over')} a {b} in {word('city')} {_of(dice, 'three years ago', 'last ' + word('season'), 'in ' + str(dice.randint(1985, 2022)))}.",
            f"{_of(dice, 'At first there were hardly any customers', 'The first months were hard', 'Business was good from the first day')}, "
            f"{_of(dice, 'but a newspaper article changed that', 'and the rent was high', 'because everyone in the street helped')}.",
            f"Today {dice.randint(2, 40)} people work there, and {_of(dice, 'on ' + word('weekday') + 's there is a long line in front of the door', 'orders come from all over the country', 'a second shop is planned')}.",
            _of(dice, f"{p} used to be a {word('job')} and says that the change was the best decision ever.", f"What {p} misses most is free time.",
                "The secret, they say, is to listen to people.", "Next year, courses for beginners will be offered as well.")]


def meeting(dice, word):
    a, b, c = word("person"), word("person"), word("person")
    return [f"Notes of the meeting on {word('weekday')}, {word('month')} {dice.randint(1, 28)}.",
            f"{a} reported that {_of(dice, 'the new website is nearly ready', 'sales rose by ' + str(dice.randint(2, 30)) + ' percent', 'two deliveries were late', 'the budget is almost used up')}.",
            f"{b} {_of(dice, 'asked for more help with testing', 'will write to the customers by ' + word('weekday'), 'suggested to move the release to ' + word('month'))}.",
            f"{c} {_of(dice, 'is looking for a larger room', 'will be on vacation for two weeks', 'prepares ' + word('event'), 'has found a cheaper supplier')}.",
            _of(dice, f"The next meeting is on {word('weekday')} at {dice.randint(8, 16)}:{_of(dice, '00', '15', '30')}.", "No decision was made about the office plants.", "Everyone agreed to meet less often.")]


def journey(dice, word):
    return [f"Last {word('season')} we traveled through {word('place')} for {dice.randint(5, 30)} days, {_of(dice, 'by train', 'by bicycle', 'in an old van', 'mostly on foot')}.",
            f"{_of(dice, 'It rained nearly every day', 'The sun shone all the time', 'The first night we could not find a hotel')}, "
            f"{_of(dice, 'but the people were very kind', 'and we were glad about our warm clothes', 'so we changed our plan')}.",
            f"What I liked most was {_of(dice, 'the small market of a village', 'a walk along the coast', 'the food, above all ' + word('meal'), 'an old ' + word('building'), 'seeing ' + word('animal') + ' in the wild')}.",
            f"We spent about {dice.randint(30, 120)} dollars a day, {_of(dice, 'less than we had feared', 'half of it on food', 'tickets not included')}.",
            _of(dice, "We will certainly go back.", "Next time I would stay longer in one place.", "I can recommend it to everyone who is not in a hurry.")]


def science(dice, word):
    c = word("concept")
    return [f"Many students find {c} hard to understand, although {_of(dice, 'it can be seen every day', 'the idea behind it is simple', 'it was described long ago')}.",
            f"A {_of(dice, 'teacher', 'school', 'group of students')} in {word('city')} therefore tried something new: {_of(dice, 'experiments instead of lectures', 'a game with cards', 'older pupils teach the younger ones', 'a film made by the class itself')}.",
            f"After {dice.randint(3, 12)} weeks, {dice.randint(55, 95)} percent passed the test, compared with {dice.randint(25, 54)} percent before.",
            _of(dice, "The idea will now be tried in other schools.", "Critics say that the groups were too small.", "It takes more time, but it is more fun.", "The material is free for everyone.")]


def review(dice, word):
    g = word("goods")
    return [f"I bought this {g} {_of(dice, 'two months ago', 'for my ' + _of(dice, 'son', 'mother', 'office'), 'in a sale')} and {_of(dice, 'use it every day', 'have mixed feelings', 'am very happy with it', 'would not buy it again')}.",
            f"{_of(dice, 'It looks good', 'It arrived after two days', 'The manual is short and clear')}, {_of(dice, 'but the color is not the one in the picture', 'and it is very light', 'but it makes a strange noise')}.",
            f"{_of(dice, 'Customer service answered within an hour', 'Nobody answered my email', 'A friend repaired it in ten minutes')}.",
            f"For {dice.randint(15, 400)} dollars it is {_of(dice, 'a fair offer', 'too expensive', 'a bargain', 'acceptable')}.",
            f"I give it {dice.randint(1, 5)} of 5 stars."]


def history(dice, word):
    p, city, year = word("person") + " " + word("surname"), word("city"), dice.randint(1820, 1990)
    return [f"{p} was born in {city} in {year} and {_of(dice, 'grew up with ' + str(dice.randint(2, 9)) + ' brothers and sisters', 'wanted to become a ' + word('job'), 'left school early')}.",
            f"In {year + dice.randint(18, 35)} {_of(dice, 'a small workshop was founded that later became a large company', 'the first book appeared, of which only a few copies were sold', 'the move to ' + word('city') + ' followed')}.",
            f"{_of(dice, 'Success came late', 'Friends helped in difficult years', 'A fire destroyed nearly everything')}, {_of(dice, 'but giving up was never an option', 'and many letters from that time still exist', 'as a diary tells')}.",
            _of(dice, f"Today a {word('building')} in {city} bears the name.", "Only in recent years has the work become known again.", "The family still owns the house.")]


def weather(dice, word):
    return [f"On {word('weekday')} it will be {_of(dice, 'mostly sunny', 'cloudy with some rain', 'windy', 'foggy in the morning')} in {word('city')}, with {dice.randint(-5, 34)} degrees.",
            f"{_of(dice, 'In the evening', 'During the night', 'From noon on')} {_of(dice, 'thunderstorms are possible', 'the wind gets stronger', 'the sky clears', 'snow may fall in the hills')}.",
            f"{word('weekday')} brings {_of(dice, 'no great change', 'much colder air', 'up to ' + str(dice.randint(5, 60)) + ' millimeters of rain', 'the warmest day of the month')}.",
            _of(dice, "Drivers should plan more time.", "Gardeners will be glad.", "The outlook for the weekend is uncertain.", "The beaches are expected to be full.")]


PASSAGES = (building, animal, shop, meeting, journey, science, review, history, weather)


def passage(dice, word, kinds=PASSAGES):
    sentences = dice.choice(kinds)(dice, word)
    if dice.random() < 0.3:
        sentences += dice.choice(kinds)(dice, word)
    return " ".join(s[0].upper() + s[1:] for s in sentences)
