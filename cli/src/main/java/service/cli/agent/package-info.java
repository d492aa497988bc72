/** The tools of {@code service mcp}: what agents may do with one graph of a server. */
@NullMarked
package service.cli.agent;

import org.jspecify.annotations.NullMarked;
