/** Backups: a log as one file, written while the writer runs, verified and restored. */
@NullMarked
package service.log.backup;

import org.jspecify.annotations.NullMarked;
