/**
 * From syntax to plan: names are bound to a schema, types checked, patterns normalised. Every mistake is reported with
 * its code, its place, and what to write instead.
 */
@NullMarked
package service.core.gq.check;

import org.jspecify.annotations.NullMarked;
