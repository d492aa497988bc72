/** The door to GQ: compiles a source against a schema, and keeps what it compiled. */
@NullMarked
package service.core.gq;

import org.jspecify.annotations.NullMarked;
