package service.cli.command;

/** The version of this build, as its jar's manifest states it; {@code development} outside a jar. */
public final class Version {
    public static final String TEXT = text();

    private Version() {}

    private static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
