/**
 * The records and responses of {@code http.md} as JSON. HTTP, MCP and the command line send the same bytes. It may use
 * {@code batch}, {@code budget}, {@code error}, {@code event}, {@code gq.plan}, {@code graph.branch},
 * {@code graph.feed}, {@code graph.load}, {@code graph.read}, {@code graph.request}, {@code graph.schema},
 * {@code json}, {@code policy}, {@code port}, {@code schema}, {@code schema.migrate} and {@code value} of this module.
 */
@NullMarked
package service.core.wire;

import org.jspecify.annotations.NullMarked;
