"""Scope and filters as a condition of SQL: the one place where the catalog applies them."""

from __future__ import annotations

import json

from wellread.store.lexical import Restriction


def document_condition(where: Restriction) -> tuple[str, list[object]]:
    """A condition on ``documents d`` that holds for those in scope and filters, and the
    values of its parameters. ``passage_ids`` is left to the caller."""
    conditions = ["1"]
    values: list[object] = []
    scope, filters = where.scope, where.filters
    if not scope.everything:
        if len(scope.hidden) < len(scope.allowed):
            conditions.append("d.acl_id NOT IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(sorted(scope.hidden)))
        else:
            conditions.append("d.acl_id IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(sorted(scope.allowed)))
    for column, wanted in (("d.type", filters.types), ("d.state", filters.states)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(wanted))
    if filters.owners:
        wanted_owners = json.dumps([owner.casefold() for owner in filters.owners])
        conditions.append(
            "(d.owner IN (SELECT value FROM json_each(?)) "
            "OR substr(d.owner, 1, instr(d.owner, '@') - 1) IN (SELECT value FROM json_each(?)))"
        )
        values += [wanted_owners, wanted_owners]
    if filters.tags:
        conditions.append(
            "EXISTS (SELECT 1 FROM document_tags t WHERE t.document_id = d.id AND "
            "t.tag IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps([tag.casefold() for tag in filters.tags]))
    if filters.since:
        conditions.append("d.updated >= ?")
        values.append(filters.since.toordinal())
    if filters.until:
        conditions.append("d.updated <= ?")
        values.append(filters.until.toordinal())
    if where.places is not None:
        conditions.append(
            "(d.path IN (SELECT value FROM json_each(?)) "
            "OR d.id IN (SELECT value FROM json_each(?)) "
            "OR EXISTS (SELECT 1 FROM json_each(?) "
            "WHERE substr(d.path, 1, length(value)) = value))"
        )
        values += [
            json.dumps(where.places.paths),
            json.dumps(sorted(where.places.documents)),
            json.dumps([f"{folder}/" for folder in where.places.folders]),
        ]
    return " AND ".join(conditions), values
