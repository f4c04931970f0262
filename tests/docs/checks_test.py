"""Each check finds a mistake that is planted into a document, and leaves alone one without it."""

import tempfile
import unittest
from pathlib import Path

import check
import checks
import interface
import words
from commands import Checker, command_lines, simple_commands
from markdown import Document, anchor
from program import Command, Program, completed, parse_help
from rules import Run
from session import Outcome, adapted, codes_of

HELP = """Compile, check and time a kernel once
Usage: autokernel bench [OPTIONS] [FILE]

Positionals:
  FILE TEXT                   A file

Options:
  -h,--help                   Print this help message and exit
  --case DIR                  Folder with case.toml
  --agent-timeout SECONDS:POSITIVE=1800
                              Most time for one turn
  --json Excludes: --quiet    Print one JSON object instead of text
  -q,--quiet Excludes: --json --verbose
                              Print the median and nothing else

Examples:
  autokernel bench --case kernels
  autokernel bench --nonsense

Exit codes: 0 correct, 10 not faster,
11 incorrect; 2 usage.
"""

DEV = """usage: ./dev COMMAND
  test --full        everything
TEXT
}
case ${1:-help} in
  test) run ;;
  help | -h | --help)
    usage
    ;;
esac
"""


def a_program():
    loop = Command(options={"-h": False, "--help": False}, children=["step"])
    step = Command(options={"-m": True, "--message": True, "--again": False})
    return Program({"": Command(children=["bench", "loop"]), "bench": parse_help(HELP), "loop": loop, "loop step": step})


def document(text, name="README.md"):
    return Document(name, text)


class FilesOfADocument(unittest.TestCase):
    def test_are_its_code_blocks_by_the_name_before_them(self):
        text = "This goes into `kernels/a.cu`:\n\n```cpp\nint a;\n```\n"
        self.assertEqual(list(checks.files_of(Document(checks.FROM_NOTHING[0], text))), [(4, "kernels/a.cu", "int a;\n")])
        self.assertEqual(list(checks.files_of(Document("docs/other.md", text))), [])

    def test_need_a_name(self):
        with self.assertRaisesRegex(RuntimeError, "the file to write"):
            list(checks.files_of(Document(checks.FROM_NOTHING[0], "No name.\n\n```toml\na = 1\n```\n")))


