"""The state of a campaign as one file: the repository with its record, and what was measured at the end."""

import shutil
import subprocess
import tarfile

from program import HOME

OF_ONE_MACHINE = {f"repository/.autokernel/{name}" for name in ("drive.json", "parked", "logs")}


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
    git("config", "user.name", "campaign")
    git("config", "user.email", "campaign@example.com")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin with the naive kernel")


def keep(work, file):
    def wanted(member):
        # PTX can be made again from the sources, and is most of the bytes.
        return None if member.name in OF_ONE_MACHINE or member.name.endswith(".ptx") else member

    partial = file.with_suffix(".partial")
    with tarfile.open(partial, "w:gz", compresslevel=6) as archive:
        for path in sorted(work.iterdir()):
            if path.name != HOME:
                archive.add(path, path.name, filter=wanted)
    partial.replace(file)


def unpack(file, work):
    with tarfile.open(file) as archive:
        # The ledger has two names; both are in the archive, as one file.
        archive.extractall(work, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
