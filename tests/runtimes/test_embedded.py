"""Embedded policies, compiled without any runtime, against the look-up vectors and artifacts."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_whole, write_policy
from tailc.embed.content import Tables
from tailc.embed.languages import LANGUAGES
from tailc.embed.names import camel
from tailc.embed.source import build_content, format_source
from tailc.embed.writing import write_source
from tests.runtimes import bpf
from tests.runtimes.java import QUICK
from tests.tailc.artifact.published import ROOT, VECTORS, lucene_policy

LADDERS = sorted(path.stem for path in VECTORS.glob("*.csv"))
SEALED = ["plan", "shares", "tails-trim", "budgets"]
# What ends comments, texts, lines and macros, or is written otherwise in some language.
ODD = 'a"\\ \n\r\t */ ??/ @at@ \\u000a %d {x} é 漢 😀 \x7f\u202e\u2028' + "\\" + "x" * 90
CODE = {"now": 0, "wait": 1, "on-exit": 2}


@dataclass(frozen=True)
class Asking:
    """How a policy's look-up is called: with a class, with what a controller puts out."""

    policy: str
    is_by_class: bool
    is_scaled: bool


def compiler(name: str) -> str:
    if shutil.which(name) is None:
        assert not os.environ.get("CI"), f"no {name}"
        pytest.skip(f"no {name}")
    return name


def succeed(*command: object, folder: Path, text: str = "") -> str:
    """What the command prints, which warns of nothing."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, "GOFLAGS": "-p=2", "GO111MODULE": "on"},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def embed(policy: str | Path, word: str, path: Path) -> Asking:
    what = build_content(*read_whole(VECTORS / policy), is_sealed=False)
    stem = path.stem.replace("-", "_")
    name = None if word in ("java", "rust") else stem
    write_source(path, format_source(what, LANGUAGES[word], path, name)[0])
    tables = what.content if isinstance(what.content, Tables) else None
    return Asking(stem, bool(tables and tables.is_by_class), bool(tables and tables.is_scaled))


def questions(policy: str) -> list[dict[str, str]]:
    lines = (VECTORS / f"{policy}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def asked() -> str:
    """A line for each look-up: number of the policy, class or `-`, and the numbers."""
    lines = []
    for number, policy in enumerate(LADDERS):
        for row in questions(policy):
            words = [number, row["request_class"] or "-", row.get("output_ppm", 0)]
            words += [row[name] for name in ("load", "waited_us", "executed_us")]
            lines.append(" ".join(map(str, words)))
    return "\n".join(lines) + "\n"


def wanted() -> list[str]:
    rows = [row for policy in LADDERS for row in questions(policy)]
    return [f"{CODE[row['start']]} {row['wait_us']} {row['rung']}" for row in rows]


def odd_policy(folder: Path) -> Path:
    """A policy that is called as badly as can be, and its rungs too; for one class alone."""
    policy = lucene_policy()
    ladder = policy.ladders[0]
    rungs = tuple(replace(rung, name=ODD + rung.name) for rung in ladder.rungs)
    forms = (replace(ladder, rungs=rungs, request_class=ODD),)
    return write_policy(replace(policy, name=ODD, kind=ODD, forms=forms), folder / "odd")[1]


def expected(sealed: list[str]) -> list[str]:
    """First the bytes of policies in hexadecimal and odd names, then the answers."""
    files = [(VECTORS / f"{name}.tailc").read_bytes().hex() for name in sealed]
    rung = ODD + lucene_policy().ladders[0].rungs[0].name
    return [*files, ODD.encode().hex(), rung.encode().hex(), *wanted()]


def test_there_are_answers_to_expect() -> None:
    assert len(wanted()) > 5_000


def called(asking: Asking, by_class: str, scaled: str) -> str:
    """The arguments before the load."""
    given = by_class if asking.is_by_class else ""
    return given + (scaled if asking.is_scaled else "")


def cases(asked: list[Asking], write: Callable[[int, Asking], str]) -> str:
    return "\n".join(write(number, asking) for number, asking in enumerate(asked))


C_DRIVER = """
static void print(const char *text, size_t count)
{{
    size_t at;
    for (at = 0; at < count; ++at)
        printf("%02x", (unsigned char)text[at]);
    printf("\\n");
}}

