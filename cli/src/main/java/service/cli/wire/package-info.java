/** The composition root: the only place that constructs the system. */
@NullMarked
package service.cli.wire;

import org.jspecify.annotations.NullMarked;
