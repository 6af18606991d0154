"""`arena serve` and `arena token`."""

import sys
from pathlib import Path

from cyclopts import App

from arena.errors import OperatorError

token = App(name="token", help="Make and revoke the tokens of remote bots.")


def serve(
    *,
    address: str,
    certificate: Path | None = None,
    key: Path | None = None,
    client_authority: Path | None = None,
    insecure: bool = False,
) -> None:
    """Let remote bots dial in, and seat them in leagues, until Ctrl-C.

    Leagues with remote bots need it running, under the same user on the same machine.
    It prints one line when it is ready, and logs to standard error.

    For example:
      arena serve --address 0.0.0.0:5000 --certificate chain.pem --key key.pem
      arena serve --address 127.0.0.1:5000

    Parameters
    ----------
    address
        HOST:PORT to listen on; port 0 takes any that is free.
    certificate
        The server's certificate with its chain, PEM.
    key
        The certificate's key, PEM, without a password.
    client_authority
        Let in only bots with a certificate that this authority has signed, PEM.
    insecure
        Do without TLS although others can listen.
    """
    from arena import logs
    from arena.public_address import Tls
    from arena.serving import Served
    from arena.serving import serve as serve_until_signal

    if (certificate is None) != (key is None):
        raise OperatorError("a certificate needs its key; give both --certificate and --key")
    if client_authority is not None and certificate is None:
        raise OperatorError("--client-authority needs TLS; give --certificate and --key too")
    tls = None
    if certificate is not None and key is not None:
        tls = Tls(certificate, key, client_authority)
    elif insecure:
        print(
            "arena: WARNING: no TLS. Everybody on the way reads and forges tokens and cards.",
            file=sys.stderr,
        )
    how = "plain text" if tls is None else "TLS"
    if client_authority is not None:
        how = "TLS, bots with certificates alone"
    logs.to_stderr()
    serve_until_signal(
        Served(address, tls, insecure),
        lambda where: print(f"arena serves on {where} ({how})", flush=True),
    )


@token.command
def new(name: str, /) -> None:
    """Make a new token for a remote bot and print it; an older one is worth nothing then.

    For example:
      arena token new "far away"

    Parameters
    ----------
    name
        A registered remote bot.
    """
    from arena import tokens

    print_token(name, tokens.give(name))


@token.command
def revoke(name: str, /) -> None:
    """Make a remote bot's token worth nothing; its streams end within moments.

    For example:
      arena token revoke "far away"

    Parameters
    ----------
    name
        A registered remote bot.
    """
    from arena import tokens

    tokens.revoke(name)
    print(f"revoked the token of {name!r}")


def print_token(name: str, made: str) -> None:
    """Show a token, which nobody can show again."""
    print(f"token of {name!r}, shown this once: {made}")
