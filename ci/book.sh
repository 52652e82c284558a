#!/usr/bin/env bash
# Builds the book of docs/ in target/book, and checks that it is complete, searchable and works without a network.
#
#   ci/book.sh
#
# Needs python3 3.11 and cargo, which builds mdBook in target/mdbook if it is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=0.5.4
book=$PWD/target/book

PATH=$PWD/target/mdbook/bin:$PATH
if [ "$(mdbook --version 2>/dev/null)" != "mdbook v$version" ]; then
    cargo install mdbook --version $version --locked --no-default-features --features search --root target/mdbook
    hash -r
fi
rm -rf "$book"
(cd docs && cargo cts catalog man --markdown >run/options.md)
mdbook build docs
# mdBook's index.html is a copy of the first page, whose relative links are wrong there.
cat >"$book/index.html" <<'HTML'
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Atlas CTS</title><meta http-equiv="refresh" content="0; url=run/start.html"></head>
<body><a href="run/start.html">Atlas CTS</a></body>
</html>
HTML

python3 - "$book" <<'PYTHON'
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tomllib

book, docs = pathlib.Path(sys.argv[1]), pathlib.Path("docs").resolve()
settings = tomllib.loads((docs / "book.toml").read_text())["output"]["html"]
repository = settings.get("git-repository-url", "").rstrip("/")
mistakes = []
NETWORK = re.compile(r"(https?:)?//", re.I)
IN_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^"')\s]*""", re.I)


class Page(html.parser.HTMLParser):
    """The links, the anchors and the loaded files of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.anchors, self.loaded, self.classes = [], set(), [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        self.anchors.add(attributes.get("id"))
        self.classes.update(attributes.get("class", "").split())
        for name in ("href", "src", "srcset", "data", "poster"):
            if name in attributes:
                (self.links if tag == "a" else self.loaded).append(attributes[name])


def source(target: pathlib.Path) -> str:
    """The path in the repository of a link that leads out of the book, where mdBook writes .html for .md."""
    path = os.path.normpath(docs / os.path.relpath(target, book))
    markdown = re.sub(r"\.html$", ".md", path)
    return os.path.relpath(path if os.path.exists(path) else markdown, docs.parent)


pages = {path: Page(path.read_text()) for path in sorted(book.rglob("*.html")) if path.name != "404.html"}
for path, page in pages.items():
    name, text = path.relative_to(book), path.read_text()
    for url in filter(NETWORK.match, page.loaded):
        mistakes.append(f"{name} loads {url}")
    if "playground" in page.classes:
        mistakes.append(f"{name} has a code block that queries play.rust-lang.org; make it plain text")
    for link in page.links:
        if re.match(r"[a-z]+:|//", link):
            continue
        url, _, anchor = link.partition("#")
        target = pathlib.Path(os.path.normpath(path.parent / url)) if url else path
        if book not in target.parents:
            # A link to a file outside docs/ is dead in the book unless book.toml has the repository's address.
            if not (docs.parent / source(target)).exists():
                mistakes.append(f"{name} links to {link}, which does not exist")
            elif repository:
                text = text.replace(f'href="{link}"', f'href="{repository}/blob/HEAD/{source(target)}"')
        elif not target.exists():
            mistakes.append(f"{name} links to {link}, which the book does not have")
        elif anchor and target in pages and anchor not in pages[target].anchors:
            mistakes.append(f"{name} links to {link}, but that page has no such heading")
    if repository:
        path.write_text(text)
for path in (file for kind in ("html", "css", "svg") for file in book.rglob(f"*.{kind}")):
    text = path.read_text()
    found = IN_STYLE.findall(text)
    if path.suffix == ".svg":
        found += re.findall(r"""(?:href|src)=["'](?:https?:)?//[^"']*""", text)
    mistakes += [f"{path.relative_to(book)} loads {url}" for url in found]

listed = subprocess.run(["git", "ls-files", "docs/*.md"], check=True, capture_output=True, text=True).stdout.split()
written = [pathlib.Path(name).relative_to("docs") for name in listed if name != "docs/SUMMARY.md"]
for page in written:
    built = page.with_name("index.html") if page.name == "README.md" else page.with_suffix(".html")
    if not (book / built).exists():
        mistakes.append(f"docs/{page} is not in the book; add it to docs/SUMMARY.md")
for wanted in ("print.html", "searchindex-*.js"):
    if not any(book.glob(wanted)):
        mistakes.append(f"the book has no {wanted}")
if mistakes:
    sys.exit("\n".join(dict.fromkeys(mistakes)))
print(f"{len(written)} pages in {book}, searchable, nothing loaded from the network")
PYTHON
