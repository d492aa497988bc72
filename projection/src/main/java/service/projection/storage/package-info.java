/**
 * One graph's directory: its log, its projection, its checkpoints, opened, trusted, rebuilt and verified. It implements
 * {@code GraphStorage}.
 */
@NullMarked
package service.projection.storage;

import org.jspecify.annotations.NullMarked;
