"""Use the product for the first time as its terminal output and pages say: ``make first-use``."""