int main(void)
{{
    int policy;
    char name[99];
    unsigned long long z, load, waited, executed;
    print(ODD_NAME, sizeof ODD_NAME - 1);
    print(odd_rungs[0], strlen(odd_rungs[0]));
    while (scanf("%d %98s %llu %llu", &policy, name, &z, &load) == 4
           && scanf("%llu %llu", &waited, &executed) == 2) {{
        const char *request_class = strcmp(name, "-") == 0 ? "" : name;
        switch (policy) {{
{cases}
        }}
        (void)request_class;
    }}
    return 0;
}}
"""


def c_case(number: int, asking: Asking) -> str:
    p = asking.policy
    first = called(asking, f"{p}_ladder_of(request_class), ", "z, ")
    return f"""        case {number}: {{
            struct {p}_answer a = {p}_lookup({first}load, waited, executed);
            printf("%d %llu %u\\n", (int)a.start, (unsigned long long)a.wait_us, (unsigned)a.rung);
            break;
        }}"""


def test_c_answers_the_vectors(tmp_path: Path) -> None:
    gcc = compiler("gcc")
    asking = [embed(name, "c", tmp_path / f"{name}.h") for name in LADDERS]
    embed(odd_policy(tmp_path), "c", tmp_path / "odd.h")
    includes = "".join(f'#include "{name}.h"\n' for name in [*LADDERS, "odd"])
    driver = C_DRIVER.format(cases=cases(asking, c_case))
    source = f"#include <stdio.h>\n#include <string.h>\n{includes}{driver}"
    (tmp_path / "driver.c").write_text(source, encoding="utf-8")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
    succeed(gcc, *strict, "driver.c", "-o", "driver", folder=tmp_path)
    assert succeed("./driver", folder=tmp_path, text=asked()).splitlines() == expected([])


BPF_PROGRAM = """
SEC("syscall")
int ask_{number}(struct question *q)
{{
    struct {p}_answer a = {p}_lookup({first}q->load, q->waited_us, q->executed_us);
    q->start = a.start;
    q->wait_us = a.wait_us;
    q->rung = a.rung;
    return 0;
}}
"""
BPF_HEAD = """
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct question {
    __u64 ladder, load, waited_us, executed_us, start, wait_us, rung;
};
"""


def test_the_kernel_accepts_the_look_up_and_answers_the_vectors(tmp_path: Path) -> None:
    bpf.need_clang()
    asking = [embed(name, "bpf", tmp_path / f"{name}.h") for name in LADDERS]
    programs = []
    for number, one in enumerate(asking):
        # The context has seven members: that of the ladder is also that of the output.
        first = called(one, "q->ladder >> 32, ", "(__u32)q->ladder, ")
        programs.append(BPF_PROGRAM.format(number=number, p=one.policy, first=first))
    embed(odd_policy(tmp_path), "bpf", tmp_path / "odd.h")
    includes = "".join(f'#include "{name}.h"\n' for name in [*LADDERS, "odd"])
    source = tmp_path / "asked.bpf.c"
    license_ = 'char _license[] SEC("license") = "Apache-2.0";\n'
    source.write_text(BPF_HEAD + includes + "".join(programs) + license_)
    loaded = bpf.Loaded(bpf.compile_program(source))
    got = []
    for number, policy in enumerate(LADDERS):
        classes = classes_of(policy)
        answers = loaded.run(
            f"ask_{number}", (bpf_question(row, classes) for row in questions(policy))
        )
        got += [" ".join(map(str, answer[4:])) for answer in answers]
    loaded.close()
    assert got == wanted()


def test_the_skeleton_of_a_scheduler_compiles(tmp_path: Path) -> None:
    embed(ROOT / "examples" / "bing-fm" / "expected.tailc", "bpf", tmp_path / "policy.h")
    source = tmp_path / "scheduler.bpf.c"
    shutil.copy(ROOT / "examples" / "sched-ext" / "scheduler.bpf.c", source)
    assert bpf.compile_program(source).exists()


def classes_of(policy: str) -> list[str]:
    content = build_content(*read_whole(VECTORS / f"{policy}.tailc"), is_sealed=False).content
    assert isinstance(content, Tables)
    return [text for array in content.arrays if array.name == "classes" for text in array.texts]


def bpf_question(row: dict[str, str], classes: list[str]) -> list[int]:
    """The index of the ladder and the output in one number, the load and the times."""
    name = row["request_class"]
    ladder = classes.index(name) if name in classes else max(len(classes) - 1, 0)
    first = (ladder << 32) + int(row.get("output_ppm", 0))
    return [first, *(int(row[key]) for key in ("load", "waited_us", "executed_us"))]


CPP_DRIVER = """
template <std::size_t count>
void print(const unsigned char (&bytes)[count]) {{
  for (unsigned char byte : bytes) std::printf("%02x", byte);
  std::printf("\\n");
}}

void print(std::string_view text) {{
  for (const char byte : text) std::printf("%02x", static_cast<unsigned char>(byte));
  std::printf("\\n");
}}

template <class Answer>
void answer(const Answer& a) {{
  const auto wait = static_cast<unsigned long long>(a.wait_us);
  std::printf("%d %llu %u\\n", static_cast<int>(a.start), wait, unsigned{{a.rung}});
}}

