"""``python tools/class_catalogue.py``: write the list of classes that `littlestone classes` reads."""

import json

from littlestone.classes.text.catalogue import FILE, class_files, walk_catalogue

kept = {"files": class_files(), "rows": walk_catalogue()}
FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
