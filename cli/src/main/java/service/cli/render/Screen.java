package service.cli.render;

import service.core.value.VisibleText;

/**
 * The properties of the output.
 *
 * @param width columns; 0 for no limit
 * @param color whether to use escape codes for bold and colours
 */
public record Screen(int width, boolean color) {
    /** A file or a pipe. */
    public static final Screen NONE = new Screen(0, false);

    String bold(String text) {
        return escaped("1", text);
    }

    String red(String text) {
        return escaped("31", text);
    }

    String green(String text) {
        return escaped("32", text);
    }

    String yellow(String text) {
        return escaped("33", text);
    }

    private String escaped(String code, String text) {
        String visible = VisibleText.lines(text);
        return color ? "\u001b[" + code + "m" + visible + "\u001b[0m" : visible;
    }
}
