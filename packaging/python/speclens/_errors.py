"""What goes wrong, by kind. The text says what happened, `remedy` what to try."""

from __future__ import annotations


class SpecLensError(Exception):
    """Of every kind below."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what + (". " if remedy and not what.endswith(".") else " " if remedy else "") + remedy)
        self.what = what
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[SpecLensError], tuple[str, str]]:
        return type(self), (self.what, self.remedy)


class UsageError(SpecLensError, ValueError):
    """An option that does not exist or does not fit, or a model that was closed."""


class ModelError(SpecLensError, OSError):
    """A file that cannot be read or used."""


class DeviceError(SpecLensError, MemoryError):
    """No such device, or no memory."""


class NetworkError(SpecLensError, ConnectionError):
    """A server that does not answer as one should."""


class FailedError(SpecLensError):
    """It was measured, and there is no result."""


class ForkedError(SpecLensError, RuntimeError):
    """This process was forked from one that uses SpecLens."""


class EndedError(SpecLensError, RuntimeError):
    """The engine's process was killed, or fell over."""


BY_KIND: dict[int, type[SpecLensError]] = {
    1: FailedError,
    2: UsageError,
    3: ModelError,
    4: DeviceError,
    6: NetworkError,
    7: ForkedError,
    8: EndedError,
}
