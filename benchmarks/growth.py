"""Years of a repository: copies of its newest builds, with all rows that publishing them wrote.

A build of the default branch and one of a pull request, both approved, are copied by the database.
One copy in four is of the default branch, and each copy has images of its own where the copied
build changed. Only rows are copied: no image of a copy has bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import F, Max, Model, QuerySet

from visual_review.audit.models import AuditEntry
from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    BaselineVersion,
    Build,
    Comparison,
    Image,
    PullRequest,
)
from visual_review.builds.states import APPROVED, CHANGED
from visual_review.kernel.ids import new_id
from visual_review.repositories.models import Repository

# Of four copies, the last one is of the default branch.
MAIN_NUMBER = "4 * n"
PULL_NUMBER = "n + (n - 1) / 3"
# The characters of an ID that say when it was made.
TIME_LENGTH = 10
Values = Mapping[str, str]


def grow(repository: Repository, builds: int) -> None:
    """Add ``builds`` builds, a multiple of four, to a repository with one product."""
    approved = Build.objects.filter(repository=repository, review_state=APPROVED)
    newest = approved.select_related("baseline").order_by("-number")
    pulls = newest.filter(branch__startswith="feature-", pull_request__isnull=False)
    main = newest.filter(pull_request=None)[0]
    with transaction.atomic():
        repository.refresh_from_db()
        _PullRequestCopies.of(pulls[0], 3 * builds // 4, PULL_NUMBER).insert()
        _MainCopies.of(main, builds // 4, MAIN_NUMBER).insert()
        Repository.objects.filter(pk=repository.pk).update(
            last_build_number=F("last_build_number") + builds
        )


def analyze() -> None:
    """Do what the database does by itself after a while; its plans are better then."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


@dataclass(frozen=True)
class _Copies:
    """``count`` copies of a build; in SQL, ``n`` counts them, and ``copy.number`` is the copied build's.

    ``images`` and ``comparisons`` are those that the build introduced; copies have others.
    """

    build: Build
    count: int
    number: str
    images: list[int]
    comparisons: list[int]
    first_image: int
    first_comparison: int
    # Of all IDs.
    time: str

    @classmethod
    def of(cls, build: Build, count: int, number: str) -> "_Copies":
        changed = build.screenshots.filter(diff_state=CHANGED).order_by("id")
        pairs = list(changed.values_list("image_id", "comparison_id"))
        images, comparisons = (sorted(set(column)) for column in zip(*pairs, strict=True))
        return cls(
            *(build, count, number, images, comparisons),
            *(_next_id(Image), _next_id(Comparison), new_id("")[1 : 1 + TIME_LENGTH]),
        )

    def insert(self) -> None:
        self._insert_images()
        self._insert_build()
        self._insert_screenshots()
        self._insert_baseline()

    def _insert_images(self) -> None:
        hashes = {name: self._other_hash(name) for name in ("sha256", "pixels_sha256")}
        images = Image.objects.filter(pk__in=self.images)
        self._copy(images, {"id": self._image("id"), **hashes})
        comparisons = Comparison.objects.filter(pk__in=self.comparisons)
        self._copy(comparisons, {"id": self._comparison("id"), "key": self._other_hash("key")})
        for model in (Image, Comparison):
            _advance_sequence(model)

    def _insert_build(self) -> None:
        values = {
            "id": self._id("id", "build"),
            "number": "copy.number",
            "nonce": "row.nonce || ' ' || copy.number",
            "commit": "left(md5(copy.number::text) || md5(row.id), 40)",
            **self._build_values(),
        }
        self._copy(Build.objects.filter(pk=self.build.pk), values)
        self._copy(self.build.shards.all(), self._owned())
        self._copy(self.build.groups.all(), {"id": self._id("id", "group"), **self._owned()})
        audited = AuditEntry.objects.filter(target_id=self.build.pk)
        name = f"'{self.build.repository.full_name} #' || copy.number"
        self._copy(audited, {"target_id": self._id("target_id", "build"), "target_name": name})

    def _insert_screenshots(self) -> None:
        shots = {
            "id": self._id("id", "shot"),
            "image_id": self._image("image_id"),
            "comparison_id": self._comparison("comparison_id"),
            "group_id": self._id("group_id", "group"),
            "sha256": self._if_introduced(self._other_hash("sha256"), "row.sha256"),
            **self._left_side("baseline_image_id", "image_id"),
            **self._owned(),
        }
        self._copy(self.build.screenshots.all(), shots)
        log = {
            "screenshot_id": self._id("screenshot_id", "shot"),
            "right_image_id": self._image("right_image_id"),
            **self._left_side("left_image_id", "right_image_id"),
            **self._owned(),
        }
        self._copy(self.build.review_log.all(), log)

    def _build_values(self) -> Values:
        raise NotImplementedError

    def _insert_baseline(self) -> None:
        raise NotImplementedError

    def _left_side(self, left: str, right: str) -> Values:
        """Return what ``left`` is, the image that the image ``right`` of a copy replaced."""
        raise NotImplementedError

    def _id(self, column: str, prefix: str) -> str:
        """Return SQL for the ID of a copied row, in the form of all IDs: later copies sort later."""
        digits = f"lpad(to_hex(copy.number), 6, '0') || left(md5(row.{column} || copy.number), 10)"
        return f"CASE WHEN row.{column} <> '' THEN '{prefix}_{self.time}' || {digits} END"

    def _other_hash(self, column: str) -> str:
        # Two repositories may have copies of the same image.
        own = f"row.{column} || '{self.build.pk}' || copy.number"
        return f"md5({own}) || md5('more' || {own})"

    def _owned(self) -> Values:
        return {"build_id": self._id("build_id", "build")}

    def _image(self, column: str, copy: str = "n") -> str:
        return _own_id(column, self.images, self.first_image, copy)

    def _comparison(self, column: str) -> str:
        return _own_id(column, self.comparisons, self.first_comparison, "n")

    def _if_introduced(self, then: str, otherwise: str) -> str:
        return (
            f"CASE WHEN row.image_id = ANY ({_array(self.images)}) THEN {then} ELSE {otherwise} END"
        )

    def _copy(self, rows: QuerySet[Model], values: Values) -> None:
        """Insert copies of the rows, in which the attributes of ``values`` are these expressions."""
        about = rows.model._meta  # noqa: SLF001 - Django documents it for such uses.
        names, expressions = [], []
        for field in about.concrete_fields:
            column = connection.ops.quote_name(str(field.column))
            expression = values.get(field.attname)
            if field.primary_key and expression is None:
                # The database numbers them.
                continue
            names.append(column)
            expressions.append(expression or f"row.{column}")
        first = self.build.repository.last_build_number
        table, key = about.db_table, about.pk.column
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(expressions)} "  # noqa: S608 - Our own.
                f"FROM (SELECT n, {first} + {self.number} AS number "
                f"FROM generate_series(1, {self.count}) AS n) AS copy, {table} AS row "
                f"WHERE row.{key} = ANY (%s) ORDER BY n, row.ctid",
                [list(rows.values_list("pk", flat=True))],
            )


