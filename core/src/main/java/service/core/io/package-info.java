/** Streams of bytes. It uses no other package of this module. */
@NullMarked
package service.core.io;

import org.jspecify.annotations.NullMarked;
