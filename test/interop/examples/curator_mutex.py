from kazoo.recipe.lock import Lock


class CuratorMutex(Lock):
    """A lock of kazoo that stands in one queue with Curator's InterProcessMutex."""

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]
