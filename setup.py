"""The package's version is the program's, which CMakeLists.txt says; everything else is in pyproject.toml."""

import re
from pathlib import Path

from setuptools import setup

setup(version=re.search(r"project\(armature VERSION ([0-9.]+)", Path(__file__).with_name("CMakeLists.txt").read_text())[1])
