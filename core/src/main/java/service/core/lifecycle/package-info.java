/** How long-lived things run and end: background threads, closing. */
@NullMarked
package service.core.lifecycle;

import org.jspecify.annotations.NullMarked;
