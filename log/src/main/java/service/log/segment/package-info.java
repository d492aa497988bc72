/**
 * The log of a graph in object storage: immutable segments, each the events of a group, and the sink that creates them.
 * The environment on this machine is a cache of them.
 */
@NullMarked
package service.log.segment;

import org.jspecify.annotations.NullMarked;
