// Search: names of the reference and headings of the documents (names.js), best matches first.
"use strict";
const field = document.getElementById("search");
const list = document.getElementById("found");

// Smaller is better; undefined: no match. The last part of a name counts, not its scopes.
function rank(name, wanted) {
  const last = name.slice(name.lastIndexOf("::") + 1).replace(/^:/, "").toLowerCase();
  const at = last.indexOf(wanted);
  if (at >= 0) return (at === 0 ? 0 : 1000) + last.length;
  return name.toLowerCase().includes(wanted) ? 2000 + name.length : undefined;
}

field.addEventListener("input", () => {
  const wanted = field.value.trim().toLowerCase();
  const found = wanted === "" ? [] : names
    .map(([name, page, address]) => ({name, page, address, order: rank(name, wanted)}))
    .filter((entry) => entry.order !== undefined)
    .sort((a, b) => a.order - b.order)
    .slice(0, 20);
  list.replaceChildren(...found.map(({name, page, address}) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = address;
    link.textContent = name;
    if (page !== "") link.appendChild(document.createElement("small")).textContent = " " + page;
    return item;
  }));
  list.hidden = wanted === "";
  if (found.length === 0) list.textContent = "nothing found";
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") { field.value = ""; list.hidden = true; }
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input")) return;
  event.preventDefault();
  field.focus();
});
document.querySelector("nav [aria-current]")?.scrollIntoView({block: "nearest"});
