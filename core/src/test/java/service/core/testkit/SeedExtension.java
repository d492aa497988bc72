package service.core.testkit;

import java.security.SecureRandom;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes the seed to tests and names it with each failure. See {@link Seed}. */
final class SeedExtension implements ParameterResolver, AfterTestExecutionCallback {
    private static final String PROPERTY = "service.seed";
    private static final long SEED = Long.getLong(PROPERTY, new SecureRandom().nextLong());

    /** Added to a failure in the report; it has no stack trace. */
    private static final class Pinned extends RuntimeException {
        Pinned() {
            super("run again with -D" + PROPERTY + "=" + SEED, null, false, false);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.isAnnotated(Seed.class) && parameter.getParameter().getType() == long.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return SEED;
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        context.getExecutionException().ifPresent(failure -> {
            failure.addSuppressed(new Pinned());
            System.err.printf(
                    "%s.%s failed: run again with -D%s=%d%n",
                    context.getRequiredTestClass().getSimpleName(),
                    context.getRequiredTestMethod().getName(),
                    PROPERTY,
                    SEED);
        });
    }
}
