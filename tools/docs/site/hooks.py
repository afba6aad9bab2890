"""What the site adds to the pages of docs/: MkDocs calls the functions whose names begin with `on_`.

- The home page is the README of the project.
- The navigation follows the folders of docs/. A new page appears without a change here.
- A link to a file outside of docs/ leads to a page that shows the file.
- In the reference of the Python package, mkdocstrings describes each object, with types and an anchor of its own.
- Notebooks (.ipynb) become pages, with the outputs that they contain.
- Markdown is read as on GitHub: headings have the same anchors, a list needs no empty line before it, and a fenced
  block may have a file name after its language.
"""
import base64
import importlib.util
import json
import pathlib
import posixpath
import re

import griffe
from mkdocs.structure.files import File, InclusionLevel
import pygments.lexers
import pygments.util
import pymdownx.highlight

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
NOTEBOOKS = ROOT / "build/site-notebooks"   # notebooks with outputs, where tools/site has run them
SOURCES = "sources"                         # folder of the pages that show files outside of docs/
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
LONGEST = 100_000                           # characters of a file that is shown as a page; longer ones are copied

# Title, folder and the pages that come first. Other pages of the folder follow in alphabetical order.
LAYERS = [
    ("Tutorial", "tutorial.md", []),
    ("Guide", "guide", ["python", "running", "boundaries", "sources-and-receivers", "several-devices", "tuning",
                        "embedding", "emitted-files", "builder", "lift", "editors"]),
    ("Notebooks", "notebooks", []),
    ("Gallery", "gallery.md", []),
    ("Reference", "reference", ["language", "schedules", "cli", "files", "python", "api", "errors"]),
    ("Design", "design", ["architecture", "stencil-ir", "families", "data", "kernel-ir", "host-program", "subdomains",
                          "runtime", "glossary", "model", "performance", "measure"]),
    ("Papers", "papers", ["README"]),
    ("Contribute", "contributing.md", []),
]
NOTES = ("Notes", "design/notes", ["README"])
CONTRIBUTE = ["contributing.md", "testing.md"]


