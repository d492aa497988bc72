/** Who is calling, and what they may do. */
@NullMarked
package service.http.auth;

import org.jspecify.annotations.NullMarked;
