/**
 * The bytes of a group of commits, and the port that makes them durable. The writer encodes a group; a sink stores it.
 */
@NullMarked
package service.log.group;

import org.jspecify.annotations.NullMarked;
