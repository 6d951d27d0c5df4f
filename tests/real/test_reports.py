"""What others read: the reports of examples, genhtml, Perun, and the schemas of JSON."""

from pathlib import Path

import pytest

from tests.real import examples, genhtml, perun, pytest_labels, schema
from tests.real.conftest import Found


@pytest.mark.parametrize("lesson", examples.LESSONS, ids=lambda lesson: lesson.name)
def test_example(lesson: Path, found: Found) -> None:
    found(examples.check(lesson))


@pytest.mark.parametrize("name", genhtml.CASES)
def test_genhtml(name: str, home: Path, found: Found) -> None:
    found(genhtml.check(name, home))


@pytest.mark.slow
def test_perun(found: Found) -> None:
    found(perun.check())


def test_pytest_labels(found: Found) -> None:
    found(pytest_labels.check())


def test_schema(found: Found) -> None:
    found(schema.check())


def test_schema_of_tasks(found: Found) -> None:
    found(schema.check_tasks())
