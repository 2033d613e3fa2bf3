"""The searches.  Nobody trusts them: what they find is checked in `certify`."""
