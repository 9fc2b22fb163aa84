"""SpecLens: see and step speculative decoding.

>>> import speclens
>>> trace = speclens.open("tiny").run("The capital of France is", drafter="small", seed=9)
>>> print(trace[0])

docs/python.md has every call.
"""

from ._errors import (
    DeviceError,
    EndedError,
    FailedError,
    ForkedError,
    ModelError,
    NetworkError,
    SpecLensError,
    UsageError,
)
from ._model import Model, advise, lossless, open, same
from ._library import Progress, version
from ._notebook import Page, Picture
from ._result import Result
from ._trace import Draft, OwnToken, Round, Trace, load

__all__ = [
    "DeviceError",
    "Draft",
    "EndedError",
    "FailedError",
    "ForkedError",
    "Model",
    "ModelError",
    "NetworkError",
    "OwnToken",
    "Page",
    "Picture",
    "Progress",
    "Result",
    "Round",
    "SpecLensError",
    "Trace",
    "UsageError",
    "advise",
    "load",
    "lossless",
    "open",
    "same",
    "version",
]
