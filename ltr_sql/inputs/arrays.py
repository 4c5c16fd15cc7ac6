"""Arrays of other libraries, such as tensors of PyTorch, as numpy arrays."""

from typing import Any


def is_array(given: Any) -> bool:
    """Return whether an object is an array of numpy or of a library that shares its arrays, such as PyTorch or JAX."""
    kind = type(given).__module__.partition(".")[0]
    if kind in ("pandas", "polars", "pyarrow"):
        return False
    return hasattr(given, "shape") and (hasattr(given, "__array__") or hasattr(given, "__dlpack__"))


def is_series(given: Any) -> bool:
    """Return whether an object is a column of pandas or polars."""
    return type(given).__name__ == "Series" and type(given).__module__.partition(".")[0] in ("pandas", "polars")


def as_array(given: Any) -> Any:
    """Return an array as a numpy array, also from another device and with a gradient. Other objects stay as they are.

    Floats of 16 bits that numpy lacks become floats of 32 bits.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    if not is_array(given) or type(given).__module__ == "numpy":
        return given
    for name in ("detach", "cpu"):
        given = getattr(given, name, lambda same=given: same)()
    if str(getattr(given, "dtype", "")).endswith("bfloat16"):
        given = given.float() if hasattr(given, "float") else given.astype("float32")
    return np.asarray(given) if hasattr(given, "__array__") else np.from_dlpack(given)
