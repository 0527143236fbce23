#!/usr/bin/env python3
"""The documents as pages of the site, for tools/site: what comes before Doxygen, and after it.

    documents.py prepare PARTS    writes into the folder PARTS the navigation, and a page for each folder
                                  of sources that a document links to; prints what Doxygen is to read
    documents.py filter FILE      prints a document with links between pages and names for headings
    documents.py finish PARTS SITE  heading levels, links from names in the documents to the reference,
                                  the list of names that the search reads; removes what no page uses

A document's page has its path as name: engine/docs/GUIDE.md is docs-guide.html, bench/README.md bench.html.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

# The order of the navigation. A document that is not named here comes last.
GROUPS = [
    ("Use", ["README.md", "engine/docs/GUIDE.md", "engine/docs/COMMAND.md", "engine/docs/INDEX.md", "engine/docs/HBASE.md",
             "engine/python/README.md", "engine/docs/JAVA.md", "engine/examples", "SECURITY.md"]),
    ("Understand", ["engine/docs/ARCHITECTURE.md", "engine/docs/FINGERPRINTS.md", "engine/docs/FORMAT.md", "engine/docs/INDEX_FILES.md",
                    "engine/docs/SOURCES.md", "bench/README.md"]),
    ("Project", ["CHANGELOG.md", "CONTRIBUTING.md"]),
]
REFERENCE = [("Headers", "files.html"), ("Types", "annotated.html"),
             ("Functions", "namespacetrommel.html#func-members"), ("C ABI", "c_8h.html")]
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`+).+?\1")
MENTION = re.compile(r"(<a [^>]*>)?(<code>)?\b((?:[\w-]+/)*[A-Z_]+\.md)\b(</code>)?(?![^<>]*>)")
HEADING = re.compile(r'<h([2-4])><a class="anchor" id="([^"]+)"></a>\s*(.*?)</h')


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
                            capture_output=True, text=True, check=True).stdout
    return [name for name in dict.fromkeys(listed.splitlines()) if os.path.exists(name)]


def page_name(path):
    """The page of a document or of a folder of sources, without .html."""
    name = re.sub(r"(/README)?\.md$", "", path.removeprefix("engine/"))
    return "index" if name == "README" else re.sub(r"[^a-z0-9_]", "-", name.lower())


def heading_id(page, title):
    """GitHub's name of a heading, made unique among pages."""
    return page + "-" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def lines_outside_code(path):
    """The lines of a document, each with whether it is prose."""
    fenced = False
    for line in pathlib.Path(path).read_text().splitlines():
        fence = line.startswith("```")
        yield line, not (fenced or fence or line.startswith("    "))
        fenced ^= fence


def title_of(path):
    if not path.endswith(".md"):
        return path
    return next(line[2:].replace("`", "") for line, prose in lines_outside_code(path)
                if prose and line.startswith("# "))


def resolve(document, target):
    """Where a link leads: a path from the root and a heading, or None if it leaves the repository."""
    if ":" in target:
        return None
    path, _, fragment = target.partition("#")
    return (os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document), fragment


def page_link(path, fragment):
    """The address on the site of a document, a folder of sources, or one of its files."""
    if path.endswith(".md") or os.path.isdir(path):
        page = page_name(path)
        return page + ".html" + ("#" + heading_id(page, fragment) if fragment else "")
    page = page_name(os.path.dirname(path))
    return page + ".html#" + heading_id(page, os.path.basename(path))


def filter_document(document):
    page = page_name(document)
    seen = {}

    def link(match):
        picture, text, target = match.groups()
        place = resolve(document, target)
        if place is None:
            return match[0]
        if picture:
            return f"![{text}]({os.path.basename(target)})"
        return f"[{text}]({page_link(*place)})"

    def code(match):
        # To Doxygen one backtick and an apostrophe are quotation marks, two backticks are not.
        return f"`{match[0]}`" if match[1] == "`" and "'" in match[0] else match[0]

    for line, prose in lines_outside_code(document):
        heading = re.match(r"(#+) (.*)", line) if prose else None
        if heading and len(heading[1]) == 1:
            line += f" {{#{'mainpage' if page == 'index' else page}}}"
        elif heading:
            name = heading_id(page, heading[2])
            seen[name] = seen.get(name, 0) + 1
            line += f" {{#{name}{'' if seen[name] == 1 else f'-{seen[name] - 1}'}}}"
        # Nor does Doxygen see bold text that begins with code or a quotation mark.
        line = re.sub(r'\*\*([`"][^*]+)\*\*', r"<b>\1</b>", line) if prose else line
        print(CODE.sub(code, LINK.sub(link, line)) if prose else line)


