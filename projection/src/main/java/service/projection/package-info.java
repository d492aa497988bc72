/** What is computed from the log: the temporal tables and the views read from them. */
@NullMarked
package service.projection;

import org.jspecify.annotations.NullMarked;
