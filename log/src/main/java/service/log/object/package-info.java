/**
 * Object stores of a cluster's root. They are in this module and not in {@code cli.boot}, because the segments of a log
 * will be objects of the same store. It uses no other package of this module.
 */
@NullMarked
package service.log.object;

import org.jspecify.annotations.NullMarked;
