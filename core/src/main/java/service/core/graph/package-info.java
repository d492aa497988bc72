/** The use-cases of one graph, one class each behind the facade Graph. */
@NullMarked
package service.core.graph;

import org.jspecify.annotations.NullMarked;
