package service.core.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks the {@code long} parameter of a test method, or of a test's constructor, that is the seed of its random values.
 * Each test process draws one seed, {@code -Dservice.seed=N} sets it, and the failure of a test that uses it names it.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SeedExtension.class)
public @interface Seed {}
