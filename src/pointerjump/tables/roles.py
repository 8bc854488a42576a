"""The roles of a table's columns: the two ends of pairs, or groups and their members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pointerjump.errors import TableError
from pointerjump.tables.columns import group_columns, pair_columns
from pointerjump.tables.given import given_table
from pointerjump.tables.ids import common_type, element_type
from pointerjump.tables.lists import is_list
from pointerjump.tables.selected import GivenTable, OpenTable


class Roles(NamedTuple):
    """Which columns of a table hold the ids: the two ends of pairs, or groups and their members."""

    source: str | None = None
    target: str | None = None
    group: str | Sequence[str] | None = None
    member: str | None = None


@dataclass(frozen=True)
class IdColumns:
    """The columns of a table that hold ids.

    Attributes
    ----------
    table : GivenTable
        The two ends of pairs; or the groups by each key, and last the members. Or only members.
    grouped : bool
        Whether they are groups and members.
    """

    table: GivenTable
    grouped: bool

    @property
    def lists(self) -> bool:
        """Whether each row has a list of members."""
        return self.grouped and is_list(self.table.schema.field(-1))

    def types_of_groups(self) -> list[Any]:
        """Return the type in which groups are compared, by each key; of rows, their numbers are."""
        import pyarrow as pa

        if not self.grouped:
            return []
        keys = list(self.table.schema)[:-1]
        return [common_type([field], self.table.name) for field in keys] or [pa.int64()]

    def id_fields(self) -> list[Any]:
        """Return the columns whose ids become vertices."""
        fields = list(self.table.schema)
        if not self.grouped:
            return fields
        return [fields[-1].with_type(element_type(fields[-1].type))]


def id_columns(opened: OpenTable, roles: Roles, where: Any) -> IdColumns:
    """Return the columns that hold ids: those that the caller names, or pairs with usual names."""
    pairs = roles[:2]
    if roles.group is None and roles.member is None:
        columns = pair_columns(opened, *pairs)
        return IdColumns(given_table(opened, columns, where), grouped=False)
    if any(pairs):
        raise TableError(
            f"{opened.name}: source= and target= are for pairs, group= and member= for groups: give either"
        )
    members = group_columns(opened, roles.group, roles.member)
    by_themselves = [[column] for column in members]
    given = IdColumns(given_table(opened, members, where, by_themselves, members[-1:]), grouped=True)
    field = given.table.schema.field(0)
    if len(members) == 1 and not given.lists and any(map(len, given.table.batches())):
        raise TableError(
            f"{opened.name}: column {field.name!r} holds {field.type}, and no lists: name the column of "
            "groups with group="
        )
    return given