int main() {{
{sealed}
  print(odd::kName);
  print(odd::kRungs[0]);
  int policy;
  std::string name;
  unsigned long long z, load, waited, executed;
  while (std::cin >> policy >> name >> z >> load >> waited >> executed) {{
    if (name == "-") name.clear();
    switch (policy) {{
{cases}
    }}
  }}
}}
"""


def cpp_case(number: int, asking: Asking) -> str:
    p = asking.policy
    first = called(asking, f"*{p}::ladder_of(name), ", "z, ")
    return f"      case {number}: answer({p}::lookup({first}load, waited, executed)); break;"


def test_cpp_answers_the_vectors_and_holds_the_bytes(tmp_path: Path) -> None:
    gxx = compiler("g++")
    asking = [embed(name, "cpp", tmp_path / f"{name}.hpp") for name in LADDERS]
    sealed = [embed(name, "cpp", tmp_path / f"{name}.hpp").policy for name in SEALED]
    embed(odd_policy(tmp_path), "cpp", tmp_path / "odd.hpp")
    includes = "".join(f'#include "{name}.hpp"\n' for name in [*LADDERS, *SEALED, "odd"])
    prints = "\n".join(f"  print({name.replace('-', '_')}::kSealed);" for name in sealed)
    driver = CPP_DRIVER.format(cases=cases(asking, cpp_case), sealed=prints)
    source = f"{includes}#include <cstdio>\n#include <iostream>\n#include <string>\n{driver}"
    (tmp_path / "driver.cpp").write_text(source, encoding="utf-8")
    strict = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic")
    succeed(gxx, *strict, "driver.cpp", "-o", "driver", folder=tmp_path)
    assert succeed("./driver", folder=tmp_path, text=asked()).splitlines() == expected(SEALED)


JAVA_DRIVER = """
import java.nio.charset.StandardCharsets;
import java.util.Scanner;

final class Driver {{
    private Driver() {{}}

    static void print(byte[] bytes) {{
        StringBuilder line = new StringBuilder();
        for (byte one : bytes) {{
            line.append(String.format("%02x", one));
        }}
        System.out.println(line);
    }}

