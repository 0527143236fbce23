package trommel.hbase.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleBiFunction;

/** Draws RPCs and times by way of asking, as an SVG. */
final class Picture {
  private static final String[] COLOURS = {"#d55e00", "#0072b2", "#009e73"};
  private static final double WIDTH = 960;
  private static final double MARGIN = 20;
  private static final double TITLE = 76;  // Title and legend.
  private static final double PANEL = 260;
  private static final double BARS_TOP = 60;
  private static final double BARS_BOTTOM = PANEL - 40;
  private static final double LINE = 19;

  private final StringBuilder svg = new StringBuilder();
  private final List<Figures> all;

  private Picture(List<Figures> all) {
    this.all = all;
  }

  static void draw(String title, List<Figures> all, Path file) throws IOException {
    Files.writeString(file, new Picture(all).whole(title), StandardCharsets.US_ASCII);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private void text(double x, double y, String attributes, String text) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    add("<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>", x, y, attributes, escaped);
  }

  private String whole(String title) {
    double height = TITLE + 2 * PANEL + LINE * (all.size() + 1);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">", WIDTH, height);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    text(MARGIN, 28, "font-weight=\"bold\" font-size=\"16\"", title);
    for (int way = 0; way < Figures.WAYS.length; ++way) {
      double x = MARGIN + 8 + 150 * way;
      add("<rect x=\"%.1f\" y=\"46\" width=\"14\" height=\"14\" fill=\"%s\"/>", x, COLOURS[way]);
      text(x + 20, 58, "", Figures.WAYS[way]);
    }
    panel(TITLE, "RPCs per query (logarithmic)", (f, way) -> f.calls[way], null, null);
    panel(
        TITLE + PANEL, "Whole query, ms: median and quartiles (logarithmic)", (f, way) -> f.milliseconds(way).median,
        (f, way) -> f.milliseconds(way).quarter, (f, way) -> f.milliseconds(way).threeQuarters);
    for (int i = 0; i < all.size(); ++i) {
      double y = TITLE + 2 * PANEL + LINE * (i + 0.5);
      text(MARGIN + 8, y, "font-weight=\"bold\"", letter(i));
      text(MARGIN + 30, y, "", all.get(i).question + " (rows: " + Report.number(all.get(i).rows) + ")");
    }
    return svg.append("</svg>\n").toString();
  }

  private static String letter(int i) {
    return Character.toString('A' + i);
  }

  private void panel(
      double top, String title, ToDoubleBiFunction<Figures, Integer> figure, ToDoubleBiFunction<Figures, Integer> low,
      ToDoubleBiFunction<Figures, Integer> high) {
    double most = 0;
    double least = Double.MAX_VALUE;
    for (Figures figures : all) {
      for (int way = 0; way < Figures.WAYS.length; ++way) {
        most = Math.max(most, (high == null ? figure : high).applyAsDouble(figures, way));
        least = Math.min(least, (low == null ? figure : low).applyAsDouble(figures, way));
      }
    }
    double bottom = Math.log10(least / 2);  // The least bar still has a height.
    double scale = (BARS_BOTTOM - BARS_TOP) / (Math.log10(most) - bottom);
    text(MARGIN, top + 18, "font-weight=\"bold\"", title);
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#777777\"/>", MARGIN, top + BARS_BOTTOM, WIDTH - MARGIN, top + BARS_BOTTOM);
    double group = (WIDTH - 2 * MARGIN) / all.size();
    double bar = Math.min(17, group / (Figures.WAYS.length + 1));
    for (int i = 0; i < all.size(); ++i) {
      double x = MARGIN + group * i + 8;
      text(x + 1.5 * bar, top + BARS_BOTTOM + 20, "text-anchor=\"middle\"", letter(i));
      for (int way = 0; way < Figures.WAYS.length; ++way, x += bar) {
        double value = figure.applyAsDouble(all.get(i), way);
        double height = (Math.log10(value) - bottom) * scale;
        double y = top + BARS_BOTTOM - height;
        add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y, bar - 2, height, COLOURS[way]);
        if (high != null) {
          double from = top + BARS_BOTTOM - (Math.log10(low.applyAsDouble(all.get(i), way)) - bottom) * scale;
          double to = top + BARS_BOTTOM - (Math.log10(high.applyAsDouble(all.get(i), way)) - bottom) * scale;
          add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#000000\"/>", x + bar / 2 - 1, from, x + bar / 2 - 1, to);
          y = to;
        }
        add("<text font-size=\"10\" transform=\"translate(%.1f %.1f) rotate(-45)\">%s</text>", x + 8, y - 3, high == null ? Report.number((long) value) : Report.time(value));
      }
    }
  }
}
