"""The public API: a configuration wired to its store and to the paths that read and write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from wellread.access import AclTable, resolve
from wellread.config import Config, SourceConfig
from wellread.errors import ConfigError, ModelUnavailable, NoIndex, UsageError, WellreadError
from wellread.models import Models
from wellread.steps import DEFAULT_STEPS, RetrievalSteps
from wellread.store import journal
from wellread.store.embedded import EmbeddedStore
from wellread.store.journal import TraceWriter
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.trace import REPORT, Trace
from wellread.tracing import Answered, filters_as_json, traced
from wellread.types import Caller, Filters, Scope

if TYPE_CHECKING:
    from wellread.delivery import ContextResult
    from wellread.documents import Problem, Run
    from wellread.embed import Embedder
    from wellread.embedding import EmbeddingProgress
    from wellread.index import Progress
    from wellread.ranking import Fusion
    from wellread.search import Detail
    from wellread.status import Status
    from wellread.suggest import Candidate
    from wellread.synonymfile import SynonymFile
    from wellread.trace import Lost, Miss, MissStatus
    from wellread.types import SearchResult, Told
    from wellread.views import ExactResult, ReadResult

NO_FILTERS = Filters()

NO_MODEL = (
    "There are no vectors: name a model in [embeddings] of wellread.toml and run `wellread index`."
)


class Library:
    """Everything that one index holds. Nothing is opened before it is needed; reading needs
    an index (``NoIndex``), ``index`` makes one. Safe to share between threads.

    Every reading method takes ``scope``, from ``library.scope(caller)``; it is resolved anew
    where the library has changed since. ``today`` is the day that standing is computed for.
    ``session`` is written into traces: a server gives each of its runs a name of its own.
    ``steps`` are those that retrieval takes: other ones are for measuring, on a library of
    their own where they concern the index. ``embedder`` stands in for the model that the
    configuration names.
    """

    def __init__(
        self,
        config: Config,
        *,
        session: str = "",
        steps: RetrievalSteps = DEFAULT_STEPS,
        embedder: Embedder | None = None,
    ) -> None:
        self.config = config
        self.session = session
        self.steps = steps
        self._store: EmbeddedStore | None = None
        self._acls: tuple[tuple[str, int], AclTable] | None = None
        self._guard = threading.Lock()
        self._models = Models(config, embedder)
        self._traces = TraceWriter(config.library / journal.FILE)
        self._synonyms: SynonymFile | None = None

    @classmethod
    def open(cls, config: Config | str | Path | None = None) -> Library:
        """The library of a configuration: an object, the path of a ``wellread.toml``, or
        ``None`` for the nearest one upward. Raises ``ConfigError``."""
        if not isinstance(config, Config):
            from wellread.config import load_here

            config = load_here(Path(config) if config is not None else None)
        return cls(config)

    def close(self) -> None:
        """Write waiting traces and close the store."""
        self._traces.close()
        with self._guard:
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def reconfigure(self, config: Config) -> None:
        """Let another configuration hold from the next question or run on, as after its file
        has changed. Raises ``ConfigError`` for one of another library."""
        if config.library != self.config.library:
            raise ConfigError(
                f"the library is now {config.library} and no longer {self.config.library}: "
                "restart what has it open"
            )
        if (config.embeddings, config.rerank) != (self.config.embeddings, self.config.rerank):
            self._models = Models(config)  # a model that stays is not loaded anew
        else:
            self._models.config = config
        self.config = config
        with self._guard:
            self._synonyms = None

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- reading -----------------------------------------------------------------------

    def scope(self, caller: Caller) -> Scope:
        """What a caller may read now. Raises ``NoIndex``."""
        with self.snapshot() as snapshot:
            return self._resolve(caller, snapshot)

    def left_out(self, caller: Caller) -> int:
        """How many documents a caller may not read: for whoever runs the server, never for the
        caller. Raises ``NoIndex``."""
        with self.snapshot() as snapshot:
            scope = self._resolve(caller, snapshot)
            return snapshot.state.documents - snapshot.count_documents(scope=scope)

    def search(
        self,
        text: str | None = None,
        *,
        similar_to: str | None = None,
        scope: Scope,
        today: date,
        filters: Filters = NO_FILTERS,
        limit: int = 8,
        page: str | None = None,
        detail: Detail = "snippet",
        explain: bool = False,
        stop: threading.Event | None = None,
        told: Callable[[SearchResult | WellreadError], Told] | None = None,
    ) -> SearchResult:
        """The passages about an idea, best first: see ``search.search``; or those that are like
        ``similar_to``, a handle as ``read`` takes it: see ``search.similar``.

        ``limit`` counts hits, 1 to 100. Once ``stop`` is set, ``Cancelled`` is raised. ``told``
        makes what the caller gets to see, be it of an error, and says for the trace how much of
        it that is. Raises ``UsageError`` for an empty text, or where not one of the two is
        given, ``NotFound`` for the handle, ``NoIndex`` and ``StoreUnavailable``.
        """
        from wellread.freshness import freshness_notes
        from wellread.search import search, similar

        arguments = {
            "query": text, "similar_to": similar_to, **filters_as_json(filters), "limit": limit,
            "page": page,
        }  # fmt: skip
        synonyms, broken = self._dictionary().current()
        models = self._models
        with (
            self._traced(scope.caller, "search", arguments, told) as answered,
            self.snapshot(stop) as snapshot,
        ):
            if (text is None) == (similar_to is None):
                raise UsageError("Give either words to look for or similar_to, a path or section.")
            scope = self._current(scope, snapshot)
            if similar_to is not None:
                result = similar(
                    snapshot,
                    similar_to,
                    scope=scope,
                    today=today,
                    filters=filters,
                    limit=limit,
                    page=page,
                    detail=detail,
                    explained=explain,
                    model=models.name,
                )
            else:
                result = search(
                    snapshot,
                    text or "",
                    scope=scope,
                    today=today,
                    filters=filters,
                    limit=limit,
                    page=page,
                    detail=detail,
                    explained=explain,
                    steps=self.steps,
                    synonyms=synonyms,
                    meaning=models.meaning(text or ""),
                    reranker=models.reranker(),
                )
            stale = freshness_notes(snapshot, [hit.path for hit in result.hits], scope=scope)
            if broken or stale:
                result = replace(result, notes=(*result.notes, *broken, *stale))
            arguments["synonyms"] = list(result.synonyms)
            answered.returned = tuple(hit.section for hit in result.hits)
            answered.outcome, answered.left_out = result.outcome, result.left_out
            answered.tell(result)
        return result

    def find_exact(
        self,
        text: str,
        *,
        scope: Scope,
        today: date,
        filters: Filters = NO_FILTERS,
        regex: bool = False,
        ignore_case: bool = False,
        limit: int = 20,
        stop: threading.Event | None = None,
        told: Callable[[ExactResult | WellreadError], Told] | None = None,
    ) -> ExactResult:
        """The lines that hold an exact string: see ``exact.find_exact``. ``today`` is taken
        as in the other methods; nothing in a text depends on it.

        ``limit`` counts lines; the counts of the result are exact whatever it is. ``stop`` and
        ``told`` are as in ``search``. Raises ``UsageError`` for an empty text or a pattern that
        cannot be run.
        """
        from wellread.exact import find_exact
        from wellread.freshness import freshness_notes
        from wellread.outcome import index_notes, outcome_of

        arguments = {
            "text": text, "regex": regex, "ignore_case": ignore_case, "limit": limit,
            **filters_as_json(filters),
        }  # fmt: skip
        with (
            self._traced(scope.caller, "find_exact", arguments, told) as answered,
            self.snapshot(stop) as snapshot,
        ):
            scope = self._current(scope, snapshot)
            result = find_exact(
                snapshot,
                text,
                scope=scope,
                filters=filters,
                regex=regex,
                ignore_case=ignore_case,
                limit=limit,
                cancelled=stop.is_set if stop is not None else lambda: False,
            )
            paths = [match.path for match in result.matches]
            notes = (
                *index_notes(snapshot),
                *freshness_notes(snapshot, paths, scope=scope),
            )
            if result.outcome == "nothing-found":
                outcome = outcome_of(snapshot, False, scope=scope)
                result = replace(result, outcome=outcome)
            if notes:
                result = replace(result, notes=notes)
            answered.returned = tuple(f"{match.path}:{match.line}" for match in result.matches)
            answered.outcome, answered.left_out = result.outcome, result.left_out
            answered.tell(result)
        return result

    grep = find_exact

    def read(
        self,
        handle: str,
        *,
        scope: Scope,
        today: date,
        lines: tuple[int, int] | None = None,
        outline: bool = False,
        max_chars: int | None = None,
        stop: threading.Event | None = None,
        told: Callable[[ReadResult | WellreadError], Told] | None = None,
    ) -> ReadResult:
        """A document, a section or a range of lines: see ``read.read``; ``stop`` and ``told``
        are as in ``search``.

        Raises ``NotFound`` for what is missing or not readable, with one wording for both.
        """
        from wellread.freshness import freshness_notes
        from wellread.read import read

        arguments = {
            "handle": handle, "lines": lines, "outline": outline, "max_chars": max_chars,
        }  # fmt: skip
        with (
            self._traced(scope.caller, "read", arguments, told) as answered,
            self.snapshot(stop) as snapshot,
        ):
            scope = self._current(scope, snapshot)
            result = read(
                snapshot,
                handle,
                scope=scope,
                today=today,
                lines=lines,
                outline=outline,
                max_chars=max_chars,
            )
            if result.attachments:
                result = self._with_sizes(result, snapshot, scope)
            notes = freshness_notes(snapshot, [result.path], scope=scope)
            result = replace(result, notes=(*result.notes, *notes), as_of=snapshot.indexed_at)
            answered.returned, answered.outcome = (result.path,), "found"
            answered.tell(result)
        return result

    def context(
        self,
        task: str,
        *,
        scope: Scope,
        today: date,
        budget: int | None = None,
        stakes: str | None = None,
        domain: str | None = None,
        purpose: str | None = None,
        stop: threading.Event | None = None,
        told: Callable[[ContextResult | WellreadError], Told] | None = None,
    ) -> ContextResult:
        """Everything that bears on a task, within a budget of tokens, with a verdict: see
        ``context.context``. ``today`` is the day that it is answered for.

        ``stakes`` (low, normal, high) and ``domain`` are inferred where left out; ``purpose``
        opens what ``[sensitivity]`` gates. Raises ``UsageError`` for an empty task, a budget
        that holds nothing and unknown stakes.
        """
        from wellread.context import Task, context
        from wellread.freshness import freshness_notes

        settings = self.config.context()
        asked = Task(
            text=task,
            budget=budget if budget is not None else settings.budget,
            as_of=today,
            stakes=stakes,
            domain=domain,
            purpose=purpose,
        )
        arguments = {
            "task": task, "budget": asked.budget, "stakes": stakes, "domain": domain,
            "purpose": purpose, "as_of": today.isoformat(),
        }  # fmt: skip
        synonyms, broken = self._dictionary().current()
        with (
            self._traced(scope.caller, "context", arguments, told) as answered,
            self.snapshot(stop) as snapshot,
        ):
            scope = self._current(scope, snapshot)
            result = context(
                snapshot,
                asked,
                scope=scope,
                settings=settings,
                synonyms=synonyms,
                notes_of=lambda paths: (*broken, *freshness_notes(snapshot, paths, scope=scope)),
            )
            answered.returned = tuple(one.section for one in result.pieces)
            answered.outcome = result.outcome
            answered.left_out = sum(one.form is None for one in result.reduced)
            answered.tokens = result.tokens
            answered.tell(result)
        return result

    def orders(
        self, text: str, fusions: Sequence[Fusion], *, scope: Scope, today: date
    ) -> list[tuple[str, ...]]:
        """The documents that answer a text by each way of putting words and vectors together:
        see ``blends.orders``. For measuring; leaves no trace. Raises ``ModelUnavailable`` where
        there are no vectors to be had."""
        from wellread.blends import orders

        meaning = self._models.meaning(text)
        if meaning is None or meaning.vector is None:
            raise ModelUnavailable(meaning.note if meaning and meaning.note else NO_MODEL)
        synonyms, _ = self._dictionary().current()
        with self.snapshot() as snapshot:
            return orders(
                snapshot,
                text,
                meaning.vector,
                fusions,
                scope=self._current(scope, snapshot),
                today=today,
                steps=self.steps,
                synonyms=synonyms,
            )

    def status(self, *, scope: Scope, today: date) -> Status:
        """Counts within the scope, and for the local owner runs, failures and acls."""
        from wellread.status import status

        with self.snapshot() as snapshot:
            scope = self._current(scope, snapshot)
            return status(
                snapshot,
                self.config.library / journal.FILE,
                scope=scope,
                today=today,
                vectors=self.config.embeddings is not None,
            )

    def lint(self, *, scope: Scope, today: date) -> tuple[Problem, ...]:
        """Every mistake in the documents in scope on a day, by path and line. Files that are no
        documents have no readers of their own: only the local owner is told of missing ones,
        and of the dictionary."""
        from wellread.lint import lint
        from wellread.sources.places import located

        owner = scope.caller.owner
        exists = (lambda path: located(self.config, path) is not None) if owner else None
        dictionary = self._dictionary()
        known, _ = dictionary.current()
        file = dictionary.file if owner else None
        problems = dictionary.problems() if owner else ()
        synonyms = (file.name, known) if file is not None and known is not None else None
        with self.snapshot() as snapshot:
            everyone = self._resolve(Caller(subject=None), snapshot)
            found = lint(
                snapshot,
                scope=self._current(scope, snapshot),
                today=today,
                open_to_all=frozenset(snapshot.document_ids(scope=everyone, filters=Filters())),
                exists=exists,
                synonyms=synonyms,
            )
            idle = self._idle_rules(snapshot, scope) if owner else ()
            return (*problems, *idle, *found)

    def _idle_rules(self, snapshot: EmbeddedSnapshot, scope: Scope) -> Iterator[Problem]:
        from wellread.lint_rules import idle_authority, idle_rules

        file = self.config.file
        paths = snapshot.paths()
        if paths and file is not None:
            rules = self.config.parse_rules
            yield from idle_rules(self.config.access, rules.defaults, paths, name=file.name)
            documents = snapshot.find_all(paths, scope=self._current(scope, snapshot)).values()
            yield from idle_authority(rules.authority, documents, name=file.name)

    def suggest_synonyms(self, *, scope: Scope) -> tuple[Candidate, ...]:
        """Candidates for the dictionary from the documents in scope: see ``suggest``."""
        from wellread.suggest import suggest
        from wellread.synonyms import NONE

        synonyms, _ = self._dictionary().current()
        with self.snapshot() as snapshot:
            return suggest(snapshot, synonyms or NONE, scope=self._current(scope, snapshot))

    # --- what was asked ------------------------------------------------------------------

    def report_miss(
        self,
        question: str,
        *,
        scope: Scope,
        looked_for: str = "",
        tried: tuple[str, ...] = (),
        told: Callable[[int | WellreadError], Told] | None = None,
    ) -> int:
        """Keep that something which should exist was not found; returns the report's number.
        The same question of the same subject is joined with its earlier reports. ``told`` is
        as in ``search``.

        Raises ``UsageError`` for an empty question, ``NoIndex`` and ``StoreUnavailable``.
        """
        from wellread.misses import report_miss

        arguments = {"question": question, "looked_for": looked_for, "tried": tried}
        with self._traced(scope.caller, REPORT, arguments, told) as answered:
            number = report_miss(
                self._journal(), question, caller=scope.caller, looked_for=looked_for, tried=tried
            )
            answered.outcome = "recorded"
            answered.tell(number)
        return number

    def refuse(
        self,
        error: WellreadError,
        *,
        caller: Caller,
        tool: str,
        arguments: Mapping[str, object],
        told: Callable[[WellreadError], Told] | None = None,
    ) -> NoReturn:
        """Trace a call that did not come to a question, and raise its error."""
        with self._traced(caller, tool, arguments, told):
            raise error

    def traces(
        self,
        *,
        scope: Scope,
        subject: str | None = None,
        since: date | None = None,
        limit: int | None = None,
    ) -> tuple[Trace, ...]:
        """Who asked what, newest first; ``since`` is a day in UTC. Raises ``UsageError`` for
        anybody but the local owner."""
        from wellread.access import fold
        from wellread.misses import readable

        _owner_only(scope, "traces")
        with readable(self._journal()) as connection:
            return journal.traces(
                connection,
                subject=fold(subject) if subject is not None else None,
                since=since.isoformat() if since is not None else None,
                limit=limit,
            )

    def lost_traces(self, *, scope: Scope) -> Lost:
        """Traces that could not be written, as far as is known. For the local owner."""
        from wellread.misses import readable

        _owner_only(scope, "traces")
        with readable(self._journal()) as connection:
            return journal.lost_traces(connection)

    def misses(self, *, scope: Scope, status: MissStatus | None = "open") -> tuple[Miss, ...]:
        """What was reported as missing, by question, the first reported first; ``None`` for
        whatever became of it. Raises ``UsageError`` for anybody but the local owner."""
        from wellread.misses import list_misses

        _owner_only(scope, "misses")
        return list_misses(self._journal(), status)

    def accept_miss(
        self,
        number: int,
        *,
        scope: Scope,
        expect: Sequence[str],
        file: Path,
        asked_as: str | None = None,
        category: str = "",
        language: str | None = None,
    ) -> Miss:
        """Make a question of the evaluation set of a miss: it is appended to ``file``, and
        nothing else there is changed. Asked as ``asked_as``, else as the one subject that
        reported it, who must be able to read what is expected.

        Raises ``NotFound`` where that is missing, ``UsageError`` where the question is in the
        file already, was settled before, or the caller is not the local owner.
        """
        from wellread.accept import accepted_question, append_question
        from wellread.misses import open_miss, settle

        _owner_only(scope, "misses")
        miss = open_miss(self._journal(), number)
        with self.snapshot() as snapshot:
            question = accepted_question(
                miss,
                snapshot,
                scope=self._current(scope, snapshot),
                scope_of=lambda caller: self._resolve(caller, snapshot),
                groups=self.config.groups,
                expect=expect,
                asked_as=asked_as,
                category=category,
                language=language,
            )
        append_question(file, question)
        return settle(self._journal(), miss, "accepted", question.expect)

    def dismiss_miss(self, number: int, *, scope: Scope) -> Miss:
        """Settle a miss without a question. For the local owner; see ``accept_miss``."""
        from wellread.misses import open_miss, settle

        _owner_only(scope, "misses")
        return settle(self._journal(), open_miss(self._journal(), number), "dismissed")

    # --- writing -----------------------------------------------------------------------

    def index(
        self,
        sources: Sequence[SourceConfig] | None = None,
        *,
        full: bool = False,
        verify: bool = False,
        allow_mass_delete: bool = False,
        reembed: bool = False,
        progress: Callable[[Progress], None] | None = None,
        embedding_progress: Callable[[EmbeddingProgress], None] | None = None,
        wait: float | None = None,
    ) -> Run:
        """Bring the library up to its sources: see ``indexing.index_library``. Where a model for
        vectors is set, passages without one are then embedded; ``reembed`` lets another model
        take over.

        ``sources`` stand in place of the configured ones, and are remembered where there is
        no configuration. ``wait`` is for how many seconds another writer is waited for, ``None``
        for ``locks.WAIT_SECONDS``. Raises
        ``RunRefused`` where nothing was seen or all failed, ``LibraryBusy`` where another one
        goes on writing, ``StoreUnavailable`` where the library cannot be written.
        """
        from wellread.indexing import index_library

        run = index_library(
            self.config,
            sources,
            full=full,
            verify=verify,
            allow_mass_delete=allow_mass_delete,
            reembed=reembed,
            progress=progress,
            embedding_progress=embedding_progress,
            weights=self.steps.weights,
            wait=wait,
        )
        with self._guard:
            store, self._store = self._store, None
        if store is not None:
            store.close()
        return run

    def forget(self, subject: str) -> int:
        """Delete the traces and reported misses of a subject; returns how many there were.
        Raises ``NoIndex`` where nothing was ever indexed."""
        connection = journal.open_journal(self._journal())
        try:
            return journal.forget(connection, subject)
        finally:
            connection.close()

    def backup(self, file: Path) -> int:
        """Write the library into a new file; returns its size in bytes. See ``backup``."""
        from wellread.backup import back_up

        return back_up(self.config.library, file)

    @staticmethod
    def restore(file: Path, library: Path) -> None:
        """Make a library folder from such a file, where there is none yet. See ``backup``."""
        from wellread.backup import restore

        restore(file, library)

    @contextmanager
    def snapshot(self, stop: threading.Event | None = None) -> Iterator[EmbeddedSnapshot]:
        """One view of the library for several questions to it. Once ``stop`` is set, they raise
        ``Cancelled``. Raises ``NoIndex``."""
        with self._guard:
            if self._store is None:
                self._store = EmbeddedStore(self.config.library, weights=self.steps.weights)
            store = self._store
        with store.snapshot(stop) as snapshot:
            yield snapshot

    # --- within ------------------------------------------------------------------------

    def _journal(self) -> Path:
        """The journal, of a library that is there: writing must not begin an empty one."""
        path = self.config.library / journal.FILE
        if not path.is_file():
            raise NoIndex(
                f"No index at {self.config.library}. Run `wellread index FOLDER` first, or name "
                "its configuration with --config."
            )
        return path

    def _dictionary(self) -> SynonymFile:
        from wellread.synonymfile import SynonymFile

        with self._guard:
            if self._synonyms is None:
                self._synonyms = SynonymFile(self.config.synonyms)
            return self._synonyms

    def _resolve(self, caller: Caller, snapshot: EmbeddedSnapshot) -> Scope:
        known = self._acls
        version = (snapshot.key, snapshot.generation)
        if known is None or known[0] != version:
            known = (version, AclTable(dict(snapshot.acls())))
            self._acls = known
        return resolve(caller, known[1], snapshot.generation, snapshot.key)

    def _current(self, scope: Scope, snapshot: EmbeddedSnapshot) -> Scope:
        """The scope of the same caller in this snapshot's catalog and generation."""
        if (scope.catalog, scope.generation) == (snapshot.key, snapshot.generation):
            return scope
        return self._resolve(scope.caller, snapshot)

    def _with_sizes(
        self, result: ReadResult, snapshot: EmbeddedSnapshot, scope: Scope
    ) -> ReadResult:
        """Add the sizes of attached files that the caller could read: a page may name any
        path, and a size would tell that there is something."""
        from wellread.access import open_to
        from wellread.kinds import kind_of
        from wellread.sources.places import file_size

        def size(path: str) -> int | None:
            if kind_of(path) is not None:
                readable = snapshot.find(path, scope=scope) is not None
            else:
                readable = open_to(scope.caller, path, self.config.access)
            return file_size(self.config, path) if readable else None

        sizes = tuple(replace(one, size=size(one.path)) for one in result.attachments)
        return replace(result, attachments=sizes)

    def _traced(
        self,
        caller: Caller,
        tool: str,
        arguments: Mapping[str, object],
        told: Callable[[Any], Told] | None = None,
    ) -> AbstractContextManager[Answered]:
        return traced(
            caller, tool, arguments, told=told, session=self.session, writer=self._trace_writer
        )

    def _trace_writer(self) -> TraceWriter | None:
        """Where traces go. A library that is not there is not begun by a trace of asking it."""
        return self._traces if self.config.trace and self._traces.path.is_file() else None


def _owner_only(scope: Scope, what: str) -> None:
    if not scope.caller.owner:
        raise UsageError(
            f"{what} are for the local owner, and this is {scope.caller.subject or 'everyone'}: "
            "ask without --as, WELLREAD_AS and [identity]"
        )