class Tree(unittest.TestCase):
    """A tree of files that a test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name, text=""):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


class Links(Tree):
    def faults(self, text):
        return list(checks.broken_links([document(text), document("# What *it* does\n", "docs/a.md")], self.root))

    def setUp(self):
        super().setUp()
        self.write("README.md")
        self.write("docs/a.md")

    def test_that_lead_somewhere_are_left_alone(self):
        text = "# Here\n[a](docs/a.md), [b](docs/a.md#what-it-does), [c](https://example.com/x), [d](#here)\n"
        self.assertEqual(self.faults(text), [])

    def test_to_a_file_that_is_not_there_are_found_with_their_line(self):
        self.assertEqual(self.faults("text\n[a](docs/b.md)\n"), ["README.md:2: the link docs/b.md leads nowhere"])

    def test_over_the_end_of_a_line_are_found(self):
        self.assertEqual(len(self.faults("[two\nlines](docs/b.md)\n")), 1)

    def test_to_a_heading_that_is_not_there_are_found(self):
        self.assertEqual(len(self.faults("[a](docs/a.md#what-it-did)\n")), 1)

    def test_of_pictures_are_links(self):
        self.assertEqual(len(self.faults("![a picture](docs/b.png)\n")), 1)


class Files(Tree):
    def setUp(self):
        super().setUp()
        self.write("src/a.cpp")
        self.write("tests/lower/half_test.cpp")
        self.write("tests/CMakeLists.txt", "autokernel_test(some_test)")

    def test_that_are_there_are_left_alone(self):
        text = "`src/a.cpp`, `src/`, `src/*.cpp`, `lower/half_test`, `/etc/x`, `a/b`, `src/<layer>/`\n"
        self.assertEqual(list(checks.missing_files([document(text)], self.root)), [])

    def test_are_named_from_the_emulators_folder_on_its_page(self):
        self.write("emulator/src/ptx/ast.h")
        page = Document("emulator/README.md", "`src/ptx/ast.h`, `src/a.cpp`\n")
        self.assertEqual(list(checks.missing_files([page], self.root)), ["emulator/README.md:1: there is no src/a.cpp"])

    def test_that_are_not_there_are_found(self):
        text = "`src/b.cpp`, `tests/x.sh ARGUMENT`, `lower/whole_test`\n"
        self.assertEqual(len(list(checks.missing_files([document(text)], self.root))), 3)

    def test_that_nothing_builds_are_found(self):
        text = "    build/release/tests/some_test\n    build/release/tests/other_test\n"
        self.assertEqual(list(checks.missing_builds([document(text)], self.root)), ["README.md:2: nothing builds other_test"])


class Commands(unittest.TestCase):
    def test_may_have_options_whose_value_is_left_out(self):
        program = Program({"": Command(children=["bench"]), "bench": parse_help(HELP.replace("DIR  ", "[DIR]"))})
        checker = Checker(program, DEV)
        self.assertEqual(checker.faults_of_line("autokernel bench --case --json a.cu"), [])
        self.assertEqual(checker.faults_of_line("autokernel bench --case kernels a.cu"), [])
        self.assertEqual(len(checker.faults_of_line("autokernel bench --case --json a.cu b.cu")), 1)

    def faults(self, text):
        return list(checks.wrong_commands([document(text)], Checker(a_program(), DEV)))

    def test_that_exist_are_left_alone(self):
        text = """
    autokernel bench --case kernels --json a.cu      # what it does
    autokernel loop step -m "x --nonsense y" --again | grep '^a'
    ./dev test --full && ./dev bench --case kernels

