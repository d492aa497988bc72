/** Searches for paths: shortest, cheapest, and all that repeat no edge or no node. */
@NullMarked
package service.projection.query.path;

import org.jspecify.annotations.NullMarked;
