package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import org.slf4j.LoggerFactory;

/** Sends the log to stderr: one JSON object a line, or text for people. */
public final class Logging {
    private Logging() {}

    /** For commands: logs errors only. */
    public static void quiet() {
        context().getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
    }

    /**
     * For the server.
     *
     * @param format {@code json} or {@code text}
     */
    public static void configure(String format, LogLevels levels) {
        LoggerContext context = context();
        Encoder<ILoggingEvent> encoder = switch (format) {
            case "json" -> new JsonLines();
            case "text" -> text(context);
            default -> throw new IllegalArgumentException(format);
        };
        encoder.setContext(context);
        encoder.start();
        LogWriter appender = new LogWriter(
                encoder, new FileOutputStream(FileDescriptor.err).getChannel(), context.getLogger("service.log"));
        appender.setContext(context);
        appender.start();
        // Undertow and XNIO log their start and stop at INFO; operators do not need that. XNIO may be starting already.
        for (String library : new String[] {"io.undertow", "org.xnio", "org.jboss"}) {
            context.getLogger(library).setLevel(Level.WARN);
        }
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.addAppender(appender);
        root.setLevel(levels.root());
        levels.byPrefix().forEach((prefix, level) -> context.getLogger(prefix).setLevel(level));
    }

    /** Writes the remaining lines. Call this before the process ends. */
    public static void stop() {
        context().stop();
    }

    private static PatternLayoutEncoder text(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %msg %kvp{NONE}%n");
        return encoder;
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
