/**
 * The metrics of a server in the text format of Prometheus: recorders of requests and commits, and gauges that are read
 * at a scrape. Only this package uses the metrics library.
 */
@NullMarked
package service.http.metrics;

import org.jspecify.annotations.NullMarked;
