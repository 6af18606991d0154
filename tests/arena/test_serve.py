"""The real `arena serve`: who is let in, by which papers, and how it begins and ends."""

import os
import signal
import socket
import stat
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena import lobby_frames, registry, tokens
from arena.errors import OperatorError
from arena.home import home
from arena.public_address import Tls, checked_address, credentials, refuse_taken
from arena.v1 import arena_pb2
from arena.v1.arena_pb2 import PlayResponse
from tests.arena.clients import Client, client, free_port, hello
from tests.arena.runs import PATIENCE_S, arena, until
from tests.arena.serving import ADDRESS, Papers, clients, lobby_is_there, registered, served


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    folder = tmp_path_factory.mktemp("papers")
    os.mkfifo(folder / "pipe.pem")
    with (folder / "huge.pem").open("wb") as huge:
        huge.truncate(1 << 40)
    papers = Papers(folder)
    papers.out_of_date("expired", until=datetime(2020, 1, 1, tzinfo=UTC))
    papers.out_of_date("early", since=datetime(2999, 1, 1, tzinfo=UTC))
    return papers


def seen(name: str) -> bool:
    return tokens.states()[name].last_seen is not None


async def refused(bot: Client, code: grpc.StatusCode) -> str:
    """Hear a refusal to its end and return what it says."""
    said = await bot.hears()
    assert isinstance(said, PlayResponse), said
    assert said.goodbye.reason == arena_pb2.GOODBYE_REASON_REFUSED
    assert await bot.hears() == code
    return said.goodbye.detail


async def test_tokens_decide(papers: Papers) -> None:
    token, revoked = registered(), registered("revoked")
    tokens.revoke("revoked")
    with served(*papers.options) as server:
        assert server.ready.endswith("(TLS)\n")
        with clients(3, server.address, credentials=papers.credentials()) as (bad, gone, good):
            bad.say(hello(token[:-1]))
            assert "unknown token" in await refused(bad, grpc.StatusCode.UNAUTHENTICATED)
            gone.say(hello(revoked))
            assert "unknown token" in await refused(gone, grpc.StatusCode.UNAUTHENTICATED)
            good.say(hello(token))
            until(lambda: seen("far"))


async def test_a_token_made_a_moment_ago_and_one_revoked_while_it_waits() -> None:
    with served() as server:
        token = registered()
        with client(server.address) as bot:
            bot.say(hello(token))
            until(lambda: seen("far"))
            tokens.revoke("far")
            assert "revoked" in await refused(bot, grpc.StatusCode.OK)


async def test_talking_before_being_asked() -> None:
    token = registered()
    with served() as server, client(server.address) as bot:
        bot.say(hello(token), hello(token))
        assert "nothing was asked" in await refused(bot, grpc.StatusCode.OK)


async def test_certificates_of_bots(papers: Papers) -> None:
    token = registered()
    with served(*papers.options, "--client-authority", papers.client_authority) as server:
        with client(server.address, credentials=papers.credentials()) as without:
            without.say(hello(token))
            assert await without.hears() == grpc.StatusCode.UNAVAILABLE
        with client(server.address) as plain:
            plain.say(hello(token))
            assert await plain.hears() == grpc.StatusCode.UNAVAILABLE
        assert not seen("far")
        proper = papers.credentials(with_certificate=True)
        with client(server.address, credentials=proper) as bot:
            bot.say(hello(token))
            until(lambda: seen("far"))


def test_health_and_reflection(papers: Papers) -> None:
    with served(*papers.options) as server:  # noqa: SIM117  # one depends on the other
        with grpc.secure_channel(server.address, papers.credentials()) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for service in ("", "arena.v1.ArenaService"):
                request = health_pb2.HealthCheckRequest(service=service)
                assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
            watch = health.Watch(health_pb2.HealthCheckRequest(service=""))
            assert next(watch).status == health_pb2.HealthCheckResponse.SERVING

            reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
            ask = reflection_pb2.ServerReflectionRequest
            asked = [
                ask(list_services=""),
                ask(file_containing_symbol="arena.v1.ArenaService"),
            ]
            services, file = reflection.ServerReflectionInfo(iter(asked))
            names = {each.name for each in services.list_services_response.service}
            assert {"arena.v1.ArenaService", "grpc.health.v1.Health"} <= names
            found = descriptor_pb2.FileDescriptorProto.FromString(
                file.file_descriptor_response.file_descriptor_proto[0]
            )
            assert found.package == "arena.v1"

            server.process.terminate()
            assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
            watch.cancel()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_stopping_is_quick_and_polite(number: signal.Signals) -> None:
    token = registered()
    with served() as server, clients(5, server.address) as bots:
        for bot in bots[1:]:
            bot.say(hello(token))
        until(lambda: seen("far"))
        await trio.sleep(0.5)
        server.process.send_signal(number)
        begun = time.monotonic()
        assert await trio.to_thread.run_sync(lambda: server.process.wait(PATIENCE_S)) == 0
        assert time.monotonic() - begun < 30, "without waiting for anybody"
        for bot in bots[1:]:
            said = await bot.hears()
            assert isinstance(said, PlayResponse)
            assert said.goodbye.reason == arena_pb2.GOODBYE_REASON_STOPPED
        assert not lobby_is_there()
        assert "Traceback" not in server.process.stderr.read()


