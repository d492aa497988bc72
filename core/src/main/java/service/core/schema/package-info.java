/**
 * The schema language: parser, catalog of node and edge types, stable identities. It may use {@code error},
 * {@code lifecycle}, {@code schema.syntax}, {@code text} and {@code value} of this module.
 */
@NullMarked
package service.core.schema;

import org.jspecify.annotations.NullMarked;
