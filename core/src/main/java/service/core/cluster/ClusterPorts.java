package service.core.cluster;

import service.core.port.GraphPort;
import service.core.port.ObjectStores;

/**
 * The storage that clusters use.
 *
 * @param stores opens the applied state of a root
 * @param graphs the graphs of a root
 */
public record ClusterPorts(ObjectStores stores, GraphPort graphs) {}
