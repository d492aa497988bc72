/** Bodies, in and out, at the speed of the other side and with deadlines. It may use {@code limit} of this module. */
@NullMarked
package service.http.stream;

import org.jspecify.annotations.NullMarked;
