"""A model behind a real HTTP server on this machine, which answers as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], Any]
"""Status, headers, and what is sent as JSON; bytes are sent as they are."""


@dataclass(kw_only=True)
class ModelServer:
    """``url`` of the model; ``asked`` are the bodies it got, ``keys`` its authorizations."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def model_server(answer: Callable[[dict[str, Any], int], Answer]) -> Iterator[ModelServer]:
    """``answer`` gets the body and the number of the request, counted from 0."""
    seen = ModelServer(url="")
    guard = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with guard:
                number = len(seen.asked)
                seen.asked.append(body)
                seen.keys.append(self.headers.get("authorization"))
            status, headers, content = answer(body, number)
            sent = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_port}/v1/embeddings"
    try:
        yield seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
