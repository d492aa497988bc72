/**
 * The entry to GQ: compiles a source against a schema and caches compiled sources. It may use {@code error},
 * {@code gq.check}, {@code gq.plan}, {@code gq.syntax}, {@code port}, {@code schema}, {@code text} and {@code value} of
 * this module.
 */
@NullMarked
package service.core.gq;

import org.jspecify.annotations.NullMarked;
