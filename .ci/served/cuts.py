"""A proxy that cuts, withholds, and repeats what clients send to a server."""

import asyncio
import contextlib
import random
import threading


class Cuts:
    """A proxy on a free port, in a thread of its own. Each connection has a fault of its own, as long as `is_faulty` is true."""

    def __init__(self, target, seed):
        self.target = target
        self.chance = random.Random(f"{seed}/cuts")
        self.is_faulty = True
        self.counts = {"cut": 0, "withheld": 0, "repeated": 0}
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self.thread.start()
        started.wait()

    def _run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self._connect, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()

    def close(self):
        asyncio.run_coroutine_threadsafe(self._stop(), self.loop)
        self.thread.join()

    async def _stop(self):
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.loop.stop()

    async def _connect(self, reader, writer):
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        pumps = [
            asyncio.create_task(self._pump(reader, up_writer, isRequest=True)),
            asyncio.create_task(self._pump(up_reader, writer, isRequest=False)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        for one in (writer, up_writer):
            one.transport.abort()

    async def _pump(self, reader, writer, isRequest):
        """Copies bytes until the end, or until a cut at any byte."""
        left = self.chance.randrange(20_000) if self.chance.random() < 0.4 else None
        with contextlib.suppress(OSError):
            while part := await reader.read(1 << 16):
                if self.is_faulty:
                    if left is not None:
                        if len(part) > left:
                            self.counts["cut"] += 1
                            writer.write(part[:left])
                            await writer.drain()
                            return
                        left -= len(part)
                    if self.chance.random() < 0.1:
                        # Later requests of other connections overtake it.
                        self.counts["withheld"] += 1
                        await asyncio.sleep(self.chance.random() * 2)
                    if isRequest and part.startswith((b"PUT ", b"DELETE ")) and self.chance.random() < 0.2:
                        asyncio.get_running_loop().create_task(self._repeat(part))
                writer.write(part)
                await writer.drain()

    async def _repeat(self, request):
        """Sends a request again, some time later, on a connection of its own."""
        await asyncio.sleep(self.chance.random() * 3)
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
            writer.write(request)
            await writer.drain()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(1 << 16), 2)
            writer.transport.abort()
            self.counts["repeated"] += 1
