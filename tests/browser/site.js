// Put into a page by tests/browser/site, after the site's address and the names of its pages: shows each page
// in a frame, and leaves what failed as text in the element with the id "probe".
"use strict";
const failures = [];
let page = "";
// Each page calls it before anything else.
function listen(frame) {
  frame.addEventListener("error", (event) => failures.push(page + ": " + event.message));
  for (const level of ["error", "warn"]) {
    frame.console[level] = (...words) => failures.push(page + ": console: " + words.join(" "));
  }
}
addEventListener("load", async () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.height = 800;
  const show = async (name) => {
    page = name;
    const text = await (await fetch(site + name)).text();
    await new Promise((done) => {
      frame.onload = done;
      frame.srcdoc = text.replace("<head>", `<head><base href="${site}"><script>parent.listen(window)<\/script>`);
    });
    return frame.contentDocument;
  };
  for (const width of [390, 1280]) {
    frame.width = width;
    for (const name of pages) {
      if (width > 390 && /^(class|struct)/.test(name)) continue;  // of one form, and it fits a phone
      const shown = await show(name);
      const needed = shown.documentElement.scrollWidth;
      if (needed > width) failures.push(`${name}: ${needed} pixels wide in ${width}`);
      if (!shown.querySelector("main h1")?.textContent) failures.push(name + ": no title");
      for (const picture of shown.images) {
        if (picture.naturalWidth === 0) failures.push(name + ": not shown: " + picture.src);
      }
    }
  }
  const shown = await show("index.html");
  const field = shown.getElementById("search");
  field.value = "countingfilter";
  field.dispatchEvent(new Event("input"));
  const first = shown.querySelector("#found a")?.textContent;
  if (first !== "CountingFilter") failures.push("the search finds first: " + first);
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = failures.length === 0 ? `all ${pages.length} pages are good` : failures.join("\n");
  document.body.append(result);
});
