/**
 * The temporal mechanism that all versioned tables use: members, their versions, and views along a chain of branches.
 * It uses no other package of this module.
 */
@NullMarked
package service.projection.temporal;

import org.jspecify.annotations.NullMarked;
