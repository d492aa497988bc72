/**
 * The directory of one graph with its log, tables and checkpoints: opening, rebuilding, verification, cleanup and
 * backup.
 */
@NullMarked
package service.projection.storage;

import org.jspecify.annotations.NullMarked;
