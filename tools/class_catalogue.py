"""``python tools/class_catalogue.py``: write the list of classes that `littlestone classes` reads."""

import json

from littlestone.classes.text.catalogue import FILE, walked

FILE.write_text(json.dumps(walked(), indent=1) + "\n", encoding="utf-8")
