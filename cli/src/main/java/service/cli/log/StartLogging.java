package service.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import service.core.value.VisibleText;

/**
 * The log until {@link Logging#configure}, and that of every command: errors only, to stderr. Logback finds this class
 * as a service and calls it once, instead of searching for files and making a formatter with the time zones of the
 * system, which would take longer than most commands.
 */
public final class StartLogging extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        Errors errors = new Errors();
        errors.setContext(context);
        errors.start();
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(errors);
        root.setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** Writes an event to stderr as it comes. */
    private static final class Errors extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            String trace = ThrowableProxyUtil.asString(event.getThrowableProxy());
            System.err.println(VisibleText.lines(event.getLevel()
                    + " "
                    + event.getLoggerName()
                    + " "
                    + event.getFormattedMessage()
                    + (trace.isEmpty() ? "" : System.lineSeparator() + trace.stripTrailing())));
        }
    }
}
