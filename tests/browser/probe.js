// Put into a report by tests/browser/run: does in the page what a reader does, and leaves what failed
// as text in the element with the id "probe".
"use strict";
const probeFailures = [];
addEventListener("error", (event) => probeFailures.push("error: " + event.message));
for (const level of ["error", "warn"]) {
  console[level] = (...words) => probeFailures.push("console: " + words.join(" "));
}
addEventListener("load", () => setTimeout(async () => {
  const check = (is_so, what) => { if (!is_so) probeFailures.push(what); };
  const pause = () => new Promise((done) => setTimeout(done, 60));
  const boxes = [...document.querySelectorAll(".plot")];
  check(boxes.length > 0, "no chart");
  check(document.querySelector("h1").textContent.length > 0, "no title");
  check(document.documentElement.scrollWidth <= innerWidth, "wider than the page");
  for (const box of boxes) {
    const plot = box.plot;
    const name = box.parentElement.querySelector("h3")?.textContent ?? "a chart";
    if (!plot) { probeFailures.push(name + ": not drawn"); continue; }
    const canvas = box.querySelector("canvas");
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let inked = 0;
    for (let i = 3; i < pixels.length; i += 4) inked += pixels[i] > 0;
    check(inked > 500, name + ": blank");

    // The pointer over the middle of the chart: the legend shows figures.
    box.scrollIntoView();
    const over = box.querySelector(".u-over");
    const area = over.getBoundingClientRect();
    const at = (type, share) => over.dispatchEvent(new MouseEvent(type, {
      bubbles: true, view: window, button: 0, buttons: type === "mousemove" ? 0 : 1,
      clientX: area.left + area.width * share, clientY: area.top + area.height / 2}));
    at("mouseenter", 0.5);
    at("mousemove", 0.5);
    await pause();
    const values = [...box.querySelectorAll(".u-legend .u-value")].map((cell) => cell.textContent);
    check(values.slice(1).some((text) => /[0-9]/.test(text)), name + ": no figures under the pointer");

    // A click on a name hides its line, another shows it again.
    const label = box.querySelectorAll(".u-legend .u-series th")[1];
    label.click();
    await pause();
    check(plot.series[1].show === false, name + ": a click does not hide the line");
    label.click();
    await pause();
    check(plot.series[1].show === true, name + ": a click does not show the line again");

    // Copying gives as many lines as there are figures along x, and a head.
    const rows = box.parentElement.querySelectorAll("details tbody tr").length;
    check(rows === plot.data[0].length, name + ": the table has other figures than the chart");
  }
  const result = document.createElement("pre");
  result.id = "probe";
  result.textContent = probeFailures.length === 0 ? "all " + boxes.length + " charts are good" :
    "FAILED: " + probeFailures.join("; ");
  document.body.append(result);
}, 50));
