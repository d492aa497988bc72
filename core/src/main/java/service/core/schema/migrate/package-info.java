/**
 * Plans how an accepted schema becomes a desired one: ordered steps, the new catalog with the identities that stay, and
 * refusals. It sees data only through {@link service.core.schema.migrate.LiveData}. It may use {@code error},
 * {@code schema} and {@code value} of this module.
 */
@NullMarked
package service.core.schema.migrate;

import org.jspecify.annotations.NullMarked;
