/**
 * The one mechanism behind every table that remembers: members, their versions, and views along a chain of branches.
 */
@NullMarked
package service.projection.temporal;

import org.jspecify.annotations.NullMarked;
