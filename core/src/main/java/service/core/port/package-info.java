/**
 * The interfaces that storage and execution implement for the core, with the contract of each. Storage modules
 * implement them; this package holds interfaces and their records.
 */
@NullMarked
package service.core.port;

import org.jspecify.annotations.NullMarked;
