"""The conformance suite: laws of classes, domains, functions and online learners.

Run it on your own class, for instance with pytest:

    @pytest.mark.parametrize("check", yield_checks(MyClass(...)), ids=str)
    def test_my_class(check):
        check()
"""

from littlestone.prove.laws.law import Check
from littlestone.prove.laws.suite import yield_checks

__all__ = ["Check", "yield_checks"]