def source_folders(documents):
    """The folders that documents link to, or to files of which."""
    folders = set()
    for document in documents:
        for line, prose in lines_outside_code(document):
            for picture, _, target in LINK.findall(line) if prose else []:
                place = resolve(document, target)
                if place and not picture and not place[0].endswith(".md"):
                    folders.add(place[0] if os.path.isdir(place[0]) else os.path.dirname(place[0]))
    return sorted(folders)


def source_page(folder):
    """A page with the text files of a folder, and the names of its other files."""
    page = page_name(folder)
    text = [f"# {folder} {{#{page}}}\n"]
    others = []
    for path in tracked(f":(glob){folder}/*"):
        if path.endswith((".cc", ".py", "answers.txt")):
            text.append(f"## {os.path.basename(path)} {{#{heading_id(page, os.path.basename(path))}}}\n")
            text.append(f"\\include {path}\n")
        else:
            others.append(f"- `{os.path.basename(path)}`, {os.path.getsize(path):,} bytes")
    if others:
        text += ["## Other files\n", *others]
    return "\n".join(text) + "\n"


def navigation(paths):
    known = [path for _, group in GROUPS for path in group]
    rest = [path for path in paths if path not in known]
    rows = []
    for name, group in GROUPS:
        entries = [(title_of(path), page_name(path) + ".html") for path in group if path in paths]
        if name == "Project":
            entries += [(title_of(path), page_name(path) + ".html") for path in rest]
        rows.append((name, entries))
    rows.append(("Reference", REFERENCE))
    lines = []
    for name, entries in rows:
        items = [f'<li><a href="{address}">{html.escape(title)}</a></li>' for title, address in entries]
        lines += [f"<strong>{name}</strong>", "<ul>", *items, "</ul>"]
    return "\n".join(lines)


def prepare(parts):
    documents = tracked("*.md")
    folders = source_folders(documents)
    sources = []
    for folder in folders:
        sources.append(parts / f"{page_name(folder)}.markdown")
        sources[-1].write_text(source_page(folder))
    header = pathlib.Path("engine/docs/site/header.html").read_text()
    (parts / "header.html").write_text(header.replace("@NAVIGATION@", navigation(documents + folders)))
    print(*documents, *sources)


def names_of_reference(tags):
    """The address of every public name, types first, as Doxygen's tag file has them; without constructors."""
    types, members = [], []
    for compound in ElementTree.parse(tags).getroot().findall("compound"):
        kind, scope = compound.get("kind"), compound.findtext("name")
        if kind in ("class", "struct", "concept"):
            types.append((scope, compound.findtext("filename")))
        if kind not in ("class", "struct", "namespace", "file"):
            continue
        prefix = "" if kind == "file" else scope + "::"
        for member in compound.findall("member"):
            name = prefix + member.findtext("name")
            members.append((name, member.findtext("anchorfile") + "#" + member.findtext("anchor")))
            members += [(f"{name}::{value.text}", value.get("file") + "#" + value.get("anchor"))
                        for value in member.findall("enumvalue")]
    return {name: address for name, address in reversed(types + members)
            if not re.search(r"(^|::)(~|operator\b)|\b(\w+)::\3$|^TROMMEL_[A-Z]*API$", name)}


def short_names(names):
    """Addresses by every ending of a name that means one thing: Encoding::kRuns, kRuns. Published structures
    have plain names such as Filter: they are meant where their namespace is said."""
    meanings = {}
    for name in names:
        parts = name.split("::")
        for first in range(2 if re.match("trommel::(matrix|hbase)::", name) else len(parts)):
            meanings.setdefault("::".join(parts[first:]), []).append(name)
    is_type = {name for name in names if "#" not in names[name]}
    short = {}
    for ending, candidates in meanings.items():
        best = [name for name in candidates if name in is_type] or candidates
        if len(best) == 1 and re.search(r"[A-Z]|^trommel_", ending):
            short[ending] = names[best[0]]
    return short


