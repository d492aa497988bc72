/**
 * Backups: a log as one file, written while the writer runs, verified and restored. It may use {@code format},
 * {@code lmdb} and {@code retain} of this module.
 */
@NullMarked
package service.log.backup;

import org.jspecify.annotations.NullMarked;
