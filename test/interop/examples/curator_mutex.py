from kazoo.recipe.lock import Lock


class CuratorMutex(Lock):
    """A kazoo lock that shares a queue with Curator's InterProcessMutex."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]
