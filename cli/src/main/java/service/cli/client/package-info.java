/** One way to talk to a graph, whether it lies in a directory or behind a server. */
@NullMarked
package service.cli.client;

import org.jspecify.annotations.NullMarked;
