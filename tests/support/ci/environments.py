"""Environments of CI providers, reduced to the variables about the commit."""

HEAD = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"
MERGE = "9e0d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a392817"
BASE = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"

GITHUB_PUSH = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_JOB": "visual",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_RUN_ID": "9123456789",
    "GITHUB_SHA": HEAD,
}
GITHUB_PULL_REQUEST = GITHUB_PUSH | {
    "GITHUB_BASE_REF": "main",
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_HEAD_REF": "feature/blue",
    "GITHUB_REF": "refs/pull/12/merge",
    "GITHUB_REF_NAME": "12/merge",
    "GITHUB_SHA": MERGE,
}
QUEUE = f"gh-readonly-queue/release/1.0/pr-12-{BASE}"
GITHUB_MERGE_GROUP = GITHUB_PUSH | {
    "GITHUB_EVENT_NAME": "merge_group",
    "GITHUB_REF": f"refs/heads/{QUEUE}",
    "GITHUB_REF_NAME": QUEUE,
}
GITHUB_MERGE_GROUP_EVENT = {
    "action": "checks_requested",
    "merge_group": {
        "head_sha": HEAD,
        "head_ref": f"refs/heads/{QUEUE}",
        "base_sha": BASE,
        "base_ref": "refs/heads/release/1.0",
        "head_commit": {"id": HEAD, "message": "Merge pull request #12\n\nMake it blue"},
    },
}
GITHUB_PUSH_EVENT = {"head_commit": {"id": HEAD, "message": "Make it blue\n\nIt was red."}}
GITHUB_PULL_REQUEST_EVENT = {
    "number": 12,
    "pull_request": {
        "number": 12,
        "title": "Make the button blue",
        "head": {"ref": "feature/blue", "sha": HEAD, "repo": {"full_name": "acme/shop"}},
        "base": {"ref": "main", "sha": BASE, "repo": {"full_name": "acme/shop"}},
    },
}

GITLAB_PUSH = {
    "CI": "true",
    "CI_COMMIT_BRANCH": "main",
    "CI_COMMIT_REF_NAME": "main",
    "CI_COMMIT_SHA": HEAD,
    "CI_COMMIT_TITLE": "Make it blue",
    "CI_JOB_ID": "77001",
    "CI_JOB_NAME": "visual",
    "CI_PIPELINE_ID": "5501",
    "CI_NODE_TOTAL": "1",
    "GITLAB_CI": "true",
}
GITLAB_MERGE_REQUEST = {
    name: value for name, value in GITLAB_PUSH.items() if name != "CI_COMMIT_BRANCH"
} | {
    "CI_COMMIT_REF_NAME": "feature/blue",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
    "CI_MERGE_REQUEST_IID": "12",
    "CI_MERGE_REQUEST_PROJECT_PATH": "acme/web/shop",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "feature/blue",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "acme/web/shop",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_TITLE": "Make the button blue",
}
GITLAB_MERGED_RESULT = GITLAB_MERGE_REQUEST | {
    "CI_COMMIT_SHA": MERGE,
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": BASE,
}

CIRCLECI_PUSH = {
    "CI": "true",
    "CIRCLECI": "true",
    "CIRCLE_BRANCH": "main",
    "CIRCLE_JOB": "visual",
    "CIRCLE_NODE_INDEX": "0",
    "CIRCLE_NODE_TOTAL": "1",
    "CIRCLE_PROJECT_REPONAME": "shop",
    "CIRCLE_PROJECT_USERNAME": "acme",
    "CIRCLE_SHA1": HEAD,
    "CIRCLE_WORKFLOW_ID": "3f0c",
    "CIRCLE_WORKFLOW_JOB_ID": "81aa",
}
CIRCLECI_PULL_REQUEST = CIRCLECI_PUSH | {
    "CIRCLE_BRANCH": "feature/blue",
    "CIRCLE_PULL_REQUEST": "https://github.com/acme/shop/pull/12",
}
CIRCLECI_FORK = CIRCLECI_PUSH | {
    "CIRCLE_BRANCH": "pull/12",
    "CIRCLE_PR_NUMBER": "12",
    "CIRCLE_PR_REPONAME": "shop",
    "CIRCLE_PR_USERNAME": "someone",
    "CIRCLE_PULL_REQUEST": "https://github.com/acme/shop/pull/12",
}

