/** A language server for schemas and queries, over standard input and output. */
@NullMarked
package service.cli.lsp;

import org.jspecify.annotations.NullMarked;
