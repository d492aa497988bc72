/** Configuration: strict YAML with findings that name file, line and column, and environment variables. */
@NullMarked
package service.core.config;

import org.jspecify.annotations.NullMarked;
