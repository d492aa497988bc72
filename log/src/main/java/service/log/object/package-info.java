/**
 * Object stores of a cluster's root. It uses the ports and values of the core and no other package of this module. It
 * is in this module and not in {@code cli.boot}, because the segments of a log will be objects of the same store.
 */
@NullMarked
package service.log.object;

import org.jspecify.annotations.NullMarked;
