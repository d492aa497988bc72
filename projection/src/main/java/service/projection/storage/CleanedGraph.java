package service.projection.storage;

import service.log.format.EventLog;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;

/**
 * What a cleanup works on.
 *
 * @param log the events of a graph
 * @param environment the tables that were made of them
 * @param catalogs reads the schemas in the events
 */
record CleanedGraph(EventLog log, ProjectionEnvironment environment, CatalogSource catalogs) {}
