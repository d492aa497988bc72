/** The cluster: configuration, resources, ledger, plan, apply, and what a server boots from. */
@NullMarked
package service.core.cluster;

import org.jspecify.annotations.NullMarked;
