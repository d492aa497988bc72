/** Coded errors: one code, one remedy; mapped to HTTP and exit codes once, at the doors. */
@NullMarked
package service.core.error;

import org.jspecify.annotations.NullMarked;
