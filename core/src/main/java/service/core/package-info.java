/** Values, languages, events and use-cases of a graph, and the ports they ask for. */
@NullMarked
package service.core;

import org.jspecify.annotations.NullMarked;
