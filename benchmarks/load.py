"""A server under load: many clients, many identities, files that change, and one greedy caller.

    python -m benchmarks.load [--seconds 60] [http|stdio|costly …]

Every group has a canary word that stands in its documents alone; an answer that holds one of a
group that its caller is not in is a leak. Leaks, errors and growing memory end with exit code 1.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CLIENTS, STDIO_SERVERS = 40, 10
GROUPS = tuple(f"group{number}" for number in range(8))
CANARIES = {group: f"canary{word}" for group, word in zip(
    GROUPS, ("ash", "birch", "cedar", "dogwood", "elm", "fir", "gum", "hazel"), strict=True
)}  # fmt: skip
PEOPLE = {f"user{number}": (group,) for number, group in enumerate(GROUPS)}
AUDIENCE = "https://wellread.example/mcp"
DOCUMENTS = 2000
PARALLEL_COSTLY = 8
"""Calls that the greedy caller has under way: twice what a subject is given threads for."""

WARM = 0.5
"""The part of the time in which memory may still grow: of 120 s, it rose from 60 to 210 MiB in the
first half, as each of 32 threads came to have buffers and caches, and not in the second."""

FLAT = 1.10
"""How much larger memory may be at the end than after warming up."""

WORDS = [
    "travel",
    "expense",
    "approval",
    "contract",
    "price",
    "rebate",
    "holiday",
    "payroll",
    "incident",
    "release",
    "rollback",
    "server",
    "database",
    "invoice",
    "customer",
    "supplier",
    "warranty",
    "audit",
    "budget",
    "forecast",
    "meeting",
    "office",
    "security",
    "password",
    "laptop",
    "onboarding",
    "training",
    "policy",
    "review",
    "quarter",
    "report",
    "template",
    "vendor",
]


# --- the library -----------------------------------------------------------------------------


def text_of(number: int, version: int) -> str:
    """A document of some 3 kB; every third belongs to a group and holds its canary."""
    pick = random.Random(number * 1_000_003 + version)
    group = GROUPS[number // 3 % len(GROUPS)] if number % 3 == 0 else None
    head = f"---\naccess: [{group}]\n---\n" if group else ""
    canary = CANARIES[group] if group else ""
    sections = []
    for section in range(6):
        words = " ".join(pick.choices(WORDS, k=60))
        sections.append(f"## Part {section} {pick.choice(WORDS)} {canary}\n\n{words} {canary}.\n")
    title = f"{pick.choice(WORDS)} {pick.choice(WORDS)} {number}"
    return f"{head}# {title} {canary}\n\nVersion {version}.\n\n" + "\n".join(sections)


def path_of(number: int) -> str:
    return f"part{number % 20}/page-{number}.md"


def write(docs: Path, number: int, version: int) -> None:
    file = docs / path_of(number)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text_of(number, version), encoding="utf-8")
    fresh.replace(file)


@contextmanager
def rewriting(docs: Path) -> Iterator[list[int]]:
    """Rewrite a few files, again and again; yields how many, in a list of one."""
    stop, count = threading.Event(), [0]

    def work() -> None:
        pick = random.Random(7)
        for version in itertools.count(1):
            for number in pick.sample(range(DOCUMENTS), 10):
                write(docs, number, version)
                count[0] += 1
            if stop.wait(1.0):
                return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield count
    finally:
        stop.set()
        thread.join()


# --- identities --------------------------------------------------------------------------------


class Provider:
    """An identity provider that publishes its key on loopback, and mints what it is asked for."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric import rsa
        from jwt.algorithms import RSAAlgorithm

        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        keys = json.dumps({"keys": [{**public, "kid": "one", "alg": "RS256"}]}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(keys)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def token(self, subject: str) -> str:
        import jwt

        claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": subject,
            "groups": list(PEOPLE[subject]),
            "exp": int(time.time()) + 3600,
        }
        return jwt.encode(claims, self._key, "RS256", headers={"kid": "one"})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


# --- what is asked, and what came of it --------------------------------------------------------


