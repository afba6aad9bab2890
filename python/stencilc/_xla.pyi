from typing import Any, Callable

API_VERSION: tuple[int, int]

def handlers(take_steps: Callable[..., str | None]) -> dict[str, Any]: ...
