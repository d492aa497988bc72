package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;
import service.core.value.VisibleText;

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

    /** An event is one line, and one more for each line of a stack trace: no text of a stranger makes a line. */
    static PatternLayoutEncoder text(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder() {
            @Override
            public byte[] encode(ILoggingEvent event) {
                String line = VisibleText.oneLine(layout.doLayout(event)) + "\n";
                String trace = ThrowableProxyUtil.asString(event.getThrowableProxy());
                return (line + VisibleText.lines(trace)).getBytes(StandardCharsets.UTF_8);
            }
        };
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %msg %kvp{NONE}%nopex");
        return encoder;
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