    public static void main(String[] arguments) {{
{sealed}
        print(Odd.NAME.getBytes(StandardCharsets.UTF_8));
        print(Odd.RUNGS.get(0).getBytes(StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        try (Scanner in = new Scanner(System.in)) {{
            while (in.hasNext()) {{
                int policy = in.nextInt();
                String word = in.next();
                String name = word.equals("-") ? "" : word;
                long z = in.nextLong();
                long load = in.nextLong();
                long waited = in.nextLong();
                long executed = in.nextLong();
                switch (policy) {{
{cases}
                    default: throw new IllegalStateException(name);
                }}
            }}
        }}
        System.out.print(out);
    }}
}}
"""


def java_case(number: int, asking: Asking) -> str:
    p = asking.policy
    first = called(asking, f"{p}.ladderOf(name), ", "z, ")
    return f"""                    case {number}: {{
                        {p}.Answer a = new {p}.Answer();
                        {p}.lookup({first}load, waited, executed, a);
                        out.append(a.start.ordinal() + " " + a.waitUs + " " + a.rung + "\\n");
                        break;
                    }}"""


def java_name(name: str) -> str:
    return camel(name.replace("-", "_"), is_capital=True)


def test_java_answers_the_vectors_and_holds_the_bytes(tmp_path: Path) -> None:
    javac = compiler("javac")
    paths = [tmp_path / f"{java_name(name)}.java" for name in [*LADDERS, *SEALED]]
    asking = [embed(name, "java", path) for name, path in zip(LADDERS, paths, strict=False)]
    sealed = [embed(name, "java", tmp_path / f"{java_name(name)}.java").policy for name in SEALED]
    embed(odd_policy(tmp_path), "java", tmp_path / "Odd.java")
    prints = "\n".join(f"        print({name}.sealed());" for name in sealed)
    driver = JAVA_DRIVER.format(cases=cases(asking, java_case), sealed=prints)
    (tmp_path / "Driver.java").write_text(driver, encoding="utf-8")
    sources = sorted(path.name for path in tmp_path.glob("*.java"))
    strict = ("--release", "11", "-Xlint:all", "-Werror")
    succeed(javac, *(f"-J{option}" for option in QUICK), *strict, *sources, folder=tmp_path)
    assert succeed(
        "java", *QUICK, "Driver", folder=tmp_path, text=asked()
    ).splitlines() == expected(SEALED)


GO_DRIVER = """
func main() {{
{sealed}
	fmt.Printf("%x\\n%x\\n", odd.Name, odd.Rungs[0])
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {{
		var policy int
		var name string
		var z, load, waited, executed uint64
		if _, err := fmt.Fscan(in, &policy, &name, &z, &load, &waited, &executed); err != nil {{
			return
		}}
		if name == "-" {{
			name = ""
		}}
		switch policy {{
{cases}
		}}
	}}
}}
"""


def go_case(number: int, asking: Asking) -> str:
    p = asking.policy
    first = called(asking, "ladder, ", "z, ")
    found = f"\n\t\t\tladder, _ := {p}.LadderOf(name)" if asking.is_by_class else ""
    return f"""		case {number}:{found}
			a := {p}.Lookup({first}load, waited, executed)
			fmt.Fprintln(out, int(a.Start), a.WaitUs, a.Rung)"""


def test_go_answers_the_vectors_and_holds_the_bytes(tmp_path: Path) -> None:
    go = compiler("go")
    names = {name: name.replace("-", "_") for name in [*LADDERS, *SEALED]}
    asking = [embed(name, "go", tmp_path / name / f"{names[name]}.go") for name in LADDERS]
    for name in SEALED:
        embed(name, "go", tmp_path / name / f"{names[name]}.go")
    embed(odd_policy(tmp_path), "go", tmp_path / "odd" / "odd.go")
    names["odd"] = "odd"
    imports = "".join(f'\t{package} "driver/{name}"\n' for name, package in names.items())
    library = '\t"bufio"\n\t"fmt"\n\t"os"\n'
    prints = "\n".join(f'\tfmt.Printf("%x\\n", {names[name]}.Sealed)' for name in SEALED)
    driver = GO_DRIVER.format(cases=cases(asking, go_case), sealed=prints)
    source = f"package main\n\nimport (\n{library}{imports})\n{driver}"
    (tmp_path / "driver.go").write_text(source, encoding="utf-8")
    (tmp_path / "go.mod").write_text("module driver\n\ngo 1.21\n", encoding="utf-8")
    sources = [f"{name}/{package}.go" for name, package in names.items()]
    assert succeed("gofmt", "-l", *sources, folder=tmp_path) == ""
    succeed(go, "vet", "./...", folder=tmp_path)
    succeed(go, "build", "-o", "program", ".", folder=tmp_path)
    assert succeed("./program", folder=tmp_path, text=asked()).splitlines() == expected(SEALED)


RUST_DRIVER = """
use std::io::Read;

macro_rules! print {{
    ($module:ident, $answer:expr) => {{{{
        let answer = $answer;
        let (start, wait_us) = match answer.start {{
            $module::Start::Now => (0, 0),
            $module::Start::WaitUs(left) => (1, left),
            $module::Start::OnExit => (2, 0),
        }};
        println!("{{start}} {{wait_us}} {{}}", answer.rung);
    }}}};
}}

fn main() {{
    for bytes in [{sealed}, odd::NAME.as_bytes(), odd::RUNGS[0].as_bytes()] {{
        println!("{{}}", bytes.iter().map(|byte| format!("{{byte:02x}}")).collect::<String>());
    }}
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for line in text.lines() {{
        let words: Vec<&str> = line.split(' ').collect();
        let name = if words[1] == "-" {{ "" }} else {{ words[1] }};
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        let (z, load, waited, executed) = (number(2), number(3), number(4), number(5));
        match number(0) {{
{cases}
            _ => panic!("{{line}}"),
        }}
    }}
}}
"""


def rust_case(number: int, asking: Asking) -> str:
    p = asking.policy
    first = called(asking, f"{p}::ladder_of(name).unwrap(), ", "z, ")
    return f"            {number} => print!({p}, {p}::lookup({first}load, waited, executed)),"


def test_rust_answers_the_vectors_and_holds_the_bytes(tmp_path: Path) -> None:
    rustc = compiler("rustc")
    names = [name.replace("-", "_") for name in [*LADDERS, *SEALED]]
    files = [tmp_path / f"{name}.rs" for name in names]
    asking = [embed(name, "rust", path) for name, path in zip(LADDERS, files, strict=False)]
    for name, path in zip(SEALED, files[len(LADDERS) :], strict=True):
        embed(name, "rust", path)
    embed(odd_policy(tmp_path), "rust", tmp_path / "odd.rs")
    modules = "mod odd;\n" + "".join(f"mod {name};\n" for name in names)
    sealed = ", ".join(f"&{name.replace('-', '_')}::SEALED[..]" for name in SEALED)
    driver = RUST_DRIVER.format(cases=cases(asking, rust_case), sealed=sealed)
    (tmp_path / "driver.rs").write_text(f"{modules}{driver}", encoding="utf-8")
    strict = ("--edition", "2021", "-D", "warnings")
    succeed(rustc, *strict, "-o", "driver", "driver.rs", folder=tmp_path)
    assert succeed("./driver", folder=tmp_path, text=asked()).splitlines() == expected(SEALED)
