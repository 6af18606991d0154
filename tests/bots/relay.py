"""A program that is nothing but the arena's end of the stream: a test tells it what to say.

Each line of its input is a response in hexadecimal, which goes to the bot; the input's line
`end` ends the stream. Each request of the bot is printed in the same way.
"""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc

from arena.v1 import arena_pb2, arena_pb2_grpc


class Relay(arena_pb2_grpc.ArenaServiceServicer):
    def __init__(self) -> None:
        self.ended = threading.Event()

    def Play(  # noqa: N802 - the protocol names it
        self,
        request_iterator: Iterator[arena_pb2.PlayRequest],
        context: grpc.ServicerContext,
    ) -> Iterator[arena_pb2.PlayResponse]:
        context.add_callback(self.ended.set)
        threading.Thread(target=print_all, args=(request_iterator,), daemon=True).start()
        for line in iter(sys.stdin.readline, "end\n"):
            yield arena_pb2.PlayResponse.FromString(bytes.fromhex(line))


def print_all(requests: Iterator[arena_pb2.PlayRequest]) -> None:
    try:
        for request in requests:
            print(request.SerializeToString().hex(), flush=True)
    except grpc.RpcError:
        pass  # the bot hung up


def main(address: str) -> None:
    relay = Relay()
    server = grpc.server(ThreadPoolExecutor(1))
    arena_pb2_grpc.add_ArenaServiceServicer_to_server(relay, server)
    server.add_insecure_port(address)
    server.start()
    print("ready", flush=True)
    relay.ended.wait()
    server.stop(grace=1).wait()


if __name__ == "__main__":
    main(sys.argv[1])
