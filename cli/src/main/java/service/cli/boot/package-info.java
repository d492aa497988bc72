/**
 * The composition root: the only place that constructs the storage, the executor and the server. It may use
 * {@code client} and {@code log} of this module.
 */
@NullMarked
package service.cli.boot;

import org.jspecify.annotations.NullMarked;