def whole_options(code):
    """Keeps lines from being broken behind the dashes of --option."""
    return re.sub(r"(?<=[> ])-[^ <]{1,28}(?=[< ])", r'<span class="whole">\g<0></span>', code[0])


def finish(parts, site):
    names = names_of_reference(parts / "tags.xml")
    short = short_names(names)
    documents = tracked("*.md")
    pages = {page_name(path) + ".html": path for path in documents + source_folders(documents)}
    # The pages of headers have the members of namespaces, too.
    found = [[name, "", address] for name, address in
             {name.removeprefix("trommel::"): address for name, address in names.items()}.items()]

    def name_link(match):
        is_link, name = match[1], match[2].removeprefix("trommel::").removesuffix("()")
        return match[0] if is_link or name not in short else f'<a href="{short[name]}">{match[0]}</a>'

    # A document is mentioned by its path or, unless that is README.md, by its name alone.
    mentions = {path: page for page, path in pages.items()}
    mentions |= {os.path.basename(path): page for path, page in mentions.items() if "README" not in path}

    def mention(match):
        is_link, path = match[1], match[3]
        return match[0] if is_link or path not in mentions else f'<a href="{mentions[path]}">{match[0]}</a>'

    for file in site.glob("*.html"):
        text = file.read_text()
        document = pages.get(file.name)
        text = MENTION.sub(mention, text)
        if document:
            # Doxygen has titles of pages apart from headings, and begins those at the first level.
            text = re.sub(r"<(/?)h([1-5])\b", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}", text)
            if "/python" not in document:
                text = re.sub(r"(<a [^>]*>)?<code>([\w:()]+)</code>", name_link, text)
            text = re.sub(r"<code>[^<]*</code>", whole_options, text)
            title = title_of(document)
            found.append([title, "", file.name])
            headings = [(level, f"{file.name}#{anchor}", re.sub("<[^>]*>", "", heading))
                        for level, anchor, heading in HEADING.findall(text)]
            found += [[html.unescape(heading), title, address] for _, address, heading in headings]
            outline = [f'<li><a href="{address}">{heading}</a></li>'
                       for level, address, heading in headings if level == "2"]
            has_outline = f'<li><a href="{file.name}#' in text
            if len(outline) >= 5 and not has_outline and file.name != "index.html":
                outline = ['<div class="textblock">', "<ul>", *outline, "</ul>"]
                text = text.replace('<div class="textblock">', "\n".join(outline), 1)
        # Doxygen's own navigation: folders and lists of members have no pages.
        text = re.sub(r'<div (id="nav-path"|class="(summary|levels)").*?</div>', "", text, flags=re.DOTALL)
        text = re.sub(r'<a class="el" href="dir_[^>]*>(.*?)</a>', r"\1", text)
        text = re.sub(r'<div class="title">(.*?)</div>',
                      lambda title: "<h1>" + title[1].replace("::", "::<wbr>") + "</h1>", text)
        text = text.replace(f'<li><a href="{file.name}">', f'<li><a href="{file.name}" aria-current="page">')
        file.write_text(text)
    (site / "names.js").write_text("const names = " + json.dumps(found, separators=(",", ":")) + ";\n")

    remove_unreached(site)


def remove_unreached(site):
    """Removes what no page uses, such as Doxygen's own scripts, pictures and indexes."""
    reached, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in reached or not (site / name).is_file():
            continue
        reached.add(name)
        if name.endswith(".html"):
            waiting += re.findall(r'\s(?:href|src)="([^"#]+)', (site / name).read_text())
    for file in site.iterdir():
        if file.name not in reached:
            file.unlink()


def main():
    command, *arguments = sys.argv[1:]
    if command == "prepare":
        prepare(pathlib.Path(arguments[0]))
    elif command == "filter":
        filter_document(os.path.relpath(arguments[0]))
    elif command == "finish":
        finish(pathlib.Path(arguments[0]), pathlib.Path(arguments[1]))
    else:
        sys.exit(__doc__)


main()
