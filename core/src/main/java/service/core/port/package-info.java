/** What the core asks of storage and execution, and the contract an implementer must keep. */
@NullMarked
package service.core.port;

import org.jspecify.annotations.NullMarked;
