"""Names of the programs, in the order of the tables."""

OURS, ODIFF, BLAZEDIFF, PIXELMATCH = "ours", "odiff", "blazediff", "pixelmatch"
REG_CLI = "reg-cli"
