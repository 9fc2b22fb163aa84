"""libspeclens.so by ctypes: the functions of app/c/speclens.h, and calls that Ctrl+C ends."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Optional

from ._errors import BY_KIND, ModelError, SpecLensError

ABI = 1
FAILED = 1
STOPPED = 130

OnProgress = Optional[Callable[["Progress"], None]]


@dataclass(frozen=True)
class Progress:
    """How far a call is: `done` of `total` in `unit`. An empty `what`: nothing is counted at the moment."""

    what: str
    done: float
    total: float
    unit: str


@dataclass(frozen=True)
class Answer:
    """What a call gave. `ok`: it did not end with a no."""

    ok: bool
    text: str
    notices: tuple[str, ...]


class _Progress(ctypes.Structure):
    _fields_ = [("what", ctypes.c_char_p), ("done", ctypes.c_double), ("total", ctypes.c_double), ("unit", ctypes.c_char_p)]


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Progress))


def _file() -> str:
    """$SPECLENS_LIBRARY, the one in the wheel, or that of a package of the system beside its program."""
    named = os.environ.get("SPECLENS_LIBRARY")
    if named:
        return named
    places = [Path(__file__).parent / "_program" / "lib" / "speclens"]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = Path(folder) / "speclens"
        if not program.is_file():
            continue
        real = program.resolve().parent
        places += [real, real.parent / "lib" / "speclens"]
    for place in places:
        if (place / "libspeclens.so").is_file():
            return str(place / "libspeclens.so")
    raise ModelError("libspeclens.so was not found", "Install the wheel or a package of SpecLens, or set SPECLENS_LIBRARY to its file.")


def _load() -> ctypes.CDLL:
    file = _file()
    try:
        library = ctypes.CDLL(file)
    except OSError as error:
        raise ModelError(f"{file} cannot be loaded: {error}", "Set SPECLENS_LIBRARY to a libspeclens.so of this system.") from None
    text, handle = ctypes.c_char_p, ctypes.c_void_p
    result = ctypes.POINTER(ctypes.c_void_p)
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "abi": (ctypes.c_int, []),
        "version": (text, []),
        "open": (ctypes.c_int, [text, _CALLBACK, handle, ctypes.POINTER(handle), result]),
        "close": (None, [handle]),
        "call": (ctypes.c_int, [handle, text, text, _CALLBACK, handle, result]),
        "result_text": (ctypes.POINTER(ctypes.c_char), [handle, ctypes.POINTER(ctypes.c_size_t)]),
        "result_error": (text, [handle]),
        "result_remedy": (text, [handle]),
        "result_notices": (text, [handle]),
        "result_free": (None, [handle]),
    }
    for name, (restype, argtypes) in signatures.items():
        function = getattr(library, "speclens_" + name)
        function.restype, function.argtypes = restype, argtypes
    found = int(library.speclens_abi())
    if found != ABI:
        raise ModelError(f"{file} has version {found} of its functions, and this module was written for {ABI}", "Install both from one release.")
    return library


_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """Loaded at the first call; which of several threads does it makes no difference."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def version() -> str:
    """Of the library and its program."""
    return str(library().speclens_version().decode())


def close(handle: int) -> None:
    library().speclens_close(handle)


def open_model(options: Mapping[str, Any], progress: OnProgress) -> int:
    model = ctypes.c_void_p()

    def function(callback: Any, result: ctypes.c_void_p) -> int:
        return int(library().speclens_open(_json(options), callback, None, ctypes.byref(model), ctypes.byref(result)))

    try:
        _answered(function, progress)
    except BaseException:
        if model.value:
            close(model.value)
        raise
    return model.value or 0


def call(model: Optional[int], command: str, options: Mapping[str, Any], progress: OnProgress) -> Answer:
    def function(callback: Any, result: ctypes.c_void_p) -> int:
        return int(library().speclens_call(model, command.encode(), _json(options), callback, None, ctypes.byref(result)))

    return _answered(function, progress)


def _json(options: Mapping[str, Any]) -> bytes:
    def plain(value: Any) -> Any:
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if hasattr(value, "item"):  # a number of numpy's
            return value.item()
        raise TypeError(f"{type(value).__name__} is no value of an option")

    return json.dumps(dict(options), default=plain).encode()


class _Call:
    """One call, made in a thread of its own: Python hears of Ctrl+C only where the main thread runs Python."""

    def __init__(self, function: Callable[[Any, ctypes.c_void_p], int]) -> None:
        self.stop = False
        self.progress = Progress("", 0, 0, "")
        self.kind = 0
        self.result = ctypes.c_void_p()
        self.done = threading.Event()
        self.failed: Optional[BaseException] = None
        self._function = function
        threading.Thread(target=self._run, name="speclens", daemon=True).start()

    def _run(self) -> None:
        try:
            self.kind = self._function(_CALLBACK(self._tick), self.result)
        except BaseException as error:  # loading the library
            self.failed = error
        finally:
            self.done.set()

    def answer(self) -> Answer:
        if self.failed:
            raise self.failed
        lib, size = library(), ctypes.c_size_t()
        text = ctypes.string_at(lib.speclens_result_text(self.result, ctypes.byref(size)), size.value).decode()
        error, remedy, notices = (getattr(lib, "speclens_result_" + name)(self.result).decode() for name in ("error", "remedy", "notices"))
        if self.kind and (self.kind != FAILED or not text):
            raise BY_KIND.get(self.kind, SpecLensError)(error or "it failed", remedy)
        return Answer(self.kind == 0, text, tuple(notices.splitlines()))

    def __del__(self) -> None:
        if _loaded is not None and self.result:
            _loaded.speclens_result_free(self.result)

    def _tick(self, _user: Any, at: Any) -> int:
        now = at.contents
        self.progress = Progress(now.what.decode(), now.done, now.total, now.unit.decode())
        return 1 if self.stop else 0


def _answered(function: Callable[[Any, ctypes.c_void_p], int], progress: OnProgress) -> Answer:
    made = _Call(function)
    try:
        while not made.done.wait(0.1 if progress else None):
            if progress:
                progress(made.progress)
    except BaseException:  # Ctrl+C, or what `progress` raised
        made.stop = True
        made.done.wait(0.4)
        raise
    return made.answer()
