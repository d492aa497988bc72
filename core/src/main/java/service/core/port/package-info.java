/** The interfaces that storage and execution implement for the core, with the contract of each. */
@NullMarked
package service.core.port;

import org.jspecify.annotations.NullMarked;
