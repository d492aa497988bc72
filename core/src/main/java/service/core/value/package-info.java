/** Values, their types, ULIDs, and the binary layout of a row of properties. */
@NullMarked
package service.core.value;

import org.jspecify.annotations.NullMarked;
