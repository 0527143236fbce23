#!/usr/bin/env python3
"""Checks the links of a site: every page, file and place in a page that a link names must be there.

    links.py SITE [--external]    prints PAGE:1: and the link that leads nowhere; --external lists the
                                  links to other sites instead, which are not followed

Exit status: 0 all lead somewhere, 1 not.
"""
import html
import pathlib
import re
import sys
import urllib.parse

TAG = re.compile(r'<(\w+)\b[^>]*?\s(href|src)="([^"]*)"')


def main():
    site = pathlib.Path(sys.argv[1])
    pages = {path.name: path.read_text() for path in sorted(site.glob("*.html"))}
    places = {name: set(re.findall(r'\s(?:id|name)="([^"]+)"', text)) for name, text in pages.items()}
    external = set()
    findings = set()
    for page, text in pages.items():
        for tag, attribute, link in TAG.findall(text):
            file, _, place = urllib.parse.unquote(html.unescape(link)).partition("#")
            if re.match(r"[a-z]+:|//", link):
                external.add((link, page))
                if attribute == "src" or tag == "link":
                    findings.add(f"{site / page}:1: needs the network: {link}")
            elif not (site / (file or page)).is_file():
                findings.add(f"{site / page}:1: no such file: {link}")
            elif place and place not in places.get(file or page, ()):
                findings.add(f"{site / page}:1: no such place in a page: {link}")
    if "--external" in sys.argv:
        print(*(f"{link}  in {page}" for link, page in sorted(external)), sep="\n")
    else:
        print(*sorted(findings), sep="\n", end="\n" if findings else "")
    sys.exit(bool(findings))


main()
