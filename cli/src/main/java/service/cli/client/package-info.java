/** The interface to a graph, on a server or in a directory, and its implementation over HTTP. */
@NullMarked
package service.cli.client;

import org.jspecify.annotations.NullMarked;
