"""Build the DuckDB extension: `python extension/build.py FOLDER` writes FOLDER/ltr.duckdb_extension.

Requires ltr_sql, pip and a C compiler: gcc, or the one that the environment variable CC names. Takes the headers of
DuckDB from its source archive on the package index.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import ltr_sql
from ltr_sql.macros.registration import write_catalogue

HERE = Path(__file__).parent
# Version of DuckDB that provides the headers. All later versions include its stable C API.
DUCKDB = "1.5.6"
C_API = "v1.2.0"
HEADERS = ("duckdb.h", "duckdb_extension.h")


def build(folder: Path) -> Path:
    """Write the extension into a folder and return its path."""
    compiler = os.environ.get("CC", "gcc")
    if shutil.which(compiler) is None:
        raise SystemExit(f"{compiler} is not installed: install gcc, or set CC to another C compiler")
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / "ltr.duckdb_extension"
    with TemporaryDirectory(prefix="ltr_sql-") as name:
        include = Path(name)
        write_headers(include)
        write_catalogue_header(include)
        options = ["-std=c11", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DDUCKDB_EXTENSION_NAME=ltr"]
        subprocess.run([compiler, *options, f"-I{include}", str(HERE / "ltr.c"), "-o", str(built)], check=True)
    with built.open("ab") as file:
        file.write(footer())
    return built


def write_headers(folder: Path) -> None:
    """Write the headers of DuckDB's C API into a folder."""
    with TemporaryDirectory(prefix="ltr_sql-") as name:
        download = ["download", "-q", "--no-deps", "--no-binary", "duckdb", "-d", name, f"duckdb=={DUCKDB}"]
        subprocess.run([sys.executable, "-m", "pip", *download], check=True)
        (archive,) = Path(name).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            for member in files:
                path = Path(member.name)
                if path.name in HEADERS and path.parent.name == "include":
                    content = files.extractfile(member)
                    assert content is not None
                    (folder / path.name).write_bytes(content.read())


def write_catalogue_header(folder: Path) -> None:
    """Write ltr_catalogue.h: the built catalogue as an array of bytes, and the version."""
    catalogue = folder / "ltr.duckdb"
    write_catalogue(catalogue)
    numbers = ",".join(map(str, catalogue.read_bytes()))
    (folder / "ltr_catalogue.h").write_text(
        f'#define LTR_VERSION "{ltr_sql.__version__}"\nstatic const unsigned char LTR_CATALOGUE[] = {{{numbers}}};\n'
    )


def footer() -> bytes:
    """Return the metadata that DuckDB reads from the end of an extension file, with an empty signature.

    The first bytes start a custom section of WebAssembly. Source of the fields: DuckDB's documentation of extension
    distribution.
    """
    with duckdb.connect() as con:
        ((platform,),) = con.execute("pragma platform").fetchall()
    fields = ["", "", "", "C_STRUCT", ltr_sql.__version__, C_API, platform, "4"]
    section = b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    return section + b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
