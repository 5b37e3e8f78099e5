"""Safe output of untrusted text on a terminal or in a log."""


def printable(text: str, keep: str = "") -> str:
    """Return ``text`` with every character replaced that could control a terminal.

    Names and messages come from the authors of stories and files, and from servers. The
    characters in ``keep`` stay, such as line breaks.
    """
    return "".join(
        letter if letter.isprintable() or letter in keep else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
