/**
 * The interfaces that storage and execution implement for the core, with the contract of each. Storage modules
 * implement them; this package holds interfaces and their records. It may use {@code batch}, {@code blob},
 * {@code budget}, {@code error}, {@code event}, {@code gq.plan}, {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.port;

import org.jspecify.annotations.NullMarked;
