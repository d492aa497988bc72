/**
 * One graph's directory: its log, its projection, its checkpoints, opened, trusted, rebuilt and verified. It implements
 * {@code GraphStorage}. It may use {@code apply}, {@code resident}, {@code retain}, {@code table}, {@code temporal} and
 * {@code view} of this module.
 */
@NullMarked
package service.projection.storage;

import org.jspecify.annotations.NullMarked;
