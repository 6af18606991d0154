"""A real `arena serve`, papers for it, bots that dial in, and a network that can break."""

import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import grpc
import trio
import trustme

from arena import lobby_frames, registry, tokens
from arena.home import home
from tests.arena.clients import Client
from tests.arena.runs import PATIENCE_S, ROOT, running

SAMPLES = ROOT / "sample_bots" / "python"
ADDRESS = "127.0.0.1:0"


class Papers:
    """Certificates of an operator and of a bot, each with its authority."""

    def __init__(self, folder: Path) -> None:
        self.authority = folder / "authority.pem"
        self.certificate = folder / "certificate.pem"
        self.key = folder / "key.pem"
        self.client_authority = folder / "client_authority.pem"
        self.client_certificate = folder / "client_certificate.pem"
        self.client_key = folder / "client_key.pem"
        self._ours = ours = trustme.CA()
        theirs = trustme.CA()
        ours.cert_pem.write_to_path(self.authority)
        theirs.cert_pem.write_to_path(self.client_authority)
        for authority, name, certificate, key in (
            (ours, "127.0.0.1", self.certificate, self.key),
            (theirs, "bot.example", self.client_certificate, self.client_key),
        ):
            issued = authority.issue_cert(name)
            issued.cert_chain_pems[0].write_to_path(certificate)
            issued.private_key_pem.write_to_path(key)

    def out_of_date(
        self, name: str, *, since: datetime | None = None, until: datetime | None = None
    ) -> None:
        """Issue a certificate that isn't valid today, as NAME.pem and NAME_key.pem."""
        issued = self._ours.issue_cert("127.0.0.1", not_before=since, not_after=until)
        folder = self.key.parent
        issued.cert_chain_pems[0].write_to_path(folder / f"{name}.pem")
        issued.private_key_pem.write_to_path(folder / f"{name}_key.pem")

    @property
    def options(self) -> list[object]:
        """What `arena serve` needs."""
        return ["--certificate", self.certificate, "--key", self.key]

    def credentials(self, *, with_certificate: bool = False) -> grpc.ChannelCredentials:
        """What a client needs."""
        if not with_certificate:
            return grpc.ssl_channel_credentials(self.authority.read_bytes())
        return grpc.ssl_channel_credentials(
            self.authority.read_bytes(),
            self.client_key.read_bytes(),
            self.client_certificate.read_bytes(),
        )


class Served:
    """A running `arena serve`."""

    def __init__(self, process: "subprocess.Popen[str]", ready: str) -> None:
        self.process = process
        self.ready = ready
        self.address = ready.split()[3]
        self.port = int(self.address.rpartition(":")[2])


@contextlib.contextmanager
def served(*options: object, address: str = ADDRESS) -> Iterator[Served]:
    with running("serve", "--address", address, *options) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("arena serves on "), process.communicate()
        yield Served(process, ready)


def registered(name: str = "far") -> str:
    """Register a remote bot and return its token."""
    registry.register(registry.make_remote(name))
    return tokens.give(name)


@contextlib.contextmanager
def dialling(
    address: str,
    token: str,
    *,
    streams: int = 8,
    papers: Papers | None = None,
    command: Sequence[str] = (sys.executable, "random_bot.py"),
) -> Iterator["subprocess.Popen[str]"]:
    """Run a sample bot that dials in; it is ended in the end."""
    environment = {
        **os.environ,
        "ARENA_ADDRESS": address,
        "ARENA_TOKEN": token,
        "ARENA_STREAMS": str(streams),
    }
    if papers is not None:
        environment["ARENA_TLS"] = str(papers.authority)
        environment["ARENA_CERTIFICATE"] = str(papers.client_certificate)
        environment["ARENA_KEY"] = str(papers.client_key)
    process = subprocess.Popen(
        command,
        cwd=SAMPLES,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def lobby_is_there() -> bool:
    return (home() / lobby_frames.SOCKET).exists()


class Network:
    """Carries bytes to a server, from an address of its choice, until it is cut."""

    def __init__(self, port: int, source: str) -> None:
        self.address = ""
        self._port = port
        self._source = source
        self._open: list[trio.CancelScope] = []
        self.silent = False
        """Whether nothing passes any more, without anybody being told."""
        self.down = False
        """Whether new connections break at once."""
        self.refused = 0
        """How many did."""

    async def carry(self, near: trio.SocketStream) -> None:
        if self.down:
            self.refused += 1
            await near.aclose()
            return
        far = await trio.open_tcp_stream("127.0.0.1", self._port, local_address=self._source)
        async with near, far, trio.open_nursery() as nursery:
            self._open.append(nursery.cancel_scope)
            nursery.start_soon(self._copy, near, far, nursery)
            nursery.start_soon(self._copy, far, near, nursery)

    async def _copy(
        self, source: trio.SocketStream, target: trio.SocketStream, nursery: trio.Nursery
    ) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for chunk in source:
                if self.silent:
                    await trio.sleep_forever()
                await target.send_all(chunk)
        nursery.cancel_scope.cancel()

    def cut(self) -> None:
        """Break all connections; new ones are carried."""
        for scope in self._open:
            scope.cancel()
        self._open.clear()


@contextlib.asynccontextmanager
async def network(port: int, source: str = "127.0.0.1") -> AsyncIterator[Network]:
    made = Network(port, source)
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        made.address = f"127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        nursery.start_soon(trio.serve_listeners, made.carry, listeners)
        yield made
        nursery.cancel_scope.cancel()


@contextlib.contextmanager
def clients(count: int, address: str, **options) -> Iterator[list[Client]]:
    """As many clients, each with a connection of its own."""
    made = [Client(address, **options) for _ in range(count)]
    try:
        yield made
    finally:
        for each in made:
            each.close()
