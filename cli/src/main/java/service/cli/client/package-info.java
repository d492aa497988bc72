/**
 * The interface to a graph, on a server or in a directory, and its implementation over HTTP. It uses no other package
 * of this module.
 */
@NullMarked
package service.cli.client;

import org.jspecify.annotations.NullMarked;
