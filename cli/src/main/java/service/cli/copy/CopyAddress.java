package service.cli.copy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;

/**
 * The database that holds a copy.
 *
 * @param url for JDBC
 * @param shown how it is named to people, without a password
 */
record CopyAddress(Dialect dialect, String url, Properties properties, String shown) {
    private static final String SQLITE = "sqlite:";
    private static final String DRIVERS = "drivers";

    /** Reads {@code sqlite:FILE} or {@code postgres://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE[?…]}. */
    static CopyAddress of(String given) {
        Properties properties = new Properties();
        if (given.startsWith(SQLITE) && given.length() > SQLITE.length()) {
            Path file = Path.of(given.substring(SQLITE.length())).toAbsolutePath();
            properties.setProperty("busy_timeout", "10000");
            return new CopyAddress(Dialect.SQLITE, "jdbc:sqlite:" + file, properties, given);
        }
        if (given.startsWith("postgres://") || given.startsWith("postgresql://")) {
            return postgres(given, properties);
        }
        throw CommandFailure.usage("--into is sqlite:FILE or postgres://USER@HOST:PORT/DATABASE, not `" + given + "`");
    }

    private static CopyAddress postgres(String given, Properties properties) {
        URI uri;
        try {
            uri = URI.create(given);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--into has no valid URL; signs such as @ in a password are percent-encoded");
        }
        if (uri.getHost() == null || uri.getPath() == null || uri.getPath().length() < 2) {
            throw CommandFailure.usage("--into names a host and a database: postgres://USER@HOST:PORT/DATABASE");
        }
        String user = uri.getUserInfo();
        if (user != null) {
            int colon = user.indexOf(':');
            properties.setProperty("user", colon < 0 ? user : user.substring(0, colon));
            if (colon >= 0) {
                properties.setProperty("password", user.substring(colon + 1));
            }
        }
        String password = ServiceConfig.environment().get("PGPASSWORD");
        if (password != null) {
            properties.putIfAbsent("password", password);
        }
        properties.setProperty("ApplicationName", "service changes poll");
        String place = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + uri.getRawPath();
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        return new CopyAddress(
                Dialect.POSTGRES, "jdbc:postgresql://" + place + query, properties, "postgres://" + place);
    }

    /** Connects. Transactions are committed by the caller. */
    Connection connect() throws SQLException {
        for (Driver driver : ServiceLoader.load(Driver.class, withDrivers())) {
            if (driver.acceptsURL(url)) {
                Connection connection = driver.connect(url, properties);
                connection.setAutoCommit(false);
                return connection;
            }
        }
        throw new CommandFailure(
                CommandFailure.FAILED, "this program has no driver for " + shown + ": put its jar into " + folder());
    }

    /** A loader of the drivers in their own folder: no other class of the program or the server loads them. */
    private static ClassLoader withDrivers() {
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.isDirectory(folder()) ? Files.list(folder()) : Stream.empty()) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".jar")).toList()) {
                jars.add(file.toUri().toURL());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ClassLoader own = CopyAddress.class.getClassLoader();
        // Open until the process ends, as the classes of a driver are.
        return jars.isEmpty() ? own : new URLClassLoader(jars.toArray(URL[]::new), own);
    }

    /** The folder of the drivers, in that of the program. */
    private static Path folder() {
        String first = System.getProperty("java.class.path").split(File.pathSeparator, 2)[0];
        Path folder = Path.of(first).toAbsolutePath().getParent();
        return folder == null ? Path.of(DRIVERS) : folder.resolve(DRIVERS);
    }
}