class _MainCopies(_Copies):
    """Each copy is compared with the baseline that the copy before moved."""

    def _build_values(self) -> Values:
        return {"baseline_version": "row.baseline_move + n"}

    def _left_side(self, left: str, right: str) -> Values:
        before = f"CASE WHEN n = 1 THEN row.{right} ELSE {self._image(right, '(n - 1)')} END"
        replaced = f"row.{right} = ANY ({_array(self.images)})"
        return {left: f"CASE WHEN {replaced} THEN {before} ELSE row.{left} END"}

    def _insert_baseline(self) -> None:
        version = self.build.versions.get()
        moved = {"id": self._id("id", "move"), "sequence": "row.sequence + n", **self._owned()}
        self._copy(BaselineVersion.objects.filter(pk=version.pk), moved)
        begun = BaselineEntry.objects.filter(
            baseline=version.baseline, from_version=version.sequence, image__in=self.images
        )
        written = list(begun.values_list("pk", flat=True))
        begun.update(to_version=version.sequence + 1)
        entries = {
            "image_id": self._image("image_id"),
            "from_version": "row.from_move + n",
            "to_version": f"CASE WHEN n < {self.count} THEN row.from_move + n + 1 END",
        }
        self._copy(BaselineEntry.objects.filter(pk__in=written), entries)
        Baseline.objects.filter(pk=version.baseline_id).update(
            last_version=version.sequence + self.count
        )


class _PullRequestCopies(_Copies):
    """Each copy is of another pull request, whose branch has a baseline of its own."""

    def _build_values(self) -> Values:
        return {"branch": _branch(), "pull_request": "copy.number"}

    def _left_side(self, left: str, right: str) -> Values:
        del right
        return {left: f"row.{left}"}

    def _insert_baseline(self) -> None:
        numbered = {"number": "copy.number", "head_branch": _branch()}
        pull = {"repository": self.build.repository, "number": self.build.pull_request}
        self._copy(PullRequest.objects.filter(**pull), numbered)
        version = self.build.versions.get()
        own = {"id": self._id("id", "baseline"), "branch": _branch()}
        self._copy(Baseline.objects.filter(pk=version.baseline_id), own)
        owned = {"baseline_id": self._id("baseline_id", "baseline")}
        moved = {"id": self._id("id", "move"), **owned, **self._owned()}
        self._copy(BaselineVersion.objects.filter(pk=version.pk), moved)
        entries = {**owned, "image_id": self._image("image_id")}
        self._copy(version.baseline.entries.all(), entries)


def _branch() -> str:
    return "'feature-' || copy.number"


def _own_id(column: str, introduced: list[int], first: int, copy: str) -> str:
    """Return SQL for the number of a copied row; what the build did not introduce keeps its own."""
    position = f"array_position({_array(introduced)}, row.{column})"
    number = f"{first} + ({copy} - 1) * {len(introduced)}::bigint + {position} - 1"
    return f"coalesce({number}, row.{column})"


def _array(numbers: list[int]) -> str:
    return f"ARRAY[{', '.join(map(str, numbers))}]::bigint[]"


def _next_id(model: type[Image | Comparison]) -> int:
    found = model.objects.aggregate(last=Max("id"))
    return int(found["last"] or 0) + 1


def _advance_sequence(model: type[Image | Comparison]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)",
            [model._meta.db_table, _next_id(model) - 1],  # noqa: SLF001 - As above.
        )
