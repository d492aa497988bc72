/** Reads that answer with rows, the export, and the bytes of blobs. */
@NullMarked
package service.core.graph.read;

import org.jspecify.annotations.NullMarked;