def lexer_of_programs():
    spec = importlib.util.spec_from_file_location("lexer", ROOT / "python/stencilc/pygments_lexer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.StencilLexer


def register_lexer():
    """Lets Pygments find the lexer of programs by its names, without installing the package."""
    lexer = lexer_of_programs()
    by_name = pygments.lexers.get_lexer_by_name

    def get_lexer_by_name(name, **options):
        return lexer(**options) if name.lower() in lexer.aliases else by_name(name, **options)

    pymdownx.highlight.get_lexer_by_name = get_lexer_by_name


def slug(text, separator):
    """The anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


# --- Navigation

def pages_of(folder, first, known):
    names = sorted(path.removeprefix(folder + "/").removesuffix(".md") for path in known
                   if posixpath.dirname(path) == folder)
    ordered = [name for name in first if name in names] + [name for name in names if name not in first]
    return [f"{folder}/{name}.md" for name in ordered]


def navigation(known):
    items = [{"Home": "index.md"}]
    for title, place, first in LAYERS:
        if title == "Contribute":
            pages = [page for page in CONTRIBUTE if page in known]
        elif place.endswith(".md"):
            items.append({title: place})
            continue
        else:
            pages = pages_of(place, first, known)
        if title == "Design":
            pages.append({NOTES[0]: pages_of(NOTES[1], NOTES[2], known)})
        if pages:
            items.append({title: pages})
    return items


def on_config(config):
    register_lexer()
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    known = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    known += [path.relative_to(DOCS).with_suffix(".md").as_posix() for path in sorted(DOCS.rglob("*.ipynb"))
              if ".ipynb_checkpoints" not in path.parts]
    config.nav = navigation(known)
    return config


# --- Pages and files that are not in docs/

def generated(config, path, content, shown=True):
    inclusion = InclusionLevel.INCLUDED if shown else InclusionLevel.NOT_IN_NAV
    return File.generated(config, path, content=content, inclusion=inclusion)


def language_of(path):
    if path.suffix == ".stn":
        return "stn"
    try:
        return pygments.lexers.get_lexer_for_filename(path.name, path.read_text()).aliases[0]
    except pygments.util.ClassNotFound:
        first = path.read_text().split("\n", 1)[0]
        return "python" if "python" in first else "bash" if first.startswith("#!") else "text"


def page_of_source(path):
    """A page that shows a file, as Markdown."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    fence = "`" * max([4] + [len(run) + 1 for run in re.findall(r"`{3,}", text)])
    return f"{NOT_SEARCHED}# {path.name}\n\n`{name}`\n\n{fence}{language_of(path)}\n{text}\n{fence}\n"


def page_of_folder(path, links):
    """A page with links to the files of a folder."""
    items = "\n".join(f"- [{child}]({link})" for child, link in links)
    return f"{NOT_SEARCHED}# {path.relative_to(ROOT).as_posix()}/\n\n{items}\n"


def is_shown(path):
    if path.suffix == ".json" or path.stat().st_size > LONGEST:
        return False
    try:
        path.read_text()
    except UnicodeDecodeError:
        return False
    return True


class Sources:
    """The files outside of docs/ to which pages link."""

    def __init__(self, config):
        self.config = config
        self.files = {}   # by the path of their page

    def add(self, path):
        """Adds a file or a folder, and returns the path of its page in the site."""
        name = path.relative_to(ROOT).as_posix()
        if path.is_dir():
            page = f"{SOURCES}/{name}/index.md"
        else:
            page = f"{SOURCES}/{name}.md" if is_shown(path) else f"{SOURCES}/{name}"
        if page in self.files:
            return page
        self.files[page] = None
        if path.is_dir():
            children = [child for child in sorted(path.iterdir()) if child.is_file()]
            links = [(child.name, posixpath.relpath(self.add(child), posixpath.dirname(page))) for child in children]
            content = page_of_folder(path, links)
        elif page.endswith(".md"):
            content = page_of_source(path)
        else:
            content = path.read_bytes()
        self.files[page] = generated(self.config, page, content, shown=False)
        return page


LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?(?: \"[^\"]*\")?\))")


def outside_code(text, change):
    """The text with `change` applied to what is not in a fenced block."""
    parts = re.split(r"(^(`{3,}).*?^\2[ \t]*$)", text, flags=re.M | re.S)
    return "".join(change(part) if i % 3 == 0 else part if i % 3 == 1 else "" for i, part in enumerate(parts))


def with_links(text, source, page, sources):
    """The links of a file of the repository, as seen from a page of the site."""
    def link(match):
        if re.match(r"[a-z]+:", match[2]):
            return match[0]
        end = (source.parent / match[2]).resolve()
        if not end.exists() or not end.is_relative_to(ROOT):
            return match[0]      # the strict build reports it
        if end.is_relative_to(DOCS) and end.is_file():
            place = end.relative_to(DOCS).as_posix()
            if place.endswith(".ipynb"):
                place = place.removesuffix(".ipynb") + ".md"
        elif end == ROOT / "README.md":
            place = "index.md"
        else:
            place = sources.add(end)
        return match[1] + posixpath.relpath(place, posixpath.dirname(page)) + match[3]
    return outside_code(text, lambda part: LINK.sub(link, part))


# --- The reference of the Python package

def python_objects():
    """The public names of the package whose sources griffe can read; the package is not imported."""
    if not (ROOT / "python/stencilc/__init__.py").exists():
        return set()
    package = griffe.load("stencilc", search_paths=[ROOT / "python"], allow_inspection=False, resolve_aliases=True)
    known = set()
    for name, member in package.members.items():
        try:
            if member.has_docstring:
                known.add(name)
        except griffe.AliasResolutionError:   # an object of the compiled module
            pass
    return known


def with_python_objects(text):
    """The sections "### `NAME(...)`" of a page, by mkdocstrings where it knows the object."""
    known = python_objects()

    def section(match):
        if match[1] not in known:
            return match[0]
        return f"::: stencilc.{match[1]}\n    options:\n      heading_level: 3\n\n"
    return re.sub(r"^### `(\w+)[^\n]*`\n.*?(?=^##|\Z)", section, text, flags=re.M | re.S)


# --- Notebooks

def page_of_notebook(path, name):
    """The Markdown of a notebook and its images by name."""
    cells = json.loads(path.read_text())["cells"]
    executed = NOTEBOOKS / path.relative_to(DOCS)
    if executed.exists():
        done = json.loads(executed.read_text())["cells"]
        if ["".join(cell["source"]) for cell in done] == ["".join(cell["source"]) for cell in cells]:
            cells = done
    parts, images = [], {}
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                image = f"{name}-{len(images) + 1}.png"
                images[image] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![Output of the cell above]({image})")
                continue
            text = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
            if text:
                parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts) + "\n", images


def on_files(files, config):
    sources = Sources(config)
    texts = {"index.md": (ROOT / "README.md", (ROOT / "README.md").read_text())}
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            files.remove(file)
            path = DOCS / file.src_uri
            page = file.src_uri.removesuffix(".ipynb") + ".md"
            text, images = page_of_notebook(path, path.stem)
            texts[page] = (path, text)
            for name, data in images.items():
                files.append(generated(config, posixpath.join(posixpath.dirname(page), name), data))
        elif file.is_documentation_page():
            files.remove(file)
            texts[file.src_uri] = (DOCS / file.src_uri, (DOCS / file.src_uri).read_text())
    for page, (path, text) in texts.items():
        if page == "reference/python.md":
            text = with_python_objects(text)
        files.append(generated(config, page, with_links(text, path, page, sources)))
    for page in sources.files.values():
        files.append(page)
    files.append(generated(config, "site.css", (pathlib.Path(__file__).parent / "site.css").read_text()))
    return files


# --- Markdown as on GitHub

def with_gaps(text):
    """An empty line before each list that follows a paragraph."""
    lines, previous = [], ""
    for line in text.split("\n"):
        item = re.match(r"([-*]|\d+\.) ", line)
        if item and previous.strip() and not re.match(r"([-*]|\d+\.) |\s", previous):
            lines.append("")
        lines.append(line)
        previous = line
    return "\n".join(lines)


def with_bars(text):
    """`\\|` in code within a table is a bar: there, this Markdown needs no backslash."""
    def row(match):
        return re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), match[0])
    return re.sub(r"^\|.*$", row, text, flags=re.M)


def on_page_markdown(markdown, page, config, files):
    markdown = re.sub(r"^(```+)(\w+) ([\w.-]+)$", r'\1\2 title="\3"', markdown, flags=re.M)
    return outside_code(markdown, lambda part: with_bars(with_gaps(part)))
