/** The schema language: parser, catalog of node and edge types, stable identities. */
@NullMarked
package service.core.schema;

import org.jspecify.annotations.NullMarked;
