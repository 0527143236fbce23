// Draws the report that stands as JSON in this page: sections of text, charts (uPlot) and tables.
// Everything that comes from the data is set as text, never as markup.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#882255", "#999933"];
  const darkColours = ["#6cb8ea", "#ff9b66", "#4fc3a1", "#e3a5c7", "#9ad4f5", "#f2c14e", "#d47fa6", "#c9c96a"];

  const make = (tag, parent, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    if (parent) parent.append(element);
    return element;
  };

  // 1234567 is "1.23 M"; three digits, and powers of ten beyond.
  const figure = (value) => {
    if (value === null || value === undefined) return "-";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
    for (const [unit, letter] of [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e4, " k"]]) {
      if (size >= unit) {
        const scaled = letter === " k" ? value / 1e3 : value / unit;
        return Number(scaled.toPrecision(3)) + letter;
      }
    }
    return String(Number(value.toPrecision(4)));
  };

  const rowsOf = (chart) => {
    const head = [chart.x_name];
    for (const line of chart.lines) {
      head.push(line.name);
      if (line.low) head.push(line.name + ", least", line.name + ", most");
    }
    const rows = chart.x.map((x, i) => {
      const row = [chart.labels ? chart.labels[i] : x];
      for (const line of chart.lines) {
        row.push(line.y[i]);
        if (line.low) row.push(line.low[i], line.high[i]);
      }
      return row;
    });
    return [head, ...rows];
  };
  const csvOf = (chart) => rowsOf(chart)
    .map((row) => row.map((cell) => {
      const text = cell === null ? "" : String(cell);
      return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    }).join(","))
    .join("\n") + "\n";

  const copy = async (text, button) => {
    const say = (words) => {
      const before = button.dataset.words;
      button.textContent = words;
      setTimeout(() => { button.textContent = before; }, 1500);
    };
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {  // pages opened from disk may have no clipboard
      const area = make("textarea", document.body, text);
      area.select();
      say(document.execCommand("copy") ? "Copied" : "Not allowed here: use CSV");
      area.remove();
    }
  };

  const drawn = [];
  let printing = false;

  const draw = (chart, box) => {
    const dark = !printing && matchMedia("(prefers-color-scheme: dark)").matches;
    const palette = dark ? darkColours : colours;
    const colourOf = (l) => palette[(chart.lines[l].colour_of ?? l) % palette.length];
    const ink = dark ? "#e4e8ec" : "#1b1f24";
    const rule = dark ? "#333c46" : "#e3e7eb";
    const shown = (line, i) => {
      const value = figure(line.y[i]) + (chart.unit && line.y[i] !== null ? " " + chart.unit : "");
      return line.low && line.low[i] !== null
        ? value + " [" + figure(line.low[i]) + " .. " + figure(line.high[i]) + "]" : value;
    };
    // Beside a name each line has a place of its own, so that equal figures can be told apart.
    const shift = (l) => (chart.labels ? (l - (chart.lines.length - 1) / 2) * 7 * devicePixelRatio : 0);
    // A short line over the range that repetitions had, and the marks of lines that are points.
    const drawMarks = (u) => {
      chart.lines.forEach((line, l) => {
        if (!u.series[l + 1].show) return;
        const {left, top, width, height} = u.bbox;
        u.ctx.save();
        u.ctx.beginPath();
        u.ctx.rect(left - 4, top - 4, width + 8, height + 8);
        u.ctx.clip();
        u.ctx.strokeStyle = u.ctx.fillStyle = colourOf(l);
        u.ctx.lineWidth = devicePixelRatio;
        u.ctx.beginPath();
        chart.x.forEach((x, i) => {
          if (x < u.scales.x.min || x > u.scales.x.max) return;
          const at = u.valToPos(x, "x", true) + shift(l);
          if (line.low && line.low[i] !== null) {
            u.ctx.moveTo(at, u.valToPos(line.low[i], "y", true));
            u.ctx.lineTo(at, u.valToPos(line.high[i], "y", true));
          }
          if (line.is_points && line.y[i] !== null) {
            const y = u.valToPos(line.y[i], "y", true);
            u.ctx.moveTo(at, y);
            u.ctx.arc(at, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
          }
        });
        u.ctx.stroke();
        if (line.is_points) u.ctx.fill();
        u.ctx.restore();
      });
    };
    // Room for the spreads as well as for the lines, of what is shown.
    const rangeOfY = (u, least, most) => {
      chart.lines.forEach((line, l) => {
        if (!line.low || !u.series[l + 1].show) return;
        least = Math.min(least, ...line.low.filter((y) => y !== null));
        most = Math.max(most, ...line.high.filter((y) => y !== null));
      });
      if (chart.log_y) return [least / 1.3, most * 1.3];
      if (chart.y_from_zero === false) return uPlot.rangeNum(least, most, 0.1, false);
      return [Math.min(0, least), most > 0 ? most * 1.05 : 1];
    };
    // Powers of ten; 1, 2, 5 where there are few of them; every second, third ... where there are many.
    const decades = (u, a, least, most) => {
      const first = Math.floor(Math.log10(least));
      const last = Math.ceil(Math.log10(most));
      const step = Math.ceil((last - first) / 8);
      const splits = [];
      if (most / least < 4) {  // less than what 1, 2, 5 could divide: even steps
        const rough = (most - least) / 5;
        const power = 10 ** Math.floor(Math.log10(rough));
        const even = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
        for (let y = Math.ceil(least / even) * even; y <= most; y += even) splits.push(y);
        return splits;
      }
      for (let power = first; power <= last; power += step) {
        for (const digit of last - first <= 3 ? [1, 2, 5] : [1]) splits.push(digit * 10 ** power);
      }
      return splits.filter((y) => y >= least && y <= most);
    };
    const axis = (values, extra) => ({
      stroke: ink, grid: {stroke: rule, width: 1}, ticks: {stroke: rule, width: 1}, values, ...extra,
    });
    const width = Math.max(280, box.clientWidth);
    const longest = chart.labels ? Math.max(...chart.labels.map((label) => label.length)) : 0;
    const tilted = chart.labels && chart.labels.length <= 40 && longest * 7 * chart.labels.length > width - 80;
    // A long name is cut in the axis; the hover and the table have it whole.
    const has_names = chart.labels && chart.labels.length <= 40;  // more would cover each other
    const cut = (label) => (!has_names ? "" : tilted && label.length > 22 ? label.slice(0, 20) + ".." : label);
    const options = {
      width,
      height: Math.round(Math.min(420, Math.max(260, width * 0.45))) + (tilted ? 90 : 0),
      scales: {
        x: {time: false, distr: chart.log_x ? 3 : 1,
            range: chart.labels ? [-0.5, chart.x.length - 0.5] : undefined},
        y: {distr: chart.log_y ? 3 : 1, range: rangeOfY},
      },
      axes: [
        axis(chart.labels ? (u, at) => at.map((i) => (Number.isInteger(i) ? cut(chart.labels[i] ?? "") : ""))
                          : (u, at) => at.map((x) => (x === null ? "" : figure(x))),
             {label: tilted ? undefined : chart.x_name, rotate: tilted ? -60 : 0, size: tilted ? 130 : 50,
              splits: chart.labels ? () => chart.x : undefined}),
        axis((u, at) => at.map((y) => (y === null ? "" : figure(y))),
             {label: chart.y_name + (chart.unit ? ", " + chart.unit : ""), size: 70,
              splits: chart.log_y ? decades : undefined}),
      ],
      series: [
        {label: chart.x_name,
         value: (u, x, s, i) => (i === null ? "-" : chart.labels ? chart.labels[i] : figure(x))},
        ...chart.lines.map((line, l) => ({
          label: line.name, stroke: colourOf(l), width: line.is_points ? 0 : 2,
          dash: line.is_dashed || (l >= palette.length && line.colour_of === undefined) ? [6, 4] : undefined, spanGaps: true,
          paths: line.is_points ? () => null : undefined,
          points: {show: !line.is_points && chart.x.length <= 24, size: 6, fill: colourOf(l)},
          value: (u, y, s, i) => (i === null ? "-" : shown(line, i)),
        })),
      ],
      cursor: {drag: {x: true, y: false}},
      hooks: {draw: [drawMarks]},
    };
    box.replaceChildren();
    const plot = new uPlot(options, [chart.x, ...chart.lines.map((line) => line.y)], box);
    box.plot = plot;
  };
  const drawAll = () => drawn.forEach(({chart, box}) => draw(chart, box));

  const addTable = (parent, head, rows, classes) => {
    const table = make("table", make("div", parent, undefined, "scroll"), undefined, "data");
    // A column of figures, with or without a unit, is set flush right.
    const numeric = /^$|^-$|^[-+<>= ]*[0-9][0-9.,e+ -]*( ?(%|ns|us|ms|s|[kMGT]?B|[kMGT]))?$/;
    const is_number = head.map((_, c) => rows.length > 0 &&
      rows.every((row) => typeof row[c] !== "string" || numeric.test(row[c])));
    const line = make("tr", make("thead", table));
    head.forEach((name, c) => make("th", line, name, is_number[c] ? "number" : ""));
    const body = make("tbody", table);
    rows.forEach((row, r) => {
      const tr = make("tr", body);
      row.forEach((cell, c) => {
        const kind = classes && classes[r] && classes[r][c] ? " " + classes[r][c] : "";
        make("td", tr, typeof cell === "number" || cell === null ? figure(cell) : cell,
             (is_number[c] ? "number" : "") + kind);
      });
    });
  };

  const addChart = (parent, chart) => {
    const box = make("figure", parent);
    if (chart.title) make("h3", box, chart.title);
    if (chart.text) make("figcaption", box, chart.text);
    const plotBox = make("div", box, undefined, "plot");
    drawn.push({chart, box: plotBox});
    const bar = make("div", box, undefined, "bar");
    const button = (words, act) => {
      const made = make("button", bar, words);
      made.type = "button";
      made.dataset.words = words;
      made.addEventListener("click", () => act(made));
    };
    button("Copy data", (self) => copy(csvOf(chart), self));
    button("CSV", () => {
      const link = make("a", document.body);
      link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(csvOf(chart));
      link.download = (chart.title || "chart").replace(/[^A-Za-z0-9]+/g, "-").toLowerCase() + ".csv";
      link.click();
      link.remove();
    });
    button("Whole range", () => draw(chart, plotBox));
    const details = make("details", box);
    make("summary", details, "Figures");
    const [head, ...rows] = rowsOf(chart);
    addTable(details, head, rows);
  };

  document.title = report.title;
  const main = document.querySelector("main");
  make("h1", main, report.title);
  if (report.subtitle) make("p", main, report.subtitle, "faint");
  const links = make("nav", main);
  const showTable = (table) => {
    if (table.title) make("h3", main, table.title);
    if (table.text) make("p", main, table.text, "faint");
    addTable(main, table.head, table.rows, table.classes);
  };
  if (report.command) make("code", main, "$ " + report.command);
  for (const line of report.findings) make("p", main, line, "finding");
  if (report.summary) showTable(report.summary);
  report.sections.forEach((section, s) => {
    const id = "section-" + s;
    const link = make("a", links, section.title);
    link.href = "#" + id;
    make("h2", main, section.title).id = id;
    if (section.text) make("p", main, section.text);
    for (const chart of section.charts) addChart(main, chart);
    section.tables.forEach(showTable);
  });
  if (report.card.length > 0) {
    make("h2", main, "Machine");
    const table = make("table", main);
    for (const [field, value] of report.card) {
      const row = make("tr", table);
      make("th", row, field);
      make("td", row, value);
    }
  }
  make("p", main, "Drag across a chart to zoom, click a name in its legend to hide a line, hover for exact figures. "
    + "This page needs no network.", "faint");

  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => { printing = true; drawAll(); });
  addEventListener("afterprint", () => { printing = false; drawAll(); });
  let width = document.body.clientWidth;
  addEventListener("resize", () => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    drawAll();
  });
})();
