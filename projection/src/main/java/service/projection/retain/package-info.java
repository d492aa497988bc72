/** Finding what cleanup may take: marks, superseded entries, events to be stripped. */
@NullMarked
package service.projection.retain;

import org.jspecify.annotations.NullMarked;