@dataclass
class Tally:
    """What came of the calls; latencies in milliseconds, by tool."""

    latencies: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    held: int = 0

    def note(self, user: str, tool: str, arguments: Any, answer: Any, milliseconds: float) -> None:
        text = "\n".join(part.text for part in answer.content)
        self.latencies.setdefault(tool, []).append(milliseconds)
        if answer.is_error and not arguments.get("handle", "").endswith("#hidden"):
            self.errors.append(f"{tool} {arguments}: {text[:200]}")
        own = {CANARIES[group] for group in PEOPLE[user]}
        self.held += any(word in text for word in own)
        self.leaks += [
            f"{user}: {tool} {arguments} shows {word}"
            for word in CANARIES.values()
            if word not in own and word in text
        ]

    def show(self, what: str, spent: float | None = None) -> None:
        """Print it; ``spent`` are the seconds of processor time that the servers took."""
        every = sorted(itertools.chain.from_iterable(self.latencies.values()))
        for tool, found in [*sorted(self.latencies.items()), ("all", every)]:
            if len(found) > 1:
                cuts = statistics.quantiles(found, n=20)
                print(
                    f"{what:<22} {tool:<12} {len(found):>6} calls  p50 {cuts[9]:>7.1f} ms  "
                    f"p95 {cuts[18]:>7.1f} ms  most {max(found):>7.1f} ms"
                )
        if spent is not None:
            each = spent / len(every) * 1000
            print(f"{what:<22} {each:.1f} ms of processor time a call, indexing included")
        print(
            f"{what:<22} {len(self.errors)} errors, {len(self.leaks)} leaks, "
            f"{self.held} answers with the caller's own canary",
            flush=True,
        )
        for line in [*self.errors[:5], *self.leaks[:5]]:
            print(f"  {line}", file=sys.stderr)


def next_call(pick: random.Random, user: str) -> tuple[str, dict[str, Any]]:
    """A call as agents make them, and some that try to see more."""
    own = CANARIES[PEOPLE[user][0]]
    number = pick.randrange(DOCUMENTS)
    kind = pick.random()
    if kind < 0.45:
        return "search", {"query": " ".join(pick.choices(WORDS, k=pick.randint(1, 4)))}
    if kind < 0.55:
        return "search", {"query": f"{own} {pick.choice(WORDS)}", "detail": "passage"}
    if kind < 0.60:
        return "search", {"query": "canary", "limit": 50, "path": [f"part{number % 20}/**"]}
    if kind < 0.70:
        return "find_exact", {"text": f"{pick.choice(WORDS)} {pick.choice(WORDS)}"}
    if kind < 0.75:
        return "find_exact", {"text": "canary[a-z]+", "regex": True}
    if kind < 0.95:
        open_page = number + 1 if number % 3 == 0 else number
        return "read", {"handle": path_of(min(open_page, DOCUMENTS - 1))}
    if kind < 0.99:
        return "read", {"handle": f"{path_of(number - number % 3)}#hidden"}
    return "report_miss", {"question": f"Where is {pick.choice(WORDS)}?"}


async def keep_asking(client: Any, user: str, seed: int, until: float, tally: Tally) -> None:
    pick = random.Random(seed)
    while time.perf_counter() < until:
        tool, arguments = next_call(pick, user)
        await timed(client, user, tool, arguments, tally)


