/**
 * The temporal mechanism that all versioned tables use: members, their versions, and views along a chain of branches.
 */
@NullMarked
package service.projection.temporal;

import org.jspecify.annotations.NullMarked;
