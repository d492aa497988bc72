package service.cli.render;

/**
 * The properties of the output.
 *
 * @param width columns; 0 for no limit
 * @param color whether to use escape codes for bold
 */
public record Screen(int width, boolean color) {
    /** A file or a pipe. */
    public static final Screen NONE = new Screen(0, false);

    String bold(String text) {
        return color ? "\u001b[1m" + text + "\u001b[0m" : text;
    }
}
