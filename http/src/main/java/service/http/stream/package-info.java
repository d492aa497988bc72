/** Bodies, in and out, at the speed of the other side and with deadlines. */
@NullMarked
package service.http.stream;

import org.jspecify.annotations.NullMarked;
