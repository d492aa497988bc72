/** Tests that run what the documentation says. */
@NullMarked
package service.docs;

import org.jspecify.annotations.NullMarked;