def test_a_second_one_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with served() as server:
        second = arena("serve", "--address", ADDRESS)
        assert second.returncode == 2
        assert f"(process {server.process.pid})" in second.stderr
        monkeypatch.setenv("ARENA_HOME", str(tmp_path / "other"))
        second = arena("serve", "--address", server.address)
        assert second.returncode == 2
        assert f"cannot listen on {server.address}: Address already in use\n" in second.stderr
        assert lobby_is_there() is False, "of the second"


def test_what_a_killed_one_left_is_taken_over() -> None:
    port = f"127.0.0.1:{free_port()}"
    with served(address=port) as first:
        first.process.kill()
        first.process.wait()
        assert lobby_is_there()
        with served(address=port):
            assert lobby_is_there()


def test_the_control_socket_is_private_and_its_path_may_be_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / ("long" * 30)))
    with served():
        mode = (home() / lobby_frames.SOCKET).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600


async def test_nonsense_on_the_control_socket() -> None:
    token = registered()
    with served() as server:
        for nonsense in (b"", b"\xff" * 9, b"\0\0\0\1\xc1", b"\0\0\0\2\x91\xa4", b"GET / \r\n\r\n"):
            folder = os.open(home(), os.O_RDONLY)
            with socket.socket(socket.AF_UNIX) as shard:
                shard.settimeout(PATIENCE_S)
                shard.connect(lobby_frames.short_path(folder))
                shard.sendall(nonsense)
                shard.shutdown(socket.SHUT_WR)
                assert shard.recv(10) == b""
            os.close(folder)
        with client(server.address) as bot:
            bot.say(hello(token))
            until(lambda: seen("far"))


BAD_OPTIONS = [
    (["--certificate", "certificate.pem"], "give both"),
    (["--client-authority", "authority.pem"], "needs TLS"),
    (["--certificate", "none.pem", "--key", "key.pem"], "cannot read none.pem"),
    (["--certificate", "/dev/zero", "--key", "key.pem"], "no regular file"),
    (["--certificate", "certificate.pem", "--key", "pipe.pem"], "no regular file"),
    (["--certificate", "certificate.pem", "--key", "huge.pem"], "too large"),
    (["--certificate", "certificate.pem", "--key", "client_key.pem"], "are no certificate and"),
    (["--certificate", "key.pem", "--key", "certificate.pem"], "are no certificate and"),
    (["--certificate", "expired.pem", "--key", "expired_key.pem"], "has expired"),
    (["--certificate", "early.pem", "--key", "early_key.pem"], "not yet valid"),
    (
        ["--certificate", "certificate.pem", "--key", "key.pem", "--client-authority", "key.pem"],
        "is no authority's certificate",
    ),
]


@pytest.mark.parametrize(("options", "why"), BAD_OPTIONS)
def test_papers_that_do_not_fit(options: list[str], why: str, papers: Papers) -> None:
    folder = papers.key.parent
    given = [str(folder / each) if each.endswith(".pem") else each for each in options]
    done = arena("serve", "--address", ADDRESS, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr.replace(f"{folder}/", "")


ADDRESSES = [
    ("127.0.0.1:0", True, None, "loopback"),
    ("[::1]:5000", True, None, "loopback, too"),
    ("localhost:5000", True, None, "by name"),
    ("0.0.0.0:5000", True, "without TLS everybody", "all networks"),
    ("[::]:5000", True, "without TLS everybody", "all networks"),
    ("192.0.2.1:5000", True, "without TLS everybody", "another network"),
    ("0.0.0.0:5000", False, None, "with TLS, or forced"),
    ("127.0.0.1", True, "no address", "no port"),
    (":5000", True, "no address", "no host"),
    ("127.0.0.1:x", True, "no address", "no number"),
    ("127.0.0.1:70000", True, "no address", "too large"),
    ("a..b:5000", True, "is no host that is known", "no name that could be"),
]


@pytest.mark.parametrize(("address", "plain", "why", "because"), ADDRESSES)
def test_addresses(address: str, plain: bool, why: str | None, because: str) -> None:
    if why is None:
        checked_address(address, plain=plain)
        return
    with pytest.raises(OperatorError, match=why):
        checked_address(address, plain=plain)


def test_one_of_a_names_addresses_need_not_be_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ::1 isn't where IPv6 is off."""
    of_others = socket.getaddrinfo("192.0.2.1", 0, type=socket.SOCK_STREAM)
    here = socket.getaddrinfo("127.0.0.1", 0, type=socket.SOCK_STREAM)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [*of_others, *here])
    refuse_taken("two.example:0")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: of_others)
    with pytest.raises(OperatorError, match=r"two\.example:0: Cannot assign requested address"):
        refuse_taken("two.example:0")


def test_a_certificate_of_a_rare_kind_is_no_bug(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.BrainpoolP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, today, today + timedelta(2))
    issued = made.sign(key, hashes.SHA256())
    certificate, private = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.write_bytes(issued.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    assert credentials(Tls(certificate, private))


def test_plain_text_is_told_loudly_where_it_is_forced() -> None:
    with served("--insecure") as server:
        assert server.ready.endswith("(plain text)\n")
        server.process.terminate()
        assert "WARNING: no TLS" in server.process.communicate()[1]


async def test_a_bot_that_is_gone_is_forgotten() -> None:
    token = registered()
    with served() as server:
        with client(server.address) as bot:
            bot.say(hello(token))
            until(lambda: seen("far"))
            registry.remove("far")
            assert "revoked" in await refused(bot, grpc.StatusCode.OK)
        with client(server.address) as bot:
            bot.say(hello(token))
            assert "unknown token" in await refused(bot, grpc.StatusCode.UNAUTHENTICATED)
