/** The single writer of a graph and its group commit. */
@NullMarked
package service.log.commit;

import org.jspecify.annotations.NullMarked;
