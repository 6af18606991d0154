"""Services beside the game, for operators' tools: gRPC's health and reflection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_health.v1.health import aio as health
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from arena.play_call import SERVICE

_NAMES: Final = (SERVICE, HEALTH, reflection.SERVICE_NAME)
_LAST_NEWS_S: Final = 0.1

Counting = Callable[[Any], AbstractAsyncContextManager[bool]]
"""Counts a call while its context is open, and tells whether there are not too many."""


class _Health(health.HealthServicer):
    def __init__(self, counting: Counting) -> None:
        super().__init__()
        self._counting = counting
        self._watches: set[asyncio.Future[None]] = set()

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: N802  # gRPC's name
        async with self._counting(context) as welcome:
            if not welcome:
                context.set_code(grpc.StatusCode.RESOURCE_EXHAUSTED)
                return
            watch = asyncio.ensure_future(super().Watch(request, context))
            self._watches.add(watch)
            try:
                await asyncio.wait({watch})
            finally:
                watch.cancel()
                self._watches.discard(watch)

    async def stop(self) -> None:
        """Tell all watchers that nothing is served any more, and end them."""
        await self.enter_graceful_shutdown()
        await asyncio.sleep(_LAST_NEWS_S)
        for watch in self._watches:
            watch.cancel()


class _Reflection(reflection.aio.ReflectionServicer):
    def __init__(self, counting: Counting) -> None:
        super().__init__(_NAMES)
        self._counting = counting

    async def ServerReflectionInfo(  # type: ignore[override]  # noqa: N802  # the stubs
        self, requests: Any, context: Any
    ) -> AsyncIterator[Any]:
        async with self._counting(context) as welcome:
            if not welcome:
                context.set_code(grpc.StatusCode.RESOURCE_EXHAUSTED)
                return
            answers: Any = super().ServerReflectionInfo(requests, context)
            async for answer in answers:
                yield answer


class SideServices:
    """Health and reflection of one server."""

    def __init__(self, counting: Counting) -> None:
        self._health = _Health(counting)
        self._reflection = _Reflection(counting)

    async def add_to(self, server: grpc.aio.Server) -> None:
        """Let a server that isn't started yet answer them."""
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        add_reflection: Any = reflection_pb2_grpc.add_ServerReflectionServicer_to_server
        add_reflection(self._reflection, server)
        await self._health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self) -> None:
        """Report from now on that nothing is served."""
        await self._health.stop()
