"""Ids as properties of inputs and results, each described in one place."""

from typing import Annotated

from pydantic import Field

RepoId = Annotated[
    str,
    Field(
        description="The repository's id, from list_repos.",
        examples=["repo_01jq3v8e6m5x0c2n9d4t7r1kza"],
    ),
]
BuildId = Annotated[
    str,
    Field(
        description="The build's id, from list_builds.",
        examples=["build_01jq3v8e6m5x0c2n9d4t7r1kzb"],
    ),
]
ScreenshotId = Annotated[
    str,
    Field(
        description="The screenshot's id, from get_build.",
        examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"],
    ),
]
RecordingId = Annotated[
    str,
    Field(
        description="The recording's id, from list_recordings.",
        examples=["rec_01jq3v8e6m5x0c2n9d4t7r1kzd"],
    ),
]
ProjectToken = Annotated[
    str,
    Field(
        description="The repository's new CI project token. It is returned only once.",
        examples=["vr_ci_0exampleTokenThatGrantsNothing0"],
    ),
]
