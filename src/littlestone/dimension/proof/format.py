"""The numbers in the text of a refutation graph; docs/certificate-format.md explains them."""

# A word of a claim: the end of its steps, or a step about a side of a column.
END, END_SHAPE, STEP = range(3)  # STEP + 2 * column + side

# The kinds of steps.
CHILD, INSIDE, SUBSET, SHAPE, UNDER_GROUP = range(5)
