/** The composition root: the only place that constructs the storage, the executor and the server. */
@NullMarked
package service.cli.boot;

import org.jspecify.annotations.NullMarked;
