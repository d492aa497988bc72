/** The entry to GQ: compiles a source against a schema and caches compiled sources. */
@NullMarked
package service.core.gq;

import org.jspecify.annotations.NullMarked;
