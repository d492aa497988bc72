/** One graph's directory: its log, its projection, its checkpoints, opened, trusted, rebuilt and verified. */
@NullMarked
package service.projection.storage;

import org.jspecify.annotations.NullMarked;
