"""Install a wheel, then a source distribution, in a new environment, and use each: PATH ...

The environment has nothing but the package and what it depends on, and for the wheel no compiler.
Without one, the source distribution says in a sentence what it needs.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TABLE = "x,y\n" + "".join(f"{i % 10},{int(i % 10 >= 4)}\n" for i in range(2000))
FIT = ["fit", "table.csv", "--target", "y", "--positive", "1", "--epsilon", "1"]


def main(packages: list[Path]) -> None:
    """Say of each package that it is installed and learns, or fail."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        (folder / "table.csv").write_text(TABLE)

        without = {**os.environ, "CC": "no-compiler", "CXX": "no-compiler"}

        def run(*words: str, compiler: bool = False, fails: str = "") -> str:
            # Outside of the repository, so that nothing is imported from it.
            done = subprocess.run(
                [python, *words],
                cwd=folder,
                env=None if compiler else without,
                capture_output=True,
                text=True,
            )
            said = " ".join((done.stdout + done.stderr).split())
            if bool(done.returncode) != bool(fails) or fails not in said:
                sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
            return done.stdout

        for number, package in enumerate(packages):
            source = package.suffix != ".whl"
            again = ["--force-reinstall", "--no-deps"] if number else []
            install = ["-m", "pip", "install", "--quiet", *again, str(package)]
            if source:
                run(
                    *install, fails="needs a C++20 compiler and there is none here: install a wheel"
                )
            run(*install, compiler=source)
            learned = "--class", "thresholds(x, 0..9)", "--out", "model.json", "--replace"
            release = run("-m", "littlestone", *FIT, *learned)
            if "x >= 4" not in release:
                sys.exit(f"{package.name}: the rule is not x >= 4 but\n{release}")
            if "<style>" not in run("-m", "littlestone", "report", "model.json"):
                sys.exit(f"{package.name}: a page has no style")
            run(str(Path(__file__).with_name("every_command.py").resolve()))
            did = "it learns, makes a page, and runs every command"
            sys.stdout.write(f"{package.name}: installed, {did}\n")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sorted(sys.argv[1:], reverse=True)])
