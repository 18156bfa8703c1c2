from typing import Callable

from kazoo.client import KazooClient


class Orders:
    def __init__(self, client: KazooClient) -> None:
        self._client = client

    def ship(self, order_id: str, shipping: Callable[[], None]) -> None:
        with self._client.WriteLock(f"/locks/order:{order_id}", "orders.py"):
            shipping()  # one process at a time, per order
