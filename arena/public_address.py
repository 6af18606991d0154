"""The public address of `arena serve` and the papers for it, checked before anything is opened."""

import errno
import ipaddress
import os
import socket
import ssl
import stat
from pathlib import Path
from typing import Any, Final

import grpc
import msgspec

from arena.errors import OperatorError

_MOST_BYTES: Final = 1 << 20
"""No file of certificates is larger."""
_NOT_HERE: Final = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
"""Why one of a name's addresses may do without, such as IPv6 where it is off."""
_OUT_OF_DATE: Final = {9, 10}
"""What OpenSSL says of a certificate that isn't valid yet, and of one that has expired."""


class Tls(msgspec.Struct, frozen=True):
    """Files of the operator's, all in PEM."""

    certificate: Path
    """The server's, with the chain below its authority."""
    key: Path
    client_authority: Path | None = None
    """Signs the certificates that bots then must have."""


def checked_address(address: str, *, plain: bool) -> None:
    """Raise OperatorError for an address that is none, or that `plain` text may not leave by."""
    host, port = _parts(address)
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise OperatorError(f"{address!r} is no address; write HOST:PORT, as in 127.0.0.1:5000")
    if plain and not _is_loopback(host):
        raise OperatorError(
            f"{address} can be reached from elsewhere, and without TLS everybody on the way reads"
            " tokens and cards; give --certificate and --key, or --insecure to do it all the same"
        )


def refuse_taken(address: str) -> None:
    """Raise OperatorError for a checked address that can't be listened on.

    gRPC would say so in words of its own, several lines of them.
    """
    host, port = _parts(address)
    problems = []
    found = _resolved(host, int(port))
    for family, place in found:
        try:
            socket.create_server(place, family=family).close()
        except OSError as error:
            problems.append(error.errno or errno.EADDRNOTAVAIL)
    grave = [number for number in problems if number not in _NOT_HERE]
    if grave or len(problems) == len(found):
        raise OperatorError(f"cannot listen on {address}: {os.strerror((grave or problems)[0])}")


def _parts(address: str) -> tuple[str, str]:
    """Return host and port; without a colon the host is empty."""
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), port


def _is_loopback(host: str) -> bool:
    found = {str(place[0]).partition("%")[0] for _, place in _resolved(host, 0)}
    return all(ipaddress.ip_address(each).is_loopback for each in found)


def _resolved(host: str, port: int) -> list[tuple[int, Any]]:
    """Return the families and places that a name stands for. Raises OperatorError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no name of a host"
        raise OperatorError(f"{host!r} is no host that is known here: {why}") from None
    return [(family, place) for family, _, _, _, place in found]


def credentials(tls: Tls) -> grpc.ServerCredentials:
    """Return what gRPC needs. Raises OperatorError for files that don't fit together."""
    certificate, key = _content(tls.certificate), _content(tls.key)
    authority = None if tls.client_authority is None else _content(tls.client_authority)
    trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        trial.load_cert_chain(tls.certificate, tls.key, password="")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise OperatorError(
            f"{tls.certificate} and {tls.key} are no certificate and its unlocked key: {error}"
        ) from None
    _refuse_out_of_date(tls, trial)
    if authority is not None:
        try:
            trial.load_verify_locations(cadata=authority.decode("ascii"))
        except (ssl.SSLError, ValueError) as error:
            raise OperatorError(
                f"{tls.client_authority} is no authority's certificate: {error}"
            ) from None
    return grpc.ssl_server_credentials(
        [(key, certificate)],
        root_certificates=authority,
        require_client_auth=authority is not None,
    )


def _refuse_out_of_date(tls: Tls, server: ssl.SSLContext) -> None:
    """Let somebody who trusts the certificate as it is check its dates."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # which bots check, by the name they dial
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(tls.certificate)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(back, there, server_side=False),
        server.wrap_bio(there, back, server_side=True),
    )
    for end in (*ends, *ends):
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError as error:
            if error.verify_code in _OUT_OF_DATE:
                raise OperatorError(
                    f"{tls.certificate}: {error.verify_message}; bots would refuse it"
                ) from None
            return
        except ssl.SSLError:
            return  # something else than dates, which bots may well agree on


def _content(file: Path) -> bytes:
    """Read a file of certificates or a key, but nothing endless."""
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise OperatorError(f"cannot read {file}: it is no regular file")
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise OperatorError(f"cannot read {file}: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise OperatorError(f"{file} is too large for certificates and keys")
    return content
