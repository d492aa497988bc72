/** Reads that answer with rows, the export, and the bytes of blobs. It may use {@code graph.request} and the ports. */
@NullMarked
package service.core.graph.read;

import org.jspecify.annotations.NullMarked;
