package service.cli.command;

/** How the user has called the program, so that printed commands work from where the user stands. */
final class ProgramName {
    private ProgramName() {}

    /** The path of {@code service} as a word of a shell; {@code bin/launch} sets the property. */
    static String service() {
        return word(System.getProperty("service.command", "service"));
    }

    /** The path of {@code service-server}, which is beside it. */
    static String server() {
        return word(System.getProperty("service.command", "service") + "-server");
    }

    /** A text as one word of a shell. */
    static String word(String text) {
        return text.matches("[\\w./:@%+,=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
