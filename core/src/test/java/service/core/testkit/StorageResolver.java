package service.core.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes a new graph of the enclosing {@link StorageFixture} to a contract, which closes it. */
final class StorageResolver implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == StorageUnderTest.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRequiredTestInstances()
                .findInstance(StorageFixture.class)
                .orElseThrow(() -> new IllegalStateException(
                        context.getRequiredTestClass() + " is not nested in a " + StorageFixture.class.getSimpleName()))
                .create();
    }
}
