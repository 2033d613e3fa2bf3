"""Pages to hand over: a release, a run over a stream or a ledger, in one HTML file for people."""
