/**
 * Reads that answer with rows, the export, and the bytes of blobs. It may use {@code batch}, {@code blob},
 * {@code budget}, {@code error}, {@code event}, {@code gq}, {@code gq.plan}, {@code graph.request}, {@code json},
 * {@code policy}, {@code port}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.graph.read;

import org.jspecify.annotations.NullMarked;
