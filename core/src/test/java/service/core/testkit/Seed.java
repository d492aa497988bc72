package service.core.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks the {@code long} parameter of a test method, or of a test's constructor, that random values are made from. Each
 * process of tests draws one seed, {@code -Dservice.seed=N} pins it, and a test that takes it and fails names it.
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SeedExtension.class)
public @interface Seed {}
