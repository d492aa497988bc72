/** The HTTP interface of the use-cases. */
@NullMarked
package service.http;

import org.jspecify.annotations.NullMarked;
