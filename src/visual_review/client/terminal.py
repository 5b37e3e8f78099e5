"""Texts of others on a terminal or in a log."""


def printable(text: str, keep: str = "") -> str:
    """``text`` with every character replaced that could steer a terminal.

    Names, messages and answers come from whoever wrote the stories, files or servers. The
    characters of ``keep`` stay, such as line breaks.
    """
    return "".join(
        letter if letter.isprintable() or letter in keep else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
