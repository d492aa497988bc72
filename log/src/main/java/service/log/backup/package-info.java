/** A log as one file: written beside a writer, verified and put back. */
@NullMarked
package service.log.backup;

import org.jspecify.annotations.NullMarked;
