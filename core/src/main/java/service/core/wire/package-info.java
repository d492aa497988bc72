/** The records and responses of {@code docs/http.md} as JSON. HTTP, MCP and the command line send the same bytes. */
@NullMarked
package service.core.wire;

import org.jspecify.annotations.NullMarked;
