/**
 * Configuration: strict YAML with findings that name file, line and column, and environment variables. It may use
 * {@code error} of this module.
 */
@NullMarked
package service.core.config;

import org.jspecify.annotations.NullMarked;
