package service.core.cluster;

import service.core.port.ConfigFiles;
import service.core.port.GraphPort;
import service.core.port.ObjectStores;

/**
 * What clusters use of the machine.
 *
 * @param stores opens the applied state of a root
 * @param graphs the graphs of a root
 * @param files opens the files of a cluster's directory
 */
public record ClusterPorts(ObjectStores stores, GraphPort graphs, ConfigFiles.Directories files) {}
