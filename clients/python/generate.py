"""Makes the parts of the clients that are not written by hand.

- ``models.py``, the records of the wire, and ``exceptions.py``, one exception for each error code, of the OpenAPI
  document of the server;
- ``_sync/``, the client for programs without ``asyncio``, of ``_async/``;
- ``models.ts`` of the TypeScript client: the same records as types, with ``python generate.py --typescript FILE``.

Run it in a checkout of the project: ``python generate.py``. A build of the package runs it as well. Nothing that it
makes is kept in git.
"""

from __future__ import annotations

import io
import json
import keyword
import re
import sys
import textwrap
import tokenize
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "service_graph"
DOCUMENT = HERE.parent.parent / "http" / "src" / "main" / "resources" / "openapi.json"

# What people look for in a record under another name than that of the wire.
PROPERTIES: dict[str, list[tuple[str, str, str]]] = {
    "Commit": [("id", "str", "self.graph_commit_id")],
    "MergeResult": [("conflicts", "list[MergeConflict]", "self.preview.merge_conflicts if self.preview else []")],
    "UndoResult": [("conflicts", "list[MergeConflict]", "self.preview.merge_conflicts if self.preview else []")],
}



class Models:
    """The schemas of the document as dataclasses of Python."""

    ANY = "Any"
    NULL = "None"
    SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

    def __init__(self, schemas: dict[str, Any]):
        self.schemas = schemas
        self.classes: dict[str, str] = {}
        self.aliases: dict[str, str] = {}

    def source(self) -> str:
        for name, schema in self.schemas.items():
            if not name.endswith("Error") and name != "Error":
                self.declare(name, schema)
        parts = [
            '"""The records of the wire. Made by generate.py of the OpenAPI document."""',
            "from __future__ import annotations",
            "from dataclasses import dataclass, field\nfrom typing import Any, Literal, Union",
        ]
        for name in self.in_order():
            parts.append(f"{name} = {self.aliases[name]}" if name in self.aliases else self.classes[name])
        return "\n\n\n".join(parts) + "\n"

    def in_order(self) -> list[str]:
        """All names; an alias after the names that its type has, because Python reads it at once."""
        ordered = [name for name, meaning in self.aliases.items() if not self.named_in(meaning)]
        waiting = [name for name in self.aliases if name not in ordered]
        ordered += self.classes
        while waiting:
            ready = [name for name in waiting if self.named_in(self.aliases[name]) <= set(ordered)]
            ordered += ready
            waiting = [name for name in waiting if name not in ready]
        return ordered

    def named_in(self, meaning: str) -> set[str]:
        return set(re.findall(r"\w+", meaning)) & (self.aliases.keys() | self.classes.keys())

    def declare(self, name: str, schema: dict[str, Any]) -> None:
        if schema.get("type") == "object" and schema.get("properties"):
            self.declare_class(name, schema)
        else:
            self.aliases[name] = self.type_of(schema, name)

    def declare_class(self, name: str, schema: dict[str, Any]) -> None:
        required = schema.get("required", [])
        lines = ["@dataclass(frozen=True, slots=True, kw_only=True)", f"class {name}:"]
        lines.append(quoted(schema.get("description", name), "    "))
        self.classes[name] = ""  # keeps the place of a class before those that it contains
        for wire, property in schema["properties"].items():
            python = wire + "_" if keyword.iskeyword(wire) else wire
            kind = self.type_of(property, name + camel(wire))
            options = [] if wire in required else ["default=None"]
            if python != wire:
                options.append(f'metadata={{"wire": "{wire}"}}')
            if wire not in required and not kind.endswith("| None") and kind != "Any":
                kind += " | None"
            lines.append(f"    {python}: {kind}" + (f" = field({', '.join(options)})" if options else ""))
            if "description" in property:
                lines.append(quoted(property["description"], "    "))
        for alias, kind, expression in PROPERTIES.get(name, []):
            lines.append(f"\n    @property\n    def {alias}(self) -> {kind}:\n        return {expression}")
        self.classes[name] = "\n".join(lines)

    def type_of(self, schema: dict[str, Any], name: str) -> str:
        """The Python type of a schema; an object without a name of its own is declared as ``name``."""
        if "$ref" in schema:
            return self.named(str(schema["$ref"]).rsplit("/", 1)[1])
        for word in ("anyOf", "oneOf", "allOf"):
            if word in schema:
                types = [self.type_of(each, name) for each in schema[word]]
                rest = [each for each in types if each != self.NULL]
                return self.union(rest) + self.or_null(self.NULL in types)
        if "const" in schema:
            return self.literals([schema["const"]])
        if "enum" in schema:
            values = [each for each in schema["enum"] if each is not None]
            return self.literals(values) + self.or_null(None in schema["enum"])
        types = schema.get("type")
        if types is None:
            return self.ANY
        if isinstance(types, list):
            rest = [each for each in types if each != "null"]
            return self.type_of({**schema, "type": rest[0]}, name) + self.or_null("null" in types)
        if types == "array":
            return self.list_of(self.type_of(schema.get("items", {}), name))
        if types == "object":
            if schema.get("properties"):
                self.declare_class(name, schema)
                return self.named(name)
            values = schema.get("additionalProperties")
            return self.map_of(self.type_of(values, name) if isinstance(values, dict) else self.ANY)
        return self.SCALARS[types]

    # How Python writes a type

    def named(self, name: str) -> str:
        return self.map_of(self.ANY) if name.endswith("Error") else name  # exceptions.py has the errors

    def union(self, types: list[str]) -> str:
        return types[0] if len(types) == 1 else "Union[" + ", ".join(types) + "]"

    def or_null(self, nullable: bool) -> str:
        return f" | {self.NULL}" if nullable else ""

    def literals(self, values: list[Any]) -> str:
        return f"Literal[{', '.join(map(repr, values))}]"

    def list_of(self, item: str) -> str:
        return f"list[{item}]"

    def map_of(self, value: str) -> str:
        return f"dict[str, {value}]"


