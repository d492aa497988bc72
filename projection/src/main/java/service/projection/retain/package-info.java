/** Finds what cleanup may delete: marks, superseded entries, blobs, and events to strip. */
@NullMarked
package service.projection.retain;

import org.jspecify.annotations.NullMarked;
