package service.cli.render;

/**
 * What the output goes to.
 *
 * @param width columns; 0 for no limit
 * @param color whether escape codes for bold are welcome
 */
public record Screen(int width, boolean color) {
    /** A file or a pipe. */
    public static final Screen NONE = new Screen(0, false);

    String bold(String text) {
        return color ? "\u001b[1m" + text + "\u001b[0m" : text;
    }
}
