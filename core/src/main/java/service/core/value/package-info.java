/**
 * Values, their types, ULIDs, and the binary layout of a row of properties. It uses no other package of this module.
 */
@NullMarked
package service.core.value;

import org.jspecify.annotations.NullMarked;
