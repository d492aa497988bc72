/** Typed functions for stored queries, in the languages of the clients. */
@NullMarked
package service.cli.codegen;

import org.jspecify.annotations.NullMarked;
