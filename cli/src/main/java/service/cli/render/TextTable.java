package service.cli.render;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import service.core.value.VisibleText;

/**
 * A table of text, as wide as its content needs and no wider than the terminal: the widest columns are cut first.
 * Commit ids are never cut, because a part of one cannot be used. Numbers are aligned to the right.
 */
public final class TextTable {
    private static final String GAP = "  ";
    private static final int COLUMN_MIN = 4;
    private static final Pattern ID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}");

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... header) {
        this(List.of(header));
    }

    public TextTable(List<String> header) {
        this.header = header.stream().map(TextTable::oneLine).toList();
    }

    public TextTable row(String... cells) {
        return row(List.of(cells));
    }

    public TextTable row(List<String> cells) {
        if (cells.size() != header.size()) {
            throw new IllegalArgumentException("a row has " + header.size() + " cells: " + cells);
        }
        rows.add(cells.stream().map(TextTable::oneLine).toList());
        return this;
    }

    /** Prints the header and the rows. */
    public void print(PrintWriter out, Screen screen) {
        int[] widths = widths(screen.width());
        out.println(screen.bold(line(header, widths)));
        rows.forEach(row -> out.println(line(row, widths)));
        out.flush();
    }

    /** A number and its noun, in the plural unless the number is 1. */
    public static String counted(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    private int[] widths(int width) {
        int[] widths = new int[header.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = length(header.get(i));
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
        }
        int room = width - GAP.length() * (widths.length - 1);
        while (width > 0 && sum(widths) > room) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                widest = !isOfIds(i) && (widest < 0 || widths[i] > widths[widest]) ? i : widest;
            }
            if (widest < 0 || widths[widest] <= COLUMN_MIN) {
                break;
            }
            widths[widest]--;
        }
        return widths;
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cut(row.get(i), widths[i]);
            String padding = " ".repeat(widths[i] - length(cell));
            line.append(i == 0 ? "" : GAP).append(isNumber(cell) ? padding + cell : cell + padding);
        }
        return line.toString().stripTrailing();
    }

    /** Whether every cell of a column is a commit id, null or empty. */
    private boolean isOfIds(int column) {
        boolean some = false;
        for (List<String> row : rows) {
            String cell = row.get(column);
            boolean id = ID.matcher(cell).matches();
            if (!id && !cell.equals("-") && !cell.equals("null") && !cell.isEmpty()) {
                return false;
            }
            some |= id;
        }
        return some;
    }

    private static boolean isNumber(String cell) {
        return cell.chars().anyMatch(c -> c >= '0' && c <= '9')
                && cell.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-' || c == '.')
                && cell.length() < 20;
    }

    private static String cut(String cell, int width) {
        return length(cell) <= width ? cell : cell.substring(0, cell.offsetByCodePoints(0, width - 1)) + "…";
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    /** A cell, or another value that takes one line: a line break is {@code ⏎}. */
    static String oneLine(String cell) {
        return VisibleText.oneLine(cell.replace("\r\n", "⏎").replace("\n", "⏎").replace('\t', ' '));
    }

    private static int sum(int[] values) {
        int sum = 0;
        for (int value : values) {
            sum += value;
        }
        return sum;
    }
}
