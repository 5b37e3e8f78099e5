"""Safe output of untrusted text on a terminal or in a log."""


def printable(text: str) -> str:
    """Return ``text`` with every character replaced that could control a terminal.

    Names and messages come from the authors of stories and files, and from servers.
    """
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