async def timed(client: Any, user: str, tool: str, arguments: Any, tally: Tally) -> None:
    started = time.perf_counter()
    try:
        answer = await client.call_tool(tool, arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and shown
        tally.errors.append(f"{tool} {arguments}: {type(error).__name__}: {error}")
        await asyncio.sleep(0.1)
        return
    milliseconds = (time.perf_counter() - started) * 1000
    tally.note(user, tool, arguments, answer, milliseconds)


# --- memory ------------------------------------------------------------------------------------


class Memory:
    """What some processes have allocated, sampled, in MiB; without the files that they map, which
    are the text index and pages that the system may take back."""

    def __init__(self, pids: list[int]) -> None:
        self._pids = pids
        self.samples: list[float] = []

    async def watch(self) -> None:
        while True:
            self.samples.append(await asyncio.to_thread(self._now))
            await asyncio.sleep(0.5)

    def _now(self) -> float:
        total = 0
        for pid in self._pids:
            with suppress(OSError):
                text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
                total += sum(
                    int(line.split()[1]) for line in text.splitlines() if "Pss_Anon:" in line
                )
        return total / 1024

    def spent(self) -> float:
        """Seconds of processor time that the processes have used up."""
        ticks = 0
        for pid in self._pids:
            fields = (
                Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            )
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def show(self, what: str) -> bool:
        """Whether it stayed flat: the last quarter against the one before it."""
        count = len(self.samples)
        after = self.samples[int(count * WARM) : int(count * 0.75)] or self.samples
        first = statistics.median(after)
        last = statistics.median(self.samples[-max(1, count // 4) :])
        tenths = [self.samples[count * tenth // 10] for tenth in range(10)]
        print(f"{what:<22} MiB by tenths: {' '.join(f'{size:.0f}' for size in tenths)}")
        print(
            f"{what:<22} memory {first:.0f} MiB after warming up, {last:.0f} MiB at the end, "
            f"most {max(self.samples):.0f} MiB",
            flush=True,
        )
        return last <= FLAT * first


@asynccontextmanager
async def watched(pids: list[int]) -> AsyncIterator[Memory]:
    memory = Memory(pids)
    task = asyncio.create_task(memory.watch())
    try:
        yield memory
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


# --- the three loads ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A library on disk, and who signs tokens for it."""

    home: Path
    provider: Provider

    @property
    def docs(self) -> Path:
        return self.home / "docs"


@contextmanager
def place() -> Iterator[Place]:
    provider = Provider()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number in range(DOCUMENTS):
            write(home / "docs", number, 0)
        members = "\n".join(f"{user} = {json.dumps(groups)}" for user, groups in PEOPLE.items())
        (home / "wellread.toml").write_text(
            f'[[sources]]\npath = "docs"\n[groups]\n{members}\n'
            f'[auth]\nissuer = "{provider.issuer}"\naudience = "{AUDIENCE}"\n'
            f'jwks_url = "{provider.issuer}/keys"\n[server]\nrequests_per_minute = 0\n',
            encoding="utf-8",
        )
        index = [sys.executable, "-m", "wellread", "index"]
        subprocess.run(index, cwd=home, check=True, capture_output=True)
        try:
            yield Place(home=home, provider=provider)
        finally:
            provider.close()


@asynccontextmanager
async def http_server(place: Place) -> AsyncIterator[tuple[str, int]]:
    """A server on loopback; yields its address and process id."""
    command = [sys.executable, "-m", "wellread", "serve", "--http", "127.0.0.1:0"]
    server = subprocess.Popen(command, cwd=place.home, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        line = await asyncio.to_thread(server.stderr.readline)
        if " at http://" not in line:
            raise SystemExit(line + server.stderr.read())
        threading.Thread(target=sys.stderr.writelines, args=(server.stderr,)).start()
        yield line.split(" at ")[1].strip(), server.pid
    finally:
        server.terminate()
        if server.wait(15) != 0:
            print(f"the server ended with {server.returncode}", file=sys.stderr)


@asynccontextmanager
async def http_client(url: str, place: Place, user: str, mode: str) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"authorization": f"Bearer {place.provider.token(user)}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        await client.list_tools()
        yield client


async def over_http(place: Place, seconds: float) -> bool:
    """40 clients of 8 identities, both eras, on one server that indexes what changes."""
    tally = Tally()
    users = list(PEOPLE)
    async with AsyncExitStack() as stack:
        url, pid = await stack.enter_async_context(http_server(place))
        clients = [
            await stack.enter_async_context(
                http_client(url, place, users[number % len(users)], ("auto", "legacy")[number % 2])
            )
            for number in range(CLIENTS)
        ]
        memory = await stack.enter_async_context(watched([pid]))
        count = stack.enter_context(rewriting(place.docs))
        until = time.perf_counter() + seconds
        spent = -memory.spent()
        await asyncio.gather(
            *(
                keep_asking(client, users[number % len(users)], number, until, tally)
                for number, client in enumerate(clients)
            )
        )
        spent += memory.spent()
    what = f"http, {CLIENTS} clients"
    tally.show(what, spent)
    print(f"{what:<22} {count[0]} files rewritten meanwhile")
    return memory.show(what) and not tally.errors and not tally.leaks and tally.held > 0


async def over_stdio(place: Place, seconds: float) -> bool:
    """10 servers, each for one client, on one library; one of them indexes what changes."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    tally = Tally()
    users = list(PEOPLE)
    async with AsyncExitStack() as stack:
        clients = []
        for number in range(STDIO_SERVERS):
            user = users[number % len(users)]
            start = StdioServerParameters(
                command=sys.executable,
                args=["-m", "wellread", "serve", "--as", user],
                env={"WELLREAD_CONFIG": str(place.home / "wellread.toml"), "PYTHONPATH": "."},
                cwd=Path.cwd(),
            )
            client = await stack.enter_async_context(Client(stdio_client(start), mode="auto"))
            await client.list_tools()
            clients.append((user, client))
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
        pids = [int(pid) for pid in children.read_text(encoding="ascii").split()]
        memory = await stack.enter_async_context(watched(pids))
        stack.enter_context(rewriting(place.docs))
        until = time.perf_counter() + seconds
        spent = -memory.spent()
        await asyncio.gather(
            *(
                keep_asking(client, user, number, until, tally)
                for number, (user, client) in enumerate(clients)
            )
        )
        spent += memory.spent()
    what = f"stdio, {STDIO_SERVERS} servers"
    tally.show(what, spent)
    return memory.show(what) and not tally.errors and not tally.leaks and tally.held > 0


COSTLY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("find_exact", {"text": "(?i)(.*[a-y]){12}.*zzz", "regex": True}),
    ("find_exact", {"text": "[a-z ]{0,900}zzz|(a|e|i|o|u|n| ){1,300}zzz", "regex": True}),
    ("search", {"query": " ".join(WORDS * 4)[:1000], "limit": 50, "detail": "passage"}),
)


async def beside_a_greedy_one(place: Place, seconds: float) -> bool:
    """A caller's short searches, alone and beside another who asks for all that is costly."""
    alone, beside, greedy = Tally(), Tally(), Tally()
    async with AsyncExitStack() as stack:
        url, _ = await stack.enter_async_context(http_server(place))
        modest = await stack.enter_async_context(http_client(url, place, "user0", "auto"))
        hungry = await stack.enter_async_context(http_client(url, place, "user1", "auto"))

        async def ask(tally: Tally, until: float) -> None:
            pick = random.Random(3)
            while time.perf_counter() < until:
                query = {"query": " ".join(pick.choices(WORDS, k=2))}
                await timed(modest, "user0", "search", query, tally)
                await asyncio.sleep(0.05)

        async def devour(number: int, until: float) -> None:
            for tool, arguments in itertools.islice(itertools.cycle(COSTLY), number, None):
                if time.perf_counter() > until:
                    return
                await timed(hungry, "user1", tool, arguments, greedy)

        await ask(alone, time.perf_counter() + seconds / 4)
        until = time.perf_counter() + seconds
        await asyncio.gather(
            ask(beside, until), *(devour(number, until) for number in range(PARALLEL_COSTLY))
        )
    alone.show("modest, alone")
    beside.show("modest, beside greedy")
    greedy.show("greedy")
    tallies = (alone, beside, greedy)
    return bool(beside.latencies) and not any(one.errors or one.leaks for one in tallies)


LOADS = {"http": over_http, "stdio": over_stdio, "costly": beside_a_greedy_one}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("loads", nargs="*", metavar="LOAD", help=", ".join(LOADS))
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    unknown = set(args.loads) - set(LOADS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(LOADS)}")
    good = True
    for name in args.loads or LOADS:
        with place() as here:
            good &= asyncio.run(LOADS[name](here, args.seconds))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