`loop step --again`, `step -m IDEA`, `bench [--case DIR]`, `--quiet`, `autokernel bench --agent-timeout=3` and `cmake --build x`
"""
        self.assertEqual(self.faults(text), [])

    def test_with_an_option_that_does_not_exist_are_found_with_their_line(self):
        self.assertEqual(self.faults("text\n\n    autokernel bench --cases x\n"), ["README.md:3: 'bench' has no option '--cases'"])
        self.assertEqual(len(self.faults("    $ autokernel loop step -x\n    --cases: printed\n")), 1)
        self.assertEqual(len(self.faults("```sh\nFOO=1 true; autokernel bench --cases x\n```\n")), 1)

    def test_that_do_not_exist_are_found(self):
        self.assertEqual(self.faults("    autokernel bensh\n"), ["README.md:1: there is no command 'bensh'"])
        self.assertEqual(len(self.faults("    autokernel loop stop\n")), 1)
        self.assertEqual(len(self.faults("    ./dev tests\n")), 1)
        self.assertEqual(len(self.faults("    ./dev test --everything\n")), 1)

    def test_with_an_argument_too_many_are_found(self):
        self.assertEqual(len(self.faults("    autokernel bench a.cu b.cu\n")), 1)

    def test_in_sentences_are_looked_at(self):
        for span in ("autokernel bensh", "loop stop", "loop step --nonsense", "step --nonsense", "--nonsense", "failed: pass --nonsense", "./dev tests"):
            self.assertEqual(len(self.faults(f"Then `{span}` follows.\n")), 1, span)

    def test_that_cannot_be_read_are_found(self):
        self.assertEqual(len(self.faults("    autokernel bench 'a\n")), 1)

    def test_in_help_texts_are_looked_at(self):
        found = list(checks.wrong_examples(a_program(), Checker(a_program(), DEV)))
        self.assertEqual(len(found), 1)
        self.assertIn("--nonsense", found[0])

    def test_of_blocks_of_something_else_are_none(self):
        for text in ("    label:   kernel\n    autokernel bensh\n", "```cpp\nautokernel bensh\n```\n", "```text\nautokernel bensh\n```\n"):
            self.assertEqual(self.faults(text), [])

    def test_are_taken_apart_as_a_shell_would(self):
        self.assertEqual(simple_commands("a 'b; c' | d $(e) # f"), [["a", "b; c"], ["d", "$"], ["e"]])

    def test_may_go_on_on_further_lines(self):
        (block,) = document("```sh\njq -r 'a\n  | b' file\nsed x\n```\n").blocks
        self.assertEqual([line for line, _ in command_lines(block)], [2, 4])


class Undecided(unittest.TestCase):
    def test_commands_are_found(self):
        self.assertEqual(list(check.undecided([document("    autokernel bench\n    ./dev test\n")])), [])
        self.assertEqual(len(list(check.undecided([document("    git clean -fdx\n")]))), 1)


class Adapted(unittest.TestCase):
    def test_commands_have_the_options_of_the_test_unless_they_have_their_own(self):
        rule = Run(more=("--device cpu", "--size check"), without="--open")
        self.assertEqual(adapted("autokernel bench --device cuda --open   # why", rule), "autokernel bench --device cuda --size check")


    def test_commands_end_as_their_remark_says(self):
        rule = Run(codes=(0, 10))
        self.assertEqual(codes_of("autokernel bench   # exit code 11", rule), (11,))
        self.assertEqual(codes_of("autokernel bench   # why", rule), (0, 10))
        self.assertEqual(codes_of('autokernel loop step -m "exit code 11"', rule), (0, 10))


class FailingCommands(unittest.TestCase):
    class Failing:
        def run(self, command):
            return Outcome(code=2, out="", err=f"no: {command}")

    def test_are_found_with_what_they_said(self):
        found, _ = check.run_commands(self.Failing(), [document("    autokernel bench\n")])
        self.assertEqual(len(found), 1)
        self.assertIn("README.md:1: autokernel bench: exit code 2: no: autokernel bench", found[0])


class Options(unittest.TestCase):
    TABLE = "| option | commands | meaning |\n|---|---|---|\n| `--case DIR` | `bench` | x |\n| `-q`, `--quiet` | `bench` | x |\n"
    REST = "| `--json` | `bench` | x |\n| `--agent-timeout S` | `bench` | x |\n| `-m`, `--message TEXT` | `loop step` | x |\n"
    LAST = "| `--again` | `loop step` | x |\n"

    def faults(self, text):
        return list(checks.wrong_option_tables([document(text)], a_program()))

    def test_that_are_all_in_a_table_are_left_alone(self):
        self.assertEqual(self.faults(self.TABLE + self.REST + self.LAST), [])

    def test_that_no_table_has_are_found(self):
        self.assertEqual(self.faults(self.TABLE + self.REST), ["no table of options has --again of 'loop step'"])

    def test_of_a_table_that_do_not_exist_are_found(self):
        self.assertEqual(len(self.faults(self.TABLE + self.REST + self.LAST + "| `--x` | `bench` | x |\n")), 1)
        self.assertEqual(len(self.faults(self.TABLE + self.REST + self.LAST + "| `--case` | `bensh` | x |\n")), 1)

    def test_are_read_from_the_help(self):
        options = parse_help(HELP).options
        self.assertEqual(
            options, {"-h": False, "--help": False, "--case": True, "--agent-timeout": True, "--json": False, "-q": False, "--quiet": False}
        )

    def test_that_completion_lacks_or_makes_up_are_found(self):
        script = (
            "complete -c autokernel -n 'not __fish_seen_subcommand_from bench loop' -a bench -d 'x -l y'\n"
            "complete -c autokernel -n '__fish_seen_subcommand_from bench' -l case -d x\n"
            "complete -c autokernel -n '__fish_seen_subcommand_from bench' -s h -l help -d 'x'\n"
            "complete -c autokernel -n '__fish_seen_subcommand_from bench' -l made-up -d 'x'\n"
        )
        program = Program({"": Command(), "bench": Command(options={"-h": False, "--help": False, "--case": True, "--json": False})})
        found = list(checks.wrong_completion(program, completed(script)))
        self.assertEqual([fault.split()[-1] for fault in found], ["--json", "--made-up"])


class ExitCodes(Tree):
    CODES = {0, 2, 10, 11}
    TOLD = {0: "correct", 2: "usage", 10: "not faster", 11: "incorrect"}
    TABLE = "| exit code | meaning |\n|---|---|\n| 0 | well |\n| 2 | usage |\n| 10 | not faster |\n"

    def faults(self, text, told=None):
        return list(checks.wrong_exit_codes([document(text)], self.CODES, told or self.TOLD))

    def test_that_exist_are_left_alone(self):
        text = self.TABLE + "| 11 | incorrect |\n\nExit code 10 or 11, exits with 2, exit codes 10 to 11; Ctrl-C: exit code is 130.\n"
        self.assertEqual(self.faults(text), [])

    def test_that_do_not_exist_are_found_in_tables_and_sentences(self):
        self.assertEqual(len(self.faults(self.TABLE + "| 11 | incorrect |\n| 12 | x |\n")), 1)
        self.assertEqual(len(self.faults("It exits with 12.\n")), 1)
        self.assertEqual(len(self.faults("Exit codes 10 to 12.\n")), 1)

    def test_that_a_table_of_all_lacks_are_found(self):
        self.assertEqual(self.faults(self.TABLE), ["README.md:1: the table lacks the exit codes [11]"])

    def test_of_another_verdict_are_found(self):
        self.assertEqual(len(self.faults("| verdict | exit code |\n|---|---|\n| `not faster` | 11 |\n")), 1)

    def test_that_the_help_does_not_tell_are_found(self):
        self.assertEqual(len(self.faults("", {0: "correct", 2: "usage"})), 1)

    def test_are_read_from_the_help_and_the_sources(self):
        self.assertEqual(checks.help_exit_codes(HELP), self.TOLD)
        self.write("include/autokernel/base/error.h", "enum class Stop : int {\n  usage = 2,  // x\n};\n")
        rows = '{"slow", 10, advice_when_slow}, {"wrong", 11,\n advice_when_wrong}; static_assert(x == 99);\n'
        self.write("src/trial/report/verdicts.cpp", rows)
        self.assertEqual(checks.source_exit_codes(self.root), self.CODES)


class Keys(Tree):
    TABLE = "| key | meaning |\n|---|---|\n| `median_us`, `label` | x |\n| `found_5s_pct` | x |\n"
    PRINTED = {"median_us", "label", "found_*s_pct"}

    def faults(self, text, printed=None):
        return list(checks.wrong_keys([document(text)], printed or self.PRINTED))

    def test_that_are_printed_and_in_a_table_are_left_alone(self):
        self.assertEqual(self.faults(self.TABLE + "\n    label:   kernel\n    median_us:   3\n"), [])

    def test_that_nothing_prints_are_found_in_tables_and_samples(self):
        self.assertEqual(self.faults(self.TABLE + "| `mean_us` | x |\n"), ["README.md:5: no command prints the key mean_us"])
        self.assertEqual(self.faults(self.TABLE + "\n    mean_us:   3\n"), ["README.md:6: no command prints the key mean_us"])

    def test_that_no_table_has_are_found(self):
        self.assertEqual(self.faults(self.TABLE, self.PRINTED | {"warning"}), ["no table of keys has warning"])

    def test_are_read_from_the_sources_and_from_what_is_printed(self):
        self.write("src/cli/a.cpp", 'lines.add("a", 1);\nlines.add_unless_empty(\n  "b", x);\nl.add(fmt::format("c_{:g}s", 5), 2);\nadd(other);\n')
        self.assertEqual(checks.source_keys(self.root), {"a", "b", "c_*s"})
        self.assertEqual(checks.printed_keys("Device: x\na_b:   1\n  c: 2\n"), {"a_b"})


class Fields(unittest.TestCase):
    TEXT = "## `bench`\n\n| field | type |\n|---|---|\n| `a` | x |\n| `b` | x |\n| `b.c` | x |\n"

    def faults(self, value, sometimes=()):
        return list(checks.wrong_fields(document(self.TEXT), "bench", value, sometimes))

    def test_that_agree_are_left_alone(self):
        self.assertEqual(self.faults({"a": 1, "b": {"c": 2}}), [])
        self.assertEqual(self.faults({"b": {"c": 2}}, ["a"]), [])

    def test_that_the_page_lacks_or_makes_up_are_found(self):
        self.assertEqual(len(self.faults({"a": 1, "b": {"c": 2}, "d": 3})), 1)
        self.assertEqual(self.faults({"a": 1, "b": {}}), ["README.md:7: there is no field b.c"])

    def test_of_a_page_without_a_table_are_found(self):
        self.assertEqual(len(list(checks.wrong_fields(document(""), "bench", {}))), 1)

    def test_of_a_sentence_are_held_against_the_object(self):
        page = document("`--json` prints one object with `a`\nand `b` (a list of `c`). And `d`.\n")
        phrase = "prints one object with"
        self.assertEqual(checks.wrong_list_of_fields(page, phrase, {"a": 1, "b": [{"c": 2}]}), [])
        self.assertEqual(len(checks.wrong_list_of_fields(page, phrase, {"a": 1, "b": []})), 1)
        self.assertEqual(len(checks.wrong_list_of_fields(page, phrase, {"a": 1, "b": [{"c": 2}], "e": 3})), 1)
        self.assertEqual(len(checks.wrong_list_of_fields(page, "prints nothing", {})), 1)


class Variables(Tree):
    TABLE = "| variable | meaning |\n|---|---|\n| `AUTOKERNEL_A`, `HOME` | x |\n| `AUTOKERNEL_TEST_*` | x |\n"

    def test_are_read_from_the_sources(self):
        self.write("src/a.cpp", 'std::getenv("HOME"); variable("CUDA_HOME"); environment["AUTOKERNEL_A"] = x; k = "AUTOKERNEL_LAUNCH";')
        self.write("include/a.h")
        self.write("tests/a.cpp", 'std::getenv("AUTOKERNEL_TEST_B"); setenv("AUTOKERNEL_C", "1", 1);')
        self.write("dev", "echo ${AUTOKERNEL_DEV_X:-0}")
        self.assertEqual(set(checks.source_variables(self.root)), {"HOME", "CUDA_HOME", "AUTOKERNEL_A", "AUTOKERNEL_TEST_B", "AUTOKERNEL_DEV_X"})

    def faults(self, text, *names):
        return list(checks.wrong_variables([document(text)], dict.fromkeys(names, "src/a.cpp")))

    def test_that_are_in_a_table_are_left_alone(self):
        self.assertEqual(self.faults(self.TABLE, "AUTOKERNEL_A", "HOME", "AUTOKERNEL_TEST_B"), [])

    def test_that_no_table_has_are_found_with_the_file(self):
        self.assertEqual(self.faults(self.TABLE, "AUTOKERNEL_A", "AUTOKERNEL_B"), ["src/a.cpp: no table of variables has AUTOKERNEL_B"])

    def test_that_nothing_reads_are_found(self):
        self.assertEqual(self.faults(self.TABLE, "HOME"), ["README.md:3: nothing reads AUTOKERNEL_A"])

    def test_of_the_runner_are_held_against_the_lists(self):
        self.write("src/trial/supervise/runner_environment.cpp", 'constexpr std::array<Pattern, 1> kPassed = {\n    // Why.\n    "HOME",\n    "LC_*",\n};\n')
        lists = checks.runner_variables(self.root)
        self.assertEqual(lists, {"kPassed": {"HOME", "LC_*"}})
        head = "| variable | where kernels run |\n|---|---|\n| `HOME`, `LC_*` | passed on |\n"
        self.assertEqual(list(checks.wrong_runner_variables(document(head), lists)), [])
        self.assertEqual(len(list(checks.wrong_runner_variables(document(head + "| `PATH` | passed on |\n"), lists))), 1)
        self.assertEqual(len(list(checks.wrong_runner_variables(document(head.replace(", `LC_*`", "")), lists))), 1)
        self.assertEqual(len(list(checks.wrong_runner_variables(document(head + "| `PATH` | maybe |\n"), lists))), 1)


class Counts(Tree):
    def test_of_kernels_that_are_not_so_many_are_found(self):
        self.write("tests/adversarial/kernels/a.cu")
        self.write("tests/adversarial/honest/b.cu")
        text = "Kernels (%d in all).\nBeside them are %d honest kernels.\n"
        self.assertEqual(list(checks.wrong_counts(document(text % (1, 1)), self.root)), [])
        self.assertEqual(len(list(checks.wrong_counts(document(text % (2, 3)), self.root))), 2)


class Excerpts(Tree):
    def test_that_stand_in_no_source_are_found(self):
        self.write("src/a.cpp", "int a() {\n  return 1;\n}\n")
        self.assertEqual(list(checks.wrong_excerpts(document("```cpp\nint a() {\n  return 1;\n}\n```\n"), self.root)), [])
        self.assertEqual(len(list(checks.wrong_excerpts(document("```cpp\nint a() {\n  return 2;\n}\n```\n"), self.root))), 1)


class Lines(unittest.TestCase):
    LONG = "x" * words.WIDEST

    def faults(self, text):
        return list(words.long_lines([document(text)]))

    def test_that_are_long_are_found(self):
        self.assertEqual(self.faults(f"a\n{self.LONG}\n"), ["README.md:2: 120 characters; a line has fewer than 120"])

    def test_of_tables_and_code_and_targets_of_links_are_left_alone(self):
        self.assertEqual(self.faults(f"| {self.LONG} |\n\n    {self.LONG}\n\n```\n{self.LONG}\n```\n[a]({self.LONG}) b\n"), [])
        self.assertEqual(self.faults(self.LONG[1:]), [])


class Readme(unittest.TestCase):
    def test_of_too_many_lines_is_found(self):
        self.assertEqual(list(words.long_readme(document("x\n" * words.README_LINES))), [])
        self.assertEqual(len(list(words.long_readme(document("x\n" * (words.README_LINES + 1))))), 1)


class Index(unittest.TestCase):
    def faults(self, index):
        pages = [document(index, "docs/README.md"), document("", "docs/a.md"), document("", "CONTRIBUTING.md"), document("", "README.md")]
        return list(words.pages_in_no_index({page.name: page for page in pages}))

    def test_with_every_page_is_left_alone(self):
        self.assertEqual(self.faults("[a](a.md#x), [b](../CONTRIBUTING.md)\n"), [])

    def test_that_lacks_a_page_is_found(self):
        self.assertEqual(self.faults("[a](a.md)\n"), ["docs/README.md:1: it does not list CONTRIBUTING.md"])


class Phrases(unittest.TestCase):
    def faults(self, text):
        return list(words.phrases_to_avoid([document(text)]))

    def test_to_avoid_are_found_in_sentences_and_tables(self):
        self.assertEqual(self.faults("a `b\nc`\nHow to mend it.\n"), ["README.md:3: 'mend': write 'fix'"])
        self.assertEqual(self.faults("a is asked\nfor\n"), ["README.md:1: 'asked for': write 'required, requested'"])
        for text in (
            "| a | at least 2 % is asked for |",
            "what gain it can tell from nothing",
            "the best of then",
            "At most so many experiments",
            "Most time for a look at any one thing",
            "other options here come first",
            "kernel.cu is again as in d588b7f",
            "What they say is no one record",
            "an edit without a word on it",
            "| `log` | Of that run |",
        ):
            self.assertEqual(len(self.faults(text + "\n")), 1, text)

    def test_in_code_are_left_alone(self):
        self.assertEqual(self.faults("`mend`, amendment\n\n    mend: fix it\n"), [])


class Sentences(unittest.TestCase):
    def faults(self, text):
        return list(words.long_sentences([document(text)]))

    def test_that_are_long_in_the_mean_are_found(self):
        self.assertEqual(self.faults("# A heading\n\nA short one. And `another one` here.\n"), [])
        self.assertEqual(len(self.faults("word " * 19 + "\n")), 1)

    def test_end_with_items_of_lists_and_leave_out_tables(self):
        page = document("One two:\n\n- three\n- four `5. Six`, seven. Eight\n\n| a b c | d |\n|---|---|\n")
        self.assertEqual(list(words.sentences(page)), ["One two:", "three", "four Code, seven.", "Eight"])


class Markdown(unittest.TestCase):
    def test_blocks_know_their_lines(self):
        text = "a\n\n    b\n\n    c\n\nd\n```sh\ne\n```\n- f\n    g\n"
        self.assertEqual([(block.line, block.language, block.lines) for block in document(text).blocks], [(3, "", ["b", "", "c"]), (9, "sh", ["e"])])

    def test_what_stands_in_a_block_is_no_link_and_no_span(self):
        page = document("    [a](b) `c`\n\n```\n[a](b) `c`\n```\n")
        self.assertEqual((list(page.links()), list(page.spans())), ([], []))

    def test_tables_know_their_heading_and_lines(self):
        (table,) = document("## X\n\n| a | b |\n|---|---|\n| 1 \\| 2 | 3 |\n").tables()
        self.assertEqual((table.heading, table.head, table.rows), ("X", ["a", "b"], [(5, ["1 \\| 2", "3"])]))

    def test_anchors_are_those_of_github(self):
        self.assertEqual(anchor("Whether a run's claim `holds`, or not"), "whether-a-runs-claim-holds-or-not")


class Help(unittest.TestCase):
    def test_phrases_to_avoid_are_found_across_lines(self):
        (fault,) = words.faults_of_help("doctor", "The command that\n  mends it\n")
        self.assertEqual(fault, "autokernel doctor --help: 'mends': write 'fix'")

    def test_lines_that_are_too_long_are_found(self):
        (fault,) = words.faults_of_help("", "x" * 100 + "\n" + "x" * 99)
        self.assertTrue(fault.startswith("autokernel --help: a line of 100 characters"))

    def test_plain_help_has_no_faults(self):
        self.assertEqual(list(words.faults_of_help("bench", "Deadline for each check\n")), [])


class Interface(unittest.TestCase):
    def test_options_are_listed_as_they_are_spelled(self):
        self.assertEqual(
            list(interface.spelled_options(HELP)),
            [
                "FILE TEXT",
                "-h,--help",
                "--case DIR",
                "--agent-timeout SECONDS:POSITIVE=1800",
                "--json Excludes: --quiet",
                "-q,--quiet Excludes: --json --verbose",
            ],
        )

    def test_keys_are_those_of_tables_of_keys(self):
        keys = document("| key | meaning |\n|---|---|\n| `a`, `b` | x |\n\n| key | type |\n|---|---|\n| `c` | y |\n")
        self.assertEqual(list(interface.documented_keys([keys])), ["a", "b"])

    def test_what_is_lost_and_what_is_new_is_named(self):
        (lost, new) = interface.changes(["autokernel bench", "key a"], ["autokernel bench", "key b"])
        self.assertIn("'key a' is no longer there", lost)
        self.assertIn("'key b' is not recorded", new)

    def test_the_same_list_has_no_changes(self):
        self.assertEqual(list(interface.changes(["key a"], ["key a"])), [])


if __name__ == "__main__":
    unittest.main()