class TypeScriptModels(Models):
    """The schemas of the document as types of TypeScript, under their names on the wire."""

    ANY = "any"
    NULL = "null"
    SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
    #: Names that TypeScript has already.
    RENAMED = {"Error": "AnyError", "Record": "EntityRecord"}

    def source(self) -> str:
        for name, schema in self.schemas.items():
            self.declare(name, schema)
        parts = ["// The records of the wire. Made by generate.py of the OpenAPI document."]
        parts += [f"export type {self.named(name)} = {meaning};" for name, meaning in self.aliases.items()]
        parts += self.classes.values()
        parts.append("/** The codes of all errors. */\nexport type ErrorCode = " + self.literals(list(codes(self.schemas))) + ";")
        return "\n\n".join(parts) + "\n"

    def declare_class(self, name: str, schema: dict[str, Any]) -> None:
        required = schema.get("required", [])
        lines = [remark(schema.get("description", name), ""), f"export interface {self.named(name)} {{"]
        for wire, property in schema["properties"].items():
            if "description" in property:
                lines.append(remark(property["description"], "  "))
            key = wire if wire.isidentifier() else json.dumps(wire)
            lines.append(f"  {key}{'' if wire in required else '?'}: {self.type_of(property, name + camel(wire))};")
        self.classes[name] = "\n".join([*lines, "}"])

    def named(self, name: str) -> str:
        return self.RENAMED.get(name, name)

    def union(self, types: list[str]) -> str:
        return " | ".join(types)

    def literals(self, values: list[Any]) -> str:
        return " | ".join(map(json.dumps, values))

    def list_of(self, item: str) -> str:
        return f"Array<{item}>"

    def map_of(self, value: str) -> str:
        return f"{{ [name: string]: {value} }}"


