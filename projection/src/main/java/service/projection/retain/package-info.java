/**
 * Finds what cleanup may delete: marks, superseded entries, blobs, and events to strip. It may use {@code table} and
 * {@code temporal} of this module.
 */
@NullMarked
package service.projection.retain;

import org.jspecify.annotations.NullMarked;
