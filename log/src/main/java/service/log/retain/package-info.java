/** What cleanup has taken from a log, and what it must not take. */
@NullMarked
package service.log.retain;

import org.jspecify.annotations.NullMarked;
