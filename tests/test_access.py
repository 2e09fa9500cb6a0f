"""Who may read what."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.access import (
    NOBODY,
    AclTable,
    canonical,
    effective_acl,
    fold,
    from_canonical,
    identify,
    resolve,
)
from wellread.errors import UnknownSubject, UsageError
from wellread.types import AccessRule, AccessRules, Acl, Caller

ANN = Caller(subject="ann", groups=frozenset({"sales"}))
EVE = Caller(subject="eve", groups=frozenset({"contractors", "sales"}))
NEMO = Caller(subject=None)
OWNER = Caller(subject=None, owner=True)


def acl_of(
    path: str = "a.md",
    *,
    access: tuple[str, ...] | None = None,
    deny: tuple[str, ...] = (),
    sealed: bool = False,
    imported: Acl | None = None,
    rules: tuple[AccessRule, ...] = (),
    default: tuple[str, ...] = ("everyone",),
) -> Acl:
    return effective_acl(
        own_access=access,
        own_deny=deny,
        sealed=sealed,
        path=path,
        imported=imported,
        rules=AccessRules(default=default, rules=rules),
    )


def reads(caller: Caller, acl: Acl) -> bool:
    return bool(resolve(caller, AclTable({7: canonical(acl)}), 1).allowed)


def test_a_document_without_access_follows_the_default_policy() -> None:
    assert reads(NEMO, acl_of())
    assert not reads(NEMO, acl_of(default=("sales",)))
    assert reads(ANN, acl_of(default=("sales",)))
    assert not reads(ANN, acl_of(default=()))


def test_the_default_policy_gives_way_to_the_documents_own_list() -> None:
    assert reads(ANN, acl_of(access=("sales",), default=()))
    assert not reads(NEMO, acl_of(access=("sales",)))


def test_an_empty_list_of_readers_admits_only_the_local_owner() -> None:
    for acl in (acl_of(access=()), acl_of(access=("",)), acl_of(access=("user:",))):
        assert not reads(ANN, acl)
        assert reads(OWNER, acl)


def test_a_sealed_document_admits_only_the_local_owner_whatever_it_lists() -> None:
    acl = acl_of(access=("everyone",), sealed=True)
    assert acl == NOBODY
    assert not reads(ANN, acl)
    assert reads(OWNER, acl)


def test_deny_beats_access_and_the_folder_of_the_rule() -> None:
    assert reads(EVE, acl_of(access=("sales",)))
    assert not reads(EVE, acl_of(access=("sales",), deny=("contractors",)))
    rule = AccessRule(path="people/**", deny=("contractors",))
    assert not reads(EVE, acl_of("people/a.md", access=("sales",), rules=(rule,)))
    assert reads(EVE, acl_of("other/a.md", access=("sales",), rules=(rule,)))
    assert not reads(NEMO, acl_of(deny=("everyone",)))
    assert reads(OWNER, acl_of(deny=("everyone",)))


def test_every_rule_of_a_folder_and_the_documents_own_list_must_admit() -> None:
    rules = (
        AccessRule(path="people/**", allow=("hr", "sales")),
        AccessRule(path="**/salaries/**", allow=("management",)),
    )
    both = Caller(subject="mia", groups=frozenset({"sales", "management"}))
    assert reads(ANN, acl_of("people/a.md", rules=rules))
    assert not reads(ANN, acl_of("people/salaries/a.md", rules=rules))
    assert reads(both, acl_of("people/salaries/a.md", rules=rules))
    assert not reads(both, acl_of("people/salaries/a.md", access=("legal",), rules=rules))
    assert not reads(ANN, acl_of("people/a.md", rules=(AccessRule(path="**", allow=()),)))


def test_restrictions_that_came_with_the_source_must_admit_too() -> None:
    wiki = Acl(clauses=(frozenset({"Sales"}), frozenset({"user:ANN"})), deny=frozenset({"Boss"}))
    assert reads(ANN, acl_of(imported=wiki))
    assert not reads(EVE, acl_of(imported=wiki))
    boss = Caller(subject="ann", groups=frozenset({"sales", "boss"}))
    assert not reads(boss, acl_of(imported=wiki))


def test_a_user_is_admitted_by_name_but_a_group_of_that_name_is_not() -> None:
    acl = acl_of(access=("user:ann",))
    assert reads(ANN, acl)
    assert not reads(Caller(subject="bob", groups=frozenset({"ann"})), acl)
    assert not reads(ANN, acl_of(access=("ann",)))


def test_a_group_that_poses_as_a_user_counts_for_nothing() -> None:
    poser = Caller(subject="bob", groups=frozenset({"user:ann", "User: Ann"}))
    assert not reads(poser, acl_of(access=("user:ann",)))


@pytest.mark.parametrize("name", ["Vertrieb-Süd", "ПРОДАЖИ", "straße", "İstanbul", "user:Zoë"])
def test_names_compare_without_regard_to_case_or_unicode_form(name: str) -> None:
    spellings = [
        unicodedata.normalize(form, change(name))  # type: ignore[arg-type]
        for form in ("NFC", "NFD")
        for change in (str, str.upper, str.lower)
    ]
    for one, other in product(spellings, spellings):
        caller = (
            Caller(subject=one.split(":", 1)[1])
            if ":" in one
            else Caller(subject="x", groups=frozenset({one}))
        )
        assert reads(caller, acl_of(access=(other,)))
        assert not reads(caller, acl_of(deny=(f" {other} ",)))


@given(st.text())
def test_folding_a_name_twice_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)
    assert fold(unicodedata.normalize("NFD", name)) == fold(name)


NAMES = ["everyone", "sales", "hr", "zoë", "user:ann", "user:zoë", "user:bob"]


def disguised(name: str) -> list[str]:
    nfd = unicodedata.normalize("NFD", name)
    return [name, name.upper(), nfd, nfd.title(), f" {name}"]


names = st.sampled_from(NAMES).flatmap(lambda name: st.sampled_from(disguised(name)))
lists = st.lists(names, max_size=3).map(tuple)
callers = st.builds(
    lambda subject, groups: Caller(subject=subject, groups=frozenset(groups)),
    st.sampled_from([None, "ann", "ANN", "zoë", unicodedata.normalize("NFD", "Zoë"), "eve"]),
    st.lists(st.sampled_from(["sales", "HR", "Zoë", "legal"]), max_size=3),
)
rule_paths = st.sampled_from(["people/**", "**/a.md", "*.md", "other/**"])
rules = st.builds(
    AccessRule,
    path=rule_paths,
    allow=st.none() | lists,
    deny=st.lists(names, max_size=1).map(tuple),
)
documents = st.fixed_dictionaries(
    {
        "path": st.sampled_from(["people/a.md", "people/b.txt", "other/a.md", "c.txt"]),
        "access": st.none() | lists,
        "deny": st.lists(names, max_size=1).map(tuple),
        "sealed": st.sampled_from([False, False, False, True]),
        "imported": st.none()
        | st.builds(
            Acl,
            clauses=st.lists(lists.map(frozenset), min_size=1, max_size=2).map(tuple),
            deny=st.lists(names, max_size=1).map(frozenset),
        ),
    }
)
HELD = {
    ("people/**", "people/a.md"),
    ("people/**", "people/b.txt"),
    ("**/a.md", "people/a.md"),
    ("**/a.md", "other/a.md"),
    ("*.md", "people/a.md"),
    ("*.md", "other/a.md"),
    ("other/**", "other/a.md"),
}


def plainly(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold()).strip()


def admits_plainly(caller: Caller, document: dict, policy: AccessRules) -> bool:  # type: ignore[type-arg]
    """Section "Access" of the design, read out sentence by sentence."""
    own = {"everyone"} | {plainly(group) for group in caller.groups}
    if caller.subject:
        own.add(plainly(f"user:{caller.subject}"))
    if document["sealed"]:
        return False
    asked = [policy.default if document["access"] is None else document["access"]]
    denied = list(document["deny"])
    for rule in policy.rules:
        if (rule.path, document["path"]) in HELD:
            denied += rule.deny
            if rule.allow is not None:
                asked.append(rule.allow)
    if document["imported"]:
        asked += document["imported"].clauses
        denied += document["imported"].deny
    if own & {plainly(name) for name in denied}:
        return False
    return all(own & {plainly(name) for name in clause} for clause in asked)


@given(
    st.lists(documents, max_size=8),
    callers,
    st.lists(rules, max_size=3).map(tuple),
    st.sampled_from([("everyone",), ("Sales",), ()]),
)
def test_a_resolved_caller_reads_exactly_what_the_sentences_say(
    library: list,
    caller: Caller,
    folder_rules: tuple,
    default: tuple,  # type: ignore[type-arg]
) -> None:
    policy = AccessRules(default=default, rules=folder_rules)
    rows = {
        index: canonical(acl_of(**document, rules=folder_rules, default=default))
        for index, document in enumerate(library)
    }
    scope = resolve(caller, AclTable(rows), 3)
    expected = {
        index for index, document in enumerate(library) if admits_plainly(caller, document, policy)
    }
    assert scope.allowed == expected
    assert scope.hidden == set(rows) - expected
    assert scope.generation == 3
    everything = resolve(OWNER, AclTable(rows), 3)
    assert everything.everything
    assert everything.allowed == set(rows)


def test_many_callers_on_one_table_keep_their_own_scope() -> None:
    table = AclTable({n: canonical(acl_of(access=(f"user:p{n}",))) for n in range(200)})
    for _ in range(2):
        for n in range(200):
            assert resolve(Caller(subject=f"p{n}"), table, 1).allowed == {n}


@given(st.lists(lists, min_size=1, max_size=3), lists, callers)
def test_interning_keeps_who_is_admitted(clauses: list, deny: tuple, caller: Caller) -> None:  # type: ignore[type-arg]
    acl = acl_of(
        access=clauses[0],
        deny=deny,
        imported=Acl(clauses=tuple(frozenset(c) for c in clauses), deny=frozenset()),
    )
    text = canonical(acl)
    assert canonical(from_canonical(text)) == text
    assert reads(caller, from_canonical(text)) == reads(caller, acl)


def test_acls_that_say_the_same_in_another_order_are_one() -> None:
    one = acl_of(access=("Sales", "hr"), imported=Acl(clauses=(frozenset({"everyone"}),)))
    other = acl_of(access=("hr", "sales"), imported=Acl(clauses=(frozenset({"HR", "sales"}),)))
    assert canonical(one) == canonical(other)
    assert canonical(one) != canonical(acl_of(access=("hr",)))


def test_an_acl_without_a_clause_is_refused_as_it_would_admit_everybody() -> None:
    with pytest.raises(ValueError, match="without a clause"):
        canonical(Acl(clauses=()))


def test_white_space_in_a_name_cannot_forge_another_acl() -> None:
    forged = acl_of(access=("hr\tsales", "hr\nsales", "hr\fsales"))
    assert not reads(ANN, forged)
    assert from_canonical(canonical(forged)).clauses == (frozenset({"hr sales"}),)
    assert not reads(Caller(subject=None, groups=frozenset({""})), acl_of(access=()))


# --- who am I --------------------------------------------------------------------------------

KNOWN = {"ann": frozenset({"sales"}), "bob": frozenset[str]()}


def never() -> dict[str, frozenset[str]]:
    raise AssertionError("groups are read only for a subject")


def expected_identity(
    as_: str | None, environ: str | None, configured: str | None, transport: str, local: bool
) -> Caller | type[Exception]:
    given_names = {name.casefold() for name in (as_, environ) if name is not None}
    if "" in given_names or len(given_names) > 1:
        return UsageError
    if transport == "http":
        return UsageError if given_names or local else NEMO
    name = given_names.pop() if given_names else configured
    if name is None:
        return OWNER if local or transport == "cli" else NEMO
    if local:
        return UsageError
    if name == "everyone":
        return NEMO
    if name not in KNOWN:
        return UnknownSubject
    return Caller(subject=name, groups=KNOWN[name])


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("transport", ["cli", "stdio", "http"])
@pytest.mark.parametrize("configured", [None, "ann", "nobody-known"])
@pytest.mark.parametrize("environ", [None, "", "ann", "ANN", "bob", "nobody-known"])
@pytest.mark.parametrize("as_", [None, "", "Ann", "bob", "everyone", "nobody-known"])
def test_every_combination_of_ways_to_say_who_i_am(
    as_: str | None, environ: str | None, configured: str | None, transport: str, local: bool
) -> None:
    expected = expected_identity(as_, environ, configured, transport, local)

    def ask() -> Caller:
        return identify(
            as_,
            environ,
            configured,
            transport=transport,  # type: ignore[arg-type]
            local_owner=local,
            groups=lambda: KNOWN,
        )

    if isinstance(expected, Caller):
        assert ask() == expected
        assert not (transport == "http" and expected.owner)
    else:
        with pytest.raises(expected) as refused:
            ask()
        assert type(refused.value) is expected


def test_groups_are_not_read_for_the_owner_or_everyone() -> None:
    assert identify(None, None, None, transport="cli", groups=never).owner
    assert not identify(None, None, None, transport="stdio", groups=never).owner
    assert not identify("everyone", None, None, transport="cli", groups=never).owner


def test_an_unknown_subject_is_refused_without_naming_the_known() -> None:
    with pytest.raises(UnknownSubject) as refused:
        identify("amn", None, None, transport="cli", groups=lambda: KNOWN)
    message = str(refused.value)
    assert "'amn'" in message
    assert "--as" in message
    assert "ann" not in message.replace("'amn'", "")
    assert "sales" not in message


def test_without_any_groups_the_message_says_where_to_list_subjects() -> None:
    with pytest.raises(UnknownSubject, match=r"no subject is known yet.*groups\.yaml"):
        identify("ann", None, None, transport="cli", groups=dict)
