"""Names of the programs, in the order of the tables."""

# ``ANALYZED`` is ours, including the search for changes.
OURS, ANALYZED = "ours", "ours, analyzed"
ODIFF, BLAZEDIFF, PIXELMATCH = "odiff", "blazediff", "pixelmatch"
REG_CLI = "reg-cli"
