/** The Model Context Protocol face of the use-cases. */
@NullMarked
package service.mcp;

import org.jspecify.annotations.NullMarked;
