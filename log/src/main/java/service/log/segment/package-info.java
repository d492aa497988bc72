/**
 * The log of a graph in object storage: immutable segments, each the events of a group, and the sink that creates them.
 * The environment on this machine is a cache of them. It may use {@code format}, {@code group}, {@code lmdb},
 * {@code object} and {@code retain} of this module.
 */
@NullMarked
package service.log.segment;

import org.jspecify.annotations.NullMarked;
