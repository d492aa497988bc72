/** Files that people write: strict YAML, and findings that name their place. */
@NullMarked
package service.core.config;

import org.jspecify.annotations.NullMarked;
