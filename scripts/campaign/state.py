"""The state of a campaign as one file: the repository with its record, and what was measured at the end.

It comes from other machines, and perhaps from other people. Only what a campaign itself writes is unpacked, so that nothing
lands outside of its folder, and git runs no program that came with it."""

import gzip
import os
import re
import shutil
import subprocess
import tarfile
import zlib

OF_ONE_MACHINE = {f"repository/.autokernel/{name}" for name in ("drive.json", "parked", "logs")}
# What is unpacked: of git, no settings, hooks, attributes, or ways to the objects of other repositories.
PARTS = re.compile(
    r"sessions\.jsonl|end(/.*)?|repository(/(\.gitignore|program\.md|results\.tsv|kernels(/(case\.toml|kernel\.cu))?|\.autokernel(/.*)?"
    r"|\.git(/(HEAD|index|packed-refs|logs(/.*)?|objects(/(?!info/).*)?|refs(/(?!replace/).*)?))?))?"
)
# The ledger, and its second name, by which autokernel knows that it was not replaced.
LEDGER, SECOND_NAME = "repository/.autokernel/ledger.jsonl", "repository/.git/autokernel-ledger.jsonl"
# A campaign of 300 experiments has 3,000 files of 45 MB in all.
MOST_FILES = 200_000
MOST_BYTES = 4 << 30
GIT_CONFIG = """[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = campaign
\temail = campaign@example.com
"""


def create(tree, repository):
    """A repository with the case of kernels/ and its naive kernel."""
    if not shutil.which("git"):
        raise SystemExit("run: git is not here: call it with --prepare where git is, and give it that state")
    (repository / "kernels").mkdir(parents=True)
    for name in ("kernels/case.toml", "kernels/kernel.cu", "program.md"):
        shutil.copy(tree / name, repository / name)
    (repository / ".gitignore").write_text("/.autokernel/\n")

    def git(*words):
        subprocess.run(["git", "-C", repository, *words], check=True, stdout=subprocess.DEVNULL)

    git("init", "-q", "-b", "main")
    (repository / ".git/config").write_text(GIT_CONFIG)
    git("add", "-A")
    git("commit", "-q", "-m", "Begin with the naive kernel")


def keep(work, file):
    def wanted(member):
        # PTX can be made again from the sources, and is most of the bytes.
        return None if member.name in OF_ONE_MACHINE or member.name.endswith(".ptx") else member

    partial = file.with_suffix(".partial")
    try:
        with tarfile.open(partial, "w:gz", compresslevel=6) as archive:
            for name in ("end", "repository", "sessions.jsonl"):
                if (work / name).exists():
                    archive.add(work / name, name, filter=wanted)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def is_wanted(name):
    parts = name.split("/")
    is_plain = all(part not in ("", ".", "..") and part.isprintable() for part in parts)
    return is_plain and PARTS.fullmatch(name) is not None and not any(name == of or name.startswith(of + "/") for of in OF_ONE_MACHINE)


def unpack(file, work):
    """Into the folder `work`. SystemExit, with nothing in it, if it cannot be."""
    partial = work / "unpacked"
    partial.mkdir()
    try:
        unpack_into(partial, file)
        for path in list(partial.iterdir()):
            path.rename(work / path.name)
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise SystemExit(f"cannot unpack {file}: {error}; it must be a state.tar.gz as scripts/campaign/run leaves it") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def unpack_into(folder, file):
    files, left = 0, MOST_BYTES
    with gzip.open(file) as stream, tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            files += 1
            left -= member.size
            if files > MOST_FILES or left < 0:
                raise ValueError(f"it has more than {MOST_FILES} files or {MOST_BYTES >> 30} GiB")
            if not is_wanted(member.name):
                continue
            to = folder / member.name
            if member.isdir():
                to.mkdir(parents=True, exist_ok=True)
            elif member.isreg():
                to.parent.mkdir(parents=True, exist_ok=True)
                with archive.extractfile(member) as content, to.open("xb") as written:
                    shutil.copyfileobj(content, written)
            else:
                raise ValueError(f"{member.name} is neither a file nor a folder")
        # To its end: of a file that was cut off tar may see no more than the end of a member.
        while stream.read(1 << 20):
            pass
    if not (folder / "repository/.git/HEAD").is_file():
        raise ValueError("it has no repository")
    (folder / "repository/.git/config").write_text(GIT_CONFIG)
    if (folder / LEDGER).is_file():
        os.link(folder / LEDGER, folder / SECOND_NAME)
