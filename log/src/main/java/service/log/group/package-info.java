/**
 * The bytes of a group of commits, and the port that makes them durable. The writer encodes a group; a sink stores it.
 * It uses no other package of this module.
 */
@NullMarked
package service.log.group;

import org.jspecify.annotations.NullMarked;
