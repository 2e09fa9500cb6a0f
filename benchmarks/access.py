"""How long it takes to read a table of acls and to resolve a caller: python benchmarks/access.py

Acls have one to three clauses of one to six names of 2,000 groups and users, a tenth of them a
denied group; the caller is in about a third of them.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

from wellread.access import AclTable, caller_principals, canonical, effective_acl, resolve
from wellread.types import AccessRule, AccessRules, Acl, Caller


def acls(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    names = [f"group-{index}" for index in range(1500)]
    names += [f"user:person-{index}@example.com" for index in range(500)]
    made: dict[str, None] = {}
    while len(made) < count:
        clauses = []
        for _ in range(draw.choice((1, 1, 2, 3))):
            clause = set(draw.sample(names, draw.randint(1, 6)))
            if draw.random() < 0.6:
                clause.add(f"staff-{draw.randint(1, 5)}")
            clauses.append(frozenset(clause))
        deny = frozenset(draw.sample(names, 1)) if draw.random() < 0.1 else frozenset[str]()
        made[canonical(Acl(clauses=tuple(clauses), deny=deny))] = None
    return list(made)


def median(run: Callable[[], object], times: int = 15) -> float:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent) * 1000


def main() -> None:
    caller = Caller(
        subject="person-1@example.com",
        groups=frozenset(f"staff-{n}" for n in (1, 2, 3))
        | {f"group-{n}" for n in range(0, 1500, 10)},
    )
    names = caller_principals(caller)
    for count in (10, 1_000, 18_000):
        texts = dict(enumerate(acls(count)))

        def build(texts: dict[int, str] = texts) -> AclTable:
            table = AclTable(texts)
            resolve(Caller(subject=None), table, 1)
            return table

        table = build()
        share = len(resolve(caller, table, 1).allowed) / count
        print(
            f"{count:>6} acls: table {median(build):.2f} ms, "
            f"resolve {median(lambda table=table: table.admitting(names)):.3f} ms first, "
            f"{median(lambda table=table: resolve(caller, table, 1)):.3f} ms again, "
            f"caller in {share:.0%}"
        )
    rules = AccessRules(
        rules=tuple(AccessRule(path=f"folder-{n}/**", allow=(f"group-{n}",)) for n in range(10))
    )
    paths = [f"folder-{n % 20}/page-{n}.md" for n in range(18_000)]

    def evaluate() -> None:
        for path in paths:
            effective_acl(
                own_access=None, own_deny=(), sealed=False, path=path, imported=None, rules=rules
            )

    print(f"18,000 documents under 10 folder rules: {median(evaluate, 5):.0f} ms")


if __name__ == "__main__":
    main()
