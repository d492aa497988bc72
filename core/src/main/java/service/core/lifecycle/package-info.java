/** How long-lived things run and end: background threads, closing. It uses no other package of this module. */
@NullMarked
package service.core.lifecycle;

import org.jspecify.annotations.NullMarked;