def remark(text: str, indent: str) -> str:
    return f"{indent}/** {text.replace('*/', '* /')} */"


def codes(schemas: dict[str, Any]) -> dict[str, str]:
    """The error codes of the document, each with what it means."""
    found: dict[str, str] = {}
    for name, schema in schemas.items():
        if name.endswith("Error") and "properties" in schema:
            code = schema["properties"]["code"]
            for each in [code["const"]] if "const" in code else code["enum"]:
                found[each] = schema["description"]
    return found


def exceptions(schemas: dict[str, Any]) -> str:
    """One exception for each code of the document."""
    parts = [
        '"""One exception for each error code. Made by generate.py of the OpenAPI document."""',
        "from __future__ import annotations",
        "from .errors import ServiceError",
    ]
    meanings = codes(schemas)
    for code, meaning in meanings.items():
        members = [
            f"\n    @property\n    def {member}(self) -> str | None:\n"
            f'        value = self.detail("precondition_failure").get("{member}")\n'
            f"        return None if value is None else str(value)"
            for member in ("expected", "actual")
            if code == "precondition_failed"
        ]
        parts.append(f"class {camel(code)}(ServiceError):\n" + quoted(meaning, "    ") + "".join(members))
    table = ",\n".join(f'    "{code}": {camel(code)}' for code in meanings)
    parts.append(f"BY_CODE: dict[str, type[ServiceError]] = {{\n{table},\n}}")
    return "\n\n\n".join(parts) + "\n"


def camel(words: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", words))


def quoted(text: str, indent: str) -> str:
    lines = textwrap.wrap(text.replace("\\", "\\\\").replace('"""', "'''"), 116 - len(indent)) or [""]
    body = f"\n{indent}".join(lines)
    return f'{indent}"""{body}"""' if not body.endswith('"') else f'{indent}"""{body} """'


# Words of a program with asyncio, and those of the same program without.
WORDS = {
    "AsyncClient": "Client",
    "AsyncGraph": "Graph",
    "AsyncBranch": "Branch",
    "AsyncTransport": "Transport",
    "AsyncIterator": "Iterator",
    "AsyncHTTPTransport": "HTTPTransport",
    "push_async_callback": "callback",
    "AsyncExitStack": "ExitStack",
    "StopAsyncIteration": "StopIteration",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aiter_lines": "iter_lines",
    "aread": "read",
    "asyncio": "time",
}


def without_async(source: str) -> str:
    """The same program without ``async`` and ``await``."""
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token, following in reversed(list(zip(tokens, tokens[1:]))):
        row, start = token.start[0] - 1, token.start[1]
        if token.type != tokenize.NAME:
            continue
        if token.string in ("async", "await"):
            lines[row] = lines[row][:start] + lines[row][following.start[1] :]
        elif token.string in WORDS:
            lines[row] = lines[row][:start] + WORDS[token.string] + lines[row][token.end[1] :]
    return "".join(lines).replace("import time\n", "", 1) if "import asyncio" in source else "".join(lines)


def main(typescript: str | None = None) -> None:
    if not DOCUMENT.exists():
        if (PACKAGE / "models.py").exists():
            return  # a source distribution has them already
        sys.exit(f"generate.py needs a checkout of the project: {DOCUMENT} is missing")
    schemas = json.loads(DOCUMENT.read_text())["components"]["schemas"]
    if typescript is not None:
        write(Path(typescript), TypeScriptModels(schemas).source())
        return
    write(PACKAGE / "models.py", Models(schemas).source())
    write(PACKAGE / "exceptions.py", exceptions(schemas))
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        write(PACKAGE / "_sync" / source.name, without_async(source.read_text()))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class GenerateHook(BuildHookInterface):  # type: ignore[type-arg, misc]
        """Makes the parts before a build of the package."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            main()

except ImportError:  # run by hand
    pass

if __name__ == "__main__":
    main(sys.argv[2] if sys.argv[1:2] == ["--typescript"] else None)
