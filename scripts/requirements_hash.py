"""A short hash of what the backend environment holds: its requirements and the Python they are installed for."""

import hashlib
import platform
from pathlib import Path

requirements = Path(__file__).parent.parent / "requirements" / "backends.txt"
print(hashlib.sha256(requirements.read_bytes() + platform.python_version().encode()).hexdigest()[:16])
