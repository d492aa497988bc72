/** Coded errors: one code, one remedy. The codes are mapped to HTTP statuses and to exit codes in one place each. */
@NullMarked
package service.core.error;

import org.jspecify.annotations.NullMarked;
