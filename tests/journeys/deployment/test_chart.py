"""The Helm chart: the rendered objects fit Kubernetes, the container and the program."""

import tarfile
from pathlib import Path
from typing import Any, Final

import pytest
from scripts.chart import CHART, REQUIRED_VALUES, pack_folder, render_chart
from scripts.setup_steps import SetupError

from tests.support.case import Case
from tests.support.container_recipe import read_container_recipe
from tests.support.servers.service import CHECKOUT

Objects = dict[tuple[str, str], dict[str, Any]]
PROBES: Final = ("startupProbe", "livenessProbe", "readinessProbe")
ALL: Final = {
    **REQUIRED_VALUES,
    "env": {"VISUAL_REVIEW_EMAIL_URL": "smtp://mail.example.com", "VISUAL_REVIEW_LOG": "json"},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "certificate"},
    "backup": {"claim": "backups"},
}


def render(values: dict[str, Any], chart: Path = CHART) -> Objects:
    found = render_chart(chart, values)
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def pod_of(each: dict[str, Any]) -> dict[str, Any]:
    """Return the pod started by an object."""
    spec = each["spec"]
    spec = spec.get("jobTemplate", {"spec": spec})["spec"]
    pod: dict[str, Any] = spec["template"]["spec"]
    return pod


def pods(objects: Objects) -> dict[str, dict[str, Any]]:
    kinds = ("Deployment", "Job", "CronJob")
    return {name: pod_of(each) for (kind, name), each in objects.items() if kind in kinds}


@pytest.mark.deep
def test_few_values_make_the_service_and_all_values_the_rest() -> None:
    few = render(dict(REQUIRED_VALUES))
    assert set(few) == {
        ("Deployment", "reviews-web"),
        ("Deployment", "reviews-worker"),
        ("Job", "reviews-migrate"),
        ("Service", "reviews-web"),
    }
    every = render(ALL)
    assert set(every) - set(few) == {
        ("ConfigMap", "reviews-backup"),
        ("CronJob", "reviews-backup"),
        ("Ingress", "reviews"),
    }
    ingress = every["Ingress", "reviews"]["spec"]
    assert ingress["tls"] == [{"hosts": ["reviews.example.com"], "secretName": "certificate"}]
    assert [rule["host"] for rule in ingress["rules"]] == ["reviews.example.com"]


@pytest.mark.deep
def test_pods_have_no_rights_and_the_folders_of_the_container(case: Case) -> None:
    recipe = read_container_recipe()
    for name, pod in pods(render(ALL)).items():
        with case(name):
            [container] = pod["containers"]
            assert pod["securityContext"]["runAsUser"] == int(recipe.value("USER").split(":")[0])
            assert pod["automountServiceAccountToken"] is False
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            mounted = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
            assert {"/tmp", recipe.value("VOLUME")} <= set(mounted)  # noqa: S108 - Of the container.
            assert set(mounted.values()) == {each["name"] for each in pod["volumes"]}
            env = {each["name"]: each["value"] for each in container["env"]}
            assert env["VISUAL_REVIEW_WORK_FOLDER"] == recipe.value("VOLUME")
            assert env["VISUAL_REVIEW_PUBLIC_URL"] == REQUIRED_VALUES["publicUrl"]
            assert env["VISUAL_REVIEW_LOG"] == "json"


@pytest.mark.deep
def test_probes_are_those_of_the_guide(case: Case) -> None:
    guide = (CHECKOUT / "docs" / "how-to" / "containers.md").read_text()
    for name, pod in pods(render(dict(REQUIRED_VALUES))).items():
        for probe in PROBES if name != "reviews-migrate" else ():
            with case((name, probe)):
                [container] = pod["containers"]
                get = container[probe]["httpGet"]
                assert f"`{get['path']}`" in guide
                assert get["port"] in {each["name"] for each in container["ports"]}
    [worker] = pods(render(dict(REQUIRED_VALUES)))["reviews-worker"]["containers"]
    env = {each["name"]: each["value"] for each in worker["env"]}
    [port] = worker["ports"]
    assert env["VISUAL_REVIEW_WORKER_METRICS_PORT"] == str(port["containerPort"])


@pytest.mark.deep
def test_migrations_come_first_and_backups_run_the_script() -> None:
    objects = render(ALL)
    hook = objects["Job", "reviews-migrate"]["metadata"]["annotations"]["helm.sh/hook"]
    assert hook == "pre-install,pre-upgrade"
    [backup] = pod_of(objects["CronJob", "reviews-backup"])["containers"]
    assert backup["command"] == ["sh", "/scripts/backup.sh", "/backups", "14"]
    script = objects["ConfigMap", "reviews-backup"]["data"]["backup.sh"]
    assert script.strip() == (CHECKOUT / "deploy" / "backup.sh").read_text().strip()


@pytest.mark.deep
def test_missing_and_misspelled_values_are_refused(case: Case) -> None:
    for values, named in (
        ({}, "/publicUrl"),
        ({**REQUIRED_VALUES, "secret": ""}, "/secret"),
        ({**REQUIRED_VALUES, "publicURL": "https://reviews.example.com"}, "publicURL"),
        ({**REQUIRED_VALUES, "publicUrl": "https://example.com/reviews"}, "/publicUrl"),
    ):
        with case(named), pytest.raises(SetupError, match=named):
            render_chart(CHART, values)


def test_the_packed_chart_is_always_the_same_and_has_the_script(tmp_path: Path) -> None:
    for name in ("a.tgz", "b.tgz"):
        pack_folder(CHART, CHART.name, tmp_path / name)
    assert (tmp_path / "a.tgz").read_bytes() == (tmp_path / "b.tgz").read_bytes()
    with tarfile.open(tmp_path / "a.tgz") as tar:
        assert all(member.isfile() for member in tar)
        script = tar.extractfile("visual-review/backup.sh")
        assert script is not None
        assert script.read() == (CHECKOUT / "deploy" / "backup.sh").read_bytes()


@pytest.mark.deep
def test_helm_makes_the_same_of_the_packed_chart(tmp_path: Path) -> None:
    pack_folder(CHART, CHART.name, tmp_path / "chart.tgz")
    assert render(ALL, tmp_path / "chart.tgz") == render(ALL)