BUILDKITE_PUSH = {
    "BUILDKITE": "true",
    "BUILDKITE_BRANCH": "main",
    "BUILDKITE_BUILD_ID": "b-1",
    "BUILDKITE_COMMIT": HEAD,
    "BUILDKITE_JOB_ID": "j-1",
    "BUILDKITE_MESSAGE": "Make it blue\n\nIt was red.",
    "BUILDKITE_PULL_REQUEST": "false",
    "BUILDKITE_REPO": "git@github.com:acme/shop.git",
    "BUILDKITE_STEP_ID": "s-1",
    "CI": "true",
}
BUILDKITE_FORK = BUILDKITE_PUSH | {
    "BUILDKITE_BRANCH": "someone:feature/blue",
    "BUILDKITE_PULL_REQUEST": "12",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
    "BUILDKITE_PULL_REQUEST_REPO": "https://github.com/someone/shop.git",
}
BUILDKITE_PULL_REQUEST = BUILDKITE_FORK | {
    "BUILDKITE_BRANCH": "feature/blue",
    "BUILDKITE_PULL_REQUEST_REPO": "git://github.com/acme/shop.git",
}

AZURE_PUSH = {
    "BUILD_BUILDID": "4711",
    "BUILD_SOURCEBRANCH": "refs/heads/main",
    "BUILD_SOURCEVERSION": HEAD,
    "BUILD_SOURCEVERSIONMESSAGE": "Make it blue",
    "SYSTEM_JOBATTEMPT": "1",
    "SYSTEM_PHASENAME": "visual",
    "SYSTEM_STAGEATTEMPT": "1",
    "TF_BUILD": "True",
}
AZURE_PULL_REQUEST = AZURE_PUSH | {
    "BUILD_SOURCEBRANCH": "refs/pull/12/merge",
    "BUILD_SOURCEVERSION": MERGE,
    "SYSTEM_PULLREQUEST_ISFORK": "False",
    "SYSTEM_PULLREQUEST_PULLREQUESTID": "12",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/feature/blue",
    "SYSTEM_PULLREQUEST_SOURCECOMMITID": HEAD,
    "SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI": "https://dev.azure.com/acme/web/_git/shop",
    "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
}
AZURE_GITHUB_FORK = AZURE_PULL_REQUEST | {
    "SYSTEM_PULLREQUEST_ISFORK": "True",
    "SYSTEM_PULLREQUEST_PULLREQUESTID": "1203948",
    "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER": "12",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH": "feature/blue",
    "SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI": "https://github.com/someone/shop",
    "SYSTEM_PULLREQUEST_TARGETBRANCH": "main",
}

BITBUCKET_PUSH = {
    "BITBUCKET_BRANCH": "main",
    "BITBUCKET_BUILD_NUMBER": "31",
    "BITBUCKET_COMMIT": HEAD,
    "BITBUCKET_REPO_FULL_NAME": "acme/shop",
    "BITBUCKET_STEP_RUN_NUMBER": "1",
    "BITBUCKET_STEP_UUID": "{8f2d}",
    "CI": "true",
}
BITBUCKET_PULL_REQUEST = BITBUCKET_PUSH | {
    "BITBUCKET_BRANCH": "feature/blue",
    "BITBUCKET_PR_DESTINATION_BRANCH": "main",
    "BITBUCKET_PR_DESTINATION_COMMIT": BASE,
    "BITBUCKET_PR_ID": "12",
}

JENKINS_PUSH = {
    "BRANCH_NAME": "main",
    "BUILD_NUMBER": "8",
    "BUILD_TAG": "jenkins-shop-main-8",
    "GIT_BRANCH": "origin/main",
    "GIT_COMMIT": HEAD,
    "GIT_URL": "https://github.com/acme/shop.git",
    "JENKINS_URL": "https://jenkins.example.com/",
}
JENKINS_SINGLE_JOB = {name: value for name, value in JENKINS_PUSH.items() if name != "BRANCH_NAME"}
JENKINS_CHANGE = JENKINS_PUSH | {
    "BRANCH_NAME": "PR-12",
    "BUILD_TAG": "jenkins-shop-PR-12-8",
    "CHANGE_BRANCH": "feature/blue",
    "CHANGE_ID": "12",
    "CHANGE_TARGET": "main",
    "CHANGE_TITLE": "Make the button blue",
    "CHANGE_URL": "https://github.com/acme/shop/pull/12",
    "GIT_BRANCH": "PR-12",
}
JENKINS_FORK = JENKINS_CHANGE | {"CHANGE_FORK": "someone"}
