/** Values, their types, ULIDs, and the binary layout of a row of properties. Uses only the JDK and Agrona. */
@NullMarked
package service.core.value;

import org.jspecify.annotations.NullMarked;
