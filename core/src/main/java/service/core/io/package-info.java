/** Streams of bytes. */
@NullMarked
package service.core.io;

import org.jspecify.annotations.NullMarked;
