/**
 * The composition root: the only place that constructs the storage, the executor and the server. It may use every
 * module; of {@code cli} it uses the package {@code client}.
 */
@NullMarked
package service.cli.boot;

import org.jspecify.annotations.NullMarked;
